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
Poses of one link as machine code: damped least squares from many beginnings, in lanes.

A step is traced with symbols, as the formulations are: poses of bodies, the geometric Jacobian,
its normal matrix with a damping of half the squared error, and the step once with all joints and
once without those that a limit stops. A kernel carries out some steps for as many states as a
vector register holds; states are those of a batch, or beginnings for one target.
"""

from __future__ import annotations

from collections.abc import Sequence
import ctypes
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.dynamics.quantities.kinematics import body_poses
from mbd_ros.execution.ir.batch import batch_ir
from mbd_ros.execution.ir.machine_code import MachineCode, vector_lanes
from mbd_ros.execution.ir.sincos import sincos_ir
from mbd_ros.execution.ir.straight_line import declarations_ir, StraightLine, Width
from mbd_ros.execution.unrolled.code import trace_program
from mbd_ros.model import JointType, Model, state
from mbd_ros.model.caches import owned
from mbd_ros.spatial import Rotation, Vector3
from mbd_ros.spatial.dense import factors, solve
from mbd_ros.spatial.logarithm import rotation_vector
from mbd_ros.spatial.vector import absolute, larger, step

Array = NDArray[np.float64]
STEPS = 8
"""Of a call of the kernel for many targets."""
PATIENCE = 5
"""Calls until a beginning is given up: 40 steps; those that arrive take 5 to 20."""
FIRST = 14
"""Steps from where a single robot is before others are tried beside."""
WAVES = (1, 2, 4, 8, 16, 32, 64)
"""Beginnings of a target, wave after wave, until one arrives: 127 together."""
SPREAD = np.pi
"""[rad, m] about zero in which joints without limits begin."""
ROW = 14
"""Of a target: its pose by rows (12), the tolerance, and the most steps, negative to end where any
lane arrives."""
LARGEST = 64
"""Bodies of a robot whose step is written out, those on the way to the link."""
LEAST_DAMPING = 1e-9
CHUNK = 4096
"""Targets at once."""
APART = 1e-4
"""[rad, m] between solutions that are two."""


@owned()
def suits(model: Model) -> bool:
    """Return whether a robot's poses are found so: joints of one coordinate, a tree."""
    return (not model.loops and model.elastic is None and 0 < model.nb <= LARGEST
            and len(state.simple_entries(model)[0]) == model.nq)


class PoseSearch:
    """
    Configurations in which a link of a robot has wanted poses.

    Parameters
    ----------
    model : Model
        A robot that ``suits``.
    link : str
        The link.
    limits : bool
        Whether to keep within limits of position.

    """

    def __init__(self, model: Model, link: str, limits: bool) -> None:
        self._model, width = model, Width(vector_lanes())
        self._lanes, nq = width.lanes, model.nq
        self._kernel = MachineCode(_search_ir(model, link, limits, width))
        self._loop = MachineCode(batch_ir([nq, ROW], nq + 1, width),
                                 addresses=[self._kernel.address('kernel')])
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 4)(
            self._loop.address('batch'))
        self._world = compile_model(model).world_array
        self._world_at = self._world.ctypes.data
        self._own = threading.local()
        low, high = np.asarray(model.lower), np.asarray(model.upper)
        self._moves = np.zeros(nq, bool)
        i = model.links[link].body
        while i >= 0:
            self._moves[model.q_offsets[i]] = True
            i = model.parents[i]
        self.neutral = state.neutral(model)
        self._bounds = (low, high) if limits else (np.full(nq, -np.inf), np.full(nq, np.inf))
        bound = np.isfinite(low) & np.isfinite(high)
        self._low = np.where(bound, low, -SPREAD)
        self._span = np.where(bound, high, SPREAD) - self._low

    def within(self, q: Array) -> Array:
        """Return configurations (nq,) or (N, nq) moved into the limits."""
        return np.minimum(np.maximum(q, self._bounds[0]), self._bounds[1])

    def advance(self, q: Array, targets: Array) -> Array:
        """Return (N, nq + 1) after steps: configurations, and the error before the last."""
        count = len(q)
        if count < self._lanes:   # lanes that nobody asked for repeat the last
            q = np.concatenate((q, np.repeat(q[-1:], self._lanes - count, axis=0)))
            targets = np.concatenate(
                (targets, np.repeat(targets[-1:], self._lanes - count, axis=0)))
        out = np.empty((len(q), q.shape[1] + 1))
        self._call(len(q), q.ctypes.data, targets.ctypes.data, self._world_at, out.ctypes.data)
        return out[:count]

    def run(self, q: Array, targets: Array, tolerance: float) -> tuple[Array, Array]:
        """Return the last configurations (N, nq) from q, and their errors (N,)."""
        left = np.ascontiguousarray(q)
        found, errors = left.copy(), np.full(len(q), np.inf)
        rows = np.empty((len(q), ROW))
        rows[:, :12], rows[:, 12], rows[:, 13] = targets, tolerance, STEPS
        open_ = np.arange(len(q))
        for _ in range(PATIENCE):
            after = self.advance(left, rows)
            found[open_], errors[open_] = after[:, :-1], after[:, -1]
            going = ~(after[:, -1] <= tolerance)
            if not going.any():
                break
            open_, rows = open_[going], np.ascontiguousarray(rows[going])
            left = np.ascontiguousarray(after[going, :-1])
        return found, errors

    def find_one(self, start: Array, target: Array, tolerance: float, seed: int
                 ) -> tuple[Array, float]:
        """Return a configuration (nq,) from a start or anew, and its error: lanes are starts."""
        lanes = self._lanes
        rows, q, out, addresses = self._workspace()
        rows[:, :12], rows[:, 12], rows[:, 13] = target, tolerance, -FIRST
        q[:] = start
        best, error, rng = start, np.inf, None
        for _ in range(1 + -(-sum(WAVES) // lanes)):
            self._call(lanes, *addresses)
            errors = out[:, -1]
            place = int(errors.argmin())
            if errors[place] < error:
                best, error = out[place, :-1].copy(), float(errors[place])
            if error <= tolerance:
                break
            if rng is None:
                rng = np.random.default_rng(seed)
                rows[:, 13] = -STEPS * PATIENCE
            q[:] = self.random(lanes, rng, start)
        return best, error

    def _workspace(self) -> tuple[Array, Array, Array, tuple[int, ...]]:
        """Return arrays of this thread for targets, starts and results, and where they are."""
        own: tuple[Array, Array, Array, tuple[int, ...]] | None = getattr(self._own, 'kept', None)
        if own is None:
            rows, q, out = (np.empty((self._lanes, size)) for size in (
                ROW, self._model.nq, self._model.nq + 1))
            own = self._own.kept = (rows, q, out, (
                q.ctypes.data, rows.ctypes.data, self._world_at, out.ctypes.data))
        return own

    def random(self, count: int, rng: np.random.Generator, start: Array) -> Array:
        """Return configurations (count, nq) within limits; joints elsewhere stay as they are."""
        anew = self._low + rng.random((count, self._model.nq)) * self._span
        return np.asarray(np.where(self._moves, anew, start))

    def find(self, start: Array, targets: Array, tolerance: float, seed: int
             ) -> tuple[Array, Array]:
        """Return configurations (N, nq) from starts (N, nq) or anew, and their errors (N,)."""
        best, error = start.copy(), np.full(len(start), np.inf)
        rng = np.random.default_rng(seed)
        for first in range(0, len(start), CHUNK):
            open_ = np.arange(first, min(first + CHUNK, len(start)))
            for wave in WAVES:
                begin = start[open_] if wave == 1 else self.random(
                    len(open_) * wave, rng, np.repeat(start[open_], wave, axis=0))
                q, left = self.run(begin, np.repeat(targets[open_], wave, axis=0), tolerance)
                # Of beginnings that arrive, the one nearest to where the robot is.
                far = np.abs(q.reshape(len(open_), wave, -1) - start[open_, None]).max(axis=2)
                left = np.where(np.isfinite(left), left, np.inf).reshape(len(open_), wave)
                rank = np.where(left <= tolerance, far * 1e-12, left)
                place = np.argmin(rank, axis=1)
                rows = np.arange(len(open_))
                better = rank[rows, place] < error[open_]
                chosen = q.reshape(len(open_), wave, -1)[rows, place]
                best[open_[better]] = chosen[better]
                error[open_[better]] = left[rows, place][better]
                open_ = open_[~(error[open_] <= tolerance)]
                if not len(open_):
                    break
        return best, error

    def all_of(self, target: Array, tolerance: float, seed: int, beginnings: int) -> Array:
        """Return the solutions (K, nq) that differ, turns of whole circles not counted."""
        rng = np.random.default_rng(seed)
        q, left = self.run(self.random(beginnings, rng, self.neutral),
                           np.tile(target, (beginnings, 1)), tolerance)
        found: list[Array] = []
        turning = np.array([kind is JointType.REVOLUTE for kind in self._model.joint_types])
        for one in q[left <= tolerance]:
            apart = [np.where(turning, np.abs((one - other + np.pi) % (2.0 * np.pi) - np.pi),
                              np.abs(one - other)).max() for other in found]
            if not apart or min(apart) > APART:
                found.append(one)
        return np.array(found).reshape(-1, self._model.nq)


@owned(most=32)
def pose_search(model: Model, link: str, limits: bool) -> PoseSearch:
    """Return the search of a robot, made once."""
    return PoseSearch(model, link, limits)


def _search_ir(model: Model, link: str, limits: bool, width: Width) -> str:
    """Return the IR of ``void kernel(q, target, world, result)``: steps until it arrives."""
    trace, results = trace_program(body_poses(), model)
    q = [trace.input(0, entry) for entry in range(model.nq)]
    target = [trace.input(2, entry) for entry in range(12)]
    after = _step(model, link, limits, results, q, target)
    block = StraightLine('s', {0: '%a0', 1: '%world', 2: '%a1'}, width, common=(1,))
    lines = [sincos_ir(width), declarations_ir(width),
             'define internal void @step(ptr %a0, ptr noalias readonly %a1, '
             'ptr noalias readonly %world, ptr %result) nounwind noinline {',
             *block.compute(trace, after)]
    for entry, value in enumerate(after):
        lines += block.store(value, '%result', entry)
    lanes, kind = width.lanes, width.type
    # Steps in place, until all lanes (or any, for counts below zero) are within the tolerance.
    return '\n'.join([
        *lines, '  ret void', '}', f"""
define void @kernel(ptr noalias readonly %a0, ptr noalias readonly %a1,
    ptr noalias readonly %world, ptr noalias %result) nounwind alignstack({8 * lanes}) {{
  %tolerances = getelementptr {kind}, ptr %a1, i64 12
  %tolerance = load {kind}, ptr %tolerances, align 8
  %counts = getelementptr {kind}, ptr %a1, i64 13
  %wanted = load double, ptr %counts, align 8
  %signed = fptosi double %wanted to i64
  %any = icmp slt i64 %signed, 0
  %turned = sub i64 0, %signed
  %most = select i1 %any, i64 %turned, i64 %signed
  %errors = getelementptr {kind}, ptr %result, i64 {model.nq}
  br label %loop
loop:
  %i = phi i64 [0, %0], [%next, %loop]
  %from = phi ptr [%a0, %0], [%result, %loop]
  call void @step(ptr %from, ptr %a1, ptr %world, ptr %result)
  %error = load {kind}, ptr %errors, align 8
  %open = fcmp ugt {kind} %error, %tolerance
  %bits = bitcast <{lanes} x i1> %open to i{lanes}
  %none = icmp eq i{lanes} %bits, 0
  %some = icmp ne i{lanes} %bits, -1
  %arrived = select i1 %any, i1 %some, i1 %none
  %next = add i64 %i, 1
  %last = icmp sge i64 %next, %most
  %stop = or i1 %arrived, %last
  br i1 %stop, label %done, label %loop
done:
  ret void
}}"""])


def _step(model: Model, link: str, limits: bool, poses: Sequence[Any], q: Sequence[Any],
          target: Sequence[Any]) -> list[Any]:
    """Return the entries of q after a damped step, and the largest entry of the error before."""
    def body(i: int) -> tuple[Rotation, Vector3]:
        entry = poses[16 * i:16 * i + 16]
        return (Rotation(*(Vector3(entry[k], entry[4 + k], entry[8 + k]) for k in range(3))),
                Vector3(entry[3], entry[7], entry[11]))
    frame = model.links[link]
    rotation, origin = body(frame.body)
    place = origin + rotation.apply(Vector3(*frame.translation.tolist()))
    axes = [rotation.apply(Vector3(*frame.rotation[:, k].tolist())) for k in range(3)]
    wanted = [Vector3(target[k], target[4 + k], target[8 + k]) for k in range(3)]
    # R_wanted R^T by columns: sums of outer products of their axes.
    turn = Rotation(*(Vector3(*(sum((wanted[k][row] * axes[k][column] for k in range(1, 3)),
                                    wanted[0][row] * axes[0][column]) for row in range(3)))
                      for column in range(3)))
    error = [*(Vector3(target[3], target[7], target[11]) - place), *rotation_vector(turn)]
    columns: dict[int, list[Any]] = {}
    i = frame.body
    while i >= 0:
        turned, at = body(i)
        axis = turned.z
        columns[model.v_offsets[i]] = [*axis, 0.0, 0.0, 0.0] if (
            model.joint_types[i] is JointType.PRISMATIC) else [*axis.cross(place - at), *axis]
        i = model.parents[i]
    square = sum((one * one for one in error[1:]), error[0] * error[0])
    damping = 0.5 * square + LEAST_DAMPING
    free: dict[int, Any] = dict.fromkeys(columns, 1.0)
    move = _damped(columns, free, error, damping)
    if limits:
        for k in columns:
            low, high = float(model.lower[k]), float(model.upper[k])
            stopped: Any = 0.0
            if np.isfinite(low):   # at it, and on the way beyond
                stopped = (1.0 - step(q[k] - (low + 1e-12))) * step(-move[k])
            if np.isfinite(high):
                stopped = stopped + step(q[k] - (high - 1e-12)) * step(move[k])
            free[k] = 1.0 - stopped
        move = _damped(columns, free, error, damping)
    after: list[Any] = list(q)
    for k, change in move.items():
        value = q[k] + change
        if limits and np.isfinite(model.lower[k]):
            value = larger(value, float(model.lower[k]))
        if limits and np.isfinite(model.upper[k]):
            value = -larger(-value, -float(model.upper[k]))
        after[k] = value
    most = absolute(error[0])
    for one in error[1:]:
        most = larger(most, absolute(one))
    return [*after, most]


def _damped(columns: dict[int, list[Any]], free: dict[int, Any], error: Sequence[Any],
            damping: Any) -> dict[int, Any]:
    """Return ``J^T (J J^T + damping)^-1 error`` of the joints that are free."""
    used = {k: [free[k] * entry for entry in column] for k, column in columns.items()}
    matrix: list[list[Any]] = [[0.0] * 6 for _ in range(6)]
    for i in range(6):
        for j in range(i + 1):
            total: Any = damping if i == j else 0.0
            for k in used:
                total = total + used[k][i] * columns[k][j]
            matrix[i][j] = total
    lower, inverse = factors(matrix)
    solution = solve(lower, inverse, list(error))
    return {k: sum((a * b for a, b in zip(column[1:], solution[1:])), column[0] * solution[0])
            for k, column in used.items()}
