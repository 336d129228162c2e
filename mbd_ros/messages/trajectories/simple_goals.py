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

"""Goals as people give them: joints to be somewhere, a tool or its path to come to a point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from mbd_msgs.action import FollowPath
import numpy as np
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from mbd_ros.control import Task
from mbd_ros.control.references.arguments import mapping
from mbd_ros.control.references.path_data import moved_path, place_of
from mbd_ros.messages.fields.plain_data import read_plain, write_plain
from mbd_ros.messages.fields.times import SECOND

Array = NDArray[np.float64]

SHORTEST = 0.5
"""Least time of a motion [s]."""


def joint_goal(positions: Mapping[str, float], duration: float) -> FollowJointTrajectory.Goal:
    """Return the goal that joints are at positions [rad or m] after a time [s], at rest."""
    seconds, nanoseconds = divmod(round(duration * SECOND), SECOND)
    point = JointTrajectoryPoint(
        positions=list(positions.values()),
        time_from_start=Duration(sec=seconds, nanosec=nanoseconds))
    return FollowJointTrajectory.Goal(
        trajectory=JointTrajectory(joint_names=list(positions), points=[point]))


def point_goal(link: str, start: Array, end: Array, speed: float) -> FollowPath.Goal:
    """
    Return the goal that a link goes straight to a point and stays there.

    Parameters
    ----------
    link : str
        The link whose origin goes.
    start, end : array
        (3,) in the frame of paths [m].
    speed : float
        Mean speed [m/s].

    Returns
    -------
    FollowPath.Goal
        A line; it takes ``SHORTEST`` at least.

    """
    duration = max(float(np.linalg.norm(end - start)) / speed, SHORTEST)
    line = {'kind': 'line', 'start': _rounded(start), 'end': _rounded(end),
            'duration': round(duration, 3)}
    return FollowPath.Goal(task=write_plain({'link': link, 'path': line}))


class MovablePath(NamedTuple):
    """A task with a path, as plain data, and the place (3,) by which that is moved [m]."""

    task: Mapping[str, Any]
    place: Array


def write_path(task: Task) -> str:
    """Return the text of a goal that asks for the path of a task; empty if it has none."""
    if not task.path:
        return ''
    data: dict[str, Any] = {
        'link': task.link, 'path': task.path, 'axes': task.axes, 'metric': task.metric}
    if task.constraints:
        data['constraints'] = task.constraints
    return write_plain(data)


def read_path(text: str) -> MovablePath | None:
    """
    Return the path in the text of a goal, None if it has none.

    Raises
    ------
    InvalidValueError, ShapeError, NotFiniteError, UnknownNameError
        If the text, or its path, cannot be read.

    """
    task = mapping('task', read_plain('task', text) or {})
    if not task.get('path'):
        return None
    return MovablePath(task, place_of(task['path']))


def moved_goal(path: MovablePath, place: Array) -> FollowPath.Goal:
    """Return the goal that a path is followed at another place (3,) [m]."""
    return FollowPath.Goal(task=write_plain(
        {**path.task, 'path': moved_path(path.task['path'], place)}))


def in_frame(pose: Array | None, point: Array) -> Array:
    """Return a point (3,) of the world in a frame at a pose (4, 4) there, None: the world [m]."""
    if pose is None:
        return point
    inside: Array = pose[:3, :3].T @ (point - pose[:3, 3])
    return inside


def _rounded(point: Array) -> list[float]:
    """Return a point to a micrometre, for people to read."""
    return [round(float(value), 6) for value in point]
