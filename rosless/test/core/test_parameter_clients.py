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

"""Parameters of other nodes: the client of the parameter services, and events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rcl_interfaces.msg import ParameterDescriptor, ParameterType
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient
from rclpy.parameter_event_handler import ParameterEventHandler

Make = Callable[..., Any]


@pytest.fixture
def remote(make_node: Make, spinning: Make) -> tuple[Any, AsyncParameterClient]:
    """Return a node with parameters, and a client of another node."""
    owner, caller = make_node('owner', namespace='/ns'), make_node('caller')
    owner.declare_parameter('gain', 1.5, ParameterDescriptor(description='of the loop'))
    owner.declare_parameter('limits.upper', 2)
    owner.declare_parameter('loose', 'x', ParameterDescriptor(dynamic_typing=True))
    spinning(owner, caller)
    client = AsyncParameterClient(caller, '/ns/owner')
    assert client.wait_for_services(60.0)
    assert client.services_are_ready()
    return owner, client


def test_getting(remote: Any, outcome: Make) -> None:
    _, client = remote
    names = outcome(client.list_parameters()).result.names
    assert {'gain', 'limits.upper', 'use_sim_time'} <= set(names)
    assert outcome(client.list_parameters(['limits'], 1)).result.names == ['limits.upper']
    values = outcome(client.get_parameters(['gain', 'limits.upper'])).values
    assert [values[0].double_value, values[1].integer_value] == [1.5, 2]
    types = outcome(client.get_parameter_types(['gain'])).types
    assert list(types) == [ParameterType.PARAMETER_DOUBLE]
    described = outcome(client.describe_parameters(['gain'])).descriptors
    assert described[0].description == 'of the loop'


def test_setting(remote: Any, outcome: Make, wait_until: Make) -> None:
    owner, client = remote
    heard: list[Any] = []
    future = client.set_parameters(
        [Parameter('gain', value=2.5), Parameter('gain', value='no').to_parameter_msg()],
        heard.append,
    )
    assert [result.successful for result in outcome(future).results] == [True, False]
    assert wait_until(lambda: heard == [future])
    assert owner.get_parameter('gain').value == 2.5
    both = [Parameter('gain', value=3.5), Parameter('unknown', value=1)]
    answer = outcome(client.set_parameters_atomically(both)).result
    assert not answer.successful
    assert 'unknown' in answer.reason
    assert owner.get_parameter('gain').value == 2.5
    assert outcome(client.delete_parameters(['loose'])).results[0].successful
    assert not owner.has_parameter('loose') or owner.get_parameter('loose').value is None


def test_loading_files(remote: Any, outcome: Make, tmp_path: Path) -> None:
    owner, client = remote
    path = tmp_path / 'parameters.yaml'
    path.write_text(
        '/ns/owner: {ros__parameters: {gain: 4.5}}\n'
        '/**: {ros__parameters: {limits: {upper: 7}}}\n'
        '/other: {ros__parameters: {gain: 9.0}}\n'
    )
    outcome(client.load_parameter_file(str(path)))
    assert (owner.get_parameter('gain').value, owner.get_parameter('limits.upper').value) == (
        4.5,
        2,
    )
    assert outcome(client.load_parameter_file_atomically(str(path), True)).result.successful
    assert owner.get_parameter('limits.upper').value == 7


def test_events_of_all_nodes(remote: Any, wait_until: Make) -> None:
    owner, client = remote
    heard: list[Any] = []
    subscription = client.on_parameter_event(heard.append)
    assert wait_until(lambda: subscription.get_publisher_count() == 2)
    owner.set_parameters([Parameter('gain', value=0.5)])
    assert wait_until(lambda: any(event.node == '/ns/owner' for event in heard))


def test_callbacks_of_parameters(make_node: Make, executor: Any, spin_until: Make) -> None:
    owner, watcher = make_node('owner', namespace='/ns'), make_node('watcher', namespace='/ns')
    owner.declare_parameter('gain', 1.0)
    watcher.declare_parameter('mine', 1)
    for node in (owner, watcher):
        executor.add_node(node)
    handler = ParameterEventHandler(watcher)
    heard: list[Any] = []
    first = handler.add_parameter_callback('gain', 'owner', lambda p: heard.append(('first', p)))
    handler.add_parameter_callback('gain', '/ns/owner', lambda p: heard.append(('second', p)))
    handler.add_parameter_callback('mine', '', lambda p: heard.append(('mine', p)))
    events: list[Any] = []
    of_events = handler.add_parameter_event_callback(events.append)
    count = handler.parameter_event_subscription.get_publisher_count
    assert spin_until(executor, lambda: count() == 2)
    owner.set_parameters([Parameter('gain', value=2.0)])
    assert spin_until(executor, lambda: len(heard) == 2)
    assert [who for who, _ in heard] == ['second', 'first']  # the newest comes first
    assert heard[0][1].value.double_value == 2.0
    watcher.set_parameters([Parameter('mine', value=2)])
    assert spin_until(executor, lambda: len(heard) == 3)
    assert heard[2][0] == 'mine'
    found = ParameterEventHandler.get_parameter_from_event(events[0], 'gain', '/ns/owner')
    assert found.name == 'gain'
    assert ParameterEventHandler.get_parameter_from_event(events[0], 'gain', '/else') is None
    assert [p.name for p in ParameterEventHandler.get_parameters_from_event(events[0])] == ['gain']
    handler.remove_parameter_callback(first)
    handler.remove_parameter_event_callback(of_events)
    with pytest.raises(RuntimeError, match="Callback doesn't exist"):
        handler.remove_parameter_callback(first)
    handler.destroy()


def test_list_parameters_of_the_node_itself(make_node: Make) -> None:
    node = make_node()
    for name in ('a.b.c', 'a.d', 'e'):
        node.declare_parameter(name, 0)
    assert set(node.list_parameters([], 1).names) == {'use_sim_time', 'e'}
    result = node.list_parameters(['a'], 0)
    assert (result.names, result.prefixes) == (['a.b.c', 'a.d'], ['a.b', 'a'])
    assert node.list_parameters(['a'], 1).names == ['a.d']
