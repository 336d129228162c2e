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

"""``ros2 interface proto``."""

from __future__ import annotations

import argparse

from ros2cli.values import load
from rosidl_runtime_py import message_to_yaml
from rosidl_runtime_py.utilities import get_interface
from rosidl_runtime_py.utilities import is_action
from rosidl_runtime_py.utilities import is_service


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('type',
                        help='Show an interface definition (e.g. "example_interfaces/msg/String")')
    parser.add_argument('--no-quotes', action='store_true',
                        help='if true output has no outer quotes.')


def main(args: argparse.Namespace) -> None:
    """Print what can be given to pub, call or send_goal, with the default values."""
    interface = load(get_interface, args.type, 'interface')
    if is_action(interface):
        interface = interface.Goal
    elif is_service(interface):
        interface = interface.Request
    text = message_to_yaml(interface())
    print(text if args.no_quotes else f'"{text}"')
