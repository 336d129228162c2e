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

"""Two launches at a time: the second takes a DDS domain of its own, and says so."""

from __future__ import annotations

import os
import socket
import time

from launch import LaunchDescriptionEntity
from launch.actions import LogInfo, SetEnvironmentVariable
import rclpy
from rclpy.context import Context

ROBOT = ('simulator', 'controller', 'dynamics_server', 'module_manager')
"""Nodes of which a ROS graph can have one in a namespace."""
DOMAINS = range(101)
"""Those whose ports no system gives to others."""
FIRST_PORT, PER_DOMAIN, PARTICIPANTS = 7410, 250, range(0, 40, 2)
"""UDP ports of participants, as the DDS standard numbers them."""
QUIET, LONGEST = 0.5, 2.0
"""Names are looked for until none came for this time, and no longer than that [s]."""


def own_domain(namespace: str) -> list[LaunchDescriptionEntity]:
    """
    Return what puts a launch into a domain of its own, where that of default has a robot.

    A ``ROS_DOMAIN_ID`` that is set is the user's choice, and is kept: nodes say there that others
    of their names run. Another namespace needs no other domain.

    Parameters
    ----------
    namespace : str
        Of the nodes of the launch.

    Returns
    -------
    list of LaunchDescriptionEntity
        To come before the nodes; empty where nothing is to be done.

    """
    if os.environ.get('ROS_DOMAIN_ID') or not occupied(0):
        return []
    there = robot_in_graph(namespace)
    if not there:
        return []
    free = next((domain for domain in DOMAINS if not occupied(domain)), None)
    if free is None:
        return [LogInfo(msg=f'another robot runs in this ROS graph ({there}), and no domain is '
                            'free: the two mix')]
    return [SetEnvironmentVariable('ROS_DOMAIN_ID', str(free)), LogInfo(
        msg=f'another robot runs in ROS domain 0 ({there}): this one is in domain {free}; other '
            f'shells find it after: export ROS_DOMAIN_ID={free}')]


def occupied(domain: int) -> bool:
    """Return whether some program on this machine is in a domain."""
    for participant in PARTICIPANTS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(('', FIRST_PORT + PER_DOMAIN * domain + participant))
            except OSError:
                return True
    return False


def robot_in_graph(namespace: str) -> str:
    """Return the full name of a node that a launch in a namespace would have too; else empty."""
    prefix = f'/{namespace.strip("/")}' if namespace.strip('/') else ''
    context = Context()
    rclpy.init(context=context)
    node = rclpy.create_node('launch_looks_for_others', context=context)
    try:
        end, known = time.monotonic() + LONGEST, set[tuple[str, str]]()
        quiet = time.monotonic() + QUIET
        while time.monotonic() < min(end, quiet):
            names = set(node.get_node_names_and_namespaces())
            for name in ROBOT:
                if (name, prefix or '/') in names:
                    return f'{prefix}/{name}'
            if names - known:
                known, quiet = names, time.monotonic() + QUIET
            time.sleep(0.02)
        return ''
    finally:
        node.destroy_node()
        rclpy.try_shutdown(context=context)
