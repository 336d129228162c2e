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

"""
A node for one command, and patience until it knows the graph.

There is no daemon: each command joins the graph itself, which takes some tenths of a second.
Patience is counted in looks at the graph: on a machine that is too busy to discover others in time
they come later, too.

"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
import contextlib
import io
import os
import sys
import time
from typing import Any, NamedTuple

POLL_INTERVAL = 0.02  # s
QUIET = 0.3  # s without a change after which the graph counts as known
ALONE = 1.0  # s after which nobody else is expected any more
LONGEST = 3.0  # s to wait for a graph that keeps changing
NAMED = 2.0  # s to wait for a topic, node or service that was named
SERVICE_PATIENCE = 5.0  # s to wait for an answer
HIDDEN = '_'


class NodeName(NamedTuple):
    """Name, namespace and full name of a node."""

    name: str
    namespace: str
    full_name: str


def add_graph_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that all commands on the graph have."""
    parser.add_argument(
        '--spin-time', type=float, default=None, metavar='SPIN_TIME',
        help='Spin time in seconds to wait for discovery '
        '(default: until the graph does not change any more)')
    parser.add_argument('--no-daemon', action='store_true',
                        help='Accepted for compatibility: there is no daemon')
    parser.add_argument('-s', '--use-sim-time', action='store_true', help='Enable ROS simulation '
                        'time')


def add_node_arguments(parser: argparse.ArgumentParser, **node_name: Any) -> None:
    """Declare the arguments of commands on one node."""
    add_graph_arguments(parser)
    parser.add_argument('node_name', help='Name of the ROS node', **node_name)
    parser.add_argument('--include-hidden-nodes', action='store_true',
                        help='Consider hidden nodes as well')


@contextlib.contextmanager
def graph_node(
    args: argparse.Namespace, node_name: str | None = None, *, outlive_interrupt: bool = False,
    own_signals: bool = False,
) -> Iterator[Any]:
    """
    Join the graph with a hidden node, and leave it at the end.

    Parameters
    ----------
    args : argparse.Namespace
        Arguments of the command.
    node_name : str, optional
        Name of the node instead of a hidden one.
    outlive_interrupt : bool
        Whether Ctrl-C only raises KeyboardInterrupt, so that the node can still be used then.
    own_signals : bool
        Whether the command handles SIGINT and SIGTERM itself.

    """
    import rclpy
    from rclpy.parameter import Parameter
    from rclpy.signals import SignalHandlerOptions

    options = SignalHandlerOptions.SIGTERM if outlive_interrupt else SignalHandlerOptions.ALL
    if own_signals:
        options = SignalHandlerOptions.NO
    rclpy.init(args=[], signal_handler_options=options)
    try:
        sim_time = Parameter('use_sim_time', value=bool(getattr(args, 'use_sim_time', False)))
        node = rclpy.create_node(
            node_name or f'_ros2cli_{os.getpid()}', start_parameter_services=False,
            enable_rosout=False, parameter_overrides=[sim_time])
        try:
            yield node
        except KeyboardInterrupt:
            # An interrupted callback leaves a task behind, of which nobody needs to read.
            sys.stderr = io.StringIO()
            raise
        finally:
            node.destroy_node()
    finally:
        rclpy.try_shutdown()


def wait_until(condition: Callable[[], Any], timeout: float) -> Any:
    """
    Return the first true value of a condition, or its last value after a time [s] of looks.

    Raises
    ------
    ExternalShutdownException
        If a signal has shut the context down.

    """
    import rclpy
    from rclpy.executors import ExternalShutdownException

    value = condition()
    for _ in range(round(timeout / POLL_INTERVAL)):
        if value:
            break
        time.sleep(POLL_INTERVAL)
        if not rclpy.ok():
            raise ExternalShutdownException
        value = condition()
    return value


def settle(node: Any, spin_time: float | None = None) -> None:
    """
    Wait until the graph is known.

    Parameters
    ----------
    node : Node
        The node that looks.
    spin_time : float, optional
        How long to wait [s]; by default until nothing has changed for a while.

    """
    if spin_time is not None:
        time.sleep(spin_time)
        return
    looks = quiet = 0
    before = None
    while True:
        nodes = sorted(node.get_node_names_and_namespaces())
        state = (nodes, node.get_topic_names_and_types(), node.get_service_names_and_types())
        looks, quiet = looks + 1, quiet + 1 if state == before else 0
        before = state
        enough = QUIET if len(nodes) > 1 else ALONE
        if looks * POLL_INTERVAL > LONGEST or quiet * POLL_INTERVAL > enough:
            return
        time.sleep(POLL_INTERVAL)


def absolute(name: str) -> str:
    """Return a name with a slash in front."""
    return name if name.startswith('/') else f'/{name}'


def is_hidden(name: str) -> bool:
    """Tell whether a part of a name begins with an underscore."""
    return any(part.startswith(HIDDEN) for part in name.split('/'))


def node_names(node: Any, include_hidden: bool = False) -> list[NodeName]:
    """Return all nodes, sorted."""
    found = [NodeName(name, space, f"{space.rstrip('/')}/{name}")
             for name, space in node.get_node_names_and_namespaces()]
    return sorted((item for item in found if include_hidden or not is_hidden(item.name)),
                  key=lambda item: item.full_name)


def find_node(node: Any, name: str, include_hidden: bool = False) -> NodeName:
    """
    Return the node of a name, waiting for it to be discovered.

    Raises
    ------
    RuntimeError
        If it does not appear.

    """
    wanted = absolute(name)

    def look() -> list[NodeName]:
        return [item for item in node_names(node, include_hidden) if item.full_name == wanted]

    found: list[NodeName] = wait_until(look, NAMED)
    if not found:
        raise RuntimeError('Node not found')
    return found[0]


def types_of_topic(node: Any, topic: str, timeout: float = NAMED) -> list[str]:
    """Return the types of a topic, waiting for it to be discovered; empty if it is not."""
    return list(wait_until(
        lambda: dict(node.get_topic_names_and_types()).get(topic, []), timeout))


def types_of_service(node: Any, service: str, timeout: float = NAMED) -> list[str]:
    """Return the types of a service, waiting for it to be discovered; empty if it is not."""
    return list(wait_until(
        lambda: dict(node.get_service_names_and_types()).get(service, []), timeout))


def call(node: Any, service_type: Any, name: str, request: Any,
         timeout: float | None = SERVICE_PATIENCE) -> Any:
    """
    Call a service and return its answer.

    Raises
    ------
    RuntimeError
        If the service is not there, or does not answer in time.

    """
    import rclpy

    client = node.create_client(service_type, name)
    try:
        if not client.wait_for_service(timeout_sec=SERVICE_PATIENCE):
            raise RuntimeError(f"Wait for service timed out waiting for '{name}'")
        future = client.call_async(request)
        rclpy.spin_until_future_complete(node, future, timeout_sec=timeout)
        if not future.done():
            limit = '' if timeout is None else f' within {timeout:g} s'
            raise RuntimeError(f"Service '{name}' did not answer{limit}")
        return future.result()
    finally:
        node.destroy_client(client)
