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

"""``ros2 interface packages``."""

from __future__ import annotations

import argparse

from rosidl_runtime_py import get_interfaces


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    group = parser.add_mutually_exclusive_group()
    for letter, option, kind, text in (
            ('-m', '--only-msgs', 'msg', 'messages'), ('-s', '--only-srvs', 'srv', 'services'),
            ('-a', '--only-actions', 'action', 'actions')):
        group.add_argument(letter, option, action='store_const', const=kind, dest='kind',
                           help=f'Only list packages that generate {text}')


def main(args: argparse.Namespace) -> None:
    """Print the packages that have interfaces."""
    for package in sorted(get_interfaces(kind=args.kind)):
        print(package)
