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

"""``ros2 interface package``."""

from __future__ import annotations

import argparse

from rosidl_runtime_py import get_interfaces


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('package_name', help="Name of the package (e.g. 'example_interfaces')")


def main(args: argparse.Namespace) -> str | None:
    """Print the interfaces of a package."""
    try:
        found = get_interfaces([args.package_name])
    except LookupError as error:
        return str(error.args[0])
    for name in found.get(args.package_name, ()):
        print(f'{args.package_name}/{name}')
    return None
