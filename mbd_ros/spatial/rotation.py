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

"""Rotation matrices and general 3 x 3 blocks."""

from __future__ import annotations

from typing import NamedTuple

from mbd_ros.spatial.vector import Scalar, Vector3


class Matrix3(NamedTuple):
    """A 3 x 3 matrix by rows."""

    x: Vector3
    y: Vector3
    z: Vector3

    def __add__(self, other: Matrix3) -> Matrix3:  # type: ignore[override]
        """Return the sum."""
        return Matrix3(self.x + other.x, self.y + other.y, self.z + other.z)

    def column(self, k: int) -> Vector3:
        """Return column k."""
        return Vector3(self.x[k], self.y[k], self.z[k])

    def apply(self, vector: Vector3) -> Vector3:
        """Return the product with a vector."""
        return Vector3(self.x.dot(vector), self.y.dot(vector), self.z.dot(vector))

    def apply_transposed(self, vector: Vector3) -> Vector3:
        """Return the product of the transposed matrix with a vector."""
        return self.x * vector.x + self.y * vector.y + self.z * vector.z


class Rotation(NamedTuple):
    """
    A rotation matrix by columns: the axes of frame B in the axes of frame A, ``R_AB``.

    ``apply`` takes components in B to components in A.
    """

    x: Vector3
    y: Vector3
    z: Vector3

    def apply(self, vector: Vector3) -> Vector3:
        """Return ``R_AB p_B``."""
        return self.x * vector.x + self.y * vector.y + self.z * vector.z

    def apply_inverse(self, vector: Vector3) -> Vector3:
        """Return ``R_AB^T p_A``."""
        return Vector3(self.x.dot(vector), self.y.dot(vector), self.z.dot(vector))

    def axis(self, k: int) -> Vector3:
        """Return axis k of B in the axes of A."""
        return (self.x, self.y, self.z)[k]

    def compose(self, other: Rotation | Successive) -> Rotation:
        """Return ``R_AB R_BC``."""
        return Rotation(*(self.apply(other.axis(k)) for k in range(3)))

    def about_z(self, sine: Scalar, cosine: Scalar) -> Rotation:
        """Return ``R_AB R_z``: a further turn about the z axis of B."""
        return Rotation(self.x * cosine + self.y * sine, self.y * cosine - self.x * sine, self.z)

    def block(self, matrix: Matrix3) -> Matrix3:
        """Return ``R_AB M_B R_AB^T``."""
        turned = Rotation(self.apply(matrix.column(0)), self.apply(matrix.column(1)),
                          self.apply(matrix.column(2)))
        return Matrix3(*(self._row_times(turned, i) for i in range(3)))

    def _row_times(self, turned: Rotation, i: int) -> Vector3:
        """Return row i of ``turned R_AB^T``."""
        return self.x * turned.x[i] + self.y * turned.y[i] + self.z * turned.z[i]

    @staticmethod
    def from_quaternion(x: Scalar, y: Scalar, z: Scalar, w: Scalar) -> Rotation:
        """Return the rotation of a quaternion of any length but zero."""
        two = 2.0 / (x * x + y * y + z * z + w * w)
        xx, yy, zz = x * x * two, y * y * two, z * z * two
        xy, xz, yz = x * y * two, x * z * two, y * z * two
        xw, yw, zw = x * w * two, y * w * two, z * w * two
        return Rotation(Vector3(1.0 - (yy + zz), xy + zw, xz - yw),
                        Vector3(xy - zw, 1.0 - (xx + zz), yz + xw),
                        Vector3(xz + yw, yz - xw, 1.0 - (xx + yy)))


class AboutZ(NamedTuple):
    """A turn about the z axis, which takes half the operations of a general rotation."""

    sine: Scalar
    cosine: Scalar

    def apply(self, vector: Vector3) -> Vector3:
        """Return ``R_z p``."""
        return Vector3(vector.x * self.cosine - vector.y * self.sine,
                       vector.x * self.sine + vector.y * self.cosine, vector.z)

    def apply_inverse(self, vector: Vector3) -> Vector3:
        """Return ``R_z^T p``."""
        return Vector3(vector.x * self.cosine + vector.y * self.sine,
                       vector.y * self.cosine - vector.x * self.sine, vector.z)

    def block(self, matrix: Matrix3) -> Matrix3:
        """
        Return ``R_z M R_z^T``.

        In the plane of the turn the trace and the skew part stay as they are.
        """
        rising = matrix.x.x - matrix.y.y
        mixed = matrix.x.y + matrix.y.x
        product, square = self.sine * self.cosine, self.sine * self.sine
        along, across = rising * square + mixed * product, rising * product - mixed * square
        column = self.apply(matrix.column(2))
        row = self.apply(matrix.z)
        return Matrix3(Vector3(matrix.x.x - along, matrix.x.y + across, column.x),
                       Vector3(matrix.y.x + across, matrix.y.y + along, column.y), row)


class Successive(NamedTuple):
    """Two rotations, ``R_AB R_BC``, applied one after the other instead of multiplied."""

    outer: Rotation | AboutZ | Successive
    inner: Rotation | AboutZ | Successive

    def apply(self, vector: Vector3) -> Vector3:
        """Return ``R_AC p_C``."""
        return self.outer.apply(self.inner.apply(vector))

    def apply_inverse(self, vector: Vector3) -> Vector3:
        """Return ``R_AC^T p_A``."""
        return self.inner.apply_inverse(self.outer.apply_inverse(vector))

    def block(self, matrix: Matrix3) -> Matrix3:
        """Return ``R_AC M_C R_AC^T``."""
        return self.outer.block(self.inner.block(matrix))

    def compose(self, other: Rotation | Successive) -> Rotation:
        """Return ``R_AC R_CD``."""
        return Rotation(*(self.apply(other.axis(k)) for k in range(3)))

    def about_z(self, sine: Scalar, cosine: Scalar) -> Successive:
        """Return ``R_AC R_z``: a further turn about the z axis of C."""
        return Successive(self, AboutZ(sine, cosine))

    def axis(self, k: int) -> Vector3:
        """Return axis k of C in the axes of A."""
        return self.apply(IDENTITY.axis(k))

    def multiplied(self) -> Rotation:
        """Return ``R_AC`` as one matrix."""
        return IDENTITY.compose(self)


IDENTITY = Rotation(Vector3(1.0, 0.0, 0.0), Vector3(0.0, 1.0, 0.0), Vector3(0.0, 0.0, 1.0))
