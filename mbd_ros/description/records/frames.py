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

"""Body frames with z along the joint axis, and rotations cleaned of rounding."""

from __future__ import annotations

from math import copysign

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import Vector3

Array = NDArray[np.float64]


def axis_rotation(axis: Vector3) -> Array:
    """
    Return ``R_LB``: the axes of a body frame B whose z axis is the given unit vector of L.

    Along a coordinate axis the result is a permutation with signs, exactly. Otherwise it is
    orthonormal to rounding for every direction, without a case that loses digits.

    Parameters
    ----------
    axis : (3,) tuple
        Unit vector.

    Returns
    -------
    (3, 3) array
        Right-handed.

    References
    ----------
    Duff et al., Building an Orthonormal Basis, Revisited, 2017.

    """
    exact = _PERMUTATIONS.get(axis)
    if exact is not None:
        return exact
    x, y, z = axis
    sign = copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    return np.array([[1.0 + sign * x * x * a, b, x],
                     [sign * b, sign + y * y * a, y],
                     [-sign * x, -y, z]])


def _permutation(x: Vector3, y: Vector3, z: Vector3) -> Array:
    columns = np.array([x, y, z]).T + 0.0
    columns.setflags(write=False)
    return columns


_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_MINUS_X, _MINUS_Y, _MINUS_Z = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
_PERMUTATIONS = {
    _X: _permutation(_Y, _Z, _X),
    _Y: _permutation(_Z, _X, _Y),
    _Z: _permutation(_X, _Y, _Z),
    _MINUS_X: _permutation(_Y, _MINUS_Z, _MINUS_X),
    _MINUS_Y: _permutation(_Z, _MINUS_X, _MINUS_Y),
    _MINUS_Z: _permutation(_X, _MINUS_Y, _MINUS_Z),
}
