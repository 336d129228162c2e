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
import os
import signal
import sys

import mbd_ros
from mbd_ros.errors import MbdError

SUBCOMMANDS = {
    'check': 'say what is wrong with a robot description',
    'info': 'print the tree of a robot, its masses, loops and mobility',
    'convert': 'write a robot description in another format',
    'view': 'write a saved run, or a robot, as one HTML file',
    'excite': 'plan a motion from which identify learns much',
    'identify': 'find masses, inertias and friction from recorded motions',
    'flex': 'let a link bend, by finite elements',
    'analyse': 'count operations and critical paths of the formulations',
    'sweep': 'extremes and means of a function over many random states',
    'export': 'write the dynamics of a robot as a C library',
    'cache': 'show, fill or clear the machine code kept on disk'}
"""
What each does, by name. The file of that name beside this one has ``add_to(parser)``, which adds
its arguments and sets ``run``, a function of the parsed ones; it is loaded if it is asked for.
"""
INTERRUPTED = 128 + signal.SIGINT
"""What shells say of a command that Ctrl-C ended."""
CLOSED = 128 + signal.SIGPIPE
"""The same where nobody reads its output any more."""


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
        Exit code: 0, 1 after an error of this package, 2 (by ``SystemExit``) after a usage error,
        130 after Ctrl-C, 141 where its output was closed.

    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog='mbd_ros', description='Multibody dynamics: what needs no running node.')
    parser.add_argument('--version', action='version', version=f'mbd_ros {mbd_ros.__version__}')
    subparsers = parser.add_subparsers(metavar='COMMAND', required=True)
    parsers = {name: subparsers.add_parser(name, help=what) for name, what in SUBCOMMANDS.items()}
    name = next((word for word in words if word in SUBCOMMANDS), '')
    if name:
        import_module(f'mbd_ros.cli.{name}').add_to(parsers[name])
    else:
        parser.parse_args(words)   # --help, --version or an error: this ends it
    xacro = import_module('mbd_ros.description.xml.xacro_arguments')
    given = [word for word in words if xacro.WORD.fullmatch(word)]
    parsed = parser.parse_args([word for word in words if word not in given])
    if given and not hasattr(parsed, 'show_args'):
        parser.error(f"unrecognized arguments: {' '.join(given)}")
    try:
        parsed.xacro_args = xacro.argument_words(given)
        if getattr(parsed, 'show_args', False):
            parsed.run = import_module('mbd_ros.cli.robot_file').show_arguments
        code: int = parsed.run(parsed)
        sys.stdout.flush()
        return code
    except MbdError as error:
        for finding in error.findings:
            if finding.severity != 'info':
                print(finding, file=sys.stderr)
        print(f'mbd_ros: {error}', file=sys.stderr)
        return 1
    except BrokenPipeError:   # as of `mbd_ros info robot.urdf | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())   # the rest goes nowhere
        return CLOSED
    except KeyboardInterrupt:
        print('mbd_ros: interrupted', file=sys.stderr)
        return INTERRUPTED
