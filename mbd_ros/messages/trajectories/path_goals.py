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

"""Goals of ``mbd_msgs/action/FollowPath``, and payloads."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any

from geometry_msgs.msg import Inertia
from mbd_msgs.action import FollowPath
import numpy as np

from mbd_ros.control import Payload, Task
from mbd_ros.control.control_step.fused_step import Step
from mbd_ros.control.references.arguments import row
from mbd_ros.control.tasks.followed_tools import ToolPoints
from mbd_ros.control.tasks.goal_watch import chosen, farthest, Outcome, PathWatch
from mbd_ros.control.tasks.task import next_task
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import InvalidValueError, MbdError, UnknownNameError
from mbd_ros.messages.fields.plain_data import read_plain
from mbd_ros.messages.fields.times import SECOND, to_nanoseconds, to_stamp
from mbd_ros.messages.states.efforts import EffortCommands

Result = FollowPath.Result

KEYS = ('link', 'path', 'axes', 'constraints', 'metric', 'posture', 'posture_stiffness', 'timing')
"""What a goal may say."""

CODES = {
    Outcome.REACHED: Result.SUCCESSFUL,
    Outcome.OFF_THE_PATH: Result.PATH_TOLERANCE_VIOLATED,
    Outcome.MISSED_THE_END: Result.GOAL_TOLERANCE_VIOLATED,
}
"""Error codes of the action by outcome."""


def refused(error: MbdError) -> FollowPath.Result:
    """Return the result of a goal that could not begin."""
    unreachable = isinstance(error, InvalidValueError) and error.argument == 'start'
    return Result(error_code=Result.OUT_OF_REACH if unreachable else Result.INVALID_GOAL,
                  error_string=str(error))


def read_text(goal: FollowPath.Goal) -> Any:
    """Return the text of a goal as plain data, for ``read_task``; that takes long if it is."""
    return read_plain('task', goal.task)


def read_task(goal: FollowPath.Goal, base: Task, commands: EffortCommands,
              data: Any = None) -> Task:
    """
    Return the task of a goal.

    Parameters
    ----------
    goal : FollowPath.Goal
        The goal.
    base : Task
        The controller's own task; its settings stand where the goal says nothing.
    commands : EffortCommands
        The order of the joints in a posture.
    data : optional
        What ``read_text`` has found; it is read here if not given.

    Returns
    -------
    Task
        The task.

    Raises
    ------
    InvalidValueError, ShapeError, UnknownNameError
        If the text is not YAML, or says what is not known or not allowed; if the tolerance is
        NaN or the duration negative.

    """
    if math.isnan(goal.path_tolerance):
        raise InvalidValueError('path_tolerance', math.nan,
                                'a distance [m]; 0: the default, negative: any')
    if to_nanoseconds(goal.duration) < 0:
        raise InvalidValueError('duration', to_nanoseconds(goal.duration) / SECOND,
                                '0, the whole path, or more [s]')
    data = read_text(goal) if data is None else data
    if not isinstance(data, dict):
        raise InvalidValueError('task', goal.task, 'a mapping in YAML, e.g. {link: tool, path: '
                                '{kind: line, start: [...], end: [...], duration: 2.0}}')
    for name in data:
        if name not in KEYS:
            raise UnknownNameError('key of a task', name, KEYS)
    if 'posture' in data:
        data = dict(data)
        data['posture'] = commands.configuration(
            'posture', row('posture', data['posture'] or [])).tolist()
    return next_task(base, data)


def duration_of(goal: FollowPath.Goal) -> float:
    """Return how long a goal is to be followed [s]; zero: to the end of its paths."""
    return to_nanoseconds(goal.duration) / SECOND


def watch_for(goal: FollowPath.Goal, tracker: Tracker, approach: float, *, path: float,
              end: float, goal_time: float) -> PathWatch:
    """
    Return what watches over a goal that the tracker has begun.

    Parameters
    ----------
    goal : FollowPath.Goal
        The goal.
    tracker : Tracker
        The tracker.
    approach : float
        Duration of its approach [s].
    path, end : float
        Default tolerances [m]; 0: any.
    goal_time : float
        How long after the end the goal may be reached [s]; 0: any.

    Returns
    -------
    PathWatch
        The watch.

    """
    whole = float(tracker.clock.at(np.array(tracker.end))[0])   # by the path's own time
    watch = PathWatch(chosen(goal.path_tolerance, path or math.inf), end or math.inf,
                      goal_time or math.inf, duration_of(goal) or whole, approach)
    watch.clock = tracker.clock
    return watch


def path_feedback(nanoseconds: int, watch: PathWatch, step: Step, tools: Sequence[ToolPoints]
                  ) -> FollowPath.Feedback:
    """Return the action's feedback after a control step."""
    feedback = FollowPath.Feedback(
        path_time=step.nominal.time, progress=watch.progress(step.nominal.time),
        tool_error=farthest(tools).error, constraint_violation=step.nominal.violation)
    feedback.header.stamp = to_stamp(nanoseconds)
    return feedback


def read_payload(link: str, inertia: Inertia) -> Payload:
    """Return the payload of a message, unchecked."""
    xy, xz, yz = inertia.ixy, inertia.ixz, inertia.iyz
    return Payload(link, inertia.m, (inertia.com.x, inertia.com.y, inertia.com.z), (
        (inertia.ixx, xy, xz), (xy, inertia.iyy, yz), (xz, yz, inertia.izz)))
