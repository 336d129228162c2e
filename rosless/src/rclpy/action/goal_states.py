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

"""The states of a goal on its server, and what leads from one to the next."""

from __future__ import annotations

from enum import Enum

from action_msgs.msg import GoalStatus

from ..rcl_errors import RCLError


class GoalEvent(Enum):
    """What can happen to a goal; values as in rcl_action."""

    EXECUTE = 0
    CANCEL_GOAL = 1
    SUCCEED = 2
    ABORT = 3
    CANCELED = 4


NAMES = {
    value: name.removeprefix('STATUS_')
    for name, value in vars(GoalStatus).items()
    if name.startswith('STATUS_')
}
ACTIVE = (
    GoalStatus.STATUS_ACCEPTED,
    GoalStatus.STATUS_EXECUTING,
    GoalStatus.STATUS_CANCELING,
)
CANCELABLE = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING)
_NEXT = {
    (GoalStatus.STATUS_ACCEPTED, GoalEvent.EXECUTE): GoalStatus.STATUS_EXECUTING,
    (GoalStatus.STATUS_ACCEPTED, GoalEvent.CANCEL_GOAL): GoalStatus.STATUS_CANCELING,
    (GoalStatus.STATUS_EXECUTING, GoalEvent.CANCEL_GOAL): GoalStatus.STATUS_CANCELING,
    (GoalStatus.STATUS_EXECUTING, GoalEvent.SUCCEED): GoalStatus.STATUS_SUCCEEDED,
    (GoalStatus.STATUS_EXECUTING, GoalEvent.ABORT): GoalStatus.STATUS_ABORTED,
    (GoalStatus.STATUS_CANCELING, GoalEvent.SUCCEED): GoalStatus.STATUS_SUCCEEDED,
    (GoalStatus.STATUS_CANCELING, GoalEvent.ABORT): GoalStatus.STATUS_ABORTED,
    (GoalStatus.STATUS_CANCELING, GoalEvent.CANCELED): GoalStatus.STATUS_CANCELED,
}


def next_status(status: int, event: GoalEvent) -> int:
    """
    Return the status of a goal after an event.

    Parameters
    ----------
    status : int
        A constant of `action_msgs/msg/GoalStatus`.
    event : GoalEvent
        What happens.

    Raises
    ------
    RCLError
        If that cannot happen in this state; the text says what can.

    """
    following = _NEXT.get((status, event))
    if following is None:
        possible = [other.name for state, other in _NEXT if state == status]
        raise RCLError(
            'Failed to update goal state: goal_handle attempted invalid transition from state '
            f'{NAMES[status]} with event {event.name}; possible events: '
            f'{", ".join(possible) or "none, the goal has ended"}'
        )
    return following
