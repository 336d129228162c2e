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

"""Compiled solvers of ``small_systems`` and ``underactuated_loops``, one for each size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import functools
import math

from mbd_ros.control.udwadia_kalaba.equation import constrained_acceleration, ConstrainedSolution
from mbd_ros.control.udwadia_kalaba.rank_facts import clear, CONFLICT, FACTS, KEPT, RANK
from mbd_ros.control.udwadia_kalaba.robot_code import LARGEST, padded
from mbd_ros.control.udwadia_kalaba.small_systems import (
    constrained_motion, least_step, limited_step, shortest_step)
from mbd_ros.control.udwadia_kalaba.underactuated_loops import reached_motion
from mbd_ros.execution.compiled_calls.fast_call import fast_call
from mbd_ros.execution.ir.loop_code import loop_code, LoopCode
from mbd_ros.simulation.manifold import Matrix, Vector
from mbd_ros.spatial.rank_thresholds import CLEARLY_REGULAR, CONSTRAINT_CONFLICT

WRITTEN_OUT = 2000
"""Multiplications up to which loops are written out: each takes a millisecond to compile."""


@functools.lru_cache(maxsize=64)
def solver(n: int, m: int, passive: int) -> LoopCode:
    """Return ``constrained_motion`` for numbers of velocities, of rows, and of passive entries."""
    return loop_code(constrained_motion,
                     [(n, n), (n,), (m, n), (m,), (2 * (n + m) + FACTS,)],
                     [n, m, passive, padded(m + 1)], written_out=_is_small(n, m))


@functools.lru_cache(maxsize=64)
def step_solver(n: int, m: int, *, weighted: bool = True) -> LoopCode:
    """Return ``least_step``, or ``shortest_step`` without the weight M."""
    shapes = [(m, n), (m,), (n + FACTS,)]
    return loop_code(least_step if weighted else shortest_step, [(n, n)] * weighted + shapes,
                     [n, m, padded(m)], written_out=_is_small(n, m))


@functools.lru_cache(maxsize=64)
def limited_solver(n: int, m: int) -> LoopCode:
    """Return ``limited_step`` for numbers of velocities and of rows."""
    return loop_code(limited_step, [(n, n), (m, n), (m,), (1,), (n + FACTS,)],
                     [n, m, padded(m)])


@functools.lru_cache(maxsize=64)
def limited_entry(n: int, m: int) -> Callable[..., Vector | None]:
    """Return ``(M, A, d, limit)``, flat, to the result of ``limited_step``, from Python."""
    return _called(limited_solver(n, m), (n * n, m * n, m, 1), n + FACTS, 'limited_step')


@functools.lru_cache(maxsize=64)
def reached_solver(n: int, m: int, loops: int, drives: int) -> LoopCode:
    """Return ``reached_motion`` for numbers of velocities, of rows and those of loops, drives."""
    return loop_code(reached_motion,
                     [(n, n), (n,), (m, n), (m,), (drives,), (2 * (n + m) + FACTS,)],
                     [n, m, loops, drives, padded(loops), padded(drives), padded(m - loops + 1)])


def quick_constrained_acceleration(
    M: Matrix, force: Vector, rows: Matrix, right_side: Vector, *, tolerance: float,
    joint_names: Sequence[str],
) -> ConstrainedSolution:
    """
    Return what ``constrained_acceleration`` returns for arrays of float64, or raise as it does.

    Where the rank is clear it comes from machine code, as views of one new array.
    """
    m, n = rows.shape
    if 0 < m <= LARGEST and 0 < n <= LARGEST:
        result = _entry(n, m)(M.ravel(), force, rows.ravel(), right_side)
        solution = None if result is None else clear_solution(
            result, n, m, max(CLEARLY_REGULAR, tolerance * tolerance))
        if solution is not None:
            return solution
    return constrained_acceleration(M, force, rows, right_side, tolerance=tolerance,
                                    joint_names=joint_names)


def clear_solution(result: Vector, n: int, m: int, least: float) -> ConstrainedSolution | None:
    """
    Return the solution that ``constrained_motion`` wrote, None where its rank is not clear.

    ``least`` is the smallest squared independent part of a row for a clear rank.
    """
    end = 2 * (n + m)
    facts = result[end:end + FACTS].tolist()
    if not clear(facts, least):
        return None
    return ConstrainedSolution(
        result[:n], result[n:2 * n], result[2 * n:2 * n + m], int(facts[RANK]),
        result[2 * n + m:end], is_conflicting(facts, m), math.sqrt(facts[KEPT]))


def is_conflicting(facts: Sequence[float], m: int) -> bool:
    """Return whether some of m rows contradict each other."""
    return facts[RANK] < m and facts[CONFLICT] > CONSTRAINT_CONFLICT


@functools.lru_cache(maxsize=64)
def _entry(n: int, m: int) -> Callable[..., Vector | None]:
    """Return ``(M, Q, A, b)``, flat, to the result of ``constrained_motion``, from Python."""
    return _called(solver(n, m, 0), (n * n, n, m * n, m), 2 * (n + m) + FACTS,
                   'constrained_motion')


def _called(code: LoopCode, sizes: Sequence[int], size: int, name: str
            ) -> Callable[..., Vector | None]:
    """Return machine code as a function of Python; None for what is not finite."""
    def not_finite(*arguments: object) -> None:
        assert code, 'kept alive as long as the function that calls it'
    return fast_call(code.address, sizes, (), (size,), not_finite, name, 'a small system')


def _is_small(n: int, m: int) -> bool:
    """Return whether loops are written out: factors, columns, and to make these orthogonal."""
    return n**3 / 6 + n * n * m / 2 + 2 * n * m * m < WRITTEN_OUT
