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

"""``ros2 service echo``."""

from __future__ import annotations

import argparse
from typing import Any

from ros2cli import qos
from ros2cli import watch
from ros2cli.graph import absolute
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import types_of_service
from ros2cli.service_events import event_text
from ros2cli.service_events import event_topic
from ros2cli.values import load
from rosidl_runtime_py import message_to_csv
from rosidl_runtime_py.utilities import get_service


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('service_name',
                        help="Name of the ROS service to echo (e.g. '/add_two_ints'); its client "
                        'or its server has to have introspection configured')
    parser.add_argument('service_type', nargs='?',
                        help="Type of the ROS service (e.g. 'example_interfaces/srv/AddTwoInts')")
    qos.add_qos_arguments(parser, 'sensor_data, adapted to the publishers')
    parser.add_argument('--csv', action='store_true',
                        help='Output all recursive fields separated by commas')
    watch.add_form_arguments(parser)


def main(args: argparse.Namespace) -> str | None:
    """Print what is told of the calls of a service."""
    import rclpy

    service = absolute(args.service_name)
    options = watch.form_options(args)
    with graph_node(args) as node:
        types = [args.service_type] if args.service_type else types_of_service(node, service)
        if not types:
            return f"Could not determine the type for the service '{args.service_name}'"
        if len(types) > 1:
            return (f"Cannot echo service '{args.service_name}', as it contains more than one "
                    f"type: [{', '.join(types)}]")

        def show(event: Any) -> None:
            if args.csv:
                print(message_to_csv(event, **options))
            else:
                print(event_text(event, flow_style=args.flow_style, **options), end='---\n')

        profile = qos.from_arguments(args, 'sensor_data') if qos.is_given(args) else None
        watch.subscribe(node, load(get_service, types[0], 'service').Event,
                        event_topic(service), show, raw=False, profile=profile)
        while rclpy.ok():
            rclpy.spin_once(node, timeout_sec=watch.SLICE)
    return None
