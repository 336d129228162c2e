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

"""Scalars and vectors of three."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

Scalar: TypeAlias = Any
"""A Python float, or a symbol that a trace records."""


def sine(angle: Scalar) -> Scalar:
    """Return the sine of a float or a symbol [rad]."""
    return math.sin(angle) if isinstance(angle, (float, int)) else angle.sine()


def cosine(angle: Scalar) -> Scalar:
    """Return the cosine of a float or a symbol [rad]."""
    return math.cos(angle) if isinstance(angle, (float, int)) else angle.cosine()


def root(square: Scalar) -> Scalar:
    """Return the square root of a float or a symbol."""
    return math.sqrt(square) if isinstance(square, (float, int)) else square.root()


def tanh(value: Scalar) -> Scalar:
    """Return the hyperbolic tangent of a float or a symbol."""
    return math.tanh(value) if isinstance(value, (float, int)) else value.tanh()


def absolute(value: Scalar) -> Scalar:
    """Return the absolute value of a float or a symbol; its derivative at 0 is 0."""
    return abs(value)


def positive_part(value: Scalar) -> Scalar:
    """Return a float or a symbol where it is positive, else 0; its derivative at 0 is 1."""
    return larger(0.0, value)


def step(value: Scalar) -> Scalar:
    """Return 0 where a float or a symbol is 0 or less, else 1: the slope of its positive part."""
    return (0.0 if value <= 0.0 else 1.0) if isinstance(value, (float, int)) else value.step()


def or_infinite(value: Scalar, floor: Scalar) -> Scalar:
    """Return a value that exceeds a floor, 0 or more, else infinity: no step may branch on it."""
    if isinstance(value, float) and (isinstance(floor, float) or value <= 0.0):
        return math.inf if value <= 0.0 or value <= floor else value
    return _recorded('or_infinite', value, floor)


def or_nan(value: Scalar, floor: Scalar) -> Scalar:
    """Return a value that exceeds a floor, else NaN: there is no result then."""
    if isinstance(value, float) and (isinstance(floor, float) or value == math.inf):
        return value if value == math.inf or not value <= floor else math.nan
    return _recorded('or_nan', value, floor)


def inverse_above(value: Scalar, floor: Scalar) -> Scalar:
    """Return 1 / value where the value exceeds a floor, else 0."""
    return 1.0 / or_infinite(value, floor)


def _recorded(name: str, value: Scalar, floor: Scalar) -> Scalar:
    symbol = floor if isinstance(value, float) else value
    return symbol.trace.record(name, value, floor)


def larger(value: Scalar, other: Scalar) -> Scalar:
    """Return the larger of two floats or symbols; the other where the value is NaN."""
    if isinstance(value, float) and isinstance(other, float):
        return value if value > other else other
    symbol = other if isinstance(value, float) else value
    return symbol.trace.record('larger', value, other)


class Vector3(NamedTuple):
    """A vector of three in the axes that its owner states."""

    x: Scalar
    y: Scalar
    z: Scalar

    def __add__(self, other: Vector3) -> Vector3:  # type: ignore[override]
        """Return the sum."""
        return Vector3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vector3) -> Vector3:
        """Return the difference."""
        return Vector3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, factor: Scalar) -> Vector3:
        """Return the vector scaled by a factor."""
        return Vector3(self.x * factor, self.y * factor, self.z * factor)

    def dot(self, other: Vector3) -> Scalar:
        """Return the inner product."""
        return self.x * other.x + self.y * other.y + self.z * other.z

    def norm(self) -> Scalar:
        """Return the length; with a derivative at the zero vector, too, of 0."""
        square = self.dot(self)
        return square * (1.0 / root(or_infinite(square, 0.0)))

    def cross(self, other: Vector3) -> Vector3:
        """Return the vector product, self x other."""
        return Vector3(self.y * other.z - self.z * other.y,
                       self.z * other.x - self.x * other.z,
                       self.x * other.y - self.y * other.x)


ZERO3 = Vector3(0.0, 0.0, 0.0)
