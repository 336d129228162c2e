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

"""The graph: nodes, topics, services, endpoints, and how they come and go."""

from __future__ import annotations

from collections.abc import Callable
import signal
from typing import Any

import pytest
from rclpy._rclpy_pybind11 import NodeNameNonExistentError
from rclpy.context import Context
from rclpy.exceptions import (
    InvalidNamespaceException,
    InvalidNodeNameException,
    InvalidTopicNameException,
)
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosless.graph import builtin, queries
from std_msgs.msg import Int32, String
from std_srvs.srv import Empty

Make = Callable[..., Any]
LEASE = 10.0  # s: a participant that does not say goodbye is missed after that time


@pytest.fixture
def other_context() -> Any:
    """Return a second participant in the same domain."""
    context = Context()
    context.init(args=[])
    yield context
    context.try_shutdown()


def test_nodes_come_and_go(make_node: Make, other_context: Any, wait_until: Make) -> None:
    here = make_node('here')
    there = Node('there', namespace='/far/away', context=other_context)
    assert wait_until(lambda: ('there', '/far/away') in here.get_node_names_and_namespaces())
    assert wait_until(lambda: 'here' in there.get_node_names())
    assert '/far/away/there' in here.get_fully_qualified_node_names()
    there.destroy_node()
    assert wait_until(lambda: 'there' not in here.get_node_names())


def test_a_context_that_ends_takes_its_nodes_along(
    make_node: Make, other_context: Any, wait_until: Make
) -> None:
    here = make_node('here')
    Node('there', context=other_context)
    assert wait_until(lambda: 'there' in here.get_node_names())
    other_context.shutdown()
    assert wait_until(lambda: 'there' not in here.get_node_names(), LEASE / 2)


def test_topics_and_counts(make_node: Make, other_context: Any, wait_until: Make) -> None:
    here, there = make_node('here'), Node('there', context=other_context)
    there.create_publisher(String, 'talk', 10)
    there.create_publisher(Int32, 'talk', 10)
    here.create_subscription(String, 'talk', lambda _: None, 10)
    assert wait_until(
        lambda: (
            ('/talk', ['std_msgs/msg/Int32', 'std_msgs/msg/String'])
            in here.get_topic_names_and_types()
        )
    )
    assert here.count_publishers('talk') == 2
    assert here.count_publishers('/talk') == 2
    assert here.count_subscribers('talk') == 1
    assert here.count_publishers('nothing') == 0
    with pytest.raises(ValueError, match=r'Invalid topic name: .*not contain characters'):
        here.count_publishers('no way')
    raw = dict(here.get_topic_names_and_types(no_demangle=True))
    assert 'std_msgs::msg::dds_::String_' in raw['rt/talk']


def test_what_a_node_owns(make_node: Make, other_context: Any, wait_until: Make) -> None:
    here, there = make_node('here'), Node('there', namespace='/ns', context=other_context)
    there.create_publisher(String, 'talk', 10)
    there.create_subscription(Int32, 'count', lambda _: None, 10)
    there.create_service(Empty, '~/reset', lambda _, response: response)
    there.create_client(Empty, 'other')
    name = ('there', '/ns')
    assert wait_until(
        lambda: (
            'there' in here.get_node_names()
            and ('/ns/other', ['std_srvs/srv/Empty'])
            in here.get_client_names_and_types_by_node(*name)
        )
    )
    published = dict(here.get_publisher_names_and_types_by_node(*name))
    assert published['/ns/talk'] == ['std_msgs/msg/String']
    assert {'/rosout', '/parameter_events'} <= set(published)
    assert here.get_subscriber_names_and_types_by_node(*name) == [
        ('/ns/count', ['std_msgs/msg/Int32'])
    ]
    services = dict(here.get_service_names_and_types_by_node(*name))
    assert services['/ns/there/reset'] == ['std_srvs/srv/Empty']
    assert len(services) == 7
    assert here.count_services('/ns/there/reset') == 1
    assert here.count_clients('/ns/other') == 1
    with pytest.raises(NodeNameNonExistentError, match="no node 'nobody'"):
        here.get_publisher_names_and_types_by_node('nobody', '/')


def test_endpoints_with_their_profiles(
    make_node: Make, other_context: Any, wait_until: Make
) -> None:
    here, there = make_node('here'), Node('there', context=other_context)
    profile = QoSProfile(
        depth=3,
        reliability=ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
    )
    there.create_publisher(String, 'talk', profile)
    assert wait_until(
        lambda: [i.node_name for i in here.get_publishers_info_by_topic('talk')] == ['there']
    )
    info = here.get_publishers_info_by_topic('talk')[0]
    assert info.topic_type == 'std_msgs/msg/String'
    assert info.qos_profile.reliability == ReliabilityPolicy.BEST_EFFORT
    assert info.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
    assert 'Endpoint type: PUBLISHER' in str(info)
    assert here.get_subscriptions_info_by_topic('talk') == []


def test_names_are_checked(context: Any) -> None:
    with pytest.raises(InvalidNodeNameException, match="other than alphanumerics or '_'"):
        Node('a-b', context=context)
    with pytest.raises(InvalidNodeNameException, match='must not start with a number'):
        Node('1a', context=context)
    with pytest.raises(InvalidNamespaceException, match='must not contain characters'):
        Node('a', namespace='x y', context=context)


def test_names_are_expanded(make_node: Make) -> None:
    node = make_node('node', namespace='ns')
    assert node.get_fully_qualified_name() == '/ns/node'
    assert node.resolve_topic_name('a') == '/ns/a'
    assert node.resolve_topic_name('/a') == '/a'
    assert node.resolve_topic_name('~/a') == '/ns/node/a'
    assert node.resolve_topic_name('{node}{ns}/x') == '/ns/node/ns/x'
    with pytest.raises(InvalidTopicNameException, match="must not contain repeated '/'"):
        node.resolve_topic_name('{node}/{ns}')
    assert node.get_logger().name == 'ns.node'


def test_names_are_remapped() -> None:
    context = Context()
    context.init(
        args=[
            'x',
            '--ros-args',
            '-r',
            '__node:=new',
            '-r',
            '__ns:=/there',
            '-r',
            'a:=/b',
            '-r',
            'other:c:=d',
            '-r',
            'rosservice://s:=t',
            '-r',
            '~/p:=q',
        ]
    )
    try:
        node = Node('old', context=context)
        assert node.get_fully_qualified_name() == '/there/new'
        assert node.resolve_topic_name('a') == '/b'
        assert node.resolve_topic_name('a', only_expand=True) == '/there/a'
        assert node.resolve_topic_name('c') == '/there/c'
        assert node.resolve_topic_name('s') == '/there/s'
        assert node.resolve_service_name('s') == '/there/t'
        assert node.resolve_topic_name('~/p') == '/there/q'
        local = Node('old', context=context, cli_args=['--ros-args', '-r', '__node:=mine'])
        assert local.get_name() == 'mine'
        deaf = Node('old', context=context, use_global_arguments=False)
        assert deaf.get_fully_qualified_name() == '/old'
    finally:
        context.try_shutdown()


def test_an_interrupt_waits_until_peers_are_read(make_node: Make, monkeypatch: Any) -> None:
    """An exception in what C calls gets lost, is printed, and leaves a result out."""
    node = make_node()
    node.create_publisher(Int32, 'number', 10)
    convert, calls = queries.from_dds, []

    def interrupted(profile: Any) -> Any:
        calls.append(profile)
        signal.raise_signal(signal.SIGINT)
        return convert(profile)

    monkeypatch.setattr(queries, 'from_dds', interrupted)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        node.get_publishers_info_by_topic('number')
    assert len(calls) > 1  # all of them were read
    assert signal.getsignal(signal.SIGINT) is before


def test_many_that_have_gone_hide_nobody(
    make_node: Make, other_context: Any, wait_until: Make, monkeypatch: Any
) -> None:
    """DDS keeps what it told of endpoints that have gone until somebody takes it."""
    monkeypatch.setattr(builtin, 'MANY', 20)  # samples at once, fewer than are alive or gone
    here = make_node('here')
    there = Node('there', context=other_context)
    assert here.count_publishers('gone') == 0
    for _ in range(100):
        there.destroy_publisher(there.create_publisher(Int32, 'gone', 10))
    alive = [there.create_publisher(Int32, 'alive', 10) for _ in range(30)]
    assert wait_until(lambda: here.count_publishers('alive') == len(alive))
    assert wait_until(lambda: here.count_publishers('gone') == 0)
    kept = here._context.graph._builtin['writer']
    states = []
    kept._read(kept.ref, 1000, lambda *told: states.append(told[6].instance_state), lambda _: None)
    assert set(states) == {16}  # alive: what has gone was dropped
