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

"""
A point of the robot held on a plane, a curve or any surface that an equation describes.

``phi = f(x(q), t)`` with a function f on scalars, traced for its derivatives. One function holds
the point on a surface, two on the curve in which two surfaces meet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.constraints.link_constraint import LinkConstraint, Moving, point_of_link
from mbd_ros.control.references.arguments import checked_direction, checked_point, positive
from mbd_ros.control.references.scalars import Row
from mbd_ros.control.references.time_code import closed_form, TimeCode
from mbd_ros.control.references.user_functions import UserFunction
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError
from mbd_ros.model.state import neutral
from mbd_ros.simulation.manifold import Vector
from mbd_ros.spatial import Scalar, Vector3


class Drawn(NamedTuple):
    """
    What a surface looks like.

    Attributes
    ----------
    kind : str
        ``'plane'``, ``'sphere'`` or ``'cylinder'``.
    center : Vector
        (3,): a point of the plane or of the axis, or the centre [m].
    quaternion : Vector
        (4,) x y z w: its z axis is the normal or the axis.
    radius : float
        [m]; zero for a plane.

    """

    kind: str
    center: Vector
    quaternion: Vector
    radius: float


Surface = Callable[[Vector3, Scalar], Scalar]
"""``f(x, t)`` of a position in world axes [m] and the time [s], zero on the surface [m]."""


class OnSurface(LinkConstraint):
    """
    Keep a point of a link on surfaces: ``phi_i = f_i(x(q), t)``.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics, ``mbd_ros.compile(model)``.
    link : str
        Name of the link.
    surfaces : sequence of callable
        Functions as ``plane(...)``, ``sphere(...)`` and ``cylinder(...)`` return; those of a user
        follow the rules of ``TracedConstraint``.
    point : array_like, optional
        (3,) in the link's axes [m]; its origin if not given.

    Raises
    ------
    UnknownNameError, ShapeError, NotFiniteError, InvalidValueError
        If link, point or a function are not as they should be.

    """

    reference_size = 3

    def __init__(
        self, dyn: PreparedDynamics, link: str, surfaces: Sequence[Surface], *,
        point: ArrayLike | None = None,
    ) -> None:
        if callable(surfaces) or not len(surfaces):
            raise InvalidValueError(
                'surfaces', 'one function' if callable(surfaces) else [],
                'a sequence of functions, at least one, e.g. [plane(point, normal)]')
        self._point = point_of_link(point)
        self._surfaces = [UserFunction(
            surface, lambda surface, x, t: [surface(Vector3(*x), *t)], (3, 1),
            returned='one scalar')
            for surface in surfaces]
        super().__init__(dyn, link, len(surfaces),
                         tuple(surface.text for surface in self._surfaces), self._point)
        self.drawn = tuple(surface.drawn for surface in surfaces if hasattr(surface, 'drawn'))
        self.violation(neutral(dyn.model), 0.0)   # what cannot be recorded is refused here

    def function(self, moving: Moving, reference: Row) -> Sequence[Scalar]:
        """Return ``f(x, t)``."""
        x = list(moving.at(self._point))
        return [distance for surface in self._surfaces for distance in surface(x, reference)]

    def _made(self) -> TimeCode:
        return closed_form(_time_with_rates, (), 3)


def _time_with_rates(time: Scalar, _: Row) -> Row:
    return [time, 1.0, 0.0]


def plane(point: ArrayLike, normal: ArrayLike) -> Surface:
    """
    Return the plane through a point: ``n . (x - p)``, the distance [m].

    Parameters
    ----------
    point, normal : array_like
        (3,) each, in world axes; the length of the normal does not matter.

    Returns
    -------
    callable
        The function.

    """
    p, n = Vector3(*checked_point('point', point).tolist()), Vector3(
        *checked_direction('normal', normal).tolist())
    return _drawn(lambda x, t: (x - p).dot(n), 'plane', p, n, 0.0)


def sphere(center: ArrayLike, radius: float) -> Surface:
    """
    Return a sphere: ``(|x - c|^2 - r^2) / (2 r)``, near it the distance [m].

    Parameters
    ----------
    center : array_like
        (3,) in world axes [m].
    radius : float
        [m].

    Returns
    -------
    callable
        The function.

    """
    c, r = Vector3(*checked_point('center', center).tolist()), positive('radius', radius)
    return _drawn(lambda x, t: ((x - c).dot(x - c) - r * r) * (0.5 / r), 'sphere', c,
                  Vector3(0.0, 0.0, 1.0), r)


def cylinder(point: ArrayLike, axis: ArrayLike, radius: float) -> Surface:
    """
    Return a cylinder: ``(|x - p|^2 - ((x - p) . a)^2 - r^2) / (2 r)``, near it the distance [m].

    Parameters
    ----------
    point, axis : array_like
        (3,) each, in world axes: a point of its axis and the direction.
    radius : float
        [m].

    Returns
    -------
    callable
        The function.

    """
    p = Vector3(*checked_point('point', point).tolist())
    a = Vector3(*checked_direction('axis', axis).tolist())
    r = positive('radius', radius)

    def function(x: Vector3, t: Scalar) -> Scalar:
        along = (x - p).dot(a)
        return ((x - p).dot(x - p) - along * along - r * r) * (0.5 / r)
    return _drawn(function, 'cylinder', p, a, r)


def _drawn(function: Surface, kind: str, center: Vector3, axis: Vector3, radius: float
           ) -> Surface:
    """Return a function that knows what its surface looks like."""
    x, y, z = axis
    quaternion = np.array((-y, x, 0.0, 1.0 + z)) if z > -1.0 + 1e-9 else np.array((1.0, 0, 0, 0))
    function.drawn = Drawn(  # type: ignore[attr-defined]
        kind, np.array(center), quaternion / np.linalg.norm(quaternion), radius)
    return function
