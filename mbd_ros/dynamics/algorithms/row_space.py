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
How many rows of loops are independent: their rank, and bases of what they hold and leave.

The rank is a matter of geometry: it depends neither on masses, nor on units, nor on the order of
rows. It is that of the rows as displacements, lengths that joints turn divided by the longest
lever of the robot: ``A' = R A C``. Singular values below ``LOOP_RANK`` of the largest are zero,
``A' = U S V^T``.

"""

from __future__ import annotations


import numpy as np
from numpy.typing import NDArray
import scipy

from mbd_ros.model import Model
from mbd_ros.model.caches import owned
from mbd_ros.spatial.rank_thresholds import LOOP_RANK, LOOP_ROUNDING

Array = NDArray[np.float64]


@owned()
def _kinds(model: Model) -> tuple[Array, Array]:
    """Return which rows (m,) are lengths, and which axes (nv,) turn."""
    return (np.array([len(row) != 2 for loop in model.loops for row in loop.rows], dtype=bool),
            np.array([*(axis < 3 for kind in model.joint_types for axis in kind.pair.axes),
                      *[False] * len(model.elastic_names)], dtype=bool))


class RowSpace:
    """
    The rows of all loops at one state or at N.

    Parameters
    ----------
    model : Model
        The robot.
    A : array
        (m, nv) or (N, m, nv).
    free : array, optional
        Entries of v that count, all if left out; the others' columns are taken for zero.

    Attributes
    ----------
    sigma : array
        (..., k) singular values, the largest first.
    rank : array
        (...) number of independent rows.

    """

    def __init__(self, model: Model, A: Array, free: NDArray[np.int64] | None = None) -> None:
        lengths, turns = _kinds(model)
        self._size, self._free = model.nv, slice(None) if free is None else free
        levers = np.abs(A) * np.outer(lengths, turns)
        longest = levers.max(axis=(-2, -1), initial=0.0)[..., None]
        longest = np.where(longest > LOOP_ROUNDING, longest, 1.0)
        self._rows = np.where(lengths, 1.0, longest)
        self._columns = np.where(turns, 1.0 / longest, 1.0)[..., self._free]
        self._scaled = A[..., self._free] * self._rows[..., None] * self._columns[..., None, :]
        if A.ndim == 2:
            self._U, self.sigma, self._Vt = np.linalg.svd(self._scaled)
        else:  # of many states only what is asked of many
            self.sigma = np.linalg.svd(self._scaled, compute_uv=False)
        if not self._scaled.shape[-1]:   # nothing counts
            self.sigma = np.zeros((*A.shape[:-2], 1))
        least = np.maximum(LOOP_RANK * self.sigma[..., :1], LOOP_ROUNDING)
        self.rank = (self.sigma > least).sum(axis=-1)

    @property
    def smallest(self) -> Array:
        """Smallest of the singular values that count; 0 where none do."""
        last = np.maximum(self.rank - 1, 0)[..., None]
        return np.where(self.rank > 0, np.take_along_axis(self.sigma, last, -1)[..., 0], 0.0)

    @property
    def condition(self) -> Array:
        """Largest over smallest of the singular values that count; 1 where none do."""
        return np.where(self.rank > 0, self.sigma[..., 0] / np.where(
            self.rank > 0, self.smallest, 1.0), 1.0)

    def combinations(self) -> Array:
        """Return E (rank, m) of one state: the rows of E A are independent."""
        return self._U[:, :self.rank].T * self._rows

    def choice(self) -> Array:
        """Return the same with rows of length one, and zeros for the rest (m, m)."""
        rows, result = self.combinations(), np.zeros((len(self._scaled),) * 2)
        result[:len(rows)] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return result

    def motions(self) -> Array:
        """Return N (nv, f) of one state: the velocities that the rows leave, ``A N = 0``."""
        return self._of_all(self._Vt[self.rank:].T)

    def idle(self) -> Array:
        """Return combinations (m - rank, m) of one state that exert nothing on what counts."""
        return self._U[:, self.rank:].T * self._rows

    def nearest(self, violation: Array) -> Array:
        """Return a displacement (nv,) of one state with ``A dq = -violation``."""
        sizes = -(self.combinations() @ violation) / self.sigma[:self.rank]
        return self._of_all((self._Vt[:self.rank].T @ sizes)[:, None])[:, 0]

    def multipliers(self, force: Array) -> Array:
        """Return multipliers of one state that exert a force (nv,); there may be others."""
        scaled = self._columns * force[self._free]
        parts = self._Vt[:self.rank] @ scaled / self.sigma[:self.rank]
        multipliers: Array = self.combinations().T @ parts
        return multipliers

    def independent(self) -> Array:
        """Return for each row (m,) of one state whether it is one of a largest independent set."""
        _, _, order = scipy.linalg.qr(self._scaled.T, mode='economic', pivoting=True)
        chosen = np.zeros(len(self._scaled), dtype=bool)
        chosen[order[:self.rank]] = True
        return chosen

    def _of_all(self, columns: Array) -> Array:
        """Return displacements (nv, k) of all entries."""
        result = np.zeros((self._size, columns.shape[1]))
        result[self._free] = self._columns[:, None] * columns
        return result
