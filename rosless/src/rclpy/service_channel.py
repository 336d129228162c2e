"""What clients and services share: their endpoints, the header of a call, who belongs to whom."""

from __future__ import annotations

import itertools
import os
import struct
from typing import Any, NamedTuple
import weakref

from rosless.dds.endpoints import Reader, Writer

from .absent import NotInRosless
from .callback_groups import CallbackGroup
from .entity import Entity
from .qos import QoSProfile

HEADER = struct.Struct('<Qq')
OFFSET = 4 + HEADER.size
_numbers = itertools.count(1)


class Channel(NamedTuple):
    """
    The DDS side of a client or service.

    Attributes
    ----------
    writer, reader : Writer, Reader
        Of requests and answers, or the other way round.
    srv_type : type
        Class of the service.
    srv_name : str
        Full name of the service.
    qos_profile : QoSProfile
        Profile of both.

    """

    writer: Writer
    reader: Reader
    srv_type: Any
    srv_name: str
    qos_profile: QoSProfile


class ServiceEntity(Entity):
    """
    Base of clients and services.

    Parameters
    ----------
    channel : Channel
        The DDS side.
    callback_group : CallbackGroup
        Its group.
    node : Node
        Its node.

    """

    def __init__(self, channel: Channel, callback_group: CallbackGroup, node: Any) -> None:
        super().__init__(callback_group, channel.reader)
        self._writer = channel.writer
        self._reader = channel.reader
        self.srv_type = channel.srv_type
        self.srv_name = channel.srv_name
        self.qos_profile = channel.qos_profile
        self.context = node.context
        self._node = weakref.ref(node)

    @property
    def service_name(self) -> str:
        """Full name of the service."""
        return self.srv_name

    @property
    def logger_name(self) -> str:
        """Name of the node's logger."""
        node = self._node()
        return '' if node is None else node.get_logger().name

    def configure_introspection(self, *_: Any) -> None:
        """Not in rosless."""
        raise NotInRosless('service introspection is not in rosless')

    def close(self) -> None:
        """Delete the writer; called by the node."""
        self._writer.close()


def unique_id() -> str:
    """Return the text by which the two endpoints of a client or service are recognised."""
    return '.'.join(f'{octet:x}' for octet in os.urandom(12) + next(_numbers).to_bytes(4, 'big'))


def user_data(kind: str, identifier: str) -> bytes:
    """Return the DDS user data of an endpoint; `kind` is ``'clientid'`` or ``'serviceid'``."""
    return f'{kind}={identifier};'.encode()


def identifiers(endpoint: Reader | Writer, kind: str) -> set[str]:
    """Return the identifiers of the matched peers; ``''`` for those that tell none."""
    found = (endpoint.peer_data(handle) for handle in endpoint.peers())
    return {data.get(kind, '') for data in found if data is not None}
