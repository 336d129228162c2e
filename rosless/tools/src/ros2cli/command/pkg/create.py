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

"""``ros2 pkg create``: a new package written in Python."""

from __future__ import annotations

import argparse
import getpass
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys

from ros2cli.package_template import package_files

PACKAGE_NAME = re.compile(r'[a-z][a-z0-9_]*')
COMPILED = ('cmake', 'ament_cmake', 'ament_cargo')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('package_name', help='The package name')
    parser.add_argument('--package-format', '--package_format', type=int, default=3,
                        choices=[2, 3], help='The package.xml format.')
    parser.add_argument('--description', default='TODO: Package description',
                        help='The description given in the package.xml')
    parser.add_argument('--license', default='TODO: License declaration',
                        help='The license attached to this package')
    parser.add_argument('--destination-directory', default=os.curdir,
                        help='Directory where to create the package directory')
    parser.add_argument('--build-type', default='ament_cmake', choices=[*COMPILED, 'ament_python'],
                        help='The build type to process the package with (default: ament_cmake, '
                        'as in ROS 2; here only ament_python can be made)')
    parser.add_argument('--dependencies', nargs='+', default=[], help='list of dependencies')
    parser.add_argument('--maintainer-email', help='email address of the maintainer')
    parser.add_argument('--maintainer-name', default=_user_name(),
                        help='name of the maintainer of this package')
    parser.add_argument('--node-name', help='name of the empty executable')
    parser.add_argument('--library-name', help='name of the empty library')


def main(args: argparse.Namespace) -> str | None:
    """Write the package."""
    if args.build_type in COMPILED:
        return (f'--build-type {args.build_type} is not available in rosless, which runs nodes '
                'written in Python: use --build-type ament_python')
    name = args.package_name
    if PACKAGE_NAME.fullmatch(name) is None:
        return (f"'{name}' is not a valid package name: lower-case letters, digits and '_', "
                'beginning with a letter')
    if name == 'test':
        return ("Aborted since 'ament_python' packages can't be named 'test'. Please choose a "
                'different package name.')
    folder = Path(args.destination_directory, name)
    if folder.exists():
        return (f'\nAborted!\nThe directory already exists: {folder}\nEither remove the directory '
                'or choose a different destination directory or package name')
    node = args.node_name
    if node and node == args.library_name:
        node = f'{node}_node'
        print('[WARNING] node name can not be equal to the library name', file=sys.stderr)
        print(f'[WARNING] renaming node to {node}', file=sys.stderr)
    email = args.maintainer_email or _email_of_git() or f'{args.maintainer_name}@todo.todo'
    print('going to create a new package\n'
          f'package name: {name}\n'
          f'destination directory: {Path(args.destination_directory).resolve()}\n'
          f'package format: {args.package_format}\n'
          'version: 0.0.0\n'
          f'description: {args.description}\n'
          f"maintainer: ['{args.maintainer_name} <{email}>']\n"
          f"licenses: ['{args.license}']\n"
          f'build type: {args.build_type}\n'
          f'dependencies: {args.dependencies}')
    if node:
        print(f'node_name: {node}')
    if args.library_name:
        print(f'library_name: {args.library_name}')
    print(f'creating folder {folder}')
    for path, text in package_files(
            name, package_format=args.package_format, description=args.description,
            license_name=args.license, maintainer=args.maintainer_name, email=email,
            dependencies=args.dependencies, node=node, library=args.library_name).items():
        target = folder / path
        if not target.parent.is_dir():
            print(f'creating folder {target.parent}')
            target.parent.mkdir(parents=True)
        print(f'creating {target}')
        target.write_text(text, encoding='utf-8')
    return None


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # in a container, a user without an entry
        return 'user'


def _email_of_git() -> str:
    git = shutil.which('git')
    if git is None:
        return ''
    done = subprocess.run([git, 'config', 'user.email'], capture_output=True, text=True,
                          check=False)
    return done.stdout.strip()
