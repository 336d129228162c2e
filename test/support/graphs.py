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

"""A node of the test in the graph, which remembers what it hears and calls services."""

from __future__ import annotations

from collections.abc import Callable
import threading
import time
from typing import Any
import uuid

from processes import PATIENCE
import rclpy
from rclpy._rclpy_pybind11 import InvalidHandle
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node


class Graph:
    """
    A node of the test, spun in a thread, that remembers what it hears.

    Parameters
    ----------
    namespace : str, optional
        Of the node; transforms, too, are those of this namespace then.

    """

    def __init__(self, namespace: str = '') -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = Node(
            f'test_{uuid.uuid4().hex[:8]}', context=self.context, namespace=namespace,
            cli_args=['--ros-args', '-r', '/tf:=tf', '-r', '/tf_static:=tf_static']
            if namespace else None)
        self._others: list[Node] = []
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def add(self, node: Node) -> None:
        """Spin another node, too, until the graph is left."""
        self._others.append(node)
        self._executor.add_node(node)

    def _spin(self) -> None:
        while True:
            try:
                self._executor.spin()
                return   # the executor has been shut down
            except rclpy.executors.ExternalShutdownException:
                return
            except InvalidHandle:   # what a test destroyed while rclpy was about to trigger it
                continue

    def hear(self, kind: Any, topic: str, qos: Any = 10) -> list[Any]:
        """Return a list that grows by the messages on a topic."""
        heard: list[Any] = []
        self.node.create_subscription(kind, topic, heard.append, qos)
        return heard

    def call(self, kind: Any, name: str, request: Any, timeout: float = PATIENCE) -> Any:
        """Call a service and return its answer."""
        client = self.node.create_client(kind, name)
        try:
            assert client.wait_for_service(timeout), f'no service {name} within {timeout} s'
            time.sleep(0.02)   # the server has to discover the client, too
            answered = threading.Event()
            future = client.call_async(request)
            future.add_done_callback(lambda _: answered.set())
            assert answered.wait(timeout), f'{name} does not answer within {timeout} s'
            return future.result()
        finally:
            self.node.destroy_client(client)

    def wait_until(
        self, condition: Callable[[], Any], what: str, timeout: float = PATIENCE,
    ) -> Any:
        """Wait until a condition holds and return its value."""
        end = time.monotonic() + timeout
        while True:
            value = condition()
            if value:
                return value
            assert time.monotonic() < end, f'not within {timeout} s: {what}'
            time.sleep(0.02)

    def publish_until(self, publisher: Any, message: Any, condition: Callable[[], Any],
                      what: str) -> Any:
        """Publish again and again until a condition holds: a new pair may lose the first ones."""
        def met() -> Any:
            publisher.publish(message)
            time.sleep(0.05)
            return condition()
        self.wait_until(publisher.get_subscription_count, f'somebody listens: {what}')
        return self.wait_until(met, what)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown(5.0)
        self._thread.join(5.0)
        for node in (self.node, *self._others):
            node.destroy_node()
        rclpy.try_shutdown(context=self.context)
