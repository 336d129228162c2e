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
Constrained motion where the mass matrix is singular: massless links, redundant coordinates.

The Udwadia-Kalaba equation needs ``M^-1``. Its extension needs only that the constraints fix what
the mass matrix leaves open.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.udwadia_kalaba.equation import constrained_acceleration, ConstrainedSolution
from mbd_ros.errors import InvalidValueError
from mbd_ros.spatial.rank_thresholds import CONSTRAINT_RANK


def singular_mass_acceleration(
    mass_matrix: ArrayLike,
    generalized_force: ArrayLike,
    A: ArrayLike,
    b: ArrayLike,
    *,
    tolerance: float = CONSTRAINT_RANK,
) -> ConstrainedSolution:
    """
    Return the constrained motion for a positive semidefinite mass matrix.

    Adding ``A^T A`` to M and ``A^T b`` to Q changes nothing where ``A qdd = b`` holds, and makes
    the matrix positive definite exactly if ``rank [M; A] = n``; the multipliers are then those
    of the unchanged system plus the residual.

    Parameters
    ----------
    mass_matrix, generalized_force, A, b, tolerance
        As in ``constrained_acceleration``; M need not be invertible.

    Returns
    -------
    ConstrainedSolution
        Accelerations, constraint force, multipliers, rank, residual. Conflicting rows have no
        meaning as a compromise here and are refused.

    Raises
    ------
    InvalidValueError
        If ``rank [M; A] < n``: the motion is not determined; or if rows conflict.
    ShapeError, NotFiniteError
        As ``constrained_acceleration``.

    References
    ----------
    Udwadia, Phohomsiri, Proc. R. Soc. A 462, 2006, 2097-2117.

    """
    M = np.asarray(mass_matrix, np.float64)
    Q = np.asarray(generalized_force, np.float64)
    rows = np.asarray(A, np.float64)
    right_side = np.asarray(b, np.float64)
    n = M.shape[-1]
    if np.isfinite(M).all() and np.isfinite(rows).all():
        scale = np.linalg.norm(rows, axis=1, keepdims=True)
        units = rows / np.where(scale == 0.0, 1.0, scale)
        weight = np.abs(M).max() or 1.0
        sigma = np.linalg.svd(np.vstack([M / weight, units]), compute_uv=False)
        rank = int((sigma > tolerance * sigma[0]).sum())
        if rank < n:
            raise InvalidValueError(
                'rank of mass matrix and constraint rows together', rank,
                f'{n}: constraints that fix what the mass matrix leaves open')
        M = M + weight * units.T @ units
        Q = Q + weight * units.T @ (right_side / np.where(scale == 0.0, 1.0, scale)[:, 0])
    solution = constrained_acceleration(M, Q, rows, right_side, tolerance=tolerance)
    if solution.conflicting:
        raise InvalidValueError('b', right_side.tolist(), 'right-hand sides that do not conflict')
    return solution
