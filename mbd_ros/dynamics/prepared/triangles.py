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

"""Triangular systems, solved in the time they take."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
import scipy  # loads its parts when they are asked for: half of what importing took

Array = NDArray[np.float64]


def solve_triangle(triangle: Array, right_side: Array, *, lower: bool = True,
                   transposed: bool = False) -> Array:
    """
    Return ``T^-1 x`` or ``T^-T x`` of a triangular matrix.

    By BLAS and not by LAPACK's ``dtrtrs``, which OpenBLAS shares among threads whatever the size:
    a controller on a busy machine then waits for tens of milliseconds.

    Parameters
    ----------
    triangle : array
        ``T`` (n, n); the other triangle is not read.
    right_side : array
        ``x`` (n,) or (n, k).
    lower, transposed : bool, optional
        Which triangle, and whether it is transposed.

    Returns
    -------
    array
        As the right-hand side.

    """
    blas = scipy.linalg.blas
    solution: Array = (
        blas.dtrsv(triangle, right_side, lower=lower, trans=transposed) if right_side.ndim == 1
        else blas.dtrsm(1.0, triangle, right_side, lower=lower, trans_a=transposed))
    return solution
