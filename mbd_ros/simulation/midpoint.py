"""Runs of robots with flexible links by the implicit midpoint rule, with a fixed step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import DivergedError
from mbd_ros.execution.calls.repeated import repeated
from mbd_ros.simulation.manifold import normalized, Vector
from mbd_ros.simulation.motion import FreeMotion

ITERATIONS = 3
"""Of the middle of a step: two make the rule one of order 2, a third halves its error."""
CHUNK = 256
"""Steps in native code at a time; between them the interpreter sees to signals."""


class MidpointRule:
    """
    Steps of a robot with flexible links (``dynamics/formulations/flexible/midpoint.py``).

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    free : FreeMotion
        The efforts that act on it.

    """

    def __init__(self, dyn: PreparedDynamics, free: FreeMotion) -> None:
        self._dyn, self._free = dyn, free
        code, model = dyn.machine_code('midpoint'), dyn.model
        self._steps: Callable[..., Vector] = self._one_by_one if code is None else repeated(
            code[0], model.nq, model.nv, ITERATIONS)

    def advance(self, t: float, q: Vector, v: Vector, step: float) -> tuple[Vector, Vector]:
        """Return the state a step later; see ``simulate.advance``."""
        states, _ = self._chunk(1, t, q, v, step)
        return self._parts(states[0])

    def run(self, q: Vector, v: Vector, step: float, count: int, record_every: int
            ) -> tuple[Vector, Vector, Vector, Vector]:
        """
        Return times (K,), states (K, nq), (K, nv) and work (K, 1) of so many steps.

        Power is that in the middle of a step, by which the rule keeps the energy of linear modes.
        """
        kept = [(0.0, q, v, np.zeros(1))]
        work = 0.0
        for first in range(0, count, CHUNK):
            more = min(CHUNK, count - first)
            states, efforts = self._chunk(more, first * step, q, v, step)
            rates = np.vstack([v, states[:, len(q):]])
            works = work + step * np.cumsum(self._free.power(efforts, 0.5 * (rates[1:]
                                                                             + rates[:-1])))
            for k in range(first + 1, first + more + 1):
                if k % record_every == 0 or k == count:
                    kept.append((k * step, *self._parts(states[k - first - 1]),
                                 works[k - first - 1:k - first]))
            work = float(works[-1])
            q, v = self._parts(states[-1])
        times, configurations, velocities, all_work = map(np.array, zip(*kept))
        return times, configurations, velocities, all_work

    def _parts(self, state: Vector) -> tuple[Vector, Vector]:
        nq = self._dyn.model.nq
        return normalized(self._dyn.model, state[:nq]), state[nq:]

    def _chunk(self, count: int, t: float, q: Vector, v: Vector, step: float
               ) -> tuple[Vector, Vector]:
        """Return states after steps (count, nq + nv), and efforts (count or 1, nv) in them."""
        world, free = self._dyn.world_array, self._free
        if free.held is not None:
            states, efforts = self._steps(count, q, v, free.held, step, world), free.held[None]
        else:
            states = np.empty((count, len(q) + len(v)))
            efforts = np.empty((count, len(v)))
            tau, length = free.forces(t, q, v), np.array([step])
            for k in range(count):  # efforts in the middle, as those before foretell it
                foreseen = self._dyn.midpoint(q, v, tau, length, q, v)
                tau = free.forces(t + (k + 0.5) * step, *self._parts(foreseen))
                states[k], efforts[k] = self._steps(1, q, v, tau, step, world)[0], tau
                self._require_finite(t + k * step, states[k:k + 1], step)
                q, v = self._parts(states[k])
        self._require_finite(t, states, step)
        return states, efforts

    def _require_finite(self, t: float, states: Vector, step: float) -> None:
        finite = np.isfinite(states).all(axis=1)
        if not finite.all():
            raise DivergedError(t + int(np.argmin(finite)) * step,
                                'the state after the next step is not finite')

    def _one_by_one(self, count: int, q: Vector, v: Vector, tau: Vector, step: float,
                    world: Vector) -> Vector:
        """Return the states after each step, of robots without machine code."""
        states = np.empty((count, len(q) + len(v)))
        for k in range(count):
            start = middle = np.concatenate([q, v])
            for _ in range(ITERATIONS):
                middle = self._dyn.midpoint(q, v, tau, np.array([step]), middle[:len(q)],
                                            middle[len(q):])
            states[k] = 2.0 * middle - start
            q, v = states[k, :len(q)], states[k, len(q):]
        return states
