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
Configurations that meet targets: damped least squares from many beginnings, in lanes.

The kernel of ``search_step.py`` carries out steps for as many states as a vector register holds:
those of a batch, or beginnings of one state. The first beginning is where the robot is, others are
random, the same ones for each call with the same seed.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
import ctypes
import math
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.inverse_kinematics.search_step import search_code, search_step
from mbd_ros.dynamics.inverse_kinematics.targets import Kind
from mbd_ros.dynamics.loops.closure import turned_over
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.execution.ir.batch import batch_ir
from mbd_ros.execution.ir.differentiation import evaluate
from mbd_ros.execution.ir.machine_code import MachineCode, vector_lanes
from mbd_ros.execution.ir.straight_line import Width
from mbd_ros.execution.unrolled.code import trace_program
from mbd_ros.model import JointType, Model, state
from mbd_ros.model.caches import owned

Array = NDArray[np.float64]
STEPS, PATIENCE = 8, 5
"""Of a call of the kernel for many targets, and calls until a beginning is given up: 40 steps;
those that arrive take 5 to 20."""
FIRST = 14
"""Steps from where a single robot is before others are tried beside."""
LAST = 200
"""Steps from the best places where nothing arrived, towards the nearest one."""
WAVES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""Beginnings of a state, wave after wave, until one arrives."""
SPREAD = np.pi
"""[rad, m] about zero in which joints without limits begin."""
SCALES = (0.1, 0.3, 1.0)
"""Parts of the way to a random configuration at which robots with loops begin: far from where
loops are closed many arrive with an axis turned over."""
CHUNK = 1024
"""States at once, with random numbers of their own whichever thread takes them."""
APART = 1e-4
"""[rad, m] between solutions that are two."""
CURVE = 64
"""Solutions that are too many to be points: an arm with six hinges has 16 at most."""
ROUNDING = 1e-9
"""[rad, m] beyond a limit that is at it, the error that a solution has itself."""
SEEN_OFTEN = 12
"""All solutions are there when each has been found so often: one that is found as often as the
others is missed with a probability of exp(-12) then."""


class Search:
    """
    Configurations of a robot that meet targets of one structure.

    Parameters
    ----------
    model : Model
        The robot.
    kinds : tuple of Kind
        The structure of the targets.
    limits : bool
        Whether to keep within limits of position.
    interpreted : bool
        Whether the trace of the step is carried out operation by operation.

    """

    def __init__(self, model: Model, kinds: tuple[Kind, ...], limits: bool,
                 interpreted: bool = False) -> None:
        self._model, width, nq = model, Width(vector_lanes()), model.nq
        self._program = search_step(kinds, model, limits)
        self._size = sum(kind.numbers for kind in kinds) + 2
        self._lanes = width.lanes
        self._world = compile_model(model).world_array
        self._call: Callable[..., Any]
        if interpreted:
            self._call = self._one_by_one()
        else:
            self._kernel = search_code(self._program, model, width)
            self._loop = MachineCode(batch_ir([nq, self._size], nq + 1, width),
                                     addresses=[self._kernel.address('kernel')])
            self._call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 4)(
                self._loop.address('batch'))
        self._world_at = self._world.ctypes.data
        self._own = threading.local()
        self.neutral = state.neutral(model)
        self._entries, rates = state.simple_entries(model)
        low, high = np.asarray(model.lower)[rates], np.asarray(model.upper)[rates]
        self._lower, self._upper = np.full(nq, -np.inf), np.full(nq, np.inf)
        if limits:
            self._lower[self._entries], self._upper[self._entries] = low, high
        bound = np.isfinite(low) & np.isfinite(high)
        self._low = np.where(bound, low, -SPREAD)
        self._span = np.where(bound, high, SPREAD) - self._low
        self._moves = self._moving(kinds)
        self._turning = np.zeros(nq, bool)
        self._turning[self._entries] = [
            kind is JointType.REVOLUTE for kind in model.joint_types if kind.nv == 1]

    def _moving(self, kinds: tuple[Kind, ...]) -> NDArray[np.bool_]:
        """Return which entries of q targets and loops can move."""
        model = self._model
        moves = np.zeros(model.nq, bool)
        moves[self._entries] = True
        for joint in state.curved_joints(model):
            moves[joint.q] = True
        if model.loops or any(kind.name == 'center of mass' for kind in kinds):
            return moves
        on_the_way = np.zeros(model.nq, bool)
        for link in (link for kind in kinds for link in kind.links):
            i = model.links[link].body
            while i >= 0:
                first = model.q_offsets[i]
                on_the_way[first:first + model.joint_types[i].nq] = True
                i = model.parents[i]
        return on_the_way

    def _one_by_one(self) -> Callable[..., Any]:
        """Return what carries out the steps of a trace on rows of floats, one after the other."""
        trace, results = trace_program(self._program, self._model)
        nq, world = self._model.nq, self._world.tolist()

        def steps(count: int, *addresses: int) -> None:
            q, targets, _, out = (np.ctypeslib.as_array(
                ctypes.cast(address, ctypes.POINTER(ctypes.c_double)), (count, size))
                for address, size in zip(addresses, (nq, self._size, 1, nq + 1)))
            out[:, :nq] = q
            for row, numbers in zip(out, targets.tolist()):
                inputs: dict[tuple[int | str, int], Any] = {}
                for _ in range(int(abs(numbers[-1]))):
                    for argument, entries in enumerate((row[:nq].tolist(), numbers, world)):
                        inputs.update(((argument, k), one) for k, one in enumerate(entries))
                    row[:] = evaluate(trace, results, inputs)
                    if row[nq] <= numbers[-2]:
                        break
        return steps

    def within(self, q: Array) -> Array:
        """Return configurations (nq,) or (N, nq) moved into the limits."""
        return np.minimum(np.maximum(q, self._lower), self._upper)

    def advance(self, q: Array, rows: Array) -> Array:
        """Return (N, nq + 1) after steps: configurations, and the error before the last."""
        count = len(q)
        if count < self._lanes:   # lanes that nobody asked for repeat the last
            q = np.concatenate((q, np.repeat(q[-1:], self._lanes - count, axis=0)))
            rows = np.concatenate((rows, np.repeat(rows[-1:], self._lanes - count, axis=0)))
        q, rows = np.ascontiguousarray(q), np.ascontiguousarray(rows)
        out = np.empty((len(q), self._model.nq + 1))
        self._call(len(q), q.ctypes.data, rows.ctypes.data, self._world_at, out.ctypes.data)
        return out[:count]

    def run(self, q: Array, targets: Array, tolerance: float, calls: int = PATIENCE,
            steps: int = STEPS) -> tuple[Array, Array]:
        """Return the last configurations (N, nq) from q, and their errors (N,)."""
        left, found, errors = q, q.copy(), np.full(len(q), np.inf)
        rows = np.empty((len(q), self._size))
        rows[:, :-2], rows[:, -2], rows[:, -1] = targets, tolerance, steps
        open_ = np.arange(len(q))
        for _ in range(calls if len(q) else 0):
            after = self.advance(left, rows)
            found[open_], errors[open_] = after[:, :-1], after[:, -1]
            going = ~(after[:, -1] <= tolerance)
            if not going.any():
                break
            open_, rows, left = open_[going], rows[going], after[going, :-1]
        return found, np.where(np.isfinite(errors), errors, np.inf)

    def find_one(self, start: Array, target: Array, tolerance: float, seed: int,
                 steps: int = FIRST) -> tuple[Array, float]:
        """Return a configuration (nq,) from a start or anew, and its error: lanes are starts."""
        lanes = self._lanes
        rows, q, out, addresses = self._workspace()
        rows[:, :-2], rows[:, -2], rows[:, -1] = target, tolerance, -steps
        q[:] = start
        self._call(lanes, *addresses)
        errors: list[float] = out[:, -1].tolist()
        if errors[0] <= tolerance and not self._model.loops:
            return out[0, :-1].copy(), errors[0]
        begun = 0
        starts = self._starts(seed)
        best = [(errors[0], out[0, :-1].copy())]
        rows[:, -1] = -STEPS * PATIENCE
        while True:
            for place in np.argsort(out[:, -1]).tolist():
                error = errors[place]
                if error <= tolerance and not self._is_turned_over(out[place, :-1]):
                    return out[place, :-1].copy(), error
                if math.isfinite(error):
                    best.append((error, out[place, :-1].copy()))
            if begun >= len(starts):
                break
            q[:] = self._from(starts[begun:begun + lanes], start)
            begun += lanes
            self._call(lanes, *addresses)
            errors = out[:, -1].tolist()
        best.sort(key=lambda one: one[0])
        rows[:, -1], q[:] = LAST, [(best * lanes)[k][1] for k in range(lanes)]
        self._call(lanes, *addresses)
        best += [(error, one[:-1].copy()) for error, one in zip(out[:, -1].tolist(), out)
                 if math.isfinite(error)]
        return self._nearest(best)

    def _nearest(self, found: list[tuple[float, Array]]) -> tuple[Array, float]:
        """Return the nearest configuration whose loops are not turned over, or one that is."""
        found.sort(key=lambda one: one[0])
        for error, one in found[:100 if self._model.loops else 1]:
            if not self._is_turned_over(one):
                return one, error
        return found[0][1], np.inf

    def _is_turned_over(self, q: Array) -> bool:
        """Return whether loops are closed with axes against each other."""
        return bool(self._model.loops) and turned_over(compile_model(self._model), q)

    def _workspace(self) -> tuple[Array, Array, Array, tuple[int, ...]]:
        """Return arrays of this thread for targets, starts and results, and where they are."""
        own: tuple[Array, Array, Array, tuple[int, ...]] | None = getattr(self._own, 'kept', None)
        if own is None:
            rows, q, out = (np.empty((self._lanes, size)) for size in (
                self._size, self._model.nq, self._model.nq + 1))
            own = self._own.kept = (rows, q, out, (
                q.ctypes.data, rows.ctypes.data, self._world_at, out.ctypes.data))
        return own

    def _starts(self, seed: int) -> Array:
        """Return random configurations (K, nq), K a multiple of the lanes."""
        kept: tuple[int, Array] | None = getattr(self._own, 'starts', None)
        if kept is None or kept[0] != seed:
            count = -(-sum(WAVES[1:]) // self._lanes) * self._lanes
            kept = self._own.starts = (seed, self._drawn(count, np.random.default_rng(seed)))
        return kept[1]

    def _drawn(self, count: int, rng: np.random.Generator) -> Array:
        """Return random configurations (count, nq)."""
        q = np.tile(self.neutral, (count, 1))
        q[:, self._entries] = self._low + rng.random((count, len(self._entries))) * self._span
        for joint in state.curved_joints(self._model):
            q[:, joint.q] = joint.manifold.draw(rng, count)
        return q

    def _from(self, anew: Array, start: Array) -> Array:
        """Return random beginnings for starts (nq,) or (K, nq): what does not move stays."""
        if self._model.loops:   # see SCALES
            scales = np.resize(SCALES, len(anew))[:, None]
            begin = np.broadcast_to(start, anew.shape)
            anew = begin + scales * (anew - begin)
            for joint in state.curved_joints(self._model):
                unit = anew[:, joint.unit]
                anew[:, joint.unit] = unit / np.linalg.norm(unit, axis=1, keepdims=True)
        return np.asarray(np.where(self._moves, anew, start))

    def find(self, start: Array, targets: Array, tolerance: float, seed: int, threads: int = 1
             ) -> tuple[Array, Array]:
        """Return configurations (N, nq) from starts (N, nq) or anew, and their errors (N,)."""
        shares = [slice(first, first + CHUNK) for first in range(0, len(start), CHUNK)]

        def do(share: slice) -> tuple[Array, Array]:
            return self._find(start[share], targets[share], tolerance,
                              np.random.default_rng((seed, share.start)))
        if threads == 1 or len(shares) < 2:
            found = [do(share) for share in shares]
        else:
            with ThreadPoolExecutor(threads) as pool:
                found = list(pool.map(do, shares))
        if not found:
            return start.copy(), np.zeros(0)
        q, errors = zip(*found)
        return np.concatenate(q), np.concatenate(errors)

    def _find(self, start: Array, targets: Array, tolerance: float, rng: np.random.Generator
              ) -> tuple[Array, Array]:
        """Return the same of some states."""
        best, error = start.copy(), np.full(len(start), np.inf)
        open_ = np.arange(len(start))
        for wave in WAVES:
            begin = start[open_] if wave == 1 else self._from(
                self._drawn(len(open_) * wave, rng), np.repeat(start[open_], wave, axis=0))
            q, left = self.run(begin, np.repeat(targets[open_], wave, axis=0), tolerance)
            if self._model.loops:
                over = [self._is_turned_over(one) for one in q[left <= tolerance]]
                left[np.flatnonzero(left <= tolerance)[over]] = np.inf
            # Of beginnings that arrive, the one nearest to where the robot is.
            shaped = q.reshape(len(open_), wave, -1)
            far, left = np.abs(shaped - start[open_, None]).max(axis=2), left.reshape(-1, wave)
            place = np.argmin(np.where(left <= tolerance, far * 1e-12, left), axis=1)
            rows = np.arange(len(open_))
            better = left[rows, place] < error[open_]
            best[open_[better]] = shaped[rows, place][better]
            error[open_[better]] = left[rows, place][better]
            open_ = open_[~(error[open_] <= tolerance)]
            if not len(open_):
                return best, error
        q, left = self.run(best[open_], targets[open_], tolerance, 1, LAST)   # the nearest
        better = (left < error[open_]) & ~np.array([self._is_turned_over(one) for one in q])
        best[open_[better]], error[open_[better]] = q[better], left[better]
        return best, error

    def attempts(self, start: Array, targets: Array, tolerance: float, seed: int, attempts: int,
                 iterations: int) -> tuple[Array, Array]:
        """Return the same after so many beginnings of so many steps, one wave after the other."""
        rng = np.random.default_rng(seed)
        best, error, open_ = start.copy(), np.full(len(start), np.inf), np.arange(len(start))
        for attempt in range(attempts):
            begin = start[open_] if not attempt else self._from(
                self._drawn(len(open_), rng), start[open_])
            q, left = self.run(begin, targets[open_], tolerance, 1, iterations)
            left[[self._is_turned_over(one) for one in q]] = np.inf
            better = left < error[open_]
            best[open_[better]], error[open_[better]] = q[better], left[better]
            open_ = open_[~(error[open_] <= tolerance)]
            if not len(open_):
                break
        return best, error

    def all_of(self, target: Array, start: Array, tolerance: float, seed: int, most: int
               ) -> tuple[Array, Array, bool]:
        """
        Return the solutions (K, nq) that differ, their errors, and whether these are all.

        It begins anew, in waves, until each of them has been found ``SEEN_OFTEN`` times, or until
        ``most`` beginnings. Limits are for the search without them: turns that differ by whole
        ones are one solution, that nearest to ``start`` (nq,) within limits of position. Where
        there are more than ``CURVE`` they are points of curves.
        """
        rng, begun, wave = np.random.default_rng(seed), 0, 256
        found, errors, often = np.zeros((0, self._model.nq)), np.zeros(0), np.zeros(0, int)
        while begun < most and len(found) <= CURVE:
            count = min(wave, most - begun)
            q, left = self.run(self._from(self._drawn(count, rng), start),
                               np.tile(target, (count, 1)), tolerance)
            begun += count
            for one, error in zip(q[left <= tolerance], left[left <= tolerance]):
                apart = one - found
                turns = np.abs((apart + np.pi) % (2.0 * np.pi) - np.pi)
                near = np.where(self._turning, turns, np.abs(apart)).max(axis=1) <= APART
                if near.any():
                    often[near.argmax()] += 1
                else:
                    found, errors = np.vstack((found, one)), np.append(errors, error)
                    often = np.append(often, 1)
            if len(often) and often.min() >= SEEN_OFTEN:
                break
        return found, errors, len(found) <= CURVE

    def at_turns(self, q: Array, start: Array, lower: Array, upper: Array) -> Array:
        """
        Return configurations (N, nq) at the turns nearest to a start, within limits of q.

        Where no turn is within them, an entry is NaN.
        """
        turn = np.where(self._turning, 2.0 * np.pi, np.inf)
        with np.errstate(invalid='ignore'):   # infinite limits and turns
            least = np.where(self._turning, np.ceil((lower - ROUNDING - q) / turn), 0.0)
            largest = np.where(self._turning, np.floor((upper + ROUNDING - q) / turn), 0.0)
            wanted = np.where(self._turning, np.round((start - q) / turn), 0.0)
        turns = np.minimum(np.maximum(wanted, least), largest)
        moved = q + np.where(self._turning, 2.0 * np.pi * turns, 0.0)
        inside = (moved >= lower - ROUNDING) & (moved <= upper + ROUNDING)
        return np.where(inside, np.minimum(np.maximum(moved, lower), upper), np.nan)


@owned(most=32)
def search(model: Model, kinds: tuple[Kind, ...], limits: bool, interpreted: bool = False
           ) -> Search:
    """Return the search of a robot, made once."""
    return Search(model, kinds, limits, interpreted)
