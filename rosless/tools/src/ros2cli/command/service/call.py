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

"""``ros2 service call``."""

from __future__ import annotations

import argparse
import sys
import time

from ros2cli.graph import absolute
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.values import fill
from ros2cli.values import load
from rosidl_runtime_py.utilities import get_service

READY_AT_ONCE = 0.5  # s of discovery before the user is told that the service is waited for


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('service_name',
                        help="Name of the ROS service to call to (e.g. '/add_two_ints')")
    parser.add_argument('service_type',
                        help="Type of the ROS service (e.g. 'std_srvs/srv/Empty')")
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        'values', nargs='?', default='{}',
        help="Values to fill the service request with in YAML format (e.g. '{a: 1, b: 2}'), "
        'otherwise the service request will be published with default values')
    group.add_argument('--stdin', action='store_true', help='Read values from standard input')
    parser.add_argument('-r', '--rate', metavar='N', type=float,
                        help='Repeat the call at a specific rate in Hz')


def main(args: argparse.Namespace) -> str | None:
    """Call a service, once or at a rate, and print the answers."""
    import rclpy

    if args.rate is not None and args.rate <= 0.0:
        return 'rate must be greater than zero'
    service = load(get_service, args.service_type, 'service')
    request = service.Request()
    stamps = fill(request, sys.stdin.read() if args.stdin else args.values)
    with graph_node(args) as node:
        client = node.create_client(service, absolute(args.service_name))
        if not client.wait_for_service(timeout_sec=READY_AT_ONCE):
            print('waiting for service to become available...')
            while rclpy.ok() and not client.wait_for_service(timeout_sec=0.5):
                pass
        begin, count = time.monotonic(), 0
        while rclpy.ok():
            for stamp in stamps:
                stamp(node.get_clock().now().to_msg())
            print(f'requester: making request: {request!r}\n')
            future = client.call_async(request)
            rclpy.spin_until_future_complete(node, future)
            if not future.done():
                return None
            if future.exception() is not None:
                return f'Exception while calling service: {future.exception()!r}'
            print(f'response:\n{future.result()!r}\n')
            if args.rate is None:
                return None
            count += 1
            time.sleep(max(0.0, begin + count / args.rate - time.monotonic()))
    return None
