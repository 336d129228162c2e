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

"""The robot description on the command line, and how it is to be read."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from mbd_ros.description.records.report import IGNORABLE
from mbd_ros.description.xml.file_content import is_xacro
from mbd_ros.description.xml.packages import file_path
from mbd_ros.description.xml.xacro_file import xacro_arguments
from mbd_ros.errors import InvalidValueError

WORDS = 'NAME:=VALUE after the file gives an argument of a xacro file.'


def add_robot(parser: argparse.ArgumentParser, *, many: bool = False,
              what: str = 'a robot description') -> None:
    """Add the file, or files, and what is said about reading it."""
    if many:
        parser.add_argument('files', nargs='+', metavar='FILE', help=what)
    else:
        parser.add_argument('file', metavar='FILE', help=what)
    parser.add_argument('--model', metavar='NAME', help='which model of an SDFormat world')
    add_packages(parser)
    parser.add_argument('--folder', action='append', default=[], metavar='FOLDER', dest='folders',
                        help='the description may include files of this folder, too; may be said '
                        'again (default: its package or repository, or the folder above its own)')
    parser.add_argument('--rotor-inertia', choices=('described', 'transmissions'),
                        default='described', help='whether <transmission> of a URDF gives joints '
                        'the inertia of their motors (default: %(default)s)')
    parser.add_argument('--ignore', action='append', default=[], choices=tuple(IGNORABLE),
                        help='load the robot without what this package does not read; may be said '
                        'again')
    parser.add_argument('--show-args', action='store_true',
                        help='print the arguments that a xacro file takes, and end')
    parser.epilog = WORDS


def add_packages(parser: argparse.ArgumentParser) -> None:
    """Add where packages are."""
    parser.add_argument('--package', metavar='NAME=FOLDER', action='append', default=[],
                        dest='packages', help='where a package is that the file names; may be '
                        'said again')


def reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """
    Return the arguments of ``read`` and ``load`` that were given.

    Raises
    ------
    InvalidValueError
        If a package is given otherwise than ``NAME=FOLDER``.

    """
    return {'arguments': arguments.xacro_args, 'model': arguments.model,
            'packages': named_folders(arguments.packages),
            'folders': arguments.folders, 'rotor_inertia': arguments.rotor_inertia,
            'ignore': arguments.ignore}


def named_folders(words: Iterable[str]) -> dict[str, str]:
    """Return folders by the names of packages; errors as of ``reading``."""
    packages = {}
    for word in words:
        name, equals, folder = word.partition('=')
        if not name or not equals or not folder:
            raise InvalidValueError('--package', word, 'NAME=FOLDER')
        packages[name] = folder
    return packages


def show_arguments(arguments: argparse.Namespace) -> int:
    """Print the arguments of the files, each with its default."""
    for file in getattr(arguments, 'files', None) or [arguments.file]:
        given = reading(arguments)
        path = file_path(file, given['packages'])
        if not is_xacro(path):
            raise InvalidValueError('--show-args', file, 'with a xacro file')
        for name, default in xacro_arguments(str(path), arguments=given['arguments'],
                                             packages=given['packages'],
                                             folders=given['folders']).items():
            value = given['arguments'].get(name)
            print(f'{name}:={value}' if value is not None else
                  f'{name}  (no default)' if default is None else f'{name}:={default}  (default)')
    return 0
