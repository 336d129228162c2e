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

"""Service introspection: messages about the calls of a service, on a topic beside it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from .clock import Clock
from .publisher import Publisher
from .qos import QoSProfile

TOPIC = '/_service_event'  # behind the name of the service
GID_SIZE = 16  # octets
# enumerators of service_msgs/msg/ServiceEventInfo
REQUEST_SENT, REQUEST_RECEIVED, RESPONSE_SENT, RESPONSE_RECEIVED = range(4)


class ServiceIntrospectionState(IntEnum):
    """What is told about calls: nothing, that they were made, or what they contained as well."""

    OFF = 0
    METADATA = 1
    CONTENTS = 2


class ServiceEvents(NamedTuple):
    """
    Tells of the calls that a client makes, or that a service answers.

    Attributes
    ----------
    publisher : Publisher
        Of the event messages, ``Service.Event``.
    clock : Clock
        Of their time stamps.
    contents : bool
        Whether requests and responses are told, too.

    """

    publisher: Publisher
    clock: Clock
    contents: bool

    def tell(
        self,
        kind: int,
        call: tuple[int, int],
        request: Sequence[Any] = (),
        response: Sequence[Any] = (),
    ) -> None:
        """
        Publish an event.

        Parameters
        ----------
        kind : int
            One of the enumerators above.
        call : tuple[int, int]
            Identity of the client, and number of its call.
        request, response : Sequence
            The message that the event is about, in one of the two.

        """
        event = self.publisher.msg_type()
        event.info.event_type = kind
        event.info.stamp = self.clock.now().to_msg()
        event.info.client_gid = list(call[0].to_bytes(8, 'little').ljust(GID_SIZE, b'\0'))
        event.info.sequence_number = call[1]
        if self.contents:
            event.request, event.response = list(request), list(response)
        self.publisher.publish(event)


def configured(
    entity: Any, clock: Clock, profile: QoSProfile, state: ServiceIntrospectionState
) -> ServiceEvents | None:
    """Return what tells of the calls of a client or service from now on."""
    old = entity._events
    if state == ServiceIntrospectionState.OFF:
        if old is not None:
            old.publisher.destroy()
        return None
    if old is None:
        topic = entity.service_name + TOPIC
        publisher = entity._node().create_publisher(entity.srv_type.Event, topic, profile)
    else:
        publisher = old.publisher
    return ServiceEvents(publisher, clock, state == ServiceIntrospectionState.CONTENTS)
