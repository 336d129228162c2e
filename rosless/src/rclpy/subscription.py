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

"""Subscriptions."""

from __future__ import annotations

from collections.abc import Callable
import inspect
import time
from typing import Any

from rosless.dds.endpoints import Reader
from rosless.dds.sample import Copied, Left
from rosless.idl.codec import deserialize
from rosless.idl.errors import DeserializationError

from .callback_groups import CallbackGroup
from .entity import Job
from .handle import Handle
from .qos import QoSProfile
from .qos_event import SubscriptionEventCallbacks
from .rcl_errors import RCLError
from .topic_entity import TopicEntity
from .utilities import get_rmw_implementation_identifier

MessageInfo = dict[str, Any]
NO_FILTERS = 'content filters are not supported by rmw_cyclonedds_cpp; filter in the callback'


class SubscriptionHandle(Handle):
    """What a waitable of one's own does with a subscription."""

    def take_message(self, msg_type: Any, raw: bool) -> tuple[Any, MessageInfo] | None:
        """Take a message, or its octets, with its time stamps [ns]; None if there is none."""
        if raw:
            return self.owner._take()
        return self.owner.take()


class Subscription(TopicEntity):
    """
    Receives messages of a topic; make one with `Node.create_subscription`.

    Parameters
    ----------
    reader : Reader
        The DDS side.
    msg_type : type
        Class of the messages.
    topic : str
        Name of the topic, as it was given.
    callback : Callable
        Called with a message; if it takes two arguments also with a dictionary: time stamps and
        the GID of the publisher, as rclpy 10 has it.
    callback_group : CallbackGroup
        Its group.
    qos_profile : QoSProfile
        Its profile.
    raw : bool
        Whether the callback gets octets instead of messages.
    event_callbacks : SubscriptionEventCallbacks
        What is called when something happens to it.
    node : Node
        Its node.

    """

    handle_class = SubscriptionHandle
    incompatible = (
        "New publisher discovered on topic '{topic}', offering incompatible QoS. "
        'No messages will be received from it.'
    )

    def __init__(
        self,
        reader: Reader,
        msg_type: type,
        topic: str,
        callback: Callable[..., Any],
        callback_group: CallbackGroup,
        qos_profile: QoSProfile,
        raw: bool,
        event_callbacks: SubscriptionEventCallbacks,
        node: Any,
    ) -> None:
        super().__init__(
            reader, msg_type, topic, qos_profile, event_callbacks, callback_group, node
        )
        self._reader = reader
        self._callback = callback
        self._with_info = takes_two(callback)
        self.raw = raw
        if raw:
            reader.expect_large()

    @property
    def callback(self) -> Callable[..., Any]:
        """Return what is called with a message."""
        return self._callback

    @callback.setter
    def callback(self, value: Callable[..., Any]) -> None:
        self._callback = value
        self._with_info = takes_two(value)

    @property
    def is_cft_enabled(self) -> bool:
        """Whether there is a content filter; never."""
        return False

    def set_content_filter(self, filter_expression: str, expression_parameters: Any) -> None:
        """Not supported, as with rmw_cyclonedds_cpp."""
        raise RCLError(f'Failed to set_content_filter: {NO_FILTERS}')

    def get_content_filter(self) -> Any:
        """Not supported, as with rmw_cyclonedds_cpp."""
        raise RCLError(f'Failed to get_content_filter: {NO_FILTERS}')

    def get_publisher_count(self) -> int:
        """Return how many publishers are matched."""
        return self._reader.matched()

    def has_data(self) -> bool:
        """Tell whether there is a message to take."""
        return self._reader.has_data()

    def take(self) -> tuple[Any, MessageInfo] | None:
        """Return the next message and its time stamps [ns], or None if there is none."""
        while True:
            sample = self._take()
            if sample is None:
                return None
            message = self._read(sample[0].octets())
            if message is not None:
                return message, sample[1]

    def next_job(self, executor: Any) -> Job | None:
        """Take a message; it is read where the callback runs."""
        sample = self._take()
        return None if sample is None else Job(self._hear, sample)

    def _take(self) -> tuple[Copied | Left, MessageInfo] | None:
        sample = self._reader.take_sample()
        if sample is None:
            return None
        info: MessageInfo = {
            'source_timestamp': sample.source_timestamp,
            'received_timestamp': time.time_ns(),
        }
        if self._with_info:
            info['publisher_gid'] = {
                'implementation_identifier': get_rmw_implementation_identifier(),
                'data': self._reader.writer_gid(sample.publication_handle),
            }
        return sample, info

    def _hear(self, sample: Copied | Left, stamps: MessageInfo) -> Any:
        """Call the callback with a message; return the coroutine if it is one."""
        message = self._read(sample.octets())
        if message is None:
            return None
        return self._callback(message, stamps) if self._with_info else self._callback(message)

    def _read(self, data: bytes) -> Any:
        """Return a message, or its octets; None if it is malformed, which is logged."""
        if self.raw:
            return data
        try:
            return deserialize(data, self.msg_type)
        except DeserializationError as error:
            self._complain(str(error))
            return None

    def _complain(self, text: str) -> None:
        node = self._node()
        if node is not None:
            node.get_logger().error(
                f"dropped a message on topic '{self.topic_name}': {text}",
                throttle_duration_sec=1.0,
            )


def takes_two(callback: Callable[..., Any]) -> bool:
    """Tell whether a subscription's callback wants the time stamps too."""
    try:
        signature = inspect.signature(callback)
    except (TypeError, ValueError):
        return False
    try:
        signature.bind(object())
        return False
    except TypeError:
        pass
    try:
        signature.bind(object(), object())
        return True
    except TypeError:
        raise RuntimeError(
            'Subscription.__init__(): callback should be either be callable with one argument '
            '(to get only the message) or two (to get message and message info)'
        ) from None
