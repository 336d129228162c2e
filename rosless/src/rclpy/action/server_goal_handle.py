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

"""A goal as its server sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalInfo, GoalStatus

from .goal_states import ACTIVE, GoalEvent, next_status
from ..task import Future


class ServerGoalHandle:
    """
    A goal that a server has accepted; callbacks get it.

    Parameters
    ----------
    action_server : ActionServer
        Its server.
    goal_info : action_msgs.msg.GoalInfo
        Its id, and when it was accepted.
    goal_request : message
        The goal.

    """

    def __init__(
        self, action_server: Any, goal_info: GoalInfo, goal_request: Any
    ) -> None:
        self._action_server = action_server
        self._info = goal_info
        self._request = goal_request
        self._state = GoalStatus(goal_info=goal_info, status=GoalStatus.STATUS_ACCEPTED)
        self._destroyed = False
        self._ended: int | None = None
        self._result = Future()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ServerGoalHandle) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def request(self) -> Any:
        """Return the goal, as the client sent it."""
        return self._request

    @property
    def goal_id(self) -> Any:
        """Id of the goal, a `unique_identifier_msgs.msg.UUID`."""
        return self._info.goal_id

    @property
    def is_active(self) -> bool:
        """Whether the goal has not ended."""
        return self.status in ACTIVE

    @property
    def is_cancel_requested(self) -> bool:
        """Whether the goal is to be cancelled; call `canceled` when that is done."""
        return self.status == GoalStatus.STATUS_CANCELING

    @property
    def status(self) -> int:
        """Return a constant of `action_msgs.msg.GoalStatus`."""
        return GoalStatus.STATUS_UNKNOWN if self._destroyed else self._state.status

    def execute(self, execute_callback: Callable[[ServerGoalHandle], Any] | None = None) -> None:
        """
        Let the executor run the goal.

        Parameters
        ----------
        execute_callback : Callable, optional
            Runs the goal and returns its result; that of the server if omitted.

        Raises
        ------
        RCLError
            If the goal has ended or is being executed already.

        """
        if not self.is_cancel_requested:
            self._update_state(GoalEvent.EXECUTE)
        self._action_server.notify_execute(self, execute_callback)

    def publish_feedback(self, feedback: Any) -> None:
        """
        Send feedback.

        Raises
        ------
        TypeError
            If it is not the feedback message of the action.

        """
        if self._destroyed:
            return
        self._action_server._publish_feedback(self, feedback)

    def succeed(self) -> None:
        """Note that the goal has been reached; raises RCLError if it is not being executed."""
        self._update_state(GoalEvent.SUCCEED)

    def abort(self) -> None:
        """Note that the goal cannot be reached; raises RCLError if it is not being executed."""
        self._update_state(GoalEvent.ABORT)

    def canceled(self) -> None:
        """Note that the goal is cancelled; raises RCLError if that has not been asked for."""
        self._update_state(GoalEvent.CANCELED)

    def destroy(self) -> None:
        """Let the server forget the goal; `status` is unknown from now on."""
        with self._action_server._lock:
            self._destroyed = True

    @property
    def _key(self) -> bytes:
        return bytes(self._info.goal_id.uuid)

    def _update_state(self, event: GoalEvent) -> None:
        with self._action_server._lock:
            if self._destroyed:
                return
            self._state.status = next_status(self._state.status, event)
            self._action_server._publish_status()
            if not self.is_active:
                self._action_server.notify_goal_done(self)
