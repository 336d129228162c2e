# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

"""The command ``mbd_ros`` and its subcommands."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
import signal
import sys

import mbd_ros
from mbd_ros.errors import MbdError

SUBCOMMANDS = (
    'check', 'info', 'convert', 'view', 'excite', 'identify', 'flex', 'analyse', 'sweep', 'export',
    'cache')
"""
Files beside this one: each has ``add_to(subparsers)``, which sets ``run``, a function of the
parsed arguments. Only what is asked for is loaded, since all of them take seconds.
"""
INTERRUPTED = 128 + signal.SIGINT
"""What shells say of a command that Ctrl-C ended."""


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words of the command line; those of the process if left out.

    Returns
    -------
    int
        Exit code: 0, 1 after an error of this package, 2 (by ``SystemExit``) after a wrong word,
        130 after Ctrl-C.

    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog='mbd_ros', description='Multibody dynamics: what needs no running node.')
    parser.add_argument('--version', action='version', version=f'mbd_ros {mbd_ros.__version__}')
    subparsers = parser.add_subparsers(metavar='COMMAND', required=True)
    if '--version' in words[:1]:
        parser.parse_args(words)
    for name in [one for one in SUBCOMMANDS if one in words[:1]] or SUBCOMMANDS:
        import_module(f'mbd_ros.cli.{name}').add_to(subparsers)
    xacro = import_module('mbd_ros.description.xml.xacro_arguments')
    given = [word for word in words if xacro.WORD.fullmatch(word)]
    parsed = parser.parse_args([word for word in words if word not in given])
    if given and not hasattr(parsed, 'show_args'):
        parser.error(f"unrecognized arguments: {' '.join(given)}")
    try:
        parsed.xacro_args = xacro.argument_words(given)
        if getattr(parsed, 'show_args', False):
            import_module('mbd_ros.cli.robot_file').show_arguments(parsed)
            return 0
        return parsed.run(parsed)
    except MbdError as error:
        for finding in error.findings:
            if finding.severity != 'info':
                print(finding, file=sys.stderr)
        print(f'mbd_ros: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('mbd_ros: interrupted', file=sys.stderr)
        return INTERRUPTED
