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

"""What publishers and subscriptions share."""

from __future__ import annotations

from typing import Any

from rosless.dds.endpoints import Reader, Writer

from .callback_groups import CallbackGroup
from .entity import Entity
from .logging import get_logger
from .qos import QoSProfile
from .qos_event import EventCallbacks


class TopicEntity(Entity):
    """
    Base of publishers and subscriptions.

    Parameters
    ----------
    endpoint : Writer or Reader
        The DDS side.
    msg_type : type
        Class of the messages.
    topic : str
        Name of the topic, as it was given.
    qos_profile : QoSProfile
        Its profile.
    event_callbacks : EventCallbacks
        What is called when something happens to it.
    callback_group : CallbackGroup
        Its group.
    node : Node
        Its node.

    """

    incompatible = ''  # what to warn of when a peer's profile does not fit

    def __init__(
        self,
        endpoint: Writer | Reader,
        msg_type: type,
        topic: str,
        qos_profile: QoSProfile,
        event_callbacks: EventCallbacks,
        callback_group: CallbackGroup,
        node: Any,
    ) -> None:
        super().__init__(callback_group, node, endpoint)
        self.msg_type = msg_type
        self.topic = topic
        self._topic_name = _full_name(endpoint.topic_name, qos_profile)
        self.qos_profile = qos_profile
        self.event_callbacks = event_callbacks
        endpoint.watch(event_callbacks.mask())

    @property
    def topic_name(self) -> str:
        """Full name of the topic."""
        self.require_handle()
        return self._topic_name

    def on_events(self, statuses: int, executor: Any) -> None:
        """Run the event callbacks."""
        assert self.endpoint is not None
        self.event_callbacks.run(statuses, self.endpoint._entity, self._warn, executor)

    def _warn(self, policy: str) -> None:
        text = self.incompatible.format(topic=self.topic)
        get_logger(self.logger_name or 'rclpy').warn(f'{text} Last incompatible policy: {policy}')


def _full_name(on_wire: str, profile: QoSProfile) -> str:
    plain = profile.avoid_ros_namespace_conventions
    return f'/{on_wire}' if plain else on_wire.removeprefix('rt')
