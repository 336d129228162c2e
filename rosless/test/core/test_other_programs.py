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

"""Programs that are not ours: other releases of ROS 2, other DDS vendors, described types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import make_idl_struct
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.topic import Topic
import pytest
from rclpy.context import Context
from rclpy.node import Node
from rosless.graph.discovery import Discovery
from rosless.graph.entities import decode, encode, HUMBLE, IRON, NodeEntities
from rosless.graph.vendors import foreign_vendors, hint, vendor_id
from rosless.idl.codec import deserialize, serialize
from rosless.idl.resolve import interface_class
from std_msgs.msg import String

Make = Callable[..., Any]
FAST_DDS = bytes.fromhex('010f78fde22c637f00000000000001c1')  # the GUID of a participant seen
CYCLONE_DDS = bytes.fromhex('0110ec7de46df740ee47ca1c000001c1')
GIDS = [bytes([i]) * 16 for i in range(3)]
NODES = [NodeEntities('talker', '/ns', GIDS[:1], GIDS[1:]), NodeEntities('x', '/')]


def test_discovery_info_has_the_layout_of_its_message() -> None:
    data = encode(b'p' * 16, NODES)
    assert decode(data) == (b'p' * 16, NODES, HUMBLE)
    message = deserialize(data, interface_class('rmw_dds_common/msg/ParticipantEntitiesInfo'))
    assert bytes(serialize(message)) == data
    assert bytes(message.gid.data) == b'p' * 16 + bytes(8)
    first = message.node_entities_info_seq[0]
    assert (first.node_namespace, first.node_name) == ('/ns', 'talker')
    assert bytes(first.writer_gid_seq[1].data) == GIDS[2] + bytes(8)
    with pytest.raises(ValueError, match=r'cut short|left over|without end'):
        decode(data[:60])


@pytest.mark.parametrize('nodes', [[], NODES, NODES[::-1], NODES * 3])
def test_the_layout_of_newer_releases_is_recognised(nodes: list[NodeEntities]) -> None:
    for gid_size in (HUMBLE, IRON):
        assert decode(encode(b'p' * 16, nodes, gid_size)) == (b'p' * 16, nodes, gid_size)


def test_nodes_of_newer_releases_are_seen_and_answered_in_kind(
    make_node: Make, wait_until: Make
) -> None:
    node = make_node('ours')
    discovery = node.context.discovery
    peer = Context()
    peer.init(args=[])
    try:
        theirs = peer.discovery
        theirs._gid_size = IRON
        Node('theirs', context=peer)
        assert wait_until(lambda: 'theirs' in node.get_node_names())
        assert wait_until(lambda: discovery._gid_size == IRON)
        assert wait_until(lambda: 'ours' in [n.name for ns in theirs.nodes().values() for n in ns])
    finally:
        peer.try_shutdown()


def test_nodes_of_participants_that_do_not_exist_are_not_kept(
    make_node: Make, wait_until: Make
) -> None:
    node = make_node('ours')
    peer = Context()
    peer.init(args=[])
    try:
        theirs = peer.discovery
        Node('theirs', context=peer)
        assert wait_until(lambda: 'theirs' in node.get_node_names())
        for number in range(500):
            theirs._writer.write(encode(number.to_bytes(16, 'big'), NODES))
        Node('later', context=peer)   # the last message: what came before has been read then
        assert wait_until(lambda: 'later' in node.get_node_names())
        assert set(node.context.discovery._remote) <= node.context.discovery.participants()
        own = peer.participant.gid
        assert own in node.context.discovery._remote
    finally:
        peer.try_shutdown()
    # without a question for the graph
    assert wait_until(lambda: own not in node.context.discovery._remote)


def test_vendors_are_told_by_the_guid() -> None:
    assert vendor_id(FAST_DDS) == 0x010F
    assert foreign_vendors([CYCLONE_DDS, bytes(16)]) == []
    assert foreign_vendors([CYCLONE_DDS, FAST_DDS, b'\1\1' + bytes(14)]) == [0x0101, 0x010F]
    assert hint(0x010F).startswith('A program that uses Fast DDS is in this domain. Topics pass')
    assert 'RMW_IMPLEMENTATION=rmw_cyclonedds_cpp' in hint(0x010F)
    assert 'another DDS vendor (id 0x0142)' in hint(0x0142)


def test_our_own_guid_is_one_of_cyclone_dds(context: Any) -> None:
    assert foreign_vendors(context.graph.participants()) == []
    assert vendor_id(context.participant.gid) == 0x0110


def test_a_foreign_vendor_is_pointed_out_once(context: Any, capsys: Any) -> None:
    discovery: Discovery = context.discovery
    for _ in range(3):
        discovery.notice({CYCLONE_DDS, FAST_DDS})
    errors = capsys.readouterr().err
    assert errors.count('[WARN]') == 1
    assert '[rclpy]: ' + hint(0x010F) in errors


def test_types_are_compared_by_name_alone(
    make_node: Make, context: Any, executor: Any, spin_until: Make
) -> None:
    described = make_idl_struct('String', 'std_msgs::msg::dds_::String_', {'data': str})
    node = make_node()
    executor.add_node(node)
    got: list[Any] = []
    subscription = node.create_subscription(String, 'talk', got.append, 10)
    stranger = DomainParticipant(context.get_domain_id())
    topic = Topic(stranger, 'rt/talk', described)
    qos = Qos(
        Policy.Reliability.Reliable(10**9),
        Policy.DataRepresentation(use_cdrv0_representation=True),
    )
    writer = DataWriter(stranger, topic, qos=qos)
    assert spin_until(executor, lambda: subscription.get_publisher_count() == 1)
    writer.write(described(data='hello'))
    assert spin_until(executor, lambda: got == [String(data='hello')])


def test_enclaves_are_announced(make_node: Make, wait_until: Make) -> None:
    node = make_node('here')
    peer = Context()
    peer.init(args=['--ros-args', '--enclave', '/talkers/first'])
    try:
        Node('there', context=peer)
        names = node.get_node_names_and_namespaces_with_enclaves
        assert wait_until(lambda: ('there', '/', '/talkers/first') in names())
        assert ('here', '/', '/') in names()
    finally:
        peer.try_shutdown()
