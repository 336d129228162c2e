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
The differential step towards targets: least squares of all rows within bounds of the step.

``min |J dq - gain error|^2 + damping |dq|^2`` with ``low <= dq <= high`` from limits of velocity
and position, by an active set of bounds. Rows of closed loops have a weight far above those of
targets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import ctypes
from functools import partial
import math
import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.inverse_kinematics.residuals import residuals, Row, structure
from mbd_ros.dynamics.inverse_kinematics.targets import Kind
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.execution.executors.compiled import Compiled
from mbd_ros.execution.ir.loop_code import loop_code
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.sweeps import Layout
from mbd_ros.execution.program.ties import first_rows
from mbd_ros.execution.program.tree import Sized
from mbd_ros.model import Model, state
from mbd_ros.model.caches import owned

Array = NDArray[np.float64]
Symbols = NDArray[Any]
LOOP_WEIGHT = 1e4
"""Of rows of closed loops beside targets of weight 1: the step keeps them to 1e-8 of its length,
while squares of weights lose half of the digits of float64, no more."""
ROUNDS = 20
"""Of the active set, times the number of rates: each adds or frees one bound; few are needed."""
TINY = 1e-300
"""Below any pivot of a matrix with damping."""
RELEASE = 1e-12
"""Of the largest entry of ``J^T error``: by which a bound has to pull back to be freed."""


def target_rows(kinds: tuple[Kind, ...], model: Model) -> ArrayProgram:
    """Return the program of all weighted rows (m, 1 + nv) of targets and loops: error, then J."""
    size = sum(kind.numbers for kind in kinds)
    return ArrayProgram(
        f'rows of targets {structure(kinds, model)}', ('q', Sized('targets', size)),
        layout=Layout.ONE_BODY, extent=(_count(kinds, model), 1 + model.nv),
        evaluate=partial(_rows, kinds), traces=_always)


ROWS = {'pose': 6, 'relative pose': 6}


def _count(kinds: tuple[Kind, ...], model: Model) -> int:
    """Return the number of rows."""
    simple = len(state.simple_entries(model)[0])
    return first_rows(model.loops)[-1] + sum(
        simple if kind.name == 'posture' else ROWS.get(kind.name, 3) for kind in kinds)


def _always(model: Model) -> bool:
    return True


def _rows(kinds: tuple[Kind, ...], model: Model, inputs: Mapping[str, Symbols], world: Symbols,
          executor: Any) -> Symbols:
    """Return the rows of symbols."""
    found = residuals(kinds, model, inputs, world)
    result = np.empty((1, _count(kinds, model), 1 + model.nv), object)
    result[:] = 0.0
    loops = [Row(row.error, row.columns, LOOP_WEIGHT) for row in found.loops]
    for place, row in enumerate((*found.rows, *found.posture, *loops)):
        error, columns, _ = row.weighted()
        result[0, place, 0] = error
        for k, one in columns.items():
            result[0, place, 1 + k] = one
    return result


def bounded_step(rows: Any, bounds: Any, options: Any, matrix: Any, lower: Any, result: Any,
                 m: int, n: int) -> None:
    """
    Put the step into ``result``.

    Parameters
    ----------
    rows : array
        (m, 1 + n): error, then J.
    bounds : array
        (2, n): the least and the largest step; the one not above the other.
    options : array
        (2,): gain and damping.
    matrix, lower : array
        (n, n): to work in.
    result : array
        (n + 1,): the step, then 1 if it is the least, 0 if rounds were not enough.
    m, n : int
        Numbers of rows and of rates.

    """
    side = np.zeros(n)
    for i in range(n):
        for j in range(n):
            matrix[i, j] = 0.0
    for r in range(m):
        for i in range(n):
            if rows[r, 1 + i] != 0.0:
                side[i] += options[0] * rows[r, 0] * rows[r, 1 + i]
                for j in range(i + 1):
                    matrix[i, j] += rows[r, 1 + i] * rows[r, 1 + j]
    largest = 0.0
    for i in range(n):
        matrix[i, i] += options[1]
        for j in range(i):
            matrix[j, i] = matrix[i, j]
        largest = largest if largest > abs(side[i]) else abs(side[i])
        result[i] = 0.0
        if bounds[0, i] > 0.0:
            result[i] = bounds[0, i]
        if bounds[1, i] < 0.0:
            result[i] = bounds[1, i]
    result[n] = 0.0
    held = np.zeros(n)   # -1 at the lower bound, 1 at the upper one, 0 free
    wanted = np.zeros(n)
    for i in range(n):
        if bounds[1, i] <= bounds[0, i]:
            held[i] = 1.0
            result[i] = bounds[1, i]
    for _ in range(ROUNDS * (n + 1)):
        for i in range(n):   # what the free ones want while the others are held
            wanted[i] = result[i]
            if held[i] == 0.0:
                wanted[i] = side[i]
                for j in range(n):
                    if held[j] != 0.0:
                        wanted[i] += -matrix[i, j] * result[j]
                for j in range(i + 1):
                    if held[j] == 0.0:
                        value = matrix[i, j]
                        for k in range(j):
                            if held[k] == 0.0:
                                value += -lower[i, k] * lower[j, k]
                        if i == j:
                            lower[i, i] = math.sqrt(value if value > TINY else TINY)
                        else:
                            lower[i, j] = value / lower[j, j]
        for i in range(n):
            if held[i] == 0.0:
                for k in range(i):
                    if held[k] == 0.0:
                        wanted[i] += -lower[i, k] * wanted[k]
                wanted[i] = wanted[i] / lower[i, i]
        for back in range(n):
            i = n - 1 - back
            if held[i] == 0.0:
                for k in range(i + 1, n):
                    if held[k] == 0.0:
                        wanted[i] += -lower[k, i] * wanted[k]
                wanted[i] = wanted[i] / lower[i, i]
        part = 1.0   # to the first bound on the way
        first = -1
        where = 0.0
        for i in range(n):
            if held[i] == 0.0:
                way = wanted[i] - result[i]
                if wanted[i] > bounds[1, i] and bounds[1, i] - result[i] < part * way:
                    part = (bounds[1, i] - result[i]) / way
                    first = i
                    where = 1.0
                if wanted[i] < bounds[0, i] and bounds[0, i] - result[i] > part * way:
                    part = (bounds[0, i] - result[i]) / way
                    first = i
                    where = -1.0
        for i in range(n):
            result[i] += part * (wanted[i] - result[i])
        if first >= 0:
            held[first] = where
            result[first] = bounds[1, first] if where > 0.0 else bounds[0, first]
        else:
            worst = RELEASE * largest
            for i in range(n):   # which bound pulls back most
                if held[i] != 0.0 and bounds[0, i] < bounds[1, i]:
                    pull = side[i]
                    for j in range(n):
                        pull += -matrix[i, j] * result[j]
                    if -held[i] * pull > worst:
                        worst = -held[i] * pull
                        first = i
            if first < 0:
                result[n] = 1.0
                break
            held[first] = 0.0


def step_bounds(q: Any, joints: Any, options: Any, bounds: Any, n: int) -> None:
    """
    Put the least and the largest step into ``bounds``.

    Parameters
    ----------
    q : array
        (nq,).
    joints : array
        (n, 4): of each rate its entry of q, -1 where there is none, its limits of position, and
        that of velocity.
    options : array
        (5,): of which are read time step, part of the way to a limit of position that a step may
        take (0 for no limits), and 1 where limits of velocity count.
    bounds : array
        (2, n). Who is beyond a limit comes back as fast as limits of velocity allow.
    n : int
        Number of rates.

    """
    for i in range(n):
        most = math.inf
        if options[4] > 0.0:
            most = joints[i, 3] * options[2]
        bounds[0, i] = -most
        bounds[1, i] = most
        if options[3] > 0.0 and joints[i, 0] >= 0.0:
            place = q[int(joints[i, 0])]
            low = options[3] * (joints[i, 1] - place)
            high = options[3] * (joints[i, 2] - place)
            low = low if low > -most else -most
            high = high if high < most else most
            bounds[0, i] = low if low < most else most
            bounds[1, i] = high if high > -most else -most


def whole_step(rows: Any, q: Any, joints: Any, options: Any, matrix: Any, lower: Any, result: Any,
               m: int, n: int) -> None:
    """Put the step into ``result``; arrays are those of the two above."""
    bounds = np.empty((2, n))
    step_bounds(q, joints, options, bounds, n)
    bounded_step(rows, bounds, options, matrix, lower, result, m, n)


class Workspace(NamedTuple):
    """Arrays of one thread, and their addresses for the two calls of a step."""

    q: Array
    targets: Array
    rows: Array
    joints: Array
    options: Array
    result: Array
    matrices: Array
    to_rows: tuple[int, ...]
    to_step: tuple[int, ...]


class DifferentialStep:
    """
    The step of a robot towards targets of one structure.

    Parameters
    ----------
    model : Model
        The robot.
    kinds : tuple of Kind
        The structure of the targets.

    """

    def __init__(self, model: Model, kinds: tuple[Kind, ...]) -> None:
        program, n = target_rows(kinds, model), model.nv
        self._sizes = model.nq, sum(kind.numbers for kind in kinds), (_count(kinds, model), 1 + n)
        self._kernel = Compiled().kernel(program, model)
        self._world = compile_model(model).world_array
        self._code = loop_code(whole_step, (
            self._sizes[2], (model.nq,), (n, 4), (5,), (n, n), (n, n), (n + 1,)),
            (self._sizes[2][0], n))
        self._call: Callable[..., None] = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 7)(
            self._code.address)
        self.joints = np.full((n, 4), (-1.0, 0.0, 0.0, 0.0))
        self.joints[:, 3] = model.velocity_limits
        entries, rates = state.simple_entries(model)
        self.joints[rates, 0] = entries
        self.joints[rates, 1], self.joints[rates, 2] = model.lower[rates], model.upper[rates]
        self.joints[n - len(model.elastic_names):, 3] = 0.0   # held
        self._held = bool(len(model.elastic_names))
        self._free = n - len(model.elastic_names)
        self._own = threading.local()
        self._evaluate: Callable[..., None] | None = None
        if self._kernel.address is not None:
            self._evaluate = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(self._kernel.address)

    def rows(self, q: Array, targets: Array) -> Array:
        """Return rows of targets and loops (N, m, 1 + nv), error first, then J."""
        rows = np.empty((len(q), *self._sizes[2]))
        self._kernel.run([q, targets], self._world, rows)
        return rows

    def run(self, q: Array, targets: Array, dt: float, gain: float, damping: float, limits: float,
            velocity_limits: bool) -> Array:
        """
        Return (N, nv + 1): steps, then 1 where the least was found, in time.

        Parameters
        ----------
        q, targets : array
            (N, nq) and (N, n).
        dt, gain, damping, limits, velocity_limits
            As in ``differential_inverse_kinematics``.

        """
        work = self._workspace()
        work.options[:] = gain, damping, dt, limits, velocity_limits or self._held
        work.joints[:self._free, 3] = self.joints[:self._free, 3] if velocity_limits else np.inf
        out = np.empty((len(q), len(self.joints) + 1))
        for k, (one, numbers) in enumerate(zip(q, targets)):
            work.q[:], work.targets[:] = one, numbers
            if self._evaluate is None:
                work.rows[:] = self.rows(work.q[None], work.targets[None])[0]
            else:
                self._evaluate(*work.to_rows)
            self._call(*work.to_step)
            out[k] = work.result
        return out

    def _workspace(self) -> Workspace:
        """Return the arrays of this thread."""
        found: Workspace | None = getattr(self._own, 'work', None)
        if found is None:
            (nq, size, rows), n = self._sizes, len(self.joints)
            q, targets, options, result = map(np.empty, (nq, size, 5, n + 1))
            table, joints, matrices = np.empty(rows), self.joints.copy(), np.empty((2, n, n))
            places = [one.ctypes.data for one in (table, q, joints, options, matrices)]
            found = self._own.work = Workspace(
                q, targets, table, joints, options, result, matrices,
                (q.ctypes.data, targets.ctypes.data, self._world.ctypes.data, places[0]),
                (*places, places[-1] + 8 * n * n, result.ctypes.data))
        return found


@owned(most=32)
def differential_step(model: Model, kinds: tuple[Kind, ...]) -> DifferentialStep:
    """Return the step of a robot, made once."""
    return DifferentialStep(model, kinds)
