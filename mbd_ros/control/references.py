"""
Paths in time that a servo constraint follows: position with exact velocity and acceleration.

Every path is made from plain data (``path_from_data``), as a parameter file or a message has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
import math
from numbers import Real
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError, UnknownNameError
from mbd_ros.simulation.manifold import Vector


class PathPoint(NamedTuple):
    """
    A path at one instant, in world axes.

    Attributes
    ----------
    position, velocity, acceleration : Vector
        (3,) each [m, m/s, m/s^2].

    """

    position: Vector
    velocity: Vector
    acceleration: Vector


class Path(Protocol):
    """A twice differentiable function of time with values in space."""

    def at(self, time: float) -> PathPoint:
        """Return position, velocity and acceleration at a time [s]."""
        ...


@dataclass(frozen=True, eq=False)
class Ellipse:
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
        """Check the data and prepare the rows that ``at`` combines."""
        rows = [_point(name, getattr(self, name)) for name in ('center', 'a', 'b')]
        for name, row in zip(('center', 'a', 'b'), rows):
            object.__setattr__(self, name, row)
        object.__setattr__(self, 'period', _positive('period', self.period))
        object.__setattr__(self, '_rows', np.array(rows))

    def at(self, time: float) -> PathPoint:
        """Return position, velocity and acceleration at a time [s]."""
        w = 2.0 * math.pi / self.period
        c, s = math.cos(w * time), math.sin(w * time)
        weights = ((1.0, c, s), (0.0, -w * s, w * c), (0.0, -w * w * c, -w * w * s))
        return PathPoint(*np.array(weights).dot(self._rows))  # type: ignore[attr-defined]


@dataclass(frozen=True, eq=False)
class Line:
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
        object.__setattr__(self, 'start', _point('start', self.start))
        object.__setattr__(self, 'end', _point('end', self.end))
        object.__setattr__(self, 'duration', _positive('duration', self.duration))
        if not math.isfinite(self.begin):
            raise InvalidValueError('begin', self.begin, 'a finite time [s]')

    def at(self, time: float) -> PathPoint:
        """Return position, velocity and acceleration at a time [s]."""
        T = self.duration
        x = min(max((time - self.begin) / T, 0.0), 1.0)
        span = self.end - self.start
        return PathPoint(
            self.start + span * (x * x * x * (10.0 + x * (6.0 * x - 15.0))),
            span * (30.0 * x * x * (1.0 - x) ** 2 / T),
            span * (60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / (T * T)))


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
    radius = _positive('radius', radius)
    n = _point('normal', normal)
    length = float(np.linalg.norm(n))
    if length == 0.0:
        raise InvalidValueError('normal', [0.0, 0.0, 0.0], 'a vector that is not zero')
    n = n / length
    axis = np.zeros(3)
    axis[int(np.argmin(np.abs(n)))] = 1.0
    a = axis - n * float(n @ axis)
    a *= radius / float(np.linalg.norm(a))
    return Ellipse(center, a, np.cross(n, a), period)  # type: ignore[arg-type]


KINDS: Mapping[str, tuple[Callable[..., Path], frozenset[str], frozenset[str]]] = {
    'ellipse': (Ellipse, frozenset({'center', 'a', 'b'}), frozenset({'period'})),
    'circle': (circle, frozenset({'center', 'radius', 'normal'}), frozenset({'period'})),
    'line': (Line, frozenset({'start', 'end', 'duration'}), frozenset({'begin'})),
}
"""Kinds of path: maker, the data it needs, the data it may have."""


def path_from_data(data: Mapping[str, Any]) -> Path:
    """
    Return the path that plain data describe.

    Parameters
    ----------
    data : mapping
        ``kind`` (``ellipse``, ``circle`` or ``line``) and the arguments of that kind, e.g.
        ``{'kind': 'ellipse', 'center': [1, 0, 1], 'a': [0.25, 0.3, 0], 'b': [0, 1, 0.5]}``.

    Returns
    -------
    Path
        The path.

    Raises
    ------
    UnknownNameError
        If the kind or a datum is not known; names the nearest.
    InvalidValueError, ShapeError, NotFiniteError
        If a datum is missing or not allowed.

    """
    kind = str(data.get('kind', ''))
    if kind not in KINDS:
        raise UnknownNameError('kind of path', kind, KINDS)
    make, needed, optional = KINDS[kind]
    given = {name: value for name, value in data.items() if name != 'kind'}
    for name in given:
        if name not in needed | optional:
            raise UnknownNameError(f'datum of a path of kind {kind}', name,
                                   sorted(needed | optional))
    missing = sorted(needed - given.keys())
    if missing:
        raise InvalidValueError(
            f'path of kind {kind}', sorted(given), f'also with {", ".join(missing)}')
    return make(**given)


def _point(name: str, value: ArrayLike) -> Vector:
    """Return a read-only (3,) vector of finite numbers."""
    try:
        point = np.array(value, np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidValueError(name, value, 'three numbers') from error
    if point.shape != (3,):
        raise ShapeError(name, point.shape, '(3,)')
    finite = np.isfinite(point)
    if not finite.all():
        axis = int(np.argmin(finite))
        raise NotFiniteError(name, 'xyz'[axis], float(point[axis]))
    point.setflags(write=False)
    return point


def _positive(name: str, value: object) -> float:
    """Return a positive finite number."""
    if not isinstance(value, Real) or not 0.0 < float(value) < math.inf:
        raise InvalidValueError(name, value, 'a positive number')
    return float(value)
