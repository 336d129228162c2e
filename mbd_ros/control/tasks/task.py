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
A tracking task as plain data: what a parameter file, a message or a test hands over.

``Task.from_data`` checks the data; ``controller_for`` makes the nominal model and the tracking
law. The tasks of the shipped robots are in ``TASKS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
import math
from typing import Any, NamedTuple

import numpy as np

from mbd_ros.control.constraints.constraint_data import constraints_from_data
from mbd_ros.control.constraints.constraint_stack import Stack
from mbd_ros.control.constraints.servo_constraints import Constraint
from mbd_ros.control.constraints.tool_constraints import ToolPosition
from mbd_ros.control.control_step.applied_forces import PostureSpring, STEPS_AHEAD
from mbd_ros.control.control_step.bending_compensation import BendingLinks, bends, RigidLinks
from mbd_ros.control.control_step.constrained_motion import ConstrainedMotion
from mbd_ros.control.control_step.nominal_model import NominalModel
from mbd_ros.control.references.arguments import (
    flag, mapping, mappings, number_not_below_zero, positive_number, row, text, texts)
from mbd_ros.control.references.pacing import Clock, Paced
from mbd_ros.control.references.path_data import KINDS, MadePath, path_from_data, Reader, TIMETABLE
from mbd_ros.control.references.paths import end_of
from mbd_ros.control.tasks.approaching import approach_duration, approached
from mbd_ros.control.tasks.fastest import tool_timing
from mbd_ros.control.tasks.holding import hold_for
from mbd_ros.control.tracking.adaptation import Adaptation
from mbd_ros.control.tracking.law import TrackingLaw
from mbd_ros.control.tracking.limits import Limits
from mbd_ros.control.udwadia_kalaba.actuation import Actuation
from mbd_ros.control.udwadia_kalaba.elimination import DirectElimination
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError, UnknownNameError, UnsupportedError
from mbd_ros.model import Model
from mbd_ros.model.names import simple_joints
from mbd_ros.model.state import neutral
from mbd_ros.simulation.manifold import checked, Vector

TASKS: Mapping[str, Mapping[str, Any]] = {
    'three_link_arm': {
        'link': 'tool',
        'path': {'kind': 'ellipse', 'center': [1.0, 0.0, 1.0], 'a': [0.25, 0.3, 0.0],
                 'b': [0.0, 1.0, 0.5], 'period': 2.0 * math.pi},
        'start_positions': [math.pi / 4.0, -math.pi / 4.0, math.pi / 2.0],
    },
    'puma560': {
        'link': 'tool',
        'path': {'kind': 'ellipse', 'center': [0.62, 0.15, 0.78], 'a': [0.0, 0.2, 0.0],
                 'b': [0.09, 0.0, 0.09], 'period': 2.0 * math.pi},
        'start_positions': [0.7, -1.2, 2.2, 0.0, 0.9, 0.0],
        'metric': 'euclidean',
        'posture': [0.0, -0.9, 2.7, 0.0, 1.3, 0.0],
        'posture_stiffness': [20.0, 20.0, 20.0, 20.0, 20.0, 2.0],
    },
    'five_bar': {
        'link': 'tool',
        'path': {'kind': 'ellipse', 'center': [0.0, 0.0, 0.4], 'a': [0.1, 0.0, 0.0],
                 'b': [0.0, 0.0, 0.04], 'period': math.pi},
        'axes': 'xz',
        'start': 'approach',
        'actuated': ['left_drive', 'right_drive'],
    },
    'panda': {
        'link': 'tool',
        'path': {'kind': 'ellipse', 'center': [0.5, 0.0, 0.3], 'a': [0.0, 0.2, 0.0],
                 'b': [0.09, 0.0, 0.09], 'period': 2.0 * math.pi},
        'start_positions': [0.5, -0.6, 0.2, -2.0, 0.1, 1.9, 0.4],
        'start': 'approach',
        'metric': 'euclidean',
        'approach_speed': 1.0,
        'posture': [0.0, -0.2, 0.0, -2.3, 0.0, 2.1, 0.8],
        'posture_stiffness': [20.0, 20.0, 20.0, 20.0, 5.0, 5.0, 2.0],
    },
}
"""
Tasks of the shipped robots.

The arm: the ellipse of Lyu and Liu (2018) from their inconsistent start. The PUMA: an ellipse in
front of it, 0.2 m/s at most, pen downwards, elbow up; the posture keeps the three joints that the
path leaves free, and the Euclidean metric keeps the light wrist from making the jump alone. The
Panda: much the same, reached by a planned approach. The five-bar robot: an ellipse in its plane at
0.2 m/s, by its two drives.
"""


@dataclass(frozen=True)
class Task:
    """
    What a tool is to do and how closely.

    Parameters
    ----------
    link : str, optional
        Link whose origin follows the path; the tool in what is reported.
    path : mapping, optional
        The path, see ``path_from_data``; empty: none.
    constraints : sequence of mapping, optional
        Further constraints, see ``constraints_from_data``; or all, where there is no path.
    start_positions, start_velocities : sequence of float, optional
        State in which the simulated robot starts (nq,), (nv,); empty: zeros.
    axes : str, optional
        World axes that the path prescribes.
    start : {'approach', 'as_given', 'project'}, optional
        ``'approach'``: the nominal model leaves from where the robot is and reaches the
        constraints by a planned way (``Approach``); the others see ``NominalModel``.
    step : float, optional
        Longest step of the nominal model [s].
    metric : {'mass', 'euclidean'}, optional
        Norm of the eliminations, see ``DirectElimination``.
    bandwidth, approach_speed, robust_rate : float, optional
        See ``TrackingLaw`` [rad/s; rad/s or m/s; 1/s].
    adaptation_rate, payload_limit : float, optional
        See ``Adaptation`` [1/s, kg]; a rate of zero: nothing is learned.
    posture : sequence of float, optional
        Where the free part of the motion is drawn to (nq,); empty: it is held near where the task
        begins, see ``hold_for``.
    posture_stiffness : sequence of float, optional
        How strongly it is drawn to a posture, see ``PostureSpring``: one entry or (nv,)
        [N m/rad or N/m]. Zero: not at all, nor held; it moves as a passive mechanism would.
    actuated : sequence of str, optional
        Joints with an actuator, also such with several coordinates; empty: all with one
        coordinate, so not a floating base.
    flexible : bool, optional
        Whether a ``Tracker`` foresees how links with ``<mbd:flexible>`` bend; the robot itself is
        loaded with rigid links, see ``BendingLinks``.
    timing : {'given', 'fastest'}, optional
        ``'fastest'``: the path is followed from rest to its end, or once around, as fast as
        limits of velocity and effort allow, a tenth of them left for feedback; its own timing
        does not count. The task has to determine all joints; see ``with_timing``.
    clock : Clock, optional
        At which pace ``path`` is run through; by the time itself if not given.

    """

    link: str = ''
    path: Mapping[str, Any] = field(default_factory=dict)
    constraints: tuple[Mapping[str, Any], ...] = ()
    start_positions: tuple[float, ...] = ()
    start_velocities: tuple[float, ...] = ()
    axes: str = 'xyz'
    start: str = 'as_given'
    step: float = 0.002
    metric: str = 'mass'
    bandwidth: float = 15.0
    approach_speed: float = 1.5
    robust_rate: float = 0.0
    adaptation_rate: float = 0.0
    payload_limit: float = 0.0
    posture: tuple[float, ...] = ()
    posture_stiffness: tuple[float, ...] = field(default=(20.0,))
    actuated: tuple[str, ...] = ()
    flexible: bool = False
    timing: str = 'given'
    clock: Clock | None = None

    def __post_init__(self) -> None:
        """Check the data, each by its reader."""
        for name, reader in READERS.items():
            object.__setattr__(self, name, reader(f"'{name}' of a task", getattr(self, name)))

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Task:
        """
        Return the task that plain data describe.

        Parameters
        ----------
        data : mapping
            Names and values of the parameters above; ``link`` and ``path`` are needed, or
            ``constraints``.

        Returns
        -------
        Task
            The task; whether it fits a robot is checked by ``controller_for``.

        Raises
        ------
        UnknownNameError
            If a name is not known; names the nearest.
        InvalidValueError, ShapeError, NotFiniteError
            If ``link`` or ``path`` is missing and there are no ``constraints``, or a value is of
            another type or size than is allowed.

        """
        for name in mapping('task', data):
            if name not in READERS:
                raise UnknownNameError('datum of a task', name, READERS)
        missing = [name for name in ('link', 'path')
                   if name not in data and 'constraints' not in data]
        if missing:
            raise InvalidValueError('task', sorted(data), f'also with {", ".join(missing)}')
        return cls(**data)


TIMINGS = ('given', 'fastest')


def _timing(name: str, value: object) -> str:
    if value not in TIMINGS:
        raise InvalidValueError(name, value, ' or '.join(TIMINGS))
    return str(value)


READERS: Mapping[str, Reader] = {
    'link': text, 'path': mapping, 'constraints': mappings, 'start_positions': row,
    'start_velocities': row, 'axes': text, 'start': text, 'step': positive_number, 'metric': text,
    'bandwidth': positive_number, 'approach_speed': positive_number,
    'robust_rate': number_not_below_zero, 'adaptation_rate': number_not_below_zero,
    'payload_limit': number_not_below_zero, 'posture': row, 'posture_stiffness': row,
    'actuated': texts, 'flexible': flag, 'timing': _timing,
}
"""What reads each datum of a task."""

KEPT = ('link', 'step', 'metric', 'bandwidth', 'approach_speed', 'robust_rate', 'adaptation_rate',
        'payload_limit', 'posture', 'posture_stiffness', 'actuated', 'flexible')
"""What a new task takes over from the one before it: the settings, not what was followed."""


def next_task(task: Task, data: Mapping[str, Any]) -> Task:
    """
    Return a task from data, with the settings of another where they say nothing.

    Parameters
    ----------
    task : Task
        The other.
    data : mapping
        As for ``Task.from_data``; ``start`` is ``'approach'`` if not given.

    Returns
    -------
    Task
        The task.

    Raises
    ------
    UnknownNameError, InvalidValueError
        As from ``Task.from_data``.

    """
    return Task.from_data({**{name: getattr(task, name) for name in KEPT}, 'start': 'approach',
                           **mapping('task', data)})


class Controller(NamedTuple):
    """
    The two halves of a controller.

    Attributes
    ----------
    nominal : NominalModel
        The constrained robot alongside the real one.
    law : TrackingLaw
        Efforts that lead the real one to it.

    """

    nominal: NominalModel
    law: TrackingLaw


def default_task(robot: str) -> Task:
    """
    Return the task of a shipped robot.

    Parameters
    ----------
    robot : str
        ``'three_link_arm'``, ``'puma560'``, ``'panda'`` or ``'five_bar'``.

    Returns
    -------
    Task
        The task.

    Raises
    ------
    UnknownNameError
        If there is none of that name.

    """
    if robot not in TASKS:
        raise UnknownNameError('task for a robot', robot, TASKS)
    return Task.from_data(TASKS[robot])


def motion_for(dyn: PreparedDynamics, task: Task, start: Vector | None = None
               ) -> ConstrainedMotion:
    """
    Return the constrained motion of a task.

    Where it begins (nq,), if given, is where the joints that it leaves free are held
    (``drawn_to``). Raises MbdError if a datum of the task does not fit the robot; says which.
    """
    motion = ConstrainedMotion(dyn, constraint_for(dyn, task), applied=spring_for(dyn, task),
                               elimination=DirectElimination(metric=task.metric),
                               actuation=actuation_of(dyn, task))
    if start is not None:
        motion.set_applied(drawn_to(motion, task, start))
    return motion


def with_timing(dyn: PreparedDynamics, task: Task, q: Vector) -> Task:
    """
    Return a task with its timing put into its path: the same but of ``timing='fastest'``.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot, with its payload.
    task : Task
        What to do.
    q : Vector
        Near where its path begins (nq,); it chooses the branch.

    Raises
    ------
    UnsupportedError
        If the task leaves motions of joints free.
    InfeasibleError, InvalidValueError
        If there is no such motion, or no path.

    """
    if task.timing == 'given':
        return task
    given = replace(task, timing='given')
    path = path_from_data(task.path) if task.path else None
    end = end_of(path) if path is not None else 0.0
    if not math.isfinite(end):
        end = float(getattr(path, 'period', 0.0))
    if not end > 0.0:
        raise InvalidValueError("timing='fastest'", dict(task.path), "a task with a 'path' that "
                                'has an end or a period')
    if changes_besides(dyn, task):
        raise InvalidValueError("timing='fastest'", [dict(one) for one in task.constraints],
                                'constraints beside the path that do not change with time')
    found = tool_timing(motion_for(dyn, given), driven_joints(dyn.model, task), q, end)
    return replace(given, path={
        'kind': TIMETABLE, 'path': task.path, 'times': found.time.tolist(),
        'places': found.profile.places.tolist(),
        'speeds': np.sqrt(found.profile.squares).tolist()})


def drawn_to(motion: ConstrainedMotion, task: Task, start: Vector, time: float = 0.0
             ) -> PostureSpring | None:
    """
    Return springs to the posture of a task, or what holds free joints near its ``start`` (nq,).

    None where a stiffness of zero says that nothing is drawn, and where nothing is free.
    """
    if task.posture or not any(task.posture_stiffness):
        return spring_for(motion.dyn, task)
    return hold_for(motion, start, time, task.step)


def with_paths(task: Task) -> Task:
    """
    Return the same task with its paths made, also those of constraints, to begin it in no time.

    Raises what ``path_from_data`` does. Nobody may change the task's data afterwards.
    """
    def made(value: Any) -> Any:
        return MadePath(value) if isinstance(value, Mapping) and value.get('kind') in KINDS else (
            value)

    return replace(task, path=made(task.path), constraints=tuple(
        {name: made(value) for name, value in one.items()} for one in task.constraints))


def constraint_for(dyn: PreparedDynamics, task: Task) -> Constraint:
    """Return the constraint of a task, its only one or a ``Stack``."""
    parts: list[Constraint] = []
    if task.path:
        path: Any = path_from_data(task.path)
        path = path if task.clock is None else Paced(path, task.clock)
        parts.append(ToolPosition(dyn, task.link, path, axes=task.axes))
    parts += constraints_from_data(dyn, task.constraints)
    return parts[0] if len(parts) == 1 else Stack(
        parts, neutral(dyn.model), np.zeros(dyn.model.nv))


def changes_besides(dyn: PreparedDynamics, task: Task) -> bool:
    """Tell whether constraints of a task beside its path change with time."""
    moments = (0.0, 0.7, 1.9)   # what is the same at all of them stands still
    return any(
        not np.array_equal(before, after)
        for part in constraints_from_data(dyn, task.constraints)
        for moment in moments[1:]
        for before, after in zip(recorded_reference(part, 0.0), recorded_reference(part, moment)))


def recorded_reference(constraint: Constraint, time: float) -> tuple[Vector, ...]:
    """Return what a constraint follows at a time [s]; the time itself of a user's class."""
    reference = getattr(constraint, 'reference', None)
    found: tuple[Vector, ...] = (np.array([time]),) if reference is None else reference(time)
    return found


def bending_for(dyn: PreparedDynamics, task: Task) -> RigidLinks:
    """Return the links of a robot, which bend if the task and its description say so."""
    if not (task.flexible and bends(dyn)):
        return RigidLinks(dyn)
    return BendingLinks(dyn, actuation_of(dyn, task))


def spring_for(dyn: PreparedDynamics, task: Task) -> PostureSpring | None:
    """Return the springs to the posture of a task, None without one or without stiffness."""
    if not task.posture or not any(task.posture_stiffness):
        return None
    stiffness = task.posture_stiffness
    spring = PostureSpring(
        dyn, task.posture, stiffness=stiffness[0] if len(stiffness) == 1 else stiffness,
        ahead=STEPS_AHEAD * task.step)
    beyond = Limits(dyn.model).beyond(spring.posture)
    if beyond:
        raise InvalidValueError('posture', list(task.posture), f'one within limits: {beyond}')
    return spring


def law_for(dyn: PreparedDynamics, task: Task) -> TrackingLaw:
    """Return the tracking law of a task."""
    dyn.model.require_rigid('tracking')
    adaptation = None
    if task.adaptation_rate != 0.0:
        adaptation = Adaptation(dyn, task.link, task.adaptation_rate, payload=task.payload_limit)
    return TrackingLaw(dyn, bandwidth=task.bandwidth, approach_speed=task.approach_speed,
                       robust_rate=task.robust_rate, actuation=actuation_of(dyn, task),
                       adaptation=adaptation)


def driven_joints(model: Model, task: Task) -> tuple[str, ...]:
    """Return the joints with an actuator: those of the task, or all with one coordinate."""
    return task.actuated or simple_joints(model)


def actuation_of(dyn: PreparedDynamics, task: Task) -> Actuation | None:
    """Return which joints have an actuator, None where all have one."""
    joints = driven_joints(dyn.model, task)
    return Actuation(dyn.model, joints) if len(joints) < dyn.model.nb else None


def controller_for(
    dyn: PreparedDynamics, task: Task, *, q: Any = None, v: Any = None, time: float = 0.0,
) -> Controller:
    """
    Return nominal model and tracking law for a task.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics, ``mbd_ros.compile(model)``.
    task : Task
        What to do.
    q, v : array_like, optional
        State the nominal model starts from (nq,), (nv,), e.g. the measured one; the task's start
        if not given.
    time : float, optional
        Time on the path at the start [s].

    Returns
    -------
    Controller
        Nominal model and tracking law. With ``start='approach'`` the planned way begins at
        ``time``, while the paths go on.

    Raises
    ------
    MbdError
        If a datum of the task does not fit the robot; says which.

    """
    if task.flexible:
        raise UnsupportedError('a controller of nominal model and law alone for flexible=True',
                               'Tracker')
    if q is None:
        q = task.start_positions or (0.0,) * dyn.model.nq
    task = with_timing(dyn, task, checked(dyn.model, 'q', q, dyn.model.nq))
    motion = motion_for(dyn, task, checked(dyn.model, 'q', q, dyn.model.nq))
    if v is None:
        v = task.start_velocities or (0.0,) * dyn.model.nv
    start = task.start
    if start == 'approach':
        start, q, v = 'as_given', checked(dyn.model, 'q', q, dyn.model.nq), checked(
            dyn.model, 'v', v, dyn.model.nv)
        duration = approach_duration(motion, q, v, time, speed=task.approach_speed)
        motion = approached(motion, q, v, time, duration, speed=task.approach_speed)
    return Controller(NominalModel(motion, q, v, time=time, step=task.step, start=start),
                      law_for(dyn, task))
