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

"""``ros2 run``: run a program of a package."""

from __future__ import annotations

import argparse
import os
import shlex

from ament_index_python.packages import PackageNotFoundError
from launch_ros.utilities.package_executables import get_executable_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        '--prefix', help='Prefix command, which should go before the executable. Command must be '
        "wrapped in quotes if it contains spaces (e.g. --prefix 'gdb -ex run --args').")
    parser.add_argument('package_name', help='Name of the ROS package')
    parser.add_argument('executable_name', help='Name of the executable')
    parser.add_argument('argv', nargs=argparse.REMAINDER,
                        help='Pass arbitrary arguments to the executable')


def main(args: argparse.Namespace) -> str:
    """Replace this process by the program; return only if that is not possible."""
    try:
        path = get_executable_path(args.package_name, args.executable_name)
    except PackageNotFoundError:
        return f"Package '{args.package_name}' not found"
    except ValueError as error:
        return str(error)
    except LookupError as error:
        return f'No executable found: {error.args[0]}'
    words = [*shlex.split(args.prefix or ''), path, *args.argv]
    try:
        os.execvp(words[0], words)
    except OSError as error:
        return f"'{words[0]}' cannot be run: {error.strerror}"
