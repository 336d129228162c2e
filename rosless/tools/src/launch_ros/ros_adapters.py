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

"""The node of a launch, for actions that talk to other nodes; it is made when first needed."""

from __future__ import annotations

import os
import threading
from typing import Any, TYPE_CHECKING

from launch.event import Event
from launch.event_handlers import OnShutdown

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

NAME = 'launch_ros_adapter'
PATIENCE = 2.0  # s for a callback that is running at the end


class ROSAdapter:
    """A node in a context of its own, spun by a thread."""

    def __init__(self) -> None:
        from rclpy.context import Context
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.node import Node

        self._context = Context()
        self._context.init(args=[])
        self.ros_node = Node(f'launch_ros_{os.getpid()}', context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.ros_node)
        self._thread = threading.Thread(target=self._run, name='launch_ros', daemon=True)
        self._thread.start()

    def shutdown(self) -> None:
        """Destroy the node."""
        self._executor.shutdown(timeout_sec=PATIENCE)
        self._thread.join(PATIENCE)
        self.ros_node.destroy_node()
        self._context.try_shutdown()

    def _run(self) -> None:
        from rclpy.executors import ExternalShutdownException

        try:
            self._executor.spin()
        except ExternalShutdownException:
            pass


def get_ros_adapter(context: LaunchContext) -> ROSAdapter:
    """Return the node of a launch with what spins it; it is destroyed at shutdown."""
    known: Any = context.get_locals_as_dict().get(NAME)
    if known is None:
        known = ROSAdapter()
        context.extend_globals({NAME: known})

        def end(event: Event, _: LaunchContext) -> None:
            known.shutdown()

        context.register_event_handler(OnShutdown(on_shutdown=end))
    return known


def get_ros_node(context: LaunchContext) -> Any:
    """Return the node of a launch."""
    return get_ros_adapter(context).ros_node
