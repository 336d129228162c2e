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

"""Planned ways: of an approach, how long it takes; of springs to another posture."""

from __future__ import annotations

from collections.abc import Callable
import math
from time import thread_time
from typing import NamedTuple

import numpy as np

from mbd_ros.control.constraints.approach import Approach
from mbd_ros.control.control_step.applied_forces import away_from_limits, PostureSpring
from mbd_ros.control.control_step.constrained_motion import ConstrainedMotion
from mbd_ros.control.control_step.joint_reference import JointReference
from mbd_ros.control.control_step.nominal_model import NominalModel
from mbd_ros.control.references.splines import PiecewisePolynomial, trajectory
from mbd_ros.control.tracking.law import RAMP
from mbd_ros.control.tracking.limits import Limits
from mbd_ros.control.udwadia_kalaba.elimination import DirectElimination, Elimination
from mbd_ros.errors import InfeasibleError, InvalidValueError, MbdError, UnsupportedError
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import displacement, is_flat, Vector

FASTEST, HARDEST = 1.875, 5.774
"""Largest rate and second rate of a quintic from rest to rest over unit way and time."""

SHORTEST = 0.05
"""No approach takes less time [s]."""

SHARED = 1.0
"""In an approach of this time the springs of a posture share the way among the joints [s]."""

LONGEST, CHECKED_EVERY = {'approach': 20.0, 'path': 60.0, 'trajectory': 60.0}, 0.01
"""How much of a motion is gone through before it begins, and in which steps [s]."""

PATIENCE = 5.0
"""How much processor time that may take each [s]: a goal waits for it."""

REACHED = 1e-9
"""A violation below this, of configuration and velocity, is none."""


CLIPS = 30
"""How often a state on a constraint is sought anew from the nearest place within limits."""


class Way(NamedTuple):
    """
    How a robot gets onto the constraints of a task.

    Attributes
    ----------
    duration : float
        The least time that it takes [s].
    by_joints : bool
        Whether all joints go to the nearest state on the constraints along polynomials of time.
        Otherwise the violation becomes zero along one, which leads nowhere from a singular state.
    pace : float
        Part of its speed at which it is made.

    """

    duration: float = SHORTEST
    by_joints: bool = False
    pace: float = 1.0


DIRECT = Way()
"""As fast as it can be, by constraints."""


def nearest(motion: ConstrainedMotion, q: Vector, v: Vector, time: float) -> Elimination:
    """Return the nearest state on a constraint at a time [s] from q, v (nq,), (nv,)."""
    metric = 'mass' if motion.elimination is None else motion.elimination.metric
    return DirectElimination.from_afar(metric).eliminate(motion.dyn, motion.whole, q, v, time)


def nearest_within(motion: ConstrainedMotion, q: Vector, v: Vector, time: float) -> Elimination:
    """
    Return a state on a constraint within limits of position, from q, v (nq,), (nv,).

    By turns the nearest on the constraint at a time [s], and the nearest within limits of that,
    as seen from the joints; that on the constraint nearest to q, if none is found so.
    """
    first = nearest(motion, q, v, time)
    from_afar = DirectElimination.from_afar('euclidean')
    found = from_afar.eliminate(motion.dyn, motion.whole, q, v, time)
    limits = Limits(motion.dyn.model)
    for _ in range(CLIPS):
        inside = away_from_limits(motion.dyn.model, found.q)
        if not found.converged or np.array_equal(inside, found.q):
            break
        found = from_afar.eliminate(motion.dyn, motion.whole, inside, v, time)
    return first if limits.exceeded(found.q, 0.0 * v) else found


def approach_duration(
    motion: ConstrainedMotion, q: Vector, v: Vector, time: float, *, speed: float,
    at_least: float = SHORTEST,
) -> float:
    """
    Return how long the way onto a constraint from q, v (nq,), (nv,) should take [s].

    The joints' way is that to the nearest state on the constraint at ``time`` [s]; none shall
    exceed half of its velocity limit or ``speed`` [rad/s or m/s], nor half of the effort that it
    has left beside its weight. It takes ``at_least`` a time [s], zero where the constraint is
    satisfied already. Raises InvalidValueError if the constraint is out of reach.
    """
    dyn, model = motion.dyn, motion.dyn.model
    found = nearest(motion, q, v, time)
    if not found.converged:
        raise InvalidValueError(
            'start', q.tolist(), 'a state from which the constraint can be met; the nearest one '
            f'still violates it by {found.violation:.3g} (it began at '
            f'{found.violation_before:.3g}) [m, rad]')
    if found.violation_before < REACHED and found.rate_before < REACHED:
        return 0.0
    top = np.minimum(speed, 0.5 * model.velocity_limits)
    weight = np.abs(dyn.bias_forces(q, np.zeros_like(v)))
    spare = np.maximum(0.5 * (model.effort_limits - weight), 0.05 * model.effort_limits)
    acceleration = np.where(np.isfinite(spare), spare / dyn.mass_matrix(q).diagonal(), np.inf)

    def needed(way: Vector, change: Vector) -> float:
        """Return the time that a way and a change of velocity of the joints take."""
        return max(FASTEST * float((way / top).max()),
                   math.sqrt(HARDEST * float((way / acceleration).max())),
                   2.0 * float((change / np.minimum(acceleration, 10.0 * top)).max()))
    # A force moves the light joints first; springs share the way among all, but take their time.
    first = DirectElimination.as_printed(1, 1, metric='mass').eliminate(
        dyn, motion.whole, q, v, time)
    at_once = needed(np.abs(displacement(model, q, first.q)), np.abs(first.v - v))
    shared = needed(np.abs(displacement(model, q, found.q)), np.abs(found.v - v))
    return max(at_least, shared, min(at_once, SHARED))


def approached(
    motion: ConstrainedMotion, q: Vector, v: Vector, begin: float, duration: float, *,
    speed: float, acceleration: Vector | None = None,
) -> ConstrainedMotion:
    """
    Return the motion that leads from a state onto the constraint of another.

    It begins at ``begin`` at q, v (nq,), (nv,), from where springs of a posture set out, too, at
    ``speed`` at most [rad/s or m/s]; its ``duration`` [s] see ``approach_duration``: the given
    motion where it takes no time. ``acceleration`` as for ``Approach``.
    """
    if isinstance(motion.applied, PostureSpring):
        motion.applied.lead(q, begin, max(
            duration, SHORTEST, lead_duration(motion.dyn.model, motion.applied, q, speed)))
    if duration == 0.0:
        return motion
    joined = Approach(motion.constraint, q, v, begin, duration, acceleration)
    return ConstrainedMotion(motion.dyn, joined, applied=motion.applied,
                             elimination=motion.elimination, actuation=motion.actuation)


def joints_way(motion: ConstrainedMotion, q: Vector, v: Vector, duration: float, *, step: float,
               acceleration: Vector | None = None) -> PiecewisePolynomial:
    """
    Return the quintics by which all joints go from a state onto a constraint.

    From q, v (nq,), (nv,) and ``acceleration`` (nv,), zero if not given, they get in a
    ``duration`` [s] to the nearest state at time 0 and how it goes on there. Raises
    UnsupportedError for robots whose joints do not move independently.
    """
    model = motion.dyn.model
    if model.loops or not is_flat(model) or motion.actuation is not None:
        raise UnsupportedError('an approach by joints of a robot with loops, passive joints, or '
                               'joints of several coordinates', 'one by constraints')
    place, pace = nearest_within(motion, q, v, 0.0)[:2]
    if motion.applied is None:
        there = NominalModel(motion, place, pace, step=step, start='as_given').state.accelerations
    else:   # the least: what springs and dampers add makes light joints overshoot on the way
        A, b = motion.whole.matrix(place, pace, 0.0), motion.whole.right_side(place, pace, 0.0)
        there = np.asarray(np.linalg.lstsq(A, b, rcond=motion.tolerance)[0], np.float64)
    first = np.zeros(model.nv) if acceleration is None else acceleration
    return trajectory([-duration, 0.0], [q, place], [v, pace], [first, there])


def go_through(
    source: NominalModel | JointReference, limits: Limits | None, what: str, begin: float,
    duration: float, *, note: Callable[[float], object] | None = None,
    patience: float = PATIENCE,
) -> None:
    """
    Go through a motion from its time ``begin`` on for a duration [s], or as long as is bearable.

    That is as much as ``LONGEST`` says for ``what`` it is, and ``patience`` allows of processor
    time [s]. At each look ``note`` is given the time since ``begin``. Raises InfeasibleError if
    the nominal model exceeds limits on the way, or cannot go on; says when.
    """
    last = thread_time() + patience
    for time in np.arange(CHECKED_EVERY, min(duration, LONGEST[what]), CHECKED_EVERY).tolist():
        try:
            nominal = source.advance_to(begin + time)
            if note is not None:
                note(time)
        except MbdError as error:
            raise InfeasibleError(what, time, str(error)) from error
        excess = limits.exceeded(nominal.q, nominal.v, moving=True) if limits else ''
        if excess:
            raise InfeasibleError(what, time, excess)
        if thread_time() > last:
            return


def lead_duration(model: Model, spring: PostureSpring, q: Vector, speed: float) -> float:
    """Return how long springs take from q (nq,) to their posture at ``speed`` at most [s]."""
    top = np.minimum(speed, 0.5 * model.velocity_limits)
    way = np.abs(displacement(model, q, spring.posture)) / top
    return FASTEST * float(way[spring.roots > 0.0].max(initial=0.0))


def draw_to(source: NominalModel, spring: PostureSpring | None, speed: float) -> None:
    """
    Draw the free part of a motion to another posture, or more strongly, without a leap.

    Parameters
    ----------
    source : NominalModel
        What moves.
    spring : PostureSpring or None
        Sets out from where the springs before it pull to, or from where the robot is if there
        were none; None: nothing is drawn any more, it falls.
    speed : float
        At which the springs get there, at most [rad/s or m/s]; it takes at least ``RAMP``.

    """
    motion, before = source.motion, source.motion.applied
    if spring is not None:
        state = source.state
        start, rate = (before.target(state.time) if isinstance(before, PostureSpring)
                       else (state.q, state.v))
        duration = max(RAMP, lead_duration(motion.dyn.model, spring, start, speed))
        roots = before.strength(state.time) if isinstance(before, PostureSpring) else None
        spring.lead(start, state.time, duration, rate, roots)
    motion.set_applied(spring)
    source.refresh()
