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

"""Symmetric 3 x 3 matrices."""

from __future__ import annotations

from typing import NamedTuple

from mbd_ros.spatial.rotation import Matrix3, Rotation, Successive
from mbd_ros.spatial.vector import Scalar, Vector3

UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""Row and column of each stored entry."""


class Symmetric3(NamedTuple):
    """A symmetric 3 x 3 matrix by its upper triangle."""

    xx: Scalar
    xy: Scalar
    xz: Scalar
    yy: Scalar
    yz: Scalar
    zz: Scalar

    def __add__(self, other: Symmetric3) -> Symmetric3:  # type: ignore[override]
        """Return the sum."""
        return Symmetric3(*(a + b for a, b in zip(self, other)))

    def __sub__(self, other: Symmetric3) -> Symmetric3:
        """Return the difference."""
        return Symmetric3(*(a - b for a, b in zip(self, other)))

    def column(self, k: int) -> Vector3:
        """Return column k."""
        return (Vector3(self.xx, self.xy, self.xz), Vector3(self.xy, self.yy, self.yz),
                Vector3(self.xz, self.yz, self.zz))[k]

    def apply(self, vector: Vector3) -> Vector3:
        """Return the product with a vector."""
        return Vector3(self.column(0).dot(vector), self.column(1).dot(vector),
                       self.column(2).dot(vector))

    def matrix(self) -> Matrix3:
        """Return all nine entries."""
        return Matrix3(self.column(0), self.column(1), self.column(2))

    def rotated(self, rotation: Rotation | Successive) -> Symmetric3:
        """Return ``R S R^T``."""
        return Symmetric3.upper(rotation.block(self.matrix()))

    def minus_square(self, vector: Vector3, factor: Scalar) -> Symmetric3:
        """Return ``S - u u^T factor``."""
        scaled = vector * factor
        return Symmetric3(
            self.xx - scaled.x * vector.x, self.xy - scaled.x * vector.y,
            self.xz - scaled.x * vector.z, self.yy - scaled.y * vector.y,
            self.yz - scaled.y * vector.z, self.zz - scaled.z * vector.z)

    @staticmethod
    def upper(matrix: Matrix3) -> Symmetric3:
        """Return the symmetric matrix that has the upper triangle of another."""
        return Symmetric3(matrix.x.x, matrix.x.y, matrix.x.z, matrix.y.y, matrix.y.z, matrix.z.z)

    @staticmethod
    def scaled_identity(factor: Scalar) -> Symmetric3:
        """Return a multiple of the unit matrix."""
        return Symmetric3(factor, 0.0, 0.0, factor, 0.0, factor)
