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

"""Waiting for one message."""

from __future__ import annotations

import time
from typing import Any

from rosless.dds.waiter import Waiter

from .node import Node
from .qos import QoSProfile


def wait_for_message(
    msg_type: Any,
    node: Node,
    topic: str,
    *,
    qos_profile: QoSProfile | int = 1,
    time_to_wait: float = -1,
) -> tuple[bool, Any]:
    """
    Wait for the next message of a topic, without spinning the node.

    Parameters
    ----------
    msg_type : type
        Class of the message.
    node : Node
        Subscribes while it waits.
    topic : str
        Name of the topic.
    qos_profile : QoSProfile or int
        Profile, or just the depth.
    time_to_wait : float
        How long [s]; for ever if negative.

    Returns
    -------
    bool
        Whether a message came.
    message or None
        The message.

    """
    context = node.context
    subscription = node.create_subscription(msg_type, topic, lambda _: None, qos_profile)
    waiter = Waiter(context.participant.ref)
    waiter.attach(subscription._reader.ref, subscription.key)
    limit = None if time_to_wait < 0 else time.monotonic() + time_to_wait
    try:
        while context.ok():
            taken = subscription.take()
            if taken is not None:
                return True, taken[0]
            remaining = None if limit is None else limit - time.monotonic()
            if remaining is not None and remaining <= 0:
                break
            waiter.wait(remaining)
            subscription._reader.take_statuses()
        return False, None
    finally:
        waiter.close()
        node.destroy_subscription(subscription)
