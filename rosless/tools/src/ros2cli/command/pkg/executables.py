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

"""``ros2 pkg executables``."""

from __future__ import annotations

import argparse

from ament_index_python.packages import get_packages_with_prefixes
from ament_index_python.packages import PackageNotFoundError
from launch_ros.utilities.package_executables import get_executables


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('package_name', nargs='?', help='The package name')
    parser.add_argument('--full-path', action='store_true',
                        help='Show the full path of the executables')


def main(args: argparse.Namespace) -> str | None:
    """Print the programs of a package, or of all packages."""
    names = [args.package_name] if args.package_name else sorted(get_packages_with_prefixes())
    for name in names:
        try:
            executables = get_executables(name)
        except (PackageNotFoundError, ValueError):
            return 'Package not found'
        for executable, path in sorted(executables.items()):
            print(path if args.full_path else f'{name} {executable}')
    return None
