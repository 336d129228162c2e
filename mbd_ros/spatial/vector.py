"""Scalars and vectors of three."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

Scalar: TypeAlias = Any
"""A Python float, or a symbol that a trace records."""


def sine(angle: Scalar) -> Scalar:
    """Return the sine of a float or a symbol [rad]."""
    return math.sin(angle) if isinstance(angle, float) else angle.sine()


def cosine(angle: Scalar) -> Scalar:
    """Return the cosine of a float or a symbol [rad]."""
    return math.cos(angle) if isinstance(angle, float) else angle.cosine()


def root(square: Scalar) -> Scalar:
    """Return the square root of a float or a symbol."""
    return math.sqrt(square) if isinstance(square, float) else square.root()


def inverse_above(value: Scalar, floor: Scalar) -> Scalar:
    """Return 1 / value where the value exceeds a floor, else 0: no step may branch on it."""
    if isinstance(value, float) and isinstance(floor, float):
        return 0.0 if value <= floor else 1.0 / value
    symbol = floor if isinstance(value, float) else value
    return symbol.trace.record('inverse_above', value, floor)


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

    def cross(self, other: Vector3) -> Vector3:
        """Return the vector product, self x other."""
        return Vector3(self.y * other.z - self.z * other.y,
                       self.z * other.x - self.x * other.z,
                       self.x * other.y - self.y * other.x)


ZERO3 = Vector3(0.0, 0.0, 0.0)
