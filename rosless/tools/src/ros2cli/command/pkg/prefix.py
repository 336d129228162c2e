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

"""``ros2 pkg prefix``."""

from __future__ import annotations

import argparse

from ament_index_python.packages import get_package_prefix
from ament_index_python.packages import get_package_share_directory
from ament_index_python.packages import PackageNotFoundError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('package_name', help='The package name')
    parser.add_argument('--share', action='store_true',
                        help='Show the share directory for the package')


def main(args: argparse.Namespace) -> str | None:
    """Print the prefix of a package."""
    try:
        find = get_package_share_directory if args.share else get_package_prefix
        print(find(args.package_name))
    except (PackageNotFoundError, ValueError):
        return 'Package not found'
    return None
