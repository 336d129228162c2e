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

"""Which goals a request to cancel is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from action_msgs.srv import CancelGoal

from .goal_states import CANCELABLE
from .server_goal_handle import ServerGoalHandle
from ..constants import S_TO_NS

ANY_GOAL = bytes(16)


def goals_to_cancel(
    request: Any, goals: Mapping[bytes, ServerGoalHandle]
) -> tuple[int, list[ServerGoalHandle]]:
    """
    Return which goals a request is about, by the rules of `action_msgs/srv/CancelGoal`.

    Parameters
    ----------
    request : CancelGoal.Request
        Id and stamp: all goals if both are zero; one goal if only an id is given; the goals
        accepted up to the stamp if only a stamp is given; these and that goal if both are.
    goals : Mapping[bytes, ServerGoalHandle]
        The goals of the server.

    Returns
    -------
    int
        Return code for the response.
    list[ServerGoalHandle]
        Goals that can be cancelled.

    """
    key = bytes(request.goal_info.goal_id.uuid)
    stamp = _nanoseconds(request.goal_info)
    if key != ANY_GOAL and stamp == 0:
        goal = goals.get(key)
        if goal is None:
            return CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID, []
        if goal.status not in CANCELABLE:
            return CancelGoal.Response.ERROR_GOAL_TERMINATED, []
        return CancelGoal.Response.ERROR_NONE, [goal]
    found = [
        goal
        for each, goal in goals.items()
        if goal.status in CANCELABLE
        and (stamp == 0 or each == key or _nanoseconds(goal._info) <= stamp)
    ]
    return CancelGoal.Response.ERROR_NONE, found


def _nanoseconds(info: Any) -> int:
    # No Time: a stamp before 1970 is older than all goals, and no error.
    return int(info.stamp.sec) * S_TO_NS + int(info.stamp.nanosec)
