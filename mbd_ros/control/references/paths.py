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

"""Paths in time that a servo constraint follows: position with exact velocity and acceleration."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.references.arguments import (
    checked_direction, checked_point, finite, positive)
from mbd_ros.control.references.scalars import Row
from mbd_ros.control.references.time_code import closed_form, Coded, TimeCode
from mbd_ros.simulation.manifold import Vector
from mbd_ros.spatial import cosine, larger, Scalar, sine


class PathPoint(NamedTuple):
    """
    A path at one instant, in world axes.

    Attributes
    ----------
    position, velocity, acceleration : Vector
        (3,) each [m, m/s, m/s^2]; for a path of k joints (k,) each.

    """

    position: Vector
    velocity: Vector
    acceleration: Vector


class Path(Protocol):
    """
    A twice differentiable function of time with values in space.

    It may have ``time_code()``, too: machine code (``time_code.TimeCode``) for position, velocity
    and acceleration one behind the other. A control step then has it without Python.
    """

    def at(self, time: float) -> PathPoint:
        """Return position, velocity and acceleration at a time [s]."""
        ...


class CodedPath(Coded):
    """A path whose position, velocity and acceleration are machine code."""

    def at(self, time: float) -> PathPoint:
        """Return position, velocity and acceleration at a time [s]."""
        code = self._code
        assert code is not None
        point, n = code(time), code.size // 3
        return PathPoint(point[:n], point[n:2 * n], point[2 * n:])


@dataclass(frozen=True, eq=False)
class Ellipse(CodedPath):
    """
    The path ``center + a cos(w t) + b sin(w t)``, ``w = 2 pi / period``.

    With a and b of equal length and at right angles it is a circle.

    Parameters
    ----------
    center, a, b : array_like
        (3,) each, in world axes [m].
    period : float, optional
        Time of one turn [s].

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If a vector is not three finite numbers or the period is not positive.

    """

    center: Vector
    a: Vector
    b: Vector
    period: float = 2.0 * math.pi

    def __post_init__(self) -> None:
        """Check the data."""
        for name in ('center', 'a', 'b'):
            object.__setattr__(self, name, checked_point(name, getattr(self, name)))
        object.__setattr__(self, 'period', positive('period', self.period))

    def _made(self) -> TimeCode:
        w = 2.0 * math.pi / self.period
        return closed_form(_ellipse, (w, *self.center, *self.a, *self.b), 9)


def _ellipse(time: Scalar, data: Row) -> Row:
    w, center, a, b = data[0], data[1:4], data[4:7], data[7:]
    c, s = cosine(w * time), sine(w * time)
    return [*(m + x * c + y * s for m, x, y in zip(center, a, b)),
            *(w * (y * c - x * s) for x, y in zip(a, b)),
            *(-w * w * (x * c + y * s) for x, y in zip(a, b))]


@dataclass(frozen=True, eq=False)
class Line(CodedPath):
    """
    A straight path from rest to rest with quintic time scaling; it stays at the end.

    Parameters
    ----------
    start, end : array_like
        (3,) each, in world axes [m].
    duration : float
        Time from start to end [s].
    begin : float, optional
        Time at which the motion begins [s]; before it the path stays at the start.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If a point is not three finite numbers or the duration is not positive.

    """

    start: Vector
    end: Vector
    duration: float
    begin: float = 0.0

    def __post_init__(self) -> None:
        """Check the data."""
        object.__setattr__(self, 'start', checked_point('start', self.start))
        object.__setattr__(self, 'end', checked_point('end', self.end))
        object.__setattr__(self, 'duration', positive('duration', self.duration))
        object.__setattr__(self, 'begin', finite('begin', self.begin))

    def _made(self) -> TimeCode:
        way = self.end - self.start
        return closed_form(_line, (self.begin, self.duration, *self.start, *way), 9)


def _line(time: Scalar, data: Row) -> Row:
    begin, duration, start, way = data[0], data[1], data[2:5], data[5:]
    s, rate, second = quintic(time - begin, duration)
    return [*(x + s * d for x, d in zip(start, way)), *(rate * d for d in way),
            *(second * d for d in way)]


@dataclass(frozen=True, eq=False)
class Lissajous(CodedPath):
    """
    The path ``center_i + amplitude_i sin(turns_i w t + phase_i)``, ``w = 2 pi / period``.

    Parameters
    ----------
    center, amplitude : array_like
        (3,) each, in world axes [m].
    turns : array_like
        (3,): oscillations along each axis within one period, whole numbers for a closed path.
    phase : array_like, optional
        (3,) [rad].
    period : float, optional
        [s].

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If a vector is not three finite numbers or the period is not positive.

    """

    center: Vector
    amplitude: Vector
    turns: Vector
    phase: Vector = (0.0, 0.0, 0.0)  # type: ignore[assignment]
    period: float = 2.0 * math.pi

    def __post_init__(self) -> None:
        """Check the data."""
        for name in ('center', 'amplitude', 'turns', 'phase'):
            object.__setattr__(self, name, checked_point(name, getattr(self, name)))
        object.__setattr__(self, 'period', positive('period', self.period))

    def _made(self) -> TimeCode:
        w = (2.0 * math.pi / self.period) * self.turns
        return closed_form(_lissajous, (self.center, self.amplitude, w, self.phase), 9)


def _lissajous(time: Scalar, data: Row) -> Row:
    axes = list(zip(data[:3], data[3:6], data[6:9], data[9:]))
    return [*(m + a * sine(w * time + p) for m, a, w, p in axes),
            *(w * (a * cosine(w * time + p)) for _, a, w, p in axes),
            *(-w * w * (a * sine(w * time + p)) for _, a, w, p in axes)]


def circle(
    center: ArrayLike, radius: float, normal: ArrayLike, *, period: float = 2.0 * math.pi,
) -> Ellipse:
    """
    Return a circle about a centre, counter-clockwise seen from the tip of its normal.

    Parameters
    ----------
    center : array_like
        (3,), in world axes [m].
    radius : float
        Radius [m].
    normal : array_like
        (3,), in world axes; its length does not matter.
    period : float, optional
        Time of one turn [s].

    Returns
    -------
    Ellipse
        The circle; it starts in the direction of the world axis that is most at right angles
        to the normal (x before y before z), projected onto its plane.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If the data are not finite, or the radius or the normal is zero.

    """
    radius = positive('radius', radius)
    n = checked_direction('normal', normal)
    axis = np.eye(3)[int(np.argmin(np.abs(n)))]
    a = axis - n * float(n @ axis)
    a *= radius / float(np.linalg.norm(a))
    return Ellipse(center, a, np.cross(n, a), period)  # type: ignore[arg-type]


def quintic(time: Scalar, duration: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """
    Return ``s`` from 0 to 1, its rate and second rate, at rest at both ends.

    ``time`` since the beginning [s]: before it s is 0, after ``duration`` [s] it is 1.
    """
    x = within_one(time / duration)
    rest = 1.0 - x
    return (x * x * x * (10.0 + x * (6.0 * x - 15.0)),
            30.0 * (x * x) * (rest * rest) / duration,
            60.0 * x * rest * (rest - x) / (duration * duration))


def within_one(x: Scalar) -> Scalar:
    """Return a scalar cut at 0 and at 1."""
    return -larger(-larger(x, 0.0), -1.0)


def end_of(path: object) -> float:
    """Return the time from which on a path, or a turn, rests [s]; infinite if it never does."""
    duration = getattr(path, 'duration', None)
    return math.inf if duration is None else float(getattr(path, 'begin', 0.0) + duration)
