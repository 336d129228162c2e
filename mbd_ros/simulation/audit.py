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

"""The audit of energy: what a robot has, what was put in, and what remains of the difference."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple, Protocol

import numpy as np

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.functions.equations_of_motion import Energy, energy_of
from mbd_ros.simulation.dissipation_audit import CURRENT
from mbd_ros.simulation.manifold import Vector
from mbd_ros.simulation.motion import FreeMotion, INTEGRATOR, Motion
from mbd_ros.simulation.runge_kutta import increment


class Audited(NamedTuple):
    """
    The energy of K states by parts.

    Attributes
    ----------
    parts : dict of str to Vector
        (K,) each: kinetic and potential energy, and what each of the others has put in since the
        start [J].
    balance : Vector
        (K,) energy less that at the start and all that was put in [J].

    """

    parts: dict[str, Vector]
    balance: Vector


class MotionWithPowers(Motion, Protocol):
    """A motion that tells its powers."""

    def acceleration_and_powers(self, t: float, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return ``vdot`` (nv,) and powers (p,) [W]."""
        ...


class Stages:
    """
    A motion of which the powers at the stages of a step are kept.

    The energy is exact to second order where a force jumps within a step, as on landing, if work
    is integrated as velocities are, and to first order only by a rule of its own.

    Parameters
    ----------
    free : Counted
        The motion.

    """

    def __init__(self, free: MotionWithPowers) -> None:
        self._rates = free.acceleration_and_powers
        self._powers: deque[Vector] = deque(maxlen=4)
        self.correct, self.violation = free.correct, free.violation

    def acceleration(self, t: float, q: Vector, v: Vector) -> Vector:
        """Return ``vdot`` (nv,) at a stage."""
        found, powers = self._rates(t, q, v)
        self._powers.append(powers)
        return found

    def work(self, h: float) -> Vector:
        """Return the work during the step of RK4 that has ended [J]."""
        found: Vector = increment(h, *self._powers)   # those of steps that failed are gone
        return found


class Audit:
    """
    The audit of a motion that goes on step by step.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot under its laws.
    free : FreeMotion
        Its motion.
    t : float
        When the audit begins [s].
    q, v : Vector
        The state then.
    works : int, optional
        How many works are told of a step, if not only those that ``free.working`` names.

    """

    def __init__(self, dyn: PreparedDynamics, free: FreeMotion, t: float, q: Vector, v: Vector,
                 works: int | None = None) -> None:
        self._dyn, self._free, self._start = dyn, free, (np.array([t]), q[None], v[None])
        self._work = np.zeros(len(free.working) if works is None else works)
        self.stages = Stages(free)

    def add(self, work: Vector) -> None:
        """Take the works of a step, as ``stages`` says of RK4 [J]."""
        self._work = self._work + work

    def parts(self, t: float, q: Vector, v: Vector) -> dict[str, float]:
        """Return the parts of a state and their ``balance`` [J]."""
        found = audited(self._dyn, self._free, self._start,
                        (np.array([t]), q[None], v[None]), self._work[None])
        return {name: float(part[0]) for name, part in (
            *found.parts.items(), ('balance', found.balance))}


def energies(dyn: PreparedDynamics, free: FreeMotion, time: Vector, q: Vector, v: Vector
             ) -> Energy:
    """Return the energies of K states, each in the current of its time and place."""
    if not free.in_field:
        return energy_of(dyn, q, v)
    found = []
    for t, place, speed in zip(time, q, v):
        free.update_current(float(t), place)
        found.append(energy_of(dyn, place, speed))
    return Energy(*map(np.array, zip(*found)))


def audited(dyn: PreparedDynamics, free: FreeMotion, start: tuple[Vector, Vector, Vector],
            states: tuple[Vector, Vector, Vector], work: Vector) -> Audited:
    """
    Return the audit of K states.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot under its laws.
    free : FreeMotion
        Its motion.
    start : tuple of Vector
        Time (1,), q (1, nq) and v (1, nv) at the start.
    states : tuple of Vector
        Time (K,), q (K, nq) and v (K, nv).
    work : Vector
        (K, m) what ``free.working`` names has done since the start [J], and maybe one more: what
        inertia and all that keeps energy have taken.

    Returns
    -------
    Audited
        Where is told what inertia has taken, the energy has changed by ``integrator`` more than by
        that, and the balance is how much more all forces have done.

    """
    now, before = energies(dyn, free, *states), energies(dyn, free, *start)
    put_in, carried = dict(zip(free.working, work.T)), np.zeros(len(work))
    if free.in_current:
        carried = free.carried(*states[1:], now.kinetic) - free.carried(
            *start[1:], before.kinetic)
        put_in[CURRENT] = carried + put_in.get(CURRENT, 0.0)
    change = now.kinetic + now.potential - before.kinetic - before.potential
    if work.shape[1] > len(free.working):
        put_in[INTEGRATOR] = change - work[:, -1] - carried
    balance: Vector = change - np.sum([*put_in.values()], axis=0)
    return Audited({'kinetic': now.kinetic, 'potential': now.potential, **put_in}, balance)
