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

"""Run a managed node."""

from __future__ import annotations

import queue
import threading
from typing import Any, TYPE_CHECKING

from launch.event import Event
from launch.event_handler import EventHandler
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.logging import get_logger
from launch.some_substitutions_type import SomeSubstitutionsType
from launch_ros.actions.node import Node
from launch_ros.events.lifecycle import ChangeState
from launch_ros.events.lifecycle import StateTransition
from launch_ros.ros_adapters import get_ros_node

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

SLICE = 0.2  # s between looks whether the launch has been shut down


class LifecycleNode(Node):
    """
    Run a managed node; ``ChangeState`` events steer it, its transitions are events.

    Parameters
    ----------
    name : text with substitutions
        Name of the node.
    namespace : text with substitutions
        Namespace of the node.
    **kwargs
        See ``Node``.

    """

    def __init__(
        self, *, name: SomeSubstitutionsType, namespace: SomeSubstitutionsType, **kwargs: Any,
    ) -> None:
        super().__init__(name=name, namespace=namespace, **kwargs)

    def execute(self, context: LaunchContext) -> None:
        """Start the node and connect to it."""
        super().execute(context)
        if context.is_shutdown:
            return
        context.register_event_handler(_Steering(self, context))


class _Steering(EventHandler):
    """
    Passes the wishes for one node on to it, one after the other, and its transitions back.

    Parameters
    ----------
    action : LifecycleNode
        The action that runs the node.
    context : LaunchContext
        The launch.

    """

    def __init__(self, action: LifecycleNode, context: LaunchContext) -> None:
        from lifecycle_msgs.msg import TransitionEvent
        from lifecycle_msgs.srv import ChangeState as ChangeStateService

        super().__init__(matcher=lambda event: isinstance(event, ChangeState)
                         and event.lifecycle_node_matcher(action))
        self._action = action
        self._context = context
        self._logger = get_logger(action.node_name)
        self._wishes: queue.Queue[int] = queue.Queue()
        node = get_ros_node(context)
        self._service = ChangeStateService
        self._client = node.create_client(ChangeStateService, f'{action.node_name}/change_state')
        node.create_subscription(
            TransitionEvent, f'{action.node_name}/transition_event', self._report, 10)
        threading.Thread(target=self._serve, name=action.node_name, daemon=True).start()

    def handle(self, event: Event, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Note the wish."""
        assert isinstance(event, ChangeState)
        self._wishes.put(event.transition_id)
        return []

    def _report(self, message: Any) -> None:
        loop = self._context._asyncio_loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(
                self._context.emit_event_sync, StateTransition(action=self._action, msg=message))

    def _serve(self) -> None:
        while not self._context.is_shutdown:
            try:
                wish = self._wishes.get(timeout=SLICE)
            except queue.Empty:
                continue
            try:
                self._change_state(wish)
            except Exception as error:
                if not self._context.is_shutdown:
                    self._logger.error(f'Cannot change the state: {error}')

    def _change_state(self, number: int) -> None:
        name = ChangeState.valid_transitions[number]
        while not self._client.wait_for_service(timeout_sec=SLICE):
            if self._context.is_shutdown:
                self._logger.warning(f"Abandoning transition '{name}' due to shutdown")
                return
        request = self._service.Request()
        request.transition.id = number
        future = self._client.call_async(request)
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        while not done.wait(SLICE):
            if self._context.is_shutdown:
                return
        if not future.result().success:
            self._logger.error(f"Failed to make transition '{name}' for LifecycleNode "
                               f"'{self._action.node_name}'")
