"""How long a planned approach takes, and the motion that makes it."""

from __future__ import annotations

import math

import numpy as np

from mbd_ros.control.constraints.approach import Approach
from mbd_ros.control.step.applied_forces import PostureSpring
from mbd_ros.control.step.constrained_motion import ConstrainedMotion
from mbd_ros.control.udwadia_kalaba.elimination import DirectElimination
from mbd_ros.errors import InvalidValueError
from mbd_ros.simulation.manifold import displacement, Vector

FASTEST, HARDEST = 1.875, 5.774
"""Largest rate and second rate of a quintic from rest to rest over unit way and time."""

SHORTEST = 0.05
"""No approach takes less time [s]."""

SHARED = 1.0
"""In an approach of this time the springs of a posture share the way among the joints [s]."""

REACHED = 1e-9
"""A violation below this, of configuration and velocity, is none."""


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
    metric = 'mass' if motion.elimination is None else motion.elimination.metric
    found = DirectElimination.from_afar(metric).eliminate(dyn, motion.whole, q, v, time)
    if not found.converged:
        raise InvalidValueError(
            'start', q.tolist(), 'a state from which the constraint can be met; the nearest one '
            f'still violates it by {found.violation:.3g} (it began at '
            f'{found.violation_before:.3g})')
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
        top = np.minimum(speed, 0.5 * motion.dyn.model.velocity_limits)
        way = np.abs(displacement(motion.dyn.model, q, motion.applied.posture)) / top
        motion.applied.lead(q, begin, max(duration, SHORTEST, FASTEST * float(way.max())))
    if duration == 0.0:
        return motion
    joined = Approach(motion.constraint, q, v, begin, duration, acceleration)
    return ConstrainedMotion(motion.dyn, joined, applied=motion.applied,
                             elimination=motion.elimination, actuation=motion.actuation)
