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
Symmetric positive definite systems of blocks that couple along a chain or a tree.

There is one step: a block is eliminated, which leaves something to the blocks it couples with. The
solutions differ in the order of the blocks, and in how many go side by side.

References
----------
Golub and Van Loan, Matrix computations, section 4.5: block tridiagonal systems, cyclic reduction.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
import math
from typing import Any

import numpy as np

from mbd_ros.execution.ir.trace import Symbol
from mbd_ros.execution.stacks.steps import along, each, Stack, Step
from mbd_ros.spatial import or_nan
from mbd_ros.spatial.dense import factors, solve

SHORT = 32
"""Blocks up to which a chain is one chunk; chunks at most: two threads with eight lanes, twice."""
NOTHING = 16.0
"""Pivots below so many roundings of their own diagonal entry, per row, are none."""


def solve_definite(matrix: Stack, right: Stack) -> Stack:
    """
    Solve systems with symmetric positive definite matrices.

    Parameters
    ----------
    matrix : array
        (..., b, b), of floats or of counted scalars.
    right : array
        (..., b, k).

    Returns
    -------
    array
        (..., b, k); NaN where the matrix is not definite beyond rounding.

    """
    if matrix.dtype == object:
        return solve_block(matrix, right, doubtful=True)
    scale = np.sqrt(np.einsum('...ii->...i', matrix))
    unit = matrix / scale[..., None] / scale[..., None, :]
    pivots = np.square(np.einsum('...ii->...i', _cholesky(unit)))
    sound = pivots.min(axis=-1, initial=np.inf) > NOTHING * pivots.shape[-1] * np.finfo(float).eps
    unit = np.where(sound[..., None, None], unit, np.eye(unit.shape[-1]))
    found = np.linalg.solve(unit, right / scale[..., None]) / scale[..., None]
    return np.where(sound[..., None, None], found, np.nan)


def _cholesky(matrices: Stack) -> Stack:
    try:
        return np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:   # one of them at least: which?
        if matrices.ndim == 2:
            return np.zeros_like(matrices)
        return np.stack([_cholesky(one) for one in matrices])


def solve_block(matrix: Stack, right: Stack, doubtful: bool = False) -> Stack:
    """
    Solve systems (..., b, b) that are definite without a doubt, in scalars of any kind.

    Symbols may stand for ``doubtful`` ones: NaN where a pivot is rounding.
    """
    many = np.broadcast_shapes(matrix.shape[:-2], right.shape[:-2])
    matrices = np.broadcast_to(matrix, many + matrix.shape[-2:]).reshape(-1, *matrix.shape[-2:])
    rights = np.broadcast_to(right, many + right.shape[-2:]).reshape(-1, *right.shape[-2:])
    found = []
    for one, columns in zip(matrices.tolist(), np.swapaxes(rights, -1, -2).tolist()):
        lower, inverse = factors(one)
        if doubtful:
            inverse = [_sound(one[k][k], pivot, len(one)) for k, pivot in enumerate(inverse)]
        found.append([solve(lower, inverse, column) for column in columns])
    stack = np.empty((len(found), *rights.shape[:0:-1]), dtype=object)
    stack[...] = found
    return np.swapaxes(stack, -1, -2).reshape(many + right.shape[-2:])


def _sound(entry: Any, inverse: Any, size: int) -> Any:
    """Return the inverse of a pivot, NaN where it is rounding beside the matrix's entry."""
    if not isinstance(inverse, Symbol):
        return inverse
    return 1.0 / or_nan(1.0 / inverse, entry * (NOTHING * size * np.finfo(float).eps))


def transposed(matrix: Stack) -> Stack:
    """Return matrices (..., m, n) as (..., n, m)."""
    return np.swapaxes(matrix, -1, -2)


def eliminated(diagonal: Stack, right: Stack, *couplings: Stack) -> tuple[Stack, ...]:
    """
    Eliminate a block.

    Parameters
    ----------
    diagonal, right : array
        (..., b, b) and (..., b, k) of its row.
    *couplings : array
        (..., b, b): its row, in the columns of each block that it couples with.

    Returns
    -------
    tuple of array
        Its solution without the others, (..., b, k); for each of them the gain (..., b, b) by
        which theirs is subtracted, then what adds to its right side; then for each pair of them,
        the first before or the same as the second, what adds to the row of the second in the
        column of the first.

    """
    b, count = diagonal.shape[-1], len(couplings)
    sides = solve_block(diagonal, np.concatenate([*couplings, right], axis=-1))
    own, gains = sides[..., count * b:], [sides[..., k * b:(k + 1) * b] for k in range(count)]
    backs = [transposed(-block) for block in couplings]
    return (own, *gains, *(back @ own for back in backs),
            *(symmetric(backs[j] @ gains[k]) if j == k else backs[j] @ gains[k]
              for j in range(count) for k in range(j + 1)))


def symmetric(matrix: Stack) -> Stack:
    """Return the matrices (..., b, b) with these lower triangles."""
    lower = np.tri(matrix.shape[-1], dtype=bool)
    return np.where(lower, matrix, transposed(matrix))


eliminate = each(eliminated)


@each
def substituted(own: Stack, *gains_and_others: Stack) -> Stack:
    """Return the solution of a block: its own without the gains (b, b) times those of others."""
    count = len(gains_and_others) // 2
    for gain, other in zip(gains_and_others[:count], gains_and_others[count:]):
        own = own - gain @ other
    return own


def eliminate_tree(diagonal: Stack, couplings: Mapping[tuple[int, int], Stack], right: Stack,
                   threads: int = 1) -> Stack:
    """
    Solve a system whose blocks couple as the joints of a tree.

    Eliminated from the last to the first, joints leave no coupling behind that is not there: all
    joints of a body couple anyway.

    Parameters
    ----------
    diagonal, right : array
        (n, N, b, b) and (n, N, b, k).
    couplings : mapping
        For joints i > j of one body the block (1, N, b, b) in row i and column j.
    threads : int
        How many share the N.

    Returns
    -------
    array
        (n, N, b, k).

    """
    rows, rights, left = [*diagonal[:, None]], [*right[:, None]], dict(couplings)
    inner: list[list[int]] = [[] for _ in rows]
    for i, j in sorted(left):
        inner[i].append(j)
    gains: list[list[Stack]] = [[] for _ in rows]
    for i in reversed(range(len(rows))):
        others = inner[i]
        rights[i], *found = eliminate(rows[i], rights[i], *(left[i, j] for j in others),
                                      threads=threads)
        gains[i], adding = found[:len(others)], iter(found[len(others):])
        for j in others:
            rights[j] = rights[j] + next(adding)
        for place, j in enumerate(others):
            for k in others[:place]:
                left[j, k] = left[j, k] + next(adding)
            rows[j] = rows[j] + next(adding)
    for i, others in enumerate(inner):
        if others:
            rights[i] = substituted(rights[i], *gains[i], *(rights[j] for j in others))
    return np.concatenate(rights)


def inwards(diagonal_more: Stack, right_more: Stack, diagonal: Stack, inner: Stack, right: Stack
            ) -> tuple[Stack, ...]:
    """Eliminate a block of a chain: what that does to the next one, and what is left of it."""
    own, gain, more, less = eliminated(diagonal + diagonal_more, right + right_more, inner)
    return less, more, own, gain


def outwards(before: Stack, own: Stack, gain: Stack) -> tuple[Stack, Stack]:
    """Return the solution of a block, twice."""
    found = own - gain @ before
    return found, found


def eliminate_chain(diagonal: Stack, inner: Stack, right: Stack, threads: int = 1) -> Stack:
    """
    Solve a block tridiagonal system one block after the other: block Thomas, O(n) depth.

    Parameters
    ----------
    diagonal, right : array
        (n, N, b, b) and (n, N, b, k).
    inner : array
        (n, N, b, b): in row i the block of column i - 1; that of row 0 is zero.
    threads : int
        How many share the N.

    Returns
    -------
    array
        (n, N, b, k).

    """
    nothing = np.zeros_like(right[0], dtype=float)
    _, (own, gain) = along(inwards, (np.zeros_like(diagonal[0], dtype=float), nothing),
                           (diagonal, inner, right), threads=threads, reverse=True)
    return along(outwards, (nothing,), (own, gain), threads=threads)[1][0]


def reduce_cyclically(diagonal: Stack, inner: Stack, right: Stack) -> Stack:
    """
    Solve a block tridiagonal system by cyclic reduction: O(log n) depth.

    Every other block is eliminated, all at once; those that are left couple as a chain again.
    Arguments and result are those of ``eliminate_chain``.
    """
    n = len(diagonal)
    if n == 1:
        return eliminate(diagonal, right)[0]
    pairs = n // 2
    # Of the odd blocks: their rows in the columns of the one after, and of the one before.
    after = transposed(inner[2::2])
    if n % 2 == 0:   # the last one has none after it
        after = np.concatenate([after, np.zeros_like(inner[:1])])
    own, gain_after, gain, more_after, more, less_after, across, less = eliminate(
        diagonal[1::2], right[1::2], after, inner[1::2])
    diagonal, right, behind = diagonal[::2].copy(), right[::2].copy(), (n - 1) // 2
    diagonal[:pairs] += less
    right[:pairs] += more
    diagonal[1:] += less_after[:behind]
    right[1:] += more_after[:behind]
    found = np.zeros((n + 1, *right.shape[1:]), dtype=right.dtype)
    found[:n:2] = reduce_cyclically(
        diagonal, np.concatenate([np.zeros_like(inner[:1]), transposed(across)[:behind]]), right)
    found[1:n:2] = substituted(own, gain, gain_after, found[:n - 1:2], found[2::2])
    return found[:n]


def between(diagonal_more: Stack, right_more: Stack, outer: Stack, outer_diagonal: Stack,
            outer_right: Stack, diagonal: Stack, inner: Stack, right: Stack
            ) -> tuple[Stack, ...]:
    """
    Eliminate a block of a chunk, which couples with the next one and with the separator behind.

    Handed on are what that does to the next one, the row of the next one in the columns of the
    separator, and what all together do to the separator.
    """
    own, gain, fill, more, more_outer, less, across, less_outer = eliminated(
        diagonal + diagonal_more, right + right_more, inner, outer)
    return (less, more, transposed(across), outer_diagonal + less_outer, outer_right + more_outer,
            own, gain, fill)


def outwards_between(before: Stack, own: Stack, gain: Stack, fill: Stack, behind: Stack
                     ) -> tuple[Stack, Stack]:
    """Return the solution of a block of a chunk, twice."""
    found = own - gain @ before - fill @ behind
    return found, found


def eliminate_chunks(row: Step, stacks: Sequence[Stack], count: int, threads: int = 1) -> Stack:
    """
    Solve a block tridiagonal system in chunks, which are shared among threads.

    Before each chunk stands a separator. A chunk is eliminated from its end on; what it leaves to
    the two separators beside it makes these a chain. Each row is made where it is eliminated, and
    not kept.

    Parameters
    ----------
    row : callable
        From elements of the stacks to diagonal, inner and right of their row, see
        ``eliminate_chain``.
    stacks : sequence of array
        (n, N, ...); axes of length one stand for all.
    count : int
        Number of chunks at most; of each at least one block.
    threads : int
        How many share the chunks.

    Returns
    -------
    array
        (n, N, b, k).

    """
    n, many = np.broadcast_shapes(*(stack.shape[:2] for stack in stacks))
    count = min(count, n // 2)
    if count < 2:
        diagonal, inner, right = each(row)(*stacks, threads=threads)
        return eliminate_chain(diagonal, inner, right, threads)
    size = n // count   # a separator and its chunk
    left = n - count * size   # what is left over stands before all others, as separators do
    stacks = [stack if stack.shape[:2] == (n, many) else np.broadcast_to(
        stack, (n, many, *stack.shape[2:])) for stack in stacks]   # which takes NumPy a while

    def cut(stack: Stack) -> Stack:
        """Return chunks (size - 1, count * N, ...)."""
        parts = np.swapaxes(stack[left:].reshape(count, size, *stack.shape[1:]), 0, 1)
        return parts.reshape(size, count * many, *stack.shape[2:])[1:]

    def flat(stack: Stack) -> Stack:
        """Return what separators have, (count * N, ...)."""
        return stack[left:].reshape(count * many, *stack.shape[2:])

    heads = np.array([*range(left), *range(left, n, size)])
    diagonal, inner, right = (np.array(one) for one in each(row)(
        *(stack[heads] for stack in stacks)))
    none, nothing = np.zeros_like(flat(diagonal)), np.zeros_like(flat(right))
    handed, (own, gain, fill) = along(
        _on_rows(between, row, 5), (none, nothing, _behind(transposed(flat(inner)), many), none,
                                    nothing), [cut(stack) for stack in stacks],
        threads=threads, reverse=True)
    less, more, across, less_outer, more_outer = (
        one.reshape(count, many, *one.shape[1:]) for one in handed)
    diagonal[left:] += less
    right[left:] += more
    inner[left + 1:] = transposed(across)[:-1]
    diagonal[left + 1:] += less_outer[:-1]
    right[left + 1:] += more_outer[:-1]
    separators = eliminate_chain(diagonal, inner, right)
    before = flat(separators)
    behind = np.broadcast_to(_behind(before, many), own.shape)
    _, (inside,) = along(outwards_between, (before,), (own, gain, fill, behind), threads=threads)
    found = np.empty_like(separators, shape=(n, *separators.shape[1:]))
    found[heads] = separators
    parts = found[left:].reshape(count, size, *found.shape[1:])
    parts[:, 1:] = np.swapaxes(inside.reshape(size - 1, count, *found.shape[1:]), 0, 1)
    return found


@lru_cache(maxsize=64)
def _on_rows(step: Step, row: Step, handed: int) -> Step:
    """Return a step on what it is handed and a row as one on elements of which the row is made."""
    def run(*values: Stack) -> tuple[Stack, ...]:
        found: tuple[Stack, ...] = step(*values[:handed], *row(*values[handed:]))
        return found
    return run


def _behind(stack: Stack, many: int) -> Stack:
    """Return for each chunk what the separator behind it has; there is none behind the last."""
    return np.concatenate([stack[many:], np.zeros_like(stack[:many])])


def chunks_of(count: int) -> int:
    """Return in how many chunks so many blocks go: as many as each has, up to ``SHORT``."""
    return min(math.isqrt(count), SHORT) if count > SHORT else 1
