"""
Symmetric positive definite systems of blocks that couple along a chain or a tree.

Each block may stand for many: of N states, or of stretches of a chain that are eliminated side by
side. Block i couples with block j where they share a body.

References
----------
Golub and Van Loan, Matrix computations, section 4.5: block tridiagonal systems, cyclic reduction.

"""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np

from mbd_ros.execution.program.scan import share, SHORT
from mbd_ros.execution.program.stacks import Stack
from mbd_ros.spatial.dense import factors, solve

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
        return _one_by_one(matrix, right)
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


def _solve(matrix: Stack, right: Stack) -> Stack:
    """
    Solve systems that are definite without a doubt, (..., b, b) and (..., b, k).

    With many right sides a stack of inverses and products is three times as fast as ``solve``.
    """
    if matrix.dtype == object:
        return _one_by_one(matrix, right)
    found: Stack = np.linalg.inv(matrix) @ right
    return found


def _one_by_one(matrix: Stack, right: Stack) -> Stack:
    """Solve systems of counted scalars."""
    many = np.broadcast_shapes(matrix.shape[:-2], right.shape[:-2])
    matrices = np.broadcast_to(matrix, many + matrix.shape[-2:]).reshape(-1, *matrix.shape[-2:])
    rights = np.broadcast_to(right, many + right.shape[-2:]).reshape(-1, *right.shape[-2:])
    found = []
    for one, columns in zip(matrices.tolist(), np.swapaxes(rights, -1, -2).tolist()):
        lower, inverse = factors(one)
        found.append([solve(lower, inverse, column) for column in columns])
    stack = np.empty((len(found), *rights.shape[:0:-1]), dtype=object)
    stack[...] = found
    return np.swapaxes(stack, -1, -2).reshape(many + right.shape[-2:])


def _transposed(matrix: Stack) -> Stack:
    return np.swapaxes(matrix, -1, -2)


def eliminate_tree(diagonal: Sequence[Stack], couplings: dict[tuple[int, int], Stack],
                   right: Sequence[Stack]) -> list[Stack]:
    """
    Solve a system whose blocks couple as the joints of a tree; of a chain this is block Thomas.

    Eliminated from the last to the first, joints leave no coupling behind that is not there: all
    joints of a body couple anyway.

    Parameters
    ----------
    diagonal : sequence of array
        (..., b, b) for each joint.
    couplings : dict
        For joints i > j of one body the block (..., b, b) in row i and column j.
    right : sequence of array
        (..., b, k) for each joint.

    Returns
    -------
    list of array
        (..., b, k) for each joint.

    """
    diagonal, right, couplings = list(diagonal), list(right), dict(couplings)
    inner: list[list[int]] = [[] for _ in diagonal]
    for i, j in couplings:
        inner[i].append(j)
    gains: list[dict[int, Stack]] = [{} for _ in diagonal]
    for i in reversed(range(len(diagonal))):
        b = diagonal[i].shape[-1]
        sides = _solve(diagonal[i], np.concatenate(
            [*(couplings[i, j] for j in inner[i]), right[i]], axis=-1))
        right[i] = sides[..., len(inner[i]) * b:]
        for place, j in enumerate(inner[i]):
            gains[i][j] = sides[..., place * b:(place + 1) * b]
        for j in inner[i]:
            back = _transposed(couplings[i, j])
            diagonal[j] = diagonal[j] - back @ gains[i][j]
            right[j] = right[j] - back @ right[i]
            for k in inner[i]:
                if k < j:
                    couplings[j, k] = couplings[j, k] - back @ gains[i][k]
    for i, gain in enumerate(gains):
        for j, block in gain.items():
            right[i] = right[i] - block @ right[j]
    return right


def eliminate_chain(diagonal: Stack, upper: Stack, right: Stack) -> Stack:
    """
    Solve a block tridiagonal system one block after the other: O(n) work, O(n) depth.

    Parameters
    ----------
    diagonal : array
        (n, ..., b, b).
    upper : array
        (n - 1, ..., b, b): blocks of row i and column i + 1.
    right : array
        (n, ..., b, k).

    Returns
    -------
    array
        (n, ..., b, k).

    """
    lower = _transposed(upper)
    return np.stack(eliminate_tree([*diagonal], {
        (i + 1, i): block for i, block in enumerate(lower)}, [*right]))


def reduce_cyclically(diagonal: Stack, upper: Stack, right: Stack) -> Stack:
    """
    Solve a block tridiagonal system by cyclic reduction: O(log n) depth.

    Every other block is eliminated, all at once; those that are left couple as a chain again.
    Arguments and result are those of ``eliminate_chain``.
    """
    n, b = len(diagonal), diagonal.shape[-1]
    if n == 1:
        return _solve(diagonal, right)
    # Sides of the odd blocks: to the even one before, to the one after, right.
    after = upper[1::2]
    if n % 2 == 0:   # the last one has none after it
        after = np.concatenate([after, np.zeros_like(upper[:1])])
    sides = _solve(diagonal[1::2], np.concatenate(
        [_transposed(upper[::2]), after, right[1::2]], axis=-1))
    before, behind, own = sides[..., :b], sides[..., b:2 * b], sides[..., 2 * b:]
    diagonal, right, many = diagonal[::2].copy(), right[::2].copy(), (n - 1) // 2
    diagonal[:n // 2] -= upper[::2] @ before
    right[:n // 2] -= upper[::2] @ own
    diagonal[1:] -= _transposed(after[:many]) @ behind[:many]
    right[1:] -= _transposed(after[:many]) @ own[:many]
    even = reduce_cyclically(diagonal, -(upper[::2][:many] @ behind[:many]), right)
    found = np.empty((n, *right.shape[1:]), dtype=right.dtype)
    found[::2] = even
    found[1::2] = own - before @ even[:n // 2]
    found[1::2][:many] -= behind[:many] @ even[1:]
    return found


def eliminate_chunks(diagonal: Stack, upper: Stack, right: Stack, count: int, threads: int = 1
                     ) -> Stack:
    """
    Solve a block tridiagonal system in chunks, which are shared among threads.

    Between two chunks stands a separator. Each chunk is eliminated for its own right side and for
    the two separators beside it; these are left as a chain. The chunks of a thread go side by
    side. Arguments and result are those of ``eliminate_chain``.

    Parameters
    ----------
    diagonal, upper, right : array
        The system.
    count : int
        Number of chunks at most; of each at least one block.
    threads : int
        How many share the chunks.

    """
    n, b, k = len(diagonal), diagonal.shape[-1], right.shape[-1]
    count = max(1, min(count, (n + 1) // 2))
    length = -(-(n + 1 - count) // count)
    count = -(-(n + 1) // (length + 1))
    if count == 1:
        return eliminate_chain(diagonal, upper, right)

    def chunked(blocks: Stack, fill: Stack) -> Stack:
        """Return blocks (length + 1, count, ...), the separators last."""
        more = count * (length + 1) - len(blocks)
        filled = np.concatenate([blocks, np.broadcast_to(fill, (more, *blocks.shape[1:]))])
        return np.swapaxes(filled.reshape(count, length + 1, *blocks.shape[1:]), 0, 1)

    diagonals = chunked(diagonal, np.eye(b, dtype=diagonal.dtype))
    uppers, rights = chunked(upper, np.zeros(1)), chunked(right, np.zeros(1))
    to_separator, to_next = uppers[length - 1], uppers[length]
    sides = np.zeros((length, *rights.shape[1:-1], k + 2 * b), dtype=right.dtype)
    sides[..., :k] = rights[:length]
    sides[0, 1:, ..., k:k + b] = _transposed(to_next[:-1])
    sides[-1, ..., k + b:] = to_separator

    def within(part: slice) -> None:
        sides[:, part] = eliminate_chain(diagonals[:length, part], uppers[:length - 1, part],
                                         sides[:, part])

    share(threads, count, within)
    back, onward = _transposed(to_separator[:-1]), to_next[:-1]
    first, last = sides[0, 1:], sides[-1, :-1]
    separators = eliminate_chunks(
        diagonals[length, :-1] - back @ last[..., k + b:] - onward @ first[..., k:k + b],
        -(onward @ first[..., k + b:])[:-1],
        rights[length, :-1] - back @ last[..., :k] - onward @ first[..., :k], chunks_of(count))
    found = np.empty((length + 1, *rights.shape[1:]), dtype=right.dtype)
    found[length, :-1] = separators
    found[:length] = sides[..., :k]
    found[:length, 1:] -= sides[:, 1:, ..., k:k + b] @ separators
    found[:length, :-1] -= sides[:, :-1, ..., k + b:] @ separators
    return np.swapaxes(found, 0, 1).reshape(-1, *right.shape[1:])[:n]


def chunks_of(count: int) -> int:
    """Return in how many chunks so many blocks go fastest on one thread: as many as each has."""
    return math.isqrt(count) if count > SHORT else 1
