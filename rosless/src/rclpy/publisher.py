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

"""Publishers."""

from __future__ import annotations

from typing import Any

from cyclonedds.core import DDSException
from rosless.dds.endpoints import Writer
from rosless.idl.codec import serialize

from .callback_groups import CallbackGroup
from .duration import Duration
from .entity import Job
from .qos import QoSProfile
from .qos_event import PublisherEventCallbacks
from .rcl_errors import RCLError
from .topic_entity import TopicEntity

# How long a message may wait for reliable subscriptions that do not read, once; the thread is one
# that runs callbacks. A subscription that is stopped is given up after 10 s.
PATIENCE = 0.2  # s


class Publisher(TopicEntity):
    """
    Publishes messages on a topic; make one with `Node.create_publisher`.

    Parameters
    ----------
    writer : Writer
        The DDS side.
    msg_type : type
        Class of the messages.
    topic : str
        Name of the topic, as it was given.
    qos_profile : QoSProfile
        Its profile.
    event_callbacks : PublisherEventCallbacks
        What is called when something happens to it.
    callback_group : CallbackGroup
        Their group.
    node : Node
        Its node.

    """

    incompatible = (
        "New subscription discovered on topic '{topic}', requesting incompatible QoS. "
        'No messages will be sent to it.'
    )

    def __init__(
        self,
        writer: Writer,
        msg_type: type,
        topic: str,
        qos_profile: QoSProfile,
        event_callbacks: PublisherEventCallbacks,
        callback_group: CallbackGroup,
        node: Any,
    ) -> None:
        super().__init__(
            writer, msg_type, topic, qos_profile, event_callbacks, callback_group, node
        )
        self._writer = writer
        self._context = node.context

    def publish(self, msg: Any) -> None:
        """
        Send a message.

        Where a reliable subscription is too slow, or has stopped, a large one may be dropped,
        which is counted and logged.

        Parameters
        ----------
        msg : message or bytes
            A message of the publisher's type, or one serialised.

        Raises
        ------
        TypeError
            If it is of another type.
        RCLError
            If the context has been shut down.
        InvalidHandle
            If the publisher has been destroyed.

        """
        if isinstance(msg, self.msg_type):
            data: bytes | bytearray = serialize(msg)  # type: ignore[arg-type]
        elif isinstance(msg, bytes):
            data = msg + bytes(-len(msg) & 3)
        else:
            raise TypeError(f'Expected {self.msg_type}, got {type(msg)}')
        try:
            written = self._writer.write(data, PATIENCE)
        except DDSException as error:
            self.require_handle()
            raise RCLError(
                "Failed to publish: publisher's context is invalid"
                if not self._context.ok()
                else f'Failed to publish: {error}'
            ) from None
        if not written:
            node = self._node()
            if node is not None:
                node.get_logger().warn(
                    f"topic '{self._topic_name}': {self._writer.dropped} messages dropped so far: "
                    'a reliable subscription does not read',
                    throttle_duration_sec=1.0,
                )

    def get_subscription_count(self) -> int:
        """Return how many subscriptions are matched."""
        self.require_handle()
        return self._writer.matched()

    def assert_liveliness(self) -> None:
        """Show that the publisher is alive (policy `MANUAL_BY_TOPIC`)."""
        from rosless.dds.library import c

        self.require_handle()
        c.dds_assert_liveliness(self._writer.ref)

    def wait_for_all_acked(self, timeout: Duration | None = None) -> bool:
        """Wait until all reliable subscriptions have everything; False if that takes too long."""
        from rosless.dds.library import c, INFINITE

        self.require_handle()
        limit = INFINITE if timeout is None else timeout.nanoseconds
        return c.dds_wait_for_acks(self._writer.ref, limit) == 0

    def next_job(self, executor: Any) -> Job | None:
        """Return None: publishers have no data to take."""
        return None
