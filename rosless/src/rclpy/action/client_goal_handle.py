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

"""A goal as its client sees it."""

from __future__ import annotations

from typing import Any

from action_msgs.msg import GoalStatus

from ..task import Future


class ClientGoalHandle:
    """
    A goal that has been sent and answered.

    Parameters
    ----------
    action_client : ActionClient
        Its client.
    goal_id : unique_identifier_msgs.msg.UUID
        Its id.
    goal_response : message
        What the server answered.

    """

    def __init__(self, action_client: Any, goal_id: Any, goal_response: Any) -> None:
        self._action_client = action_client
        self._goal_id = goal_id
        self._goal_response = goal_response
        self._status: int = GoalStatus.STATUS_UNKNOWN

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClientGoalHandle) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return (
            f'ClientGoalHandle <id={list(self._key)}, accepted={self.accepted}, '
            f'status={self.status}>'
        )

    @property
    def goal_id(self) -> Any:
        """Id of the goal, a `unique_identifier_msgs.msg.UUID`."""
        return self._goal_id

    @property
    def stamp(self) -> Any:
        """When the server accepted the goal, a `builtin_interfaces.msg.Time`."""
        return self._goal_response.stamp

    @property
    def accepted(self) -> bool:
        """Whether the server accepted the goal."""
        return self._goal_response.accepted

    @property
    def status(self) -> int:
        """Return a constant of `action_msgs.msg.GoalStatus`, as last published by the server."""
        return self._status

    def cancel_goal(self) -> Any:
        """
        Ask the server to cancel the goal, and wait for the answer; somebody else must spin.

        Returns
        -------
        action_msgs.srv.CancelGoal.Response
            What the server answered.

        Raises
        ------
        RCLError
            If the context is shut down while waiting.

        """
        return self._action_client._wait(self.cancel_goal_async(), 'the answer to a cancellation')

    def cancel_goal_async(self) -> Future:
        """Ask the server to cancel the goal; the future gets its answer."""
        return self._action_client._cancel_goal_async(self)

    def get_result(self) -> Any:
        """
        Wait for the result; somebody else must spin.

        Returns
        -------
        GetResultService.Response
            With the fields `status` and `result`.

        Raises
        ------
        RCLError
            If the context is shut down while waiting.

        """
        return self._action_client._wait(self.get_result_async(), 'a result')

    def get_result_async(self) -> Future:
        """Ask for the result; the future gets `status` and `result` when the goal has ended."""
        return self._action_client._get_result_async(self)

    @property
    def _key(self) -> bytes:
        return bytes(self._goal_id.uuid)
