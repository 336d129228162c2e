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

"""``ros2 interface list``."""

from __future__ import annotations

import argparse

from rosidl_runtime_py import get_action_interfaces
from rosidl_runtime_py import get_message_interfaces
from rosidl_runtime_py import get_service_interfaces


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('-m', '--only-msgs', action='store_true', help='Print out only the '
                        'message types')
    parser.add_argument('-s', '--only-srvs', action='store_true', help='Print out only the '
                        'service types')
    parser.add_argument('-a', '--only-actions', action='store_true', help='Print out only the '
                        'action types')


def main(args: argparse.Namespace) -> None:
    """Print the names of all interfaces, by kind."""
    everything = not (args.only_msgs or args.only_srvs or args.only_actions)
    for wanted, title, find in (
            (args.only_msgs, 'Messages:', get_message_interfaces),
            (args.only_srvs, 'Services:', get_service_interfaces),
            (args.only_actions, 'Actions:', get_action_interfaces)):
        if wanted or everything:
            print(title)
            for package, names in sorted(find().items()):
                for name in names:
                    print(f'    {package}/{name}')
