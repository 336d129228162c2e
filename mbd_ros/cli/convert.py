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

"""``mbd_ros convert``: a robot description in another format."""

from __future__ import annotations

import argparse
from collections.abc import Callable
import os
from pathlib import Path
import shutil
import sys

from mbd_ros.cli.robot_file import add_robot, reading
from mbd_ros.description.read import read
from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.description.write.kept_urdf_elements import kept_elements, kept_shapes
from mbd_ros.description.write.loops_yaml import loops_yaml
from mbd_ros.description.write.merge_fixed import merge_fixed
from mbd_ros.description.write.mjcf import mjcf_text
from mbd_ros.description.write.sdf import sdf_text
from mbd_ros.description.write.urdf import urdf_text
from mbd_ros.errors import InvalidValueError, MbdError

DIALECTS = ('loop_joint', 'constraint', 'drake', 'gazebo', 'joint')

SUFFIXES = {'.urdf': 'urdf', '.xml': 'mjcf', '.mjcf': 'mjcf', '.sdf': 'sdf', '.yaml': 'loops.yaml'}


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommand to its parser."""
    parser.description = (
        'Reads a robot description and writes its links, joints, loop joints and '
        'masses in another format. What the other format has no words for is an error. URDF keeps '
        'shapes and what is for other programs, MJCF and SDF are written without. Findings of the '
        'reader go to the standard error output.')
    add_robot(parser)
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='where to write; to the standard output if left out')
    parser.add_argument('--to', choices=tuple(WRITERS),
                        help='the format; by the name of the output, or urdf, if left out')
    parser.add_argument('--loops', choices=DIALECTS,
                        help='dialect of loop joints in URDF (default: loop_joint)')
    parser.add_argument('--merge-fixed', action='store_true',
                        help='links that are fixed to others become parts of them; where their '
                        'frames are goes to the standard error output')
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Convert the file."""
    target = arguments.to or format_by_name(arguments.output)
    if arguments.loops and target != 'urdf':
        raise InvalidValueError('--loops', arguments.loops, f'with URDF only, not with {target}')
    if arguments.merge_fixed and target == 'loops.yaml':
        raise InvalidValueError('--merge-fixed', target, 'with urdf, mjcf or sdf: loops.yaml is '
                                'beside a URDF whose links it names')
    keep_inputs(arguments.output, arguments.file)
    mechanism = read(arguments.file, **reading(arguments))
    for finding in mechanism.findings:
        print(finding, file=sys.stderr)
    text = _merged(mechanism, target, arguments.loops) if arguments.merge_fixed else (
        WRITERS[target](mechanism, arguments.loops or DIALECTS[0]))
    if arguments.output is None:
        print(text, end='')
        return 0
    write_whole(arguments.output, text)
    return 0


def _merged(mechanism: Mechanism, target: str, loops: str | None) -> str:
    """Return the text of a robot without its fixed joints."""
    found = merge_fixed(mechanism, kept_shapes(mechanism), kept_elements(mechanism))
    for finding in found.findings:
        print(finding, file=sys.stderr)
    if target == 'urdf':
        return urdf_text(found.mechanism, loops=loops or DIALECTS[0], shapes=found.shapes,
                         others=found.others)
    return WRITERS[target](found.mechanism, DIALECTS[0])


def write_whole(output: str, text: str) -> None:
    """
    Write a file as a whole or, where that fails, leave what was there.

    Raises
    ------
    MbdError
        If it cannot be written.

    """
    try:
        _write(Path(output), text)
    except OSError as error:
        raise MbdError(f'{output} cannot be written: {error.strerror}') from None


def _write(path: Path, text: str) -> None:
    """Write a new file beside the one that it then replaces."""
    if path.exists() and not path.is_file():   # a pipe or a device
        path.write_text(text, encoding='utf-8')
        return
    path = path.resolve()
    new = path.with_name(f'.{os.getpid()}.convert')
    try:
        with new.open('x', encoding='utf-8') as file:
            file.write(text)
        if path.exists():
            shutil.copymode(path, new)
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def _urdf(mechanism: Mechanism, loops: str) -> str:
    return urdf_text(mechanism, loops=loops, shapes=kept_shapes(mechanism),
                     others=kept_elements(mechanism))


WRITERS: dict[str, Callable[[Mechanism, str], str]] = {
    'urdf': _urdf, 'mjcf': lambda mechanism, _: mjcf_text(mechanism),
    'sdf': lambda mechanism, _: sdf_text(mechanism),
    'loops.yaml': lambda mechanism, _: loops_yaml(mechanism)}


def keep_inputs(output: str | None, *inputs: str) -> None:
    """
    Check that the file to write is none of those to read.

    Raises
    ------
    InvalidValueError
        If it is.

    """
    if output and os.path.exists(output) and any(
            os.path.exists(one) and os.path.samefile(one, output) for one in inputs):
        raise InvalidValueError('--output', output, 'another file than the one to read')


def format_by_name(output: str | None) -> str:
    """
    Return the format that the name of a file ends with; URDF without a name.

    Raises
    ------
    InvalidValueError
        If it ends otherwise.

    """
    if output is None:
        return 'urdf'
    suffix = Path(output).suffix
    if suffix not in SUFFIXES:
        raise InvalidValueError('--output', output, f"a file named *{', *'.join(SUFFIXES)}, or "
                                f"--to with one of {', '.join(WRITERS)}")
    return SUFFIXES[suffix]
