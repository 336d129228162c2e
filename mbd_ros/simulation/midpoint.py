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

"""Runs of robots with flexible links by the implicit midpoint rule, with a fixed step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import DivergedError
from mbd_ros.execution.compiled_calls.repeated import repeated
from mbd_ros.simulation.coded_steps import checked_linear_efforts
from mbd_ros.simulation.loop_motion import NEARLY_CLOSED, require_closed
from mbd_ros.simulation.manifold import normalized, Vector
from mbd_ros.simulation.motion import FreeMotion

ITERATIONS = 3
"""Of the middle of a step: two make the rule one of order 2, a third halves its error."""
CHUNK, CHUNK_OF_LOOPS = 256, 16
"""Steps in native code at a time; between them the interpreter sees to signals, and to the rank of
loops."""
WELL_APART = 100.0
"""Condition of the rows of loops beyond which their rank is decided at every step; 16 steps of 1
ms turn what moves at 1 rad/s by 0.016, which a smallest angle of 0.01 may not survive."""


class MidpointRule:
    """
    Steps of a robot with flexible links (``dynamics/algorithms/flexible/midpoint.py``).

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    free : FreeMotion
        The efforts that act on it.

    Attributes
    ----------
    audits : bool
        Whether ``advance`` tells the ``work``; False at first.
    work : Vector
        (p,) work of what ``free.working`` names in the last step [J].

    """

    def __init__(self, dyn: PreparedDynamics, free: FreeMotion) -> None:
        self._dyn, self._free = dyn, free
        self.audits, self.work = False, np.zeros(len(free.working))
        self._end: Vector | None = None   # from where the rank of loops is known for more steps
        self._chosen, self._left, self._rank = np.empty(0), 0, -1
        model = dyn.model
        codes = [dyn.machine_code(one) for one in ('midpoint', 'closing')[:1 + bool(model.loops)]]
        addresses = [code[0] for code in codes if code is not None]
        self._steps: Callable[..., Vector] = (
            repeated(addresses[0], model.nq, model.nv, ITERATIONS, *addresses[1:])
            if len(addresses) == len(codes) else self._one_by_one)

    def advance(self, t: float, q: Vector, v: Vector, step: float) -> tuple[Vector, Vector]:
        """Return the state a step later; see ``simulate.advance``."""
        states, applied = self._chunk(1, t, q, v, step)
        if self.audits:
            self.work = step * self._powers(applied, q, v, states)[0]
        return self._ended(states)

    def run(self, q: Vector, v: Vector, step: float, count: int, record_every: int
            ) -> tuple[Vector, Vector, Vector, Vector]:
        """
        Return times (K,), states (K, nq), (K, nv) and works (K, p) of so many steps.

        Power is that in the middle of a step, by which the rule keeps the energy of linear modes.
        """
        work = np.zeros(len(self._free.working))
        kept, done = [(0.0, q, v, work)], 0
        while done < count:
            states, applied = self._chunk(count - done, done * step, q, v, step)
            works = work + step * np.cumsum(self._powers(applied, q, v, states), axis=0)
            for k, (state, so_far) in enumerate(zip(states, works), done + 1):
                if k % record_every == 0 or k == count:
                    kept.append((k * step, *self._parts(state), so_far))
            work, done = works[-1], done + len(states)
            q, v = self._ended(states)
        times, configurations, velocities, all_work = map(np.array, zip(*kept))
        return times, configurations, velocities, all_work

    def _ended(self, states: Vector) -> tuple[Vector, Vector]:
        """Return the last of states."""
        self._end, v = self._parts(states[-1])
        self._left -= len(states)
        return self._end, v

    def _parts(self, state: Vector) -> tuple[Vector, Vector]:
        nq = self._dyn.model.nq
        return normalized(self._dyn.model, state[:nq]), state[nq:]

    def _powers(self, applied: list[Vector], q: Vector, v: Vector, states: Vector) -> Vector:
        """Return the powers (count, p) in the middle of each step."""
        ends = np.vstack([np.concatenate([q, v]), states])
        middles, nq = 0.5 * (ends[1:] + ends[:-1]), len(q)
        return self._free.powers(applied, middles[:, :nq], middles[:, nq:])

    def _chunk(self, most: int, t: float, q: Vector, v: Vector, step: float
               ) -> tuple[Vector, list[Vector]]:
        """
        Return states after steps (count, nq + nv), and what is applied in them.

        The latter are (nv,) each, or (count, nv) where efforts are told.
        """
        free, h = self._free, np.array([step])
        rows, count = self._rows(q, v)
        ahead = self._ahead(np.asarray(
            t + step * (np.arange(min(most, count)) + 0.5), np.float64))
        if ahead is not None:
            states = self._steps(min(most, count), q, v, ahead, step, self._dyn.world_array,
                                 *rows or [np.empty(0)])
            applied = [ahead]
        else:   # efforts in the middle, as those before foretell it
            free.update_current(t, q)
            free.sample(t, q, v)
            foreseen = self._parts(self._dyn.midpoint(q, v, free.forces(t, q, v), h, q, v, *rows))
            applied = free.applied(t + 0.5 * step, *foreseen)
            states = self._steps(1, q, v, sum(applied), step, self._dyn.world_array,
                                 *rows or [np.empty(0)])
        finite = np.isfinite(states).all(axis=1)
        if not finite.all():
            raise DivergedError(t + int(np.argmin(finite)) * step,
                                'the state after the next step is not finite')
        return states, applied

    def _ahead(self, times: Vector) -> Vector | None:
        """Return efforts (nv,) or (K, nv) that depend on time alone; None where they do not."""
        free, nv = self._free, self._dyn.model.nv
        if free.in_field or free.held is not None or free.linear_efforts is None:
            return None if free.in_field else free.held
        law = checked_linear_efforts(free.linear_efforts, times, nv, np.zeros(nv, bool))
        return None if law.stiffness.any() or law.damping.any() else law.offset

    def _rows(self, q: Vector, v: Vector) -> tuple[list[Vector], int]:
        """Return which rows of loops are independent, none of trees, and for how many steps."""
        dyn = self._dyn
        if not dyn.model.loops:
            return [], CHUNK
        if q is self._end and self._left > 0:
            return [self._chosen], self._left
        rows = dyn.loop_rows(q, v)
        if np.linalg.norm(rows[:, 0]) > NEARLY_CLOSED:
            require_closed(dyn, q, None)
        space = RowSpace(dyn.model, rows[:, VALUES:])
        same, self._rank = space.rank == self._rank, int(space.rank)   # not so at change points
        self._chosen = space.choice().ravel()
        self._left = CHUNK_OF_LOOPS if same and space.condition < WELL_APART else 1
        return [self._chosen], self._left

    def _one_by_one(self, count: int, q: Vector, v: Vector, tau: Vector, step: float,
                    world: Vector, rows: Vector) -> Vector:
        """Return the states after each step, of robots without machine code."""
        dyn, h, chosen = self._dyn, np.array([step]), [rows] * bool(self._dyn.model.loops)
        states = np.empty((count, len(q) + len(v)))
        for k in range(count):
            start = middle = np.concatenate([q, v])
            effort = tau[k] if tau.ndim == 2 else tau
            for _ in range(ITERATIONS):
                middle = dyn.midpoint(q, v, effort, h, middle[:len(q)], middle[len(q):], *chosen)
            end = 2.0 * middle - start
            states[k] = dyn.closing(end[:len(q)], end[len(q):], h, rows) if chosen else end
            q, v = states[k, :len(q)], states[k, len(q):]
        return states
