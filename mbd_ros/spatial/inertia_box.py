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

"""The box of uniform density that has a given inertia."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def inertia_box(tensor: ArrayLike, mass: float) -> tuple[Array, Array]:
    """
    Return the box of uniform density with a mass and an inertia about its middle.

    Its edges 2 a, 2 b, 2 c have the principal moments m (b^2 + c^2) / 3 and so on. A moment
    greater than the sum of the others, which no body has, gives an edge of no length.

    Parameters
    ----------
    tensor : array_like
        (3, 3) inertia about the mass centre [kg m^2]; or of unit density [m^5].
    mass : float
        [kg]; or the volume [m^3].

    Returns
    -------
    (3, 3) array
        Its axes as columns, right-handed, the longest last.
    (3,) array
        Half its edges [m].

    """
    moments, axes = np.linalg.eigh(np.asarray(tensor, dtype=np.float64))
    moments, axes = moments[::-1], axes[:, ::-1].copy()
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    squares = moments.sum() - 2.0 * moments
    return axes, 0.5 * np.sqrt(np.maximum(6.0 * squares / mass, 0.0))
