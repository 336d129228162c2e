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
The message by which ROS 2 processes tell each other which node owns which endpoint.

A GID takes 24 octets in Humble and 16 in the releases after it; the message does not say which.

"""

from __future__ import annotations

from dataclasses import dataclass, field
import struct

TOPIC = 'ros_discovery_info'
TYPE = 'rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_'
GUID_SIZE = 16
HUMBLE, IRON = 24, 16  # octets of a GID
_U32 = struct.Struct('<I')


@dataclass
class NodeEntities:
    """A node and the GIDs (16 octets each) of its readers and writers."""

    name: str
    namespace: str
    readers: list[bytes] = field(default_factory=list)
    writers: list[bytes] = field(default_factory=list)


def encode(participant: bytes, nodes: list[NodeEntities], gid_size: int = HUMBLE) -> bytes:
    """Return `rmw_dds_common/msg/ParticipantEntitiesInfo` as CDR; GIDs are padded with zeros."""
    buffer = bytearray(b'\x00\x01\x00\x00')
    buffer += participant.ljust(gid_size, b'\0')
    buffer += _U32.pack(len(nodes))
    for node in nodes:
        for text in (node.namespace, node.name):
            data = text.encode() + b'\0'
            buffer += bytes(-len(buffer) & 3) + _U32.pack(len(data)) + data
        for gids in (node.readers, node.writers):
            buffer += bytes(-len(buffer) & 3) + _U32.pack(len(gids))
            for gid in gids:
                buffer += gid.ljust(gid_size, b'\0')
    return bytes(buffer + bytes(-len(buffer) & 3))


def decode(data: bytes) -> tuple[bytes, list[NodeEntities], int]:
    """
    Return the participant's GUID (16 octets), its nodes, and the size of GIDs in the message.

    Raises
    ------
    ValueError
        If the octets are not such a message.

    """
    try:
        return data[4:20], _nodes(data, HUMBLE), HUMBLE
    except ValueError:
        return data[4:20], _nodes(data, IRON), IRON


def _nodes(data: bytes, gid_size: int) -> list[NodeEntities]:
    position = 4 + gid_size

    def number() -> int:
        nonlocal position
        position += -position & 3
        if position + 4 > len(data):
            raise ValueError('cut short')
        position += 4
        return int(_U32.unpack_from(data, position - 4)[0])

    def take(size: int) -> bytes:
        nonlocal position
        if position + size > len(data):
            raise ValueError('cut short')
        begin, position = position, position + size
        return data[begin:position]

    def text() -> str:
        octets = take(number())
        if octets[-1:] != b'\0':
            raise ValueError('a string without end')
        return octets[:-1].decode('utf-8', 'replace')

    nodes = []
    for _ in range(number()):
        namespace, name = text(), text()
        readers = [take(gid_size)[:GUID_SIZE] for _ in range(number())]
        writers = [take(gid_size)[:GUID_SIZE] for _ in range(number())]
        nodes.append(NodeEntities(name, namespace, readers, writers))
    if len(data) - position > 3:
        raise ValueError('octets are left over')
    return nodes
