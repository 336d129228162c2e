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

"""Checks before a motion begins: whether it is in reach and within joint limits."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple

import numpy as np

from mbd_ros.control.constraints.constraint_stack import followed_by
from mbd_ros.control.constraints.joint_paths import JointPaths
from mbd_ros.control.references.joint_coordinates import JointCoordinates
from mbd_ros.control.references.paths import end_of, Path
from mbd_ros.control.references.splines import PiecewisePolynomial
from mbd_ros.control.tasks.task import motion_for, Task
from mbd_ros.control.tracking.limits import Limits
from mbd_ros.control.udwadia_kalaba.elimination import DirectElimination
from mbd_ros.control.udwadia_kalaba.passive_joints import PassiveJoints
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InfeasibleError, MbdError
from mbd_ros.model.state import floating_base, joints_outside_loops
from mbd_ros.simulation.manifold import Vector

JOINT_SAMPLES = 200
"""
Instants at which a trajectory of joints is looked at, beside those where an entry of piecewise
polynomials, or its rate, is greatest or least.
"""
SAMPLES = 32
"""The same for paths of tools and for closed loops, where each costs a Newton iteration."""


def check_joints(dyn: PreparedDynamics, joints: Sequence[str], path: Path, end: float, q: Vector
                 ) -> None:
    """
    Refuse a trajectory of joints that the loops or the limits do not allow.

    Where it begins beyond limits it may lead back: a joint counts from when it is within its own.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    joints : sequence of str
        The joints of the path's entries.
    path : Path
        From time 0 on.
    end : float
        When it ends [s].
    q : Vector
        Where it begins (nq,).

    Raises
    ------
    InfeasibleError
        If a joint exceeds its limits, if the joints do not determine the others, or contradict
        the loops; says when.

    """
    limits, coordinates = Limits(dyn.model), JointCoordinates(dyn.model, joints)
    others = [dyn.model.joint_names[joint.number] for joint in joints_outside_loops(dyn.model)]
    passive = PassiveJoints(dyn, (*joints, *others), start=q) if dyn.model.loops else None
    place, rates = q.copy(), np.zeros(dyn.model.nv)
    times = np.linspace(0.0, end, SAMPLES if passive else JOINT_SAMPLES).tolist()
    if isinstance(path, PiecewisePolynomial | JointPaths):
        times = sorted({*times, *path.extremes()})
    wide = None
    for time in times:
        coordinates.put(path.at(time), place, rates)
        try:
            state = passive.complete(place, rates) if passive else (place, rates)
        except MbdError as error:
            raise InfeasibleError('trajectory', time, str(error)) from error
        wide = limits.around(*state) if wide is None else wide
        _require(wide.exceeded(*state), 'trajectory', time)
        wide = wide.narrowed(limits, *state)


class Extent(NamedTuple):
    """How long the paths of a task are [s], and how many directions of motion it leaves free."""

    length: float
    free: int


def check_task(dyn: PreparedDynamics, task: Task, q: Vector) -> Extent:
    """
    Refuse a task that leads out of reach, or beyond limits where it leaves the robot no choice.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    task : Task
        What to do.
    q : Vector
        Where it begins (nq,).

    Returns
    -------
    Extent
        Of the task.

    Raises
    ------
    MbdError
        If a datum does not fit the robot.
    InfeasibleError
        If a state on the way cannot be reached, or exceeds limits; says when.

    """
    motion, model = motion_for(dyn, task), dyn.model
    end = max(map(length_of, followed_by(motion.constraint)), default=0.0)
    if floating_base(model) is not None:
        return Extent(end, 0)   # it can go anywhere
    limits, rest = Limits(model), np.zeros(model.nv)
    nearest = DirectElimination.from_afar(task.metric)
    for time in np.linspace(0.0, end, SAMPLES if end > 0.0 else 1).tolist():
        found = nearest.eliminate(dyn, motion.whole, q, rest, time)
        if not found.converged:
            raise InfeasibleError('path', time, (
                'it is out of reach, the nearest state found still violates the constraints by '
                f'{found.violation:.3g} [m, rad]; allowed: what can be reached from the point '
                'before'))
        if found.rank == model.nv:   # nothing is left free: there is no other way
            _require(limits.exceeded(found.q, found.v), 'path', time)
        q = found.q
    return Extent(end, model.nv - found.rank)


def length_of(path: object) -> float:
    """Return how long a path, or a turn, is [s]: until it rests, or one round."""
    end = end_of(path)
    return end if math.isfinite(end) else float(getattr(path, 'period', 0.0))


def _require(excess: str, what: str, time: float) -> None:
    if excess:
        raise InfeasibleError(what, time, excess)
