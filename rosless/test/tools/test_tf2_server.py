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

"""A buffer that others ask: BufferServer and BufferClient."""

from __future__ import annotations

from collections.abc import Iterator
import threading
import time
from typing import Any

from geometry_msgs.msg import TransformStamped
import pytest
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from rclpy.time import Time
from tf2_ros import Buffer, BufferClient, BufferServer, ConnectivityException, LookupException


def transform(child: str, x: float) -> TransformStamped:
    """Return one below ``base``."""
    made = TransformStamped(child_frame_id=child)
    made.header.frame_id = 'base'
    made.transform.translation.x = x
    return made


@pytest.fixture(name='pair')
def _pair() -> Iterator[Any]:
    """Yield the buffer of one node, and the client in another one."""
    context = Context()
    context.init(args=[])
    nodes = [Node(name, context=context) for name in ('server', 'client')]
    pool = MultiThreadedExecutor(4, context=context)
    for node in nodes:
        pool.add_node(node)

    def spin() -> None:
        try:
            pool.spin()
        except ExternalShutdownException:
            pass

    thread = threading.Thread(target=spin)
    thread.start()
    buffer = Buffer()
    server = BufferServer(buffer, nodes[0])
    client = BufferClient(nodes[1], 'tf2_buffer_server')
    yield buffer, client
    client.destroy()
    server.destroy()
    context.try_shutdown()
    thread.join()


def test_transforms_of_another_program(pair: Any) -> None:
    buffer, client = pair
    buffer.set_transform_static(transform('camera', 2.0))
    found = client.lookup_transform('base', 'camera', Time())
    assert found.transform.translation.x == 2.0
    full = client.lookup_transform_full('base', Time(), 'camera', Time(), 'base')
    assert full.transform.translation.x == 2.0
    assert client.can_transform('base', 'camera', Time())
    assert not client.can_transform('base', 'nothing', Time())
    with pytest.raises(LookupException, match='nothing'):
        client.lookup_transform('base', 'nothing', Time())
    other = transform('far', 1.0)
    other.header.frame_id = 'moon'
    buffer.set_transform_static(other)
    with pytest.raises(ConnectivityException):
        client.lookup_transform('base', 'far', Time())


def test_a_goal_waits_for_its_transform_and_keeps_no_other_waiting(pair: Any) -> None:
    buffer, client = pair
    buffer.set_transform_static(transform('camera', 2.0))
    found: list[Any] = []
    waiting = threading.Thread(target=lambda: found.append(
        client.lookup_transform('base', 'late', Time(), Duration(seconds=30.0))))
    waiting.start()
    time.sleep(0.2)
    assert client.can_transform('base', 'camera', Time())
    assert found == []
    buffer.set_transform_static(transform('late', 5.0))
    waiting.join(30.0)
    assert found[0].transform.translation.x == 5.0
