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

"""What clients and services share: their endpoints, the header of a call, who belongs to whom."""

from __future__ import annotations

import itertools
import os
import struct
from typing import Any, NamedTuple

from rosless.dds.endpoints import Reader, Writer

from .callback_groups import CallbackGroup
from .clock import Clock
from .entity import Entity
from .qos import QoSProfile
from .service_introspection import configured, ServiceEvents, ServiceIntrospectionState

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
    srv_name, service_name : str
        Name of the service, as it was given and in full.
    qos_profile : QoSProfile
        Profile of both.

    """

    writer: Writer
    reader: Reader
    srv_type: Any
    srv_name: str
    service_name: str
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
        super().__init__(callback_group, node, channel.reader)
        self.endpoints = channel.reader, channel.writer
        self._writer = channel.writer
        self._reader = channel.reader
        self.srv_type = channel.srv_type
        self.srv_name = channel.srv_name
        self._service_name = channel.service_name
        self.qos_profile = channel.qos_profile
        self.context = node.context
        self._events: ServiceEvents | None = None

    @property
    def service_name(self) -> str:
        """Full name of the service."""
        return self._service_name

    def configure_introspection(
        self,
        clock: Clock,
        service_event_qos_profile: QoSProfile,
        introspection_state: ServiceIntrospectionState,
    ) -> None:
        """
        Tell of calls on the topic ``<service>/_service_event``, or no longer.

        Parameters
        ----------
        clock : Clock
            Of the time stamps.
        service_event_qos_profile : QoSProfile
            Profile of the publisher.
        introspection_state : ServiceIntrospectionState
            What is told.

        """
        self.require_handle()
        self._events = configured(self, clock, service_event_qos_profile, introspection_state)

    def close(self) -> None:
        """Stop for good, and tell of calls no longer; called by the node."""
        super().close()
        if self._events is not None:
            self._events.publisher.destroy()
            self._events = None


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
