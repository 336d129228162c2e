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

"""``ros2 service type``."""

from __future__ import annotations

import argparse

from ros2cli.graph import absolute
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import types_of_service


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('service_name',
                        help="Name of the ROS service to get type (e.g. '/add_two_ints')")


def main(args: argparse.Namespace) -> int:
    """Print the types of a service; return 1 if there are none."""
    with graph_node(args) as node:
        types = types_of_service(node, absolute(args.service_name))
    for name in types:
        print(name)
    return 0 if types else 1
