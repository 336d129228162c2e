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

"""
Goals with joints of several coordinates: ``trajectory_msgs/MultiDOFJointTrajectory``.

As in ``multi_dof_joint_states`` the transform is that of the joint itself, the identity where the
joint is at zero, and velocities are those of the child in its own axes; accelerations are the
rates of these numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
import math

from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointComponentTolerance
from geometry_msgs.msg import Quaternion, Transform, Twist, Vector3
import numpy as np
from numpy.typing import NDArray
from trajectory_msgs.msg import (
    JointTrajectory, MultiDOFJointTrajectory, MultiDOFJointTrajectoryPoint)

from mbd_ros.control.constraints.joint_paths import JointPaths
from mbd_ros.control.control_step.fused_step import Step
from mbd_ros.control.references.joint_coordinates import ANGLE, JointCoordinates, Part
from mbd_ros.control.references.joint_trajectories import check_turns
from mbd_ros.control.references.shaping import begins_at_rest, Impulses, shaped
from mbd_ros.control.references.splines import PiecewisePolynomial
from mbd_ros.control.tracking.component_errors import Component, ComponentTolerance, joint_error
from mbd_ros.errors import MbdError
from mbd_ros.messages.states.joint_states import Measured
from mbd_ros.messages.states.multi_dof import AXES
from mbd_ros.messages.trajectories import trajectories
from mbd_ros.messages.trajectories.way_points import (
    coming_to_rest, GoalError, listed, path_through, Reference, Rules, USUAL, WayPoints)
from mbd_ros.model import JointType, Model
from mbd_ros.model.names import simple_joints
from mbd_ros.model.rigid_motion import turn as quaternion_of
from mbd_ros.model.state import curved_joints, CurvedJoint, joints_outside_loops

Vector = NDArray[np.float64]
Result = FollowJointTrajectory.Result
MOST_POINTS = 2000
"""Of a trajectory of joints with several coordinates: reading one takes 50 us."""

UNIT = 1e-3
"""The length of a quaternion may differ from 1 by this: numbers of single precision, printed."""

NOTHING = 1e-6
"""What a joint cannot do may be asked for up to this much [m, rad, and rates]: rounding."""


def read_goal(
    model: Model, joints: Sequence[str], ordinary: JointTrajectory,
    multi_dof: MultiDOFJointTrajectory, start: Reference, *, rules: Rules = USUAL,
) -> tuple[tuple[str, ...], PiecewisePolynomial | JointPaths]:
    """
    Return the path that both parts of a goal describe, from where the reference is.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Joints that the controller drives.
    ordinary : JointTrajectory
        Of joints with one coordinate; without joints and points they stay where they are.
    multi_dof : MultiDOFJointTrajectory
        Of joints with several coordinates, likewise. Times of the two parts need not agree.
    start : Reference
        Where the path begins, at its time 0.
    rules : Rules, optional
        What is allowed.

    Returns
    -------
    tuple of str
        The joints that move or are held: all that are driven; where there are closed loops, those
        of the goal, and driven joints with several coordinates outside loops.
    PiecewisePolynomial or JointPaths
        Their path.

    Raises
    ------
    GoalError
        If it cannot be followed: the code and what is wrong.

    """
    parts: list[tuple[tuple[str, ...], PiecewisePolynomial]] = []
    beside = bool(multi_dof.joint_names or multi_dof.points)
    simple = tuple(name for name in simple_joints(model) if name in joints)
    if ordinary.joint_names or ordinary.points or not beside:
        parts.append(trajectories.read_trajectory(model, joints, ordinary, start, rules=rules))
    elif simple and not model.loops:
        parts.append((simple, coming_to_rest(model, simple, start)))
    if beside:
        parts.append(read_multi_dof(model, joints, multi_dof, start, rules=rules))
    named = parts[-1][0] if beside else ()
    held = tuple(name for name in _outside_loops(model, joints) if name not in named)
    if held:
        parts.append((held, coming_to_rest(model, held, start)))
    if len(parts) == 1:
        return parts[0]
    paths = JointPaths(parts)
    return paths.names, paths


def shaped_goal(model: Model, moved: tuple[str, ...], path: PiecewisePolynomial | JointPaths,
                by: Impulses) -> PiecewisePolynomial | JointPaths | None:
    """
    Return the path of a goal, shaped so that it leaves no vibration.

    Parameters
    ----------
    model : Model
        The robot.
    moved, path
        As ``read_goal`` has them.
    by : Impulses
        How.

    Returns
    -------
    PiecewisePolynomial or JointPaths or None
        None if it begins in motion, and cannot be shaped.

    Raises
    ------
    GoalError
        If it is too long to be shaped, or a joint would turn by half a turn at once.

    """
    groups = path.parts if isinstance(path, JointPaths) else ((moved, path),)
    parts = [(names, part) for names, part in groups if isinstance(part, PiecewisePolynomial)]
    if not all(begins_at_rest(part) for _, part in parts):
        return None
    try:
        new = [(names, shaped(part, by)) for names, part in parts]
        for names, part in new:   # a mean of quaternions may be shorter than each
            check_turns(JointCoordinates(model, names), part)
    except MbdError as error:
        raise GoalError(Result.INVALID_GOAL, str(error)) from error
    return JointPaths(new) if isinstance(path, JointPaths) else new[0][1]


def require_few(message: MultiDOFJointTrajectory) -> None:
    """Refuse a trajectory of joints with several coordinates that takes too long to read."""
    if len(message.points) > MOST_POINTS:
        raise GoalError(Result.INVALID_GOAL, (
            f'the multi-DOF trajectory has {len(message.points)} points; allowed: {MOST_POINTS}'))


def read_multi_dof(
    model: Model, joints: Sequence[str], message: MultiDOFJointTrajectory, start: Reference, *,
    rules: Rules = USUAL,
) -> tuple[tuple[str, ...], PiecewisePolynomial]:
    """
    Return the path of joints with several coordinates.

    Parameters
    ----------
    model, joints, start, rules
        As in ``read_goal``.
    message : MultiDOFJointTrajectory
        Points with transforms; with velocities in all or in none, and likewise accelerations. A
        stamp of zero means now; points of a stamp in the past that are over are left out.

    Returns
    -------
    tuple of str
        The joints, as ``read_goal`` has them.
    PiecewisePolynomial
        Entries as in ``joint_coordinates``.

    Raises
    ------
    GoalError
        If it cannot be followed: the code and what is wrong.

    """
    names = list(message.joint_names)
    _check_names(model, joints, names, rules.partial)
    if not message.points:
        raise GoalError(Result.INVALID_GOAL, 'the multi-DOF trajectory has no points')
    named = JointCoordinates(model, names)
    for index, point in enumerate(message.points):
        for field in ('transforms', 'velocities', 'accelerations'):
            found = len(getattr(point, field))
            if found != len(names) and (found or field == 'transforms'):
                raise GoalError(Result.INVALID_GOAL, (
                    f'point {index} of the multi-DOF trajectory has {found} {field}; allowed: '
                    f'{len(names)}, one for each joint'))
    positions = np.array([[entry for part, transform in zip(named.parts, point.transforms)
                           for entry in _entries(part, transform, f'point {index}')]
                          for index, point in enumerate(message.points)])
    moved = tuple(names) if model.loops else tuple(
        name for name in _curved(model) if name in joints)
    return moved, path_through(model, moved, WayPoints(
        names, message.header.stamp, message.points, positions,
        _rates(model, named, message, 'velocities'),
        _rates(model, named, message, 'accelerations')), start, rules)


def read_component_tolerances(
    model: Model, joints: Sequence[str], goal: FollowJointTrajectory.Goal, *, path: float,
    end: float,
) -> tuple[ComponentTolerance, ...]:
    """
    Return the tolerances of joints with several coordinates: 0 stands for the default, -1 for any.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Joints that the controller drives.
    goal : FollowJointTrajectory.Goal
        The goal.
    path, end : float
        Defaults of the position tolerances, of translations as a whole [m] and of rotations
        [rad]; 0: none.

    Returns
    -------
    tuple of ComponentTolerance
        Of each component that is bounded.

    Raises
    ------
    GoalError
        If a tolerance names another joint or a component that it does not have, is not a number,
        or is negative but not -1.

    """
    curved = {name: joint for name, joint in _curved(model).items() if name in joints}
    found: dict[tuple[str, Component], list[float]] = {}
    for name, joint in curved.items():
        for component in _components(model, joint):
            whole = component >= Component.TRANSLATION
            found[name, component] = [path if whole and path else math.inf, math.inf,
                                      end if whole and end else math.inf, math.inf]
    given: tuple[tuple[int, Sequence[JointComponentTolerance]], ...] = (
        (0, goal.component_path_tolerance), (2, goal.component_goal_tolerance))
    for first, tolerances in given:
        for one in tolerances:
            name = one.joint_name
            if name not in curved:
                raise GoalError(Result.INVALID_JOINTS, (
                    f"a tolerance of a component names joint '{name}'; allowed: driven joints "
                    f'with several coordinates, {", ".join(curved) or "of which there are none"}'))
            allowed = _components(model, curved[name])
            if one.component not in allowed:
                raise GoalError(Result.INVALID_GOAL, (
                    f"a tolerance is of component {one.component} of joint '{name}'; allowed: "
                    + ', '.join(f'{each.value} ({each.name})' for each in allowed)))
            component = Component(one.component)
            limits = found[name, component]
            what = f"a tolerance of {component.name} of '{name}'"
            limits[first] = trajectories.tolerance_of(what, one.position, limits[first])
            limits[first + 1] = trajectories.tolerance_of(what, one.velocity, limits[first + 1])
    return tuple(ComponentTolerance(name, curved[name], component, *limits)
                 for (name, component), limits in found.items() if min(limits) < math.inf)


def feedback_of(nanoseconds: int, model: Model, measured: Measured, step: Step
                ) -> FollowJointTrajectory.Feedback:
    """
    Return the action's feedback after a control step, for all joints.

    The error of a joint with several coordinates is the way from where it is to where it should
    be: the translation in the axes of the joint at zero, the rotation in those of the child. Its
    velocities are the differences of the two twists.
    """
    feedback = trajectories.feedback_of(nanoseconds, model, measured, step)
    nominal = step.nominal
    curved = _curved(model)
    feedback.multi_dof_joint_names = list(curved)
    desired, actual, error = (MultiDOFJointTrajectoryPoint() for _ in range(3))
    for joint in curved.values():
        kind = model.joint_types[joint.number]
        off = joint_error(model, joint, (nominal.q, nominal.v), (measured.q, measured.v))
        for point, pose in (
                (desired, joint.manifold.pose(tuple(nominal.q[joint.q].tolist()))),
                (actual, joint.manifold.pose(tuple(measured.q[joint.q].tolist()))),
                (error, (tuple(off.shift.tolist()), quaternion_of(tuple(off.turn.tolist()))))):
            (x, y, z), (a, b, c, d) = pose
            point.transforms.append(Transform(translation=Vector3(x=x, y=y, z=z),
                                              rotation=Quaternion(x=a, y=b, z=c, w=d)))
        desired.velocities.append(_twist(kind, nominal.v[joint.v]))
        desired.accelerations.append(_twist(kind, nominal.accelerations[joint.v]))
        actual.velocities.append(_twist(kind, measured.v[joint.v]))
        error.velocities.append(_twist(kind, nominal.v[joint.v] - measured.v[joint.v]))
    feedback.multi_dof_desired, feedback.multi_dof_actual = desired, actual
    feedback.multi_dof_error = error
    return feedback


def _check_names(model: Model, joints: Sequence[str], names: list[str], partial: bool) -> None:
    """Refuse joints that a multi-DOF trajectory cannot have; the message says which and why."""
    curved = _curved(model)
    drives = [name for name in curved if name in joints]
    free = _outside_loops(model, model.joint_names)
    allowed = f'allowed: {", ".join(drives) or "none, no such joint is driven"}'
    for name, count in Counter(names).items():
        if name not in model.joint_names:
            why = 'is not of the robot'
        elif name not in curved:
            why = 'has one coordinate and belongs into trajectory'
        elif name not in drives and name in free:
            why = 'has no actuator, as the parameters joints and actuated say'
        elif count > 1:
            why = 'is named twice'
        else:
            continue
        raise GoalError(Result.INVALID_JOINTS,
                        f"joint '{name}' of the multi-DOF trajectory {why}; {allowed}")
    missing = [] if model.loops else [name for name in drives if name not in names]
    if not names or (missing and not partial):
        raise GoalError(Result.INVALID_JOINTS, (
            f'joints of the multi-DOF trajectory are {listed(names)}; allowed: each of {drives} '
            'once'
            + (', or some of them' if partial else '')))


def _entries(part: Part, transform: Transform, where: str) -> list[float]:
    """Return the entries of a joint in a path, of its transform."""
    shift, turn = transform.translation, transform.rotation
    position, quaternion = [shift.x, shift.y, shift.z], [turn.x, turn.y, turn.z, turn.w]
    if not all(map(math.isfinite, (*position, *quaternion))):
        raise GoalError(Result.INVALID_GOAL, (
            f"the transform of joint '{part.name}' in {where} is not finite: "
            f'{position}, {quaternion}'))
    length = math.hypot(*quaternion)
    if abs(length - 1.0) > UNIT:
        raise GoalError(Result.INVALID_GOAL, (
            f"the quaternion of joint '{part.name}' in {where} has length {length:.4g}; "
            f'allowed: 1, within {UNIT:g}'))
    quaternion = [entry / length for entry in quaternion]
    if part.kind is JointType.FLOATING:
        return [*position, *quaternion]
    if part.kind is JointType.SPHERICAL:
        _require_nothing(part, where, 'translation', position)
        return quaternion
    _require_nothing(part, where, 'z of the translation, x and y of the rotation',
                     [position[2], *quaternion[:2]])
    entries = [position[0], position[1], 0.0]
    entries[ANGLE] = 2.0 * math.atan2(quaternion[2], quaternion[3])
    return entries


def _rates(model: Model, named: JointCoordinates, message: MultiDOFJointTrajectory, field: str
           ) -> Vector | None:
    """Return velocities or accelerations of all points (k, velocities), None if none has any."""
    if not any(getattr(point, field) for point in message.points):
        return None
    rows = []
    for index, point in enumerate(message.points):
        twists, row = getattr(point, field), []
        if not twists:
            raise GoalError(Result.INVALID_GOAL, (
                f'point {index} of the multi-DOF trajectory has 0 {field}; allowed: '
                f'{len(named.parts)}, one for each joint, in all points or in none'))
        for part, twist in zip(named.parts, twists):
            numbers = [getattr(getattr(twist, which), axis) for which, axis in AXES]
            if not all(map(math.isfinite, numbers)):
                raise GoalError(Result.INVALID_GOAL, (
                    f"{field} of joint '{part.name}' in point {index} are not finite: {numbers}"))
            own = part.kind.pair.axes
            _require_nothing(part, f'point {index}', f'{field} along other axes than its own',
                             [value for axis, value in enumerate(numbers) if axis not in own])
            row += [numbers[axis] for axis in own]
        rows.append(row)
    return np.array(rows)


def _require_nothing(part: Part, where: str, what: str, numbers: Sequence[float]) -> None:
    """Refuse what a joint cannot do."""
    if max(map(abs, numbers)) > NOTHING:
        raise GoalError(Result.INVALID_GOAL, (
            f"{what} of {part.kind.value} joint '{part.name}' in {where}: {list(numbers)}; "
            'allowed: 0'))


def _components(model: Model, joint: CurvedJoint) -> tuple[Component, ...]:
    """Return which components a joint has."""
    kind = model.joint_types[joint.number]
    if kind is JointType.SPHERICAL:
        return (Component.ROTATION,)
    if kind is JointType.PLANAR:
        return (Component.X, Component.Y, Component.TRANSLATION, Component.ROTATION)
    return tuple(Component)


def _twist(kind: JointType, rates: Vector) -> Twist:
    """Return rates of a joint as a twist."""
    twist = Twist()
    for axis, rate in zip(kind.pair.axes, rates.tolist()):
        part, coordinate = AXES[axis]
        setattr(getattr(twist, part), coordinate, rate)
    return twist


def _curved(model: Model) -> dict[str, CurvedJoint]:
    """Return the joints with several coordinates by name."""
    return {model.joint_names[joint.number]: joint for joint in curved_joints(model)}


def _outside_loops(model: Model, joints: Sequence[str]) -> list[str]:
    """Return which of some joints have several coordinates that no loop determines."""
    names = [model.joint_names[joint.number] for joint in joints_outside_loops(model)]
    return [name for name in names if name in joints]
