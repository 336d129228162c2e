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

"""``mbd_ros export``: the dynamics of a robot as a C library."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
import json
import sys
from typing import Any

import mbd_ros
from mbd_ros.cli.robot_file import add_robot, reading
from mbd_ros.environment.contact import Ground
from mbd_ros.errors import InvalidValueError, MbdError
from mbd_ros.export.functions import QUANTITIES, tips, USUAL
from mbd_ros.export.real import DOUBLE, REALS
from mbd_ros.export.target import NATIVE, TARGETS, WEB
from mbd_ros.export.write import export_library
from mbd_ros.model import load, Model

LONGEST_TASK = 1 << 20
"""Characters of a file that holds a task."""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommand to its parser."""
    parser.description = (
        'Writes a header for C99 and C++, a static library and, where a linker is '
        'found, a shared one, an example, and what CMake and pkg-config read. The library needs '
        'neither Python nor mbd_ros. Functions: ' + ', '.join(QUANTITIES) + '.')
    add_robot(parser)
    parser.add_argument('--floating-base', action='store_true',
                        help='the root link moves freely')
    parser.add_argument('--mimic', action='store_true',
                        help='mimic joints are coupled to the joint they mimic')
    parser.add_argument('--ground', action='store_true',
                        help='points of contact touch the plane z = 0, as in simulations')
    parser.add_argument('--to', required=True, metavar='FOLDER',
                        help='where to write: a new or empty folder, or one written before')
    parser.add_argument('--functions', default=','.join(USUAL), metavar='NAME,...',
                        help='which functions, or all (default: %(default)s)')
    parser.add_argument('--link', action='append', metavar='NAME', dest='links',
                        help='link that Jacobian, pose and motion are of; may be said again '
                        '(default: the last ones of the robot)')
    parser.add_argument('--name', metavar='NAME',
                        help="begins all names in C (default: made of the robot's)")
    parser.add_argument('--target', default=NATIVE, metavar='PROCESSOR',
                        help=f'{", ".join(TARGETS)} (default: %(default)s, this processor with '
                        'all that it can)')
    parser.add_argument('--real', default=DOUBLE, metavar='TYPE',
                        help=f'{" or ".join(REALS)}: type of all numbers (default: %(default)s)')
    parser.add_argument('--task', metavar='FILE',
                        help='task of a controller as JSON: adds control_start and control_step')
    parser.add_argument('--as-package', metavar='NAME',
                        help='make the folder a ROS package that ament_cmake builds')
    parser.add_argument('--parameters', choices=('world', 'payload'),
                        help='functions take gravity and what force laws read as an argument; '
                        'payload: and a load of the last link, or of the one that --link names')
    parser.add_argument('--stabilization', type=float, default=0.0, metavar='RATE',
                        help='at which rate forward dynamics and steps close loops that are open '
                        '[1/s] (default: %(default)s, loops stay as they are)')
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the library."""
    model = load(arguments.file, **reading(arguments), floating_base=arguments.floating_base,
                 mimic=arguments.mimic)
    for finding in model.findings:
        if finding.severity != 'info':
            print(finding, file=sys.stderr)
    written = export_library(
        model, arguments.to, name=arguments.name,
        functions=[word.strip() for word in arguments.functions.split(',') if word.strip()],
        links=arguments.links, target=arguments.target, real=arguments.real,
        package=arguments.as_package,
        parameters=arguments.parameters is not None,
        payload=_carrier(model, arguments.links) if arguments.parameters == 'payload' else None,
        ground=Ground() if arguments.ground else None, stabilization=arguments.stabilization,
        task=None if arguments.task is None else _task(arguments.task),
        version=mbd_ros.__version__)
    for reason in written.missing:
        print(f'mbd_ros: {reason}', file=sys.stderr)
    library = written.static.name
    if arguments.target == WEB:
        name = written.static.stem.removeprefix('lib')
        print(f'{written.folder}: {len(written.functions)} functions in lib/{name}.wasm, which '
              f'lib/{name}.mjs loads, and in {library} for C; README.md says how')
        return 0
    print(f'{written.folder}: {len(written.functions)} functions in {library}'
          f'{f" and {written.shared.name}" if written.shared else ""}; try\n'
          f'  cd {written.folder} && cc example.c -Iinclude lib/{library} -lm -o example '
          '&& ./example < /dev/null')
    return 0


def _task(file: str) -> Mapping[str, Any]:
    """Return the data of a task."""
    try:
        with open(file, encoding='utf-8') as stream:
            found = json.loads(stream.read(LONGEST_TASK))
    except OSError as error:
        raise MbdError(f'{file} cannot be read: {error.strerror}') from None
    except (ValueError, RecursionError) as error:
        raise InvalidValueError('--task', file, f'a file of JSON ({error})') from None
    if not isinstance(found, dict):
        raise InvalidValueError('--task', file, 'a file that holds one object of JSON')
    return found


def _carrier(model: Model, links: list[str] | None) -> str:
    """Return the link that carries the payload."""
    found = tips(model) if links is None else list(dict.fromkeys(links))
    if len(found) != 1:
        raise InvalidValueError('--link', ', '.join(found), 'one link, which carries the payload')
    return found[0]
