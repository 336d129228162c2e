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

"""Joint trajectories: ``trajectory_msgs/JointTrajectory`` and the goals that carry them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
from types import MappingProxyType

from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance, JointTrajectoryControllerState
from control_msgs.srv import QueryTrajectoryState
import numpy as np
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from mbd_ros.control.control_step.fused_step import Step
from mbd_ros.control.references.joint_coordinates import JointCoordinates
from mbd_ros.control.references.splines import PiecewisePolynomial
from mbd_ros.control.tasks.goal_watch import chosen, JointTolerances, Outcome
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import MbdError
from mbd_ros.messages.fields.times import SECOND, to_nanoseconds, to_stamp
from mbd_ros.messages.states.joint_states import LARGEST, Measured
from mbd_ros.messages.trajectories.way_points import (
    due, GoalError, listed, path_through, Reference, Rules, USUAL, values, WayPoints)
from mbd_ros.model import Model
from mbd_ros.model.names import simple_joints
from mbd_ros.model.state import simple_entries

Vector = NDArray[np.float64]
Result = FollowJointTrajectory.Result

ANY = -1.0
"""A tolerance of this is none, as control_msgs/JointTolerance says."""


def refused(error: MbdError) -> FollowJointTrajectory.Result:
    """Return the result of a goal that could not begin."""
    return Result(error_code=getattr(error, 'result', Result.INVALID_GOAL),
                  error_string=str(error))


def ended(outcome: Outcome, why: str, *, fault: bool) -> tuple[int, str]:
    """
    Return error code and text of a goal that was not reached.

    Codes and first words are those of joint_trajectory_controller: what others did (preempted,
    deactivated, another robot, joint states lost) is INVALID_GOAL there. ``fault``: the robot left
    what it followed by a limit, or could not go on.
    """
    if outcome is Outcome.OFF_THE_PATH:
        return Result.PATH_TOLERANCE_VIOLATED, f'Aborted due to path tolerance violation: {why}'
    if outcome is Outcome.MISSED_THE_END:
        return Result.GOAL_TOLERANCE_VIOLATED, f'Aborted due to goal tolerance violation: {why}'
    return (Result.PATH_TOLERANCE_VIOLATED if fault else Result.INVALID_GOAL), why


def read_trajectory(
    model: Model, joints: Sequence[str], message: JointTrajectory, start: Reference, *,
    rules: Rules = USUAL,
) -> tuple[tuple[str, ...], PiecewisePolynomial]:
    """
    Return the path that a trajectory describes, from where the reference is.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Joints that the controller drives; of a robot with closed loops any joints may move, as
        long as they determine the others.
    message : JointTrajectory
        Points with positions; with velocities in all or in none, and likewise accelerations. A
        stamp of zero means now; points of a stamp in the past that are over are left out. Efforts
        are for ``read_feed_forward``.
    start : Reference
        Where the path begins, at its time 0.
    rules : Rules, optional
        What is allowed.

    Returns
    -------
    tuple of str
        The joints that move: those of the trajectory where there are closed loops, else all that
        are driven, but for those with several coordinates.
    PiecewisePolynomial
        One entry for each of them.

    Raises
    ------
    GoalError
        If it cannot be followed: the code and what is wrong.

    """
    moved, names = moved_joints(model, joints, message, rules), list(message.joint_names)
    if not message.points:
        raise GoalError(Result.INVALID_GOAL, 'the trajectory has no points')
    positions = values(message.points, 'positions', len(names))
    velocities = values(message.points, 'velocities', len(names))
    accelerations = values(message.points, 'accelerations', len(names))
    if positions is None and not (
            rules.integrate and (velocities is not None or accelerations is not None)):
        raise GoalError(Result.INVALID_GOAL, (
            'the points have no positions; allowed: positions, or velocities or accelerations '
            'with the parameter allow_integration_in_goal_trajectories'))
    return moved, path_through(model, moved, WayPoints(
        names, message.header.stamp, message.points, positions, velocities, accelerations), start,
        rules)


def moved_joints(model: Model, joints: Sequence[str], message: JointTrajectory, rules: Rules
                 ) -> tuple[str, ...]:
    """Return the joints that a trajectory moves, see ``read_trajectory``; refuse wrong names."""
    names = list(message.joint_names)
    simple = simple_joints(model)
    drives = tuple(name for name in simple if name in joints)
    moved, allowed = (tuple(names), simple) if model.loops else (drives, drives)
    given = set(names)
    for name in given.intersection(model.joint_names):
        if name not in simple:
            raise GoalError(Result.INVALID_JOINTS, (
                f"joint '{name}' of the trajectory has several coordinates; it belongs into "
                'multi_dof_trajectory'))
    unknown = given.difference(allowed)
    missing = [] if model.loops else [name for name in drives if name not in given]
    if not names or unknown or len(given) < len(names) or (missing and not rules.partial):
        raise GoalError(Result.INVALID_JOINTS, (
            f'joints of the trajectory are {listed(names)}; allowed: each of {list(allowed)} once'
            + (', or some of them' if rules.partial or model.loops else '')))
    return moved


def read_feed_forward(message: JointTrajectory, start: Reference
                      ) -> tuple[Vector, Vector] | None:
    """
    Return the efforts in the points of a trajectory, which are added to those of the controller.

    Parameters
    ----------
    message : JointTrajectory
        Its points; planners put zeros there, or what was measured into the first one alone, which
        is no wish: efforts count if all points have them, and one is not zero.
    start : Reference
        Where its path begins.

    Returns
    -------
    (Vector, Vector) or None
        Times on the path (k,) [s] and efforts (k, joints) [N m or N]; None if there are none.

    Raises
    ------
    GoalError
        If their number is wrong, or one is not finite or beyond all bounds.

    """
    if not all(len(point.effort) for point in message.points):
        return None
    efforts = values(message.points, 'effort', len(message.joint_names))
    if efforts is None or not efforts.any():
        return None
    if np.abs(efforts).max() > LARGEST:
        raise GoalError(Result.INVALID_GOAL, (
            f'efforts reach {np.abs(efforts).max():.9g}; allowed: up to {LARGEST:g}'))
    stamp = to_nanoseconds(message.header.stamp) or start.nanoseconds
    return (stamp - start.nanoseconds) / SECOND + due(message.points), efforts


def read_tolerances(
    model: Model, joints: Sequence[str], goal: FollowJointTrajectory.Goal, *, path: float,
    end: float, goal_time: float, stopped: float = 0.0,
    own: Mapping[str, tuple[float, float]] = MappingProxyType({}),
) -> JointTolerances:
    """
    Return the tolerances of a goal: 0 stands for the default, -1 for none.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Joints that the controller drives.
    goal : FollowJointTrajectory.Goal
        The goal.
    path, end : float
        Defaults of the position tolerances [rad or m]; 0: none.
    goal_time : float
        Default of the time after the end [s]; 0: any.
    stopped : float, optional
        Default of the velocity tolerances at the end [rad/s or m/s]; 0: none.
    own : mapping, optional
        Defaults of single joints in place of ``path`` and ``end``; 0: these.

    Returns
    -------
    JointTolerances
        In the order of the model.

    Raises
    ------
    GoalError
        If a tolerance names another joint, is not a number, or is negative but not -1.

    """
    drives = [name for name in simple_joints(model) if name in joints]
    driven = frozenset(drives)
    commanded = [model.v_offsets[model.joint_index(name)] for name in drives]

    def whole(default: float, which: int | None = None) -> Vector:
        limits = np.full(model.nv, math.inf)
        limits[commanded] = [
            (0.0 if which is None else own.get(name, (0.0, 0.0))[which]) or default or math.inf
            for name in drives]
        return limits
    found = (whole(path, 0), whole(0.0), whole(end, 1), whole(stopped))
    given: tuple[tuple[int, Sequence[JointTolerance]], ...] = (
        (0, goal.path_tolerance), (2, goal.goal_tolerance))
    for first, tolerances in given:
        for one in tolerances:
            if one.name not in driven:
                raise GoalError(Result.INVALID_JOINTS, (
                    f"a tolerance names joint '{one.name}'; allowed: {', '.join(drives)}"
                    + ('; those with several coordinates have tolerances of components'
                       if one.name in joints else '')))
            place = model.v_offsets[model.joint_index(one.name)]
            for table, value in ((found[first], one.position), (found[first + 1], one.velocity)):
                table[place] = tolerance_of(f"a tolerance of '{one.name}'", value, table[place])
    time = to_nanoseconds(goal.goal_time_tolerance) / SECOND
    return JointTolerances(found[0], found[1], found[2], found[3],
                           tolerance_of('goal_time_tolerance', time, goal_time or math.inf))


def feedback_of(nanoseconds: int, model: Model, measured: Measured, step: Step
                ) -> FollowJointTrajectory.Feedback:
    """Return the action's feedback after a control step."""
    feedback = FollowJointTrajectory.Feedback(joint_names=list(simple_joints(model)))
    feedback.header.stamp = to_stamp(nanoseconds)
    feedback.desired, feedback.actual, feedback.error = joint_points(model, measured, step)
    return feedback


def standard_state(nanoseconds: int, model: Model, measured: Measured, step: Step
                   ) -> JointTrajectoryControllerState:
    """Return what joint trajectory controllers publish, after a control step."""
    state = JointTrajectoryControllerState(joint_names=list(simple_joints(model)))
    state.header.stamp = to_stamp(nanoseconds)
    state.reference, state.feedback, state.error = joint_points(model, measured, step)
    state.output = JointTrajectoryPoint(
        effort=step.efforts.effort[simple_entries(model)[1]].tolist())
    return state


def answer_query(
    request: QueryTrajectoryState.Request, response: QueryTrajectoryState.Response,
    tracker: Tracker | None, nanoseconds: int, time: float,
) -> QueryTrajectoryState.Response:
    """
    Fill in what the reference of a joint trajectory is at a time, of joints with one coordinate.

    Parameters
    ----------
    request, response
        Of the service.
    tracker : Tracker or None
        What is controlled.
    nanoseconds : int
        Time of the newest control step.
    time : float
        The same as the tracker counts it [s].

    Returns
    -------
    QueryTrajectoryState.Response
        The response.

    """
    asked = time + (to_nanoseconds(request.time) - nanoseconds) / SECOND
    found = None if tracker is None else tracker.preview(asked)
    if found is None:
        response.success = False
        response.message = 'no joint trajectory is followed or held'
        return response
    response.success = True
    names, point = found
    assert tracker is not None
    parts = [part for part in JointCoordinates(tracker.dyn.model, names).parts
             if part.kind.is_simple]
    response.name = [part.name for part in parts]
    if len(parts) < len(names):
        response.message = 'joints with several coordinates are left out'
    for field, row in zip(('position', 'velocity', 'acceleration'), point):
        setattr(response, field, [float(row[part.entries][0]) for part in parts])
    return response


def joint_points(model: Model, measured: Measured, step: Step
                 ) -> tuple[JointTrajectoryPoint, JointTrajectoryPoint, JointTrajectoryPoint]:
    """Return desired, actual and error of the joints with one coordinate."""
    nominal, efforts = step.nominal, step.efforts
    at_q, at_v = simple_entries(model)

    def rates(of_all: Vector) -> list[float]:
        some: list[float] = of_all[at_v].tolist()
        return some
    return (JointTrajectoryPoint(
        positions=nominal.q[at_q].tolist(), velocities=rates(nominal.v),
        accelerations=rates(nominal.accelerations), effort=rates(efforts.nominal)),
        JointTrajectoryPoint(
            positions=measured.q[at_q].tolist(), velocities=rates(measured.v),
            effort=[] if measured.effort is None else rates(measured.effort)),
        JointTrajectoryPoint(positions=rates(efforts.error),
                             velocities=rates(efforts.error_rate)))


def tolerance_of(what: str, value: float, default: float) -> float:
    """
    Return a tolerance: 0 stands for the default, -1 for any.

    Raises
    ------
    GoalError
        If it is NaN, or negative but not -1.

    """
    if not (value >= 0.0 or value == ANY):
        raise GoalError(Result.INVALID_GOAL, (
            f'{what} is {value:g}; allowed: a positive number, 0 for the default, -1 for any'))
    return chosen(value, default)
