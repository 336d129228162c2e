"""Symmetric systems, many at a time, made of blocks that couple along a chain or a tree."""

from __future__ import annotations

import numpy as np

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
