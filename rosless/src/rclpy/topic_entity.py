"""What publishers and subscriptions share."""

from __future__ import annotations

from typing import Any
import weakref

from rosless.dds.endpoints import Reader, Writer

from .callback_groups import CallbackGroup
from .entity import Entity
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
        Full name of the topic.
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
        super().__init__(callback_group, endpoint)
        self.msg_type = msg_type
        self.topic = topic
        self.qos_profile = qos_profile
        self.event_callbacks = event_callbacks
        self._node = weakref.ref(node)
        endpoint.watch(event_callbacks.mask())

    @property
    def logger_name(self) -> str:
        """Name of the node's logger."""
        node = self._node()
        return '' if node is None else node.get_logger().name

    @property
    def topic_name(self) -> str:
        """Full name of the topic."""
        return self.topic

    def on_events(self, statuses: int, executor: Any) -> None:
        """Run the event callbacks."""
        assert self.endpoint is not None
        self.event_callbacks.run(statuses, self.endpoint._entity, self._warn, executor)

    def _warn(self, policy: str) -> None:
        node = self._node()
        if node is not None:
            text = self.incompatible.format(topic=self.topic)
            node.get_logger().warn(f'{text} Last incompatible policy: {policy}')
