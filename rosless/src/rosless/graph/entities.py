"""The message by which ROS 2 processes tell each other which node owns which endpoint."""

from __future__ import annotations

from dataclasses import dataclass, field
import struct

TOPIC = 'ros_discovery_info'
TYPE = 'rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_'
GID_SIZE = 24
_U32 = struct.Struct('<I')


@dataclass
class NodeEntities:
    """A node and the GIDs (16 octets each) of its readers and writers."""

    name: str
    namespace: str
    readers: list[bytes] = field(default_factory=list)
    writers: list[bytes] = field(default_factory=list)


def encode(participant: bytes, nodes: list[NodeEntities]) -> bytes:
    """Return `rmw_dds_common/msg/ParticipantEntitiesInfo` as CDR; GIDs are padded with zeros."""
    buffer = bytearray(b'\x00\x01\x00\x00')
    buffer += participant.ljust(GID_SIZE, b'\0')
    buffer += _U32.pack(len(nodes))
    for node in nodes:
        for text in (node.namespace, node.name):
            data = text.encode() + b'\0'
            buffer += bytes(-len(buffer) & 3) + _U32.pack(len(data)) + data
        for gids in (node.readers, node.writers):
            buffer += bytes(-len(buffer) & 3) + _U32.pack(len(gids))
            for gid in gids:
                buffer += gid.ljust(GID_SIZE, b'\0')
    return bytes(buffer + bytes(-len(buffer) & 3))


def decode(data: bytes) -> tuple[bytes, list[NodeEntities]]:
    """
    Return the participant's GUID (16 octets) and its nodes.

    Raises
    ------
    ValueError
        If the octets are not such a message.

    """
    position = 4 + GID_SIZE

    def number() -> int:
        nonlocal position
        position += -position & 3
        if position + 4 > len(data):
            raise ValueError('cut short')
        position += 4
        return _U32.unpack_from(data, position - 4)[0]

    def take(size: int) -> bytes:
        nonlocal position
        if position + size > len(data):
            raise ValueError('cut short')
        begin, position = position, position + size
        return data[begin:position]

    nodes = []
    for _ in range(number()):
        namespace = take(number())[:-1].decode('utf-8', 'replace')
        name = take(number())[:-1].decode('utf-8', 'replace')
        readers = [take(GID_SIZE)[:16] for _ in range(number())]
        writers = [take(GID_SIZE)[:16] for _ in range(number())]
        nodes.append(NodeEntities(name, namespace, readers, writers))
    return data[4:20], nodes
