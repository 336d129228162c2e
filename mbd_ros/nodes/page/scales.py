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

"""How plots show numbers of very different sizes; uPlot writes three decimals only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

SMALLEST = 1e-10
"""Distances below this are drawn at it: the axis is logarithmic [m]."""

LEAST = 1e-17
"""The same for powers of ten."""

FAINT = 1e-3
"""The same for amplitudes of torques [N m]."""


def millimetres(distances: Matrix) -> Matrix:
    """Return distances [m] for a logarithmic axis in millimetres."""
    return 1e3 * np.maximum(np.abs(distances), SMALLEST)


def powers_of_ten(values: Matrix) -> Matrix:
    """Return the decimal logarithms of the sizes of values."""
    return np.log10(np.maximum(np.abs(values), LEAST))


def amplitudes(values: Matrix) -> Matrix:
    """Return amplitudes that a logarithmic axis can show."""
    return np.asarray(np.maximum(values, FAINT))


def changes(values: Matrix) -> Matrix:
    """Return how lines (n, K) have changed since they begin, so that a large one hides none."""
    return values - values[:, :1]
