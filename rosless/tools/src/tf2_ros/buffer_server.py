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

"""Let other programs look up transforms in a buffer of this one."""

from __future__ import annotations

import time as clock
from typing import Any

from rclpy.action import ActionServer
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.duration import Duration
from rclpy.task import Future
from rclpy.time import Time
from tf2_msgs.action import LookupTransform
from tf2_msgs.msg import TF2Error
from tf2_ros.buffer_client import ERRORS
from tf2_ros.exceptions import TransformException

NUMBERS = {error: number for number, error in ERRORS.items()}
LONGEST = 3600.0  # s, that a goal may wait for a transform


class BufferServer:
    """
    Answers the goals of `BufferClient`.

    A goal waits for its transform as long as it says, and no goal keeps others waiting.

    Parameters
    ----------
    buffer : Buffer
        Where transforms are looked up.
    node : Node
        Whose server it is.
    ns : str
        Name of the action.
    check_period : float
        Time between two looks for a transform that is not there yet [s].

    """

    def __init__(
        self, buffer: Any, node: Any, ns: str = 'tf2_buffer_server', check_period: float = 0.01,
    ) -> None:
        self._buffer = buffer
        self._waiting: list[tuple[float, Any, Future]] = []
        group = ReentrantCallbackGroup()
        self._node = node
        self._timer = node.create_timer(check_period, self._look, callback_group=group)
        self._timer.cancel()
        self.action_server = ActionServer(
            node, LookupTransform, ns, self._execute, callback_group=group)

    def destroy(self) -> None:
        """Destroy the server."""
        self.action_server.destroy()
        self._node.destroy_timer(self._timer)

    async def _execute(self, goal_handle: Any) -> Any:
        goal = goal_handle.request
        wait = Duration.from_msg(goal.timeout).nanoseconds * 1e-9
        future = Future()
        if not self._can(goal)[0] and wait > 0.0:
            limit = clock.monotonic() + min(wait, LONGEST)
            self._waiting.append((limit, goal, future))
            if self._timer.is_canceled():
                self._timer.reset()
            await future
        result = LookupTransform.Result()
        try:
            result.transform = self._transform(goal)
            goal_handle.succeed()
        except TransformException as error:
            number = NUMBERS.get(type(error), TF2Error.TRANSFORM_ERROR)
            result.error = TF2Error(error=number, error_string=str(error))
            goal_handle.abort()
        return result

    def _look(self) -> None:
        """Let the goals go on whose transforms are there, or whose time is over."""
        now = clock.monotonic()
        for entry in list(self._waiting):
            limit, goal, future = entry
            if now >= limit or self._can(goal)[0]:
                self._waiting.remove(entry)
                future.set_result(None)
        if not self._waiting:
            self._timer.cancel()

    def _can(self, goal: Any) -> tuple[bool, str]:
        if goal.advanced:
            found = self._buffer.can_transform_full_core(*_full(goal))
        else:
            found = self._buffer.can_transform_core(
                goal.target_frame, goal.source_frame, Time.from_msg(goal.source_time))
        answer: tuple[bool, str] = found
        return answer

    def _transform(self, goal: Any) -> Any:
        if goal.advanced:
            return self._buffer.lookup_transform_full_core(*_full(goal))
        return self._buffer.lookup_transform_core(
            goal.target_frame, goal.source_frame, Time.from_msg(goal.source_time))


def _full(goal: Any) -> tuple[str, Time, str, Time, str]:
    return (goal.target_frame, Time.from_msg(goal.target_time), goal.source_frame,
            Time.from_msg(goal.source_time), goal.fixed_frame)
