"""
The Udwadia-Kalaba equation by the articulated-body algorithm, for long arms.

``M^-1 A^T`` comes column by column from forward dynamics, which is linear in the efforts and takes
O(n) operations: no mass matrix is formed or factorized. What is solved is ``A M^-1 A^T``, m x m;
it squares the condition number, so that rows that are nearly dependent go to the dense form.
"""

from __future__ import annotations

import numpy as np
import scipy

from mbd_ros.control.udwadia_kalaba.equation import ConstrainedSolution
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.simulation.manifold import Matrix, Vector

LONG = 32
"""Robots with more velocity variables are solved this way (``python -m benchmarks control``)."""

CLEARLY_REGULAR = 1e-6
"""Smallest squared independent part of a row; with less the dense form decides."""


def range_space_acceleration(
    dyn: PreparedDynamics, q: Vector, v: Vector, tau: Vector, A: Matrix, b: Vector,
) -> ConstrainedSolution | None:
    """
    Return the constrained motion ``M vdot + h = tau + Q_c``, ``A vdot = b``, m > 0 rows.

    As ``constrained_acceleration``; None where rows are not clearly independent.
    """
    m = len(A)
    efforts = np.concatenate([tau[None], tau + A])
    many = dyn.forward_dynamics(np.broadcast_to(q, (m + 1, len(q))),
                                np.broadcast_to(v, (m + 1, len(v))), efforts)
    free, columns = many[0], (many[1:] - many[0]).T
    G = A @ columns
    lengths = np.sqrt(np.maximum(G.diagonal(), 0.0))
    if not (lengths > 0.0).all():
        return None
    factor, info = scipy.linalg.lapack.dpotrf(G / np.outer(lengths, lengths), lower=1)
    if info or float(factor.diagonal().min()) ** 2 < CLEARLY_REGULAR:
        return None
    multipliers = scipy.linalg.lapack.dpotrs(
        factor, (b - A @ free) / lengths, lower=1)[0] / lengths
    accelerations = free + columns @ multipliers
    return ConstrainedSolution(
        accelerations, A.T @ multipliers, multipliers, m, A @ accelerations - b, False,
        float(factor.diagonal().min()))
