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

"""Trajectories on the topic that are soon over: targets of a stream."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from mbd_ros.control.references.joint_coordinates import JointCoordinates
from mbd_ros.control.references.splines import PiecewisePolynomial
from mbd_ros.control.references.streaming import Bounds, Smoothing, SOON, Stream
from mbd_ros.messages.fields.times import SECOND, to_duration, to_nanoseconds
from mbd_ros.messages.trajectories.trajectories import moved_joints
from mbd_ros.messages.trajectories.way_points import (
    GoalError, nearest, Reference, require_bounded, Result, Rules, values, WayPoints, with_others)
from mbd_ros.model import Model

OLD = 0.25
"""A target may be due this long ago [s]; it is extrapolated."""


def timed(message: JointTrajectory, frequency: float) -> JointTrajectory:
    """Return a trajectory whose points, if they have no times, follow at a rate [Hz]; 0: as is."""
    points = message.points
    if frequency <= 0.0 or any(
            to_nanoseconds(point.time_from_start) or len(point.velocities) for point in points):
        return message
    return JointTrajectory(header=message.header, joint_names=message.joint_names, points=[
        JointTrajectoryPoint(
            positions=point.positions, accelerations=point.accelerations, effort=point.effort,
            time_from_start=to_duration(round((k + 1) * SECOND / frequency)))
        for k, point in enumerate(points)])


def is_target(message: JointTrajectory, nanoseconds: int) -> bool:
    """Tell whether a trajectory ends so soon after a time [ns] that it is a target of a stream."""
    if not message.points:
        return False
    stamp = to_nanoseconds(message.header.stamp) or nanoseconds
    ends = stamp - nanoseconds + to_nanoseconds(message.points[-1].time_from_start)
    return -OLD * SECOND <= ends <= SOON * SECOND


def read_target(
    model: Model, joints: Sequence[str], message: JointTrajectory, start: Reference,
    stream: Stream, rules: Rules, by: Smoothing,
) -> tuple[tuple[str, ...], PiecewisePolynomial]:
    """
    Return the path to and beyond the last point of a trajectory.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Joints that the controller drives.
    message : JointTrajectory
        Of its points the last one counts, with positions, and velocities or not; with velocities
        alone where ``rules.integrate``. Accelerations and a last velocity are no reason to refuse
        it.
    start : Reference
        Where the path begins, at its time 0.
    stream : Stream
        What came before.
    rules : Rules
        What is allowed.
    by : Smoothing
        How smooth the path is.

    Returns
    -------
    tuple of str
        The joints that move, as ``read_trajectory`` has them.
    PiecewisePolynomial
        Their path.

    Raises
    ------
    GoalError
        If it cannot be followed: the code and what is wrong.

    """
    moved, names = moved_joints(model, joints, message, rules), list(message.joint_names)
    points = message.points[-1:]
    positions = values(points, 'positions', len(names))
    velocities = values(points, 'velocities', len(names))
    if positions is None and (velocities is None or not rules.integrate):
        raise GoalError(Result.INVALID_GOAL, (
            'the last point has no positions; allowed: positions, or velocities with the '
            'parameter allow_integration_in_goal_trajectories'))
    require_bounded(WayPoints(names, message.header.stamp, points, positions, velocities, None))
    whole, named = JointCoordinates(model, moved), JointCoordinates(model, names)
    places = np.array([moved.index(name) for name in names])
    begin = whole.point(*start[:3])
    here = type(begin)(*(row[places] for row in begin))
    stamp = to_nanoseconds(message.header.stamp) or start.nanoseconds
    now = start.nanoseconds / SECOND
    due = (stamp + to_nanoseconds(points[0].time_from_start)) / SECOND
    if positions is None:
        assert velocities is not None
        positions = here.position + (due - now) * velocities
    given = WayPoints(names, message.header.stamp, points, positions, velocities, None)
    target = nearest(model, named, given, here.position, rules)[0]
    bounds = Bounds(model.lower[named.v], model.upper[named.v], model.velocity_limits[named.v])
    _require_within(names, target, velocities, bounds)
    running = start.running
    path = stream.follow(
        tuple(names), now, due, here, target, None if velocities is None else velocities[0],
        bounds, by, goes_on=stream.whole is not None and running is not None and any(
            path is stream.whole for _, path in running.parts))
    stream.whole = with_others(whole, places, path, begin, start, rules)
    return moved, stream.whole


def _require_within(names: Sequence[str], target: np.ndarray, velocities: np.ndarray | None,
                    bounds: Bounds) -> None:
    """Refuse a target beyond the limits of a joint."""
    for what, unit, row, low, high in (
            ('position', 'rad or m', target, bounds.lower, bounds.upper),
            ('velocity', 'rad/s or m/s', None if velocities is None else velocities[0],
             -bounds.top, bounds.top)):
        if row is not None and ((row < low) | (row > high)).any():
            worst = int(np.argmax((row < low) | (row > high)))
            raise GoalError(Result.INVALID_GOAL, (
                f"{what} {row[worst]:.4g} {unit} of joint '{names[worst]}' is beyond its limits, "
                f'{low[worst]:.4g} to {high[worst]:.4g}'))
