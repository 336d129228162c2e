"""Simulation of a whole run."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics import compile_model, energy
from mbd_ros.errors import DivergedError, InvalidValueError, NotFiniteError
from mbd_ros.model import Model
from mbd_ros.simulation.integrators import rk4_step
from mbd_ros.simulation.manifold import checked, Vector
from mbd_ros.simulation.motion import Efforts, FreeMotion, Loads, Motion

ROUNDING = 1e-9
"""A run that is longer than a whole number of steps by this fraction of a step has no more."""


class Trajectory(NamedTuple):
    """
    A recorded run of K states.

    Attributes
    ----------
    time : Vector
        (K,) [s].
    q, v : Vector
        (K, nq), (K, nv).
    energy : Vector
        (K,) kinetic plus potential energy [J].
    violation : Vector
        (K,) norm of the constraints' violation; zeros without constraints.

    """

    time: Vector
    q: Vector
    v: Vector
    energy: Vector
    violation: Vector


def simulate(
    model: Model,
    q0: ArrayLike,
    v0: ArrayLike,
    duration: float,
    *,
    step: float = 1e-3,
    tau: Efforts | None = None,
    external_forces: Loads | None = None,
    gravity: ArrayLike | None = None,
    dissipation: bool = False,
    motion: Motion | None = None,
    record_every: int = 1,
) -> Trajectory:
    """
    Return the motion from a state, integrated by RK4 with a fixed step.

    Parameters
    ----------
    model : Model
        The robot.
    q0, v0 : array_like
        State at time 0: (nq,), (nv,).
    duration : float
        Length of the run [s].
    step : float, optional
        Longest step [s]; the run is cut into equal steps.
    tau : array_like or callable, optional
        Joint efforts (nv,), or ``(t, q, v)`` to them; zero if not given [N m or N].
    external_forces : mapping or callable, optional
        As in ``forward_dynamics``, or ``(t, q, v)`` to that.
    gravity : array_like, optional
        (3,) in world axes; (0, 0, -9.81) if not given [m/s^2].
    dissipation : bool, optional
        Whether the joints' damping and dry friction act; dry friction rises smoothly over the
        first ``STICKING_SPEED`` (``mbd_ros.simulation.motion``).
    motion : Motion, optional
        What is integrated instead of the free motion, for instance
        ``mbd_ros.control.ConstrainedMotion``; it brings its own forces and gravity, so that
        ``tau``, ``external_forces`` and ``dissipation`` cannot be given with it.
    record_every : int, optional
        Record every k-th step; the first and the last state are always recorded.

    Returns
    -------
    Trajectory
        Times, states, energy (with ``gravity``) and violation.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If an argument is not allowed.
    DivergedError
        If the motion stops being finite; says when.

    """
    q = checked(model, 'q0', q0, model.nq).copy()
    v = checked(model, 'v0', v0, model.nv).copy()
    for name, value in (('duration', duration), ('step', step)):
        if not 0.0 < value < math.inf:
            raise InvalidValueError(name, value, 'a positive time [s]')
    if record_every < 1:
        raise InvalidValueError('record_every', record_every, 'a count, 1 or more')
    if motion is None:
        motion = FreeMotion(compile_model(model, gravity=gravity), tau=tau,
                            external_forces=external_forces, dissipation=dissipation)
    elif tau is not None or external_forces is not None or dissipation:
        raise InvalidValueError('motion', type(motion).__name__,
                                'without tau, external_forces and dissipation, which it brings')
    count = max(1, math.ceil(duration / step - ROUNDING))
    h = duration / count
    records = [(0.0, q, v, motion.violation(0.0, q))]
    for index in range(1, count + 1):
        t = h * index
        q, v = advance(model, motion, h * (index - 1), q, v, h)
        if index % record_every == 0 or index == count:
            records.append((t, q, v, motion.violation(t, q)))
    times, configurations, velocities, violations = map(np.array, zip(*records))
    energies = energy(model, configurations, velocities, gravity=gravity)
    return Trajectory(times, configurations, velocities,
                      energies.kinetic + energies.potential, violations)


def advance(
    model: Model, motion: Motion, t: float, q: Vector, v: Vector, step: float,
) -> tuple[Vector, Vector]:
    """
    Return the state one step later, corrected.

    Parameters
    ----------
    model : Model
        The robot.
    motion : Motion
        What is integrated.
    t : float
        Time at the start of the step [s].
    q, v : Vector
        State (nq,), (nv,).
    step : float
        Length of the step [s].

    Returns
    -------
    tuple of Vector
        q (nq,) and v (nv,).

    Raises
    ------
    DivergedError
        If the step does not end at a finite state.

    """
    try:
        q_new, v_new = rk4_step(model, motion.acceleration, t, q, v, step)
        q_new, v_new = motion.correct(t + step, q_new, v_new)
    except (NotFiniteError, InvalidValueError) as error:
        raise DivergedError(t, str(error)) from error
    if not math.isfinite(q_new.sum() + v_new.sum()):
        raise DivergedError(t, 'the state after the next step is not finite')
    return q_new, v_new
