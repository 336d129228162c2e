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

"""Two launches at a time: the second is in a domain of its own, and says which."""

import re
import socket

import pytest

from mbd_ros.nodes import launch_domain
from mbd_ros.nodes.launch_domain import (
    DOMAINS, FIRST_PORT, occupied, own_domain, PER_DOMAIN)

pytestmark = pytest.mark.nodes


@pytest.mark.parametrize(('given', 'ports', 'robot', 'domain'), [
    ('5', {0}, '/simulator', None),       # the user's choice
    ('', set(), '/simulator', None),      # nobody is there
    ('', {0}, '', None),                  # somebody is, such as ros2 topic echo
    ('', {0, 1}, '/simulator', '2')])
def test_a_launch_moves_only_where_a_robot_is_and_nobody_chose(
        monkeypatch, given, ports, robot, domain):
    monkeypatch.setenv('ROS_DOMAIN_ID', given)
    monkeypatch.setattr(launch_domain, 'occupied', lambda number: number in ports)
    monkeypatch.setattr(launch_domain, 'robot_in_graph', lambda namespace: robot)
    actions = own_domain('')
    assert [''.join(part.text for part in one.value) for one in actions[:1]] == (
        [] if domain is None else [domain])
    if domain is not None:
        assert f'export ROS_DOMAIN_ID={domain}' in ''.join(part.text for part in actions[1].msg)


def test_a_domain_is_occupied_by_any_of_its_ports():
    free = next(domain for domain in reversed(DOMAINS) if not occupied(domain))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(('', FIRST_PORT + PER_DOMAIN * free + 6))
        assert occupied(free)


def test_a_second_launch_is_found_in_its_own_domain(launch, monkeypatch):
    unset = {'ROS_DOMAIN_ID': ''}
    first = launch('dynamics_server.launch.py', 'robot:=four_bar', environment=unset)
    first.wait_for("robot 'four_bar'")
    second = launch('dynamics_server.launch.py', 'robot:=slider_crank', environment=unset)
    moved = second.wait_for(r'another robot runs in ROS domain 0 \(/dynamics_server\): this one '
                            r'is in domain (\d+); .* export ROS_DOMAIN_ID=\1')
    second.wait_for("robot 'slider_crank'")
    assert int(moved.group(1)) > 0
    third = launch('dynamics_server.launch.py', 'robot:=four_bar', 'namespace:=left',
                   environment=unset)
    third.wait_for(r"\[left.dynamics_server\]: robot 'four_bar'")
    assert not re.search('another robot', third.output)   # a namespace is enough
