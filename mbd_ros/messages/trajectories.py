"""Joint trajectories: ``trajectory_msgs/JointTrajectory`` and the goals made of them."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple

from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance, JointTrajectoryControllerState
from control_msgs.srv import QueryTrajectoryState
import numpy as np
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from mbd_ros.control.goal_watch import chosen, JointTolerances, Outcome
from mbd_ros.control.joint_constraints import joint_places
from mbd_ros.control.joint_trajectories import stopping
from mbd_ros.control.splines import joined, PiecewisePolynomial, trajectory
from mbd_ros.control.tracker import Step, Tracker
from mbd_ros.errors import MbdError
from mbd_ros.messages.joint_states import Measured
from mbd_ros.messages.times import SECOND, to_nanoseconds, to_stamp
from mbd_ros.model import Model
from mbd_ros.model.names import simple_joints
from mbd_ros.model.state import simple_entries
from mbd_ros.simulation.manifold import endless

Vector = NDArray[np.float64]
Result = FollowJointTrajectory.Result

CODES = {
    Outcome.REACHED: Result.SUCCESSFUL,
    Outcome.OFF_THE_PATH: Result.PATH_TOLERANCE_VIOLATED,
    Outcome.MISSED_THE_END: Result.GOAL_TOLERANCE_VIOLATED,
}
"""Error codes of the action by outcome."""

NEAR = 0.02
"""
A trajectory whose first point is due at once may be this far from the reference [rad or m]:
planners begin where the robot was measured, MoveIt up to 0.01 off, and that is off the reference.
"""
AT_ONCE = 0.1
"""A trajectory that is due at once, as a whole, takes this long [s]."""
ANY = -1.0
"""A tolerance of this is none, as control_msgs/JointTolerance says."""


class Reference(NamedTuple):
    """Where a trajectory begins: q, v and vdot (nv,) of the reference at a time [ns]."""

    q: Vector
    v: Vector
    acceleration: Vector
    nanoseconds: int


class GoalError(Exception):
    """
    A goal that cannot be carried out.

    Parameters
    ----------
    code : int
        Error code of ``FollowJointTrajectory``.
    what : str
        Explanation.

    """

    def __init__(self, code: int, what: str) -> None:
        super().__init__(what)
        self.code = code


def read_trajectory(
    model: Model, joints: Sequence[str], message: JointTrajectory, start: Reference, *,
    partial: bool = False,
) -> tuple[tuple[str, ...], PiecewisePolynomial]:
    """
    Return the path that a trajectory describes, from where the reference is.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Joints that the controller commands; of a robot with closed loops any joints may move, as
        long as they determine the others.
    message : JointTrajectory
        Points with positions; with velocities in all or in none, and likewise accelerations. A
        stamp of zero means now; points of a stamp in the past that are over are left out.
    start : Reference
        Where the path begins, at its time 0.
    partial : bool, optional
        Whether joints may be missing; they stay where they are.

    Returns
    -------
    tuple of str
        The joints that move: those of the trajectory where there are closed loops, else all.
    PiecewisePolynomial
        One entry for each of them.

    Raises
    ------
    GoalError
        If it cannot be followed: the code and what is wrong.

    """
    names = list(message.joint_names)
    moved = tuple(names) if model.loops else simple_joints(model)
    allowed = simple_joints(model) if model.loops else joints
    unknown = [name for name in names if name not in allowed]
    missing = [] if model.loops else [name for name in joints if name not in names]
    if not names or unknown or len(set(names)) < len(names) or (missing and not partial):
        raise GoalError(Result.INVALID_JOINTS, (
            f'joints of the trajectory are {names}; allowed: each of {list(allowed)} once'
            + (', or some of them' if partial or model.loops else '')))
    if not message.points:
        raise GoalError(Result.INVALID_GOAL, 'the trajectory has no points')
    at_q, at_v = joint_places(model, moved)
    places = np.array([moved.index(name) for name in names])
    q, v, rate = start.q[at_q], start.v[at_v], start.acceleration[at_v]
    rest = np.zeros(len(moved))
    stamp = to_nanoseconds(message.header.stamp) or start.nanoseconds
    times = (stamp - start.nanoseconds) / SECOND + np.array(
        [to_nanoseconds(point.time_from_start) / SECOND for point in message.points])
    positions = _values(message.points, 'positions', len(names))
    if positions is None:
        raise GoalError(Result.INVALID_GOAL, 'the points have no positions')
    velocities = _values(message.points, 'velocities', len(names))
    accelerations = _values(message.points, 'accelerations', len(names))
    if _values(message.points, 'effort', len(names)) is not None:
        raise GoalError(Result.INVALID_GOAL,
                        'the points have efforts, which this controller finds itself')
    if not (np.diff(times) > 0.0).all():
        late = int(np.argmin(np.diff(times))) + 1
        raise GoalError(Result.INVALID_GOAL,
                        f'time_from_start of point {late} is not after that of the one before')
    if velocities is not None and velocities[-1].any():
        raise GoalError(Result.INVALID_GOAL, 'the velocities of the last point are not zero')
    if accelerations is not None and velocities is None:
        raise GoalError(Result.INVALID_GOAL, 'the points have accelerations without velocities')
    if times[-1] < 0.0:
        raise GoalError(Result.OLD_HEADER_TIMESTAMP,
                        f'the trajectory ended {-times[-1]:.3f} s ago')
    positions = _unwound(endless(model)[at_v][places], positions, q[places])
    keep = times > 0.0
    if not keep[0] and times[0] == 0.0:
        away = np.abs(positions[0] - q[places])
        if away.max() > NEAR:
            joint = int(np.argmax(away))
            raise GoalError(Result.INVALID_GOAL, (
                f"the first point is due at once, but joint '{names[joint]}' is "
                f'{away[joint]:.4g} away from it; give it a time'))
    if not keep.any():
        keep[-1], times[-1] = True, AT_ONCE
    wait, first, stop = (stamp - start.nanoseconds) / SECOND, 0.0, None
    if 0.0 < wait < times[keep][0]:   # until it begins, the joints come to rest where they are
        limits = model.velocity_limits[at_v]
        top = np.where(np.isfinite(limits), limits, np.abs(v) + 1.0)
        stop = stopping(model, moved, start.q, start.v, start.acceleration, top, wait)
        q, v, rate, first = stop.at(wait).position, rest, rest, wait
    rows = [q, *_whole(q, places, positions[keep])]
    speeds = None if velocities is None else [v, *_whole(rest, places, velocities[keep])]
    rates = None if accelerations is None else [rate, *_whole(rest, places, accelerations[keep])]
    try:
        path = trajectory([first, *times[keep].tolist()], rows, speeds, rates, first_velocity=v)
        return moved, path if stop is None else joined(stop, path)
    except MbdError as error:
        raise GoalError(Result.INVALID_GOAL, str(error)) from error


def read_tolerances(
    model: Model, joints: Sequence[str], goal: FollowJointTrajectory.Goal, *, path: float,
    end: float, goal_time: float,
) -> JointTolerances:
    """
    Return the tolerances of a goal: 0 stands for the default, -1 for none.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Joints that the controller commands.
    goal : FollowJointTrajectory.Goal
        The goal.
    path, end : float
        Defaults of the position tolerances [rad or m]; 0: none.
    goal_time : float
        Default of the time after the end [s]; 0: any.

    Returns
    -------
    JointTolerances
        In the order of the model.

    Raises
    ------
    GoalError
        If a tolerance names another joint, is not a number, or is negative but not -1.

    """
    _, commanded = joint_places(model, joints)

    def whole(default: float) -> Vector:
        values = np.full(model.nv, math.inf)
        values[commanded] = default or math.inf
        return values
    found = (whole(path), whole(0.0), whole(end), whole(0.0))
    given: tuple[tuple[int, Sequence[JointTolerance]], ...] = (
        (0, goal.path_tolerance), (2, goal.goal_tolerance))
    for first, tolerances in given:
        for one in tolerances:
            if one.name not in joints:
                raise GoalError(Result.INVALID_JOINTS, (
                    f"a tolerance names joint '{one.name}'; allowed: {', '.join(joints)}"))
            place = model.v_offsets[model.joint_index(one.name)]
            for table, value in ((found[first], one.position), (found[first + 1], one.velocity)):
                table[place] = _tolerance(f"a tolerance of '{one.name}'", value, table[place])
    time = to_nanoseconds(goal.goal_time_tolerance) / SECOND
    return JointTolerances(found[0], found[1], found[2], found[3],
                           _tolerance('goal_time_tolerance', time, goal_time or math.inf))


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
    Fill in what the reference of a joint trajectory is at a time.

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
    response.name = list(names)
    response.position = point.position.tolist()
    response.velocity = point.velocity.tolist()
    response.acceleration = point.acceleration.tolist()
    return response


def joint_points(model: Model, measured: Measured, step: Step
                 ) -> tuple[JointTrajectoryPoint, JointTrajectoryPoint, JointTrajectoryPoint]:
    """Return desired, actual and error of the joints with one coordinate."""
    nominal, efforts = step
    at_q, at_v = simple_entries(model)

    def rates(values: Vector) -> list[float]:
        chosen: list[float] = values[at_v].tolist()
        return chosen
    return (JointTrajectoryPoint(
        positions=nominal.q[at_q].tolist(), velocities=rates(nominal.v),
        accelerations=rates(nominal.accelerations), effort=rates(efforts.nominal)),
        JointTrajectoryPoint(
            positions=measured.q[at_q].tolist(), velocities=rates(measured.v),
            effort=[] if measured.effort is None else rates(measured.effort)),
        JointTrajectoryPoint(positions=rates(efforts.error),
                             velocities=rates(efforts.error_rate)))


def _tolerance(what: str, value: float, default: float) -> float:
    """Return a tolerance, checked."""
    if not (value >= 0.0 or value == ANY):
        raise GoalError(Result.INVALID_GOAL, (
            f'{what} is {value:g}; allowed: a positive number, 0 for the default, -1 for any'))
    return chosen(value, default)


def _values(points: Sequence[JointTrajectoryPoint], name: str, count: int) -> Vector | None:
    """Return one kind of values of all points (k, count), None if no point has any."""
    rows = [list(getattr(point, name)) for point in points]
    if not any(rows):
        return None
    for index, row in enumerate(rows):
        if len(row) != count:
            raise GoalError(Result.INVALID_GOAL, (
                f'point {index} has {len(row)} {name}; allowed: {count}, one for each joint, in '
                'all points or in none'))
        if not all(math.isfinite(value) for value in row):
            raise GoalError(Result.INVALID_GOAL, f'{name} of point {index} are not finite: {row}')
    return np.array(rows)


def _whole(background: Vector, places: NDArray[np.intp], values: Vector) -> list[Vector]:
    """Return rows for all joints, from those of some."""
    rows = np.tile(background, (len(values), 1))
    rows[:, places] = values
    return list(rows)


def _unwound(turning: NDArray[np.bool_], positions: Vector, q: Vector) -> Vector:
    """Return positions with joints that turn without end shifted by whole turns to the near."""
    turn = 2.0 * math.pi
    shift = turn * np.round((q - positions[0]) / turn)
    return positions + np.where(turning, shift, 0.0)
