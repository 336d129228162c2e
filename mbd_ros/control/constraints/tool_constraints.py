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

"""Constraints on a tool: its position, its orientation, the direction of an axis, no sideslip."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.constraints.link_constraint import LinkConstraint, Moving, point_of_link
from mbd_ros.control.references.arguments import checked_direction, require
from mbd_ros.control.references.orientations import Orientation
from mbd_ros.control.references.paths import Path
from mbd_ros.control.references.scalars import Row
from mbd_ros.control.references.time_code import followed, time_code_of, TimeCode
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError
from mbd_ros.simulation.manifold import Vector
from mbd_ros.spatial import Rotation, Scalar, Vector3
from mbd_ros.spatial.logarithm import rotation_vector

AXES = 'xyz'


class ToolPosition(LinkConstraint):
    """
    Keep a point of a link on a path: ``phi = x(q) - x_d(t)`` in chosen world axes.

    From it ``A = J(q)``, ``b = xd_ddot - Jdot v`` (Lyu, Liu 2018, section 3).

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics, ``mbd_ros.compile(model)``.
    link : str
        Name of the link.
    path : Path
        Desired position of the point in world axes [m].
    axes : str, optional
        World axes that are prescribed, a selection of ``'xyz'``; the others stay free.
    point : array_like, optional
        (3,) in the link's axes [m]; its origin if not given.

    Raises
    ------
    UnknownNameError
        If the robot has no such link.
    InvalidValueError
        If the axes are not a selection of x, y and z, or the path is none.

    """

    reference_size = 9

    def __init__(self, dyn: PreparedDynamics, link: str, path: Path, *, axes: str = AXES,
                 point: ArrayLike | None = None) -> None:
        self._point = point_of_link(point)
        super().__init__(dyn, link, len(axes), axes, self._point)
        if not axes or len(set(axes)) < len(axes) or not set(axes) <= set(AXES):
            raise InvalidValueError('axes', axes, "each of 'x', 'y', 'z' at most once, e.g. 'xyz'")
        require('path', path, ('at',), 'a path, such as Ellipse(...) or Line(...)')
        self.path = path
        self.axes = axes
        self.chosen = [AXES.index(axis) for axis in axes]

    def function(self, moving: Moving, reference: Row) -> Sequence[Scalar]:
        """Return ``x - x_d``."""
        x = moving.at(self._point)
        return [x[k] - reference[k] for k in self.chosen]

    def _made(self) -> TimeCode | None:
        return time_code_of(self.path)

    def _followed(self, t: float) -> Vector:
        return np.concatenate(self.path.at(t))

    def position(self, q: Vector) -> Vector:
        """Return where the point is (3,) [m]."""
        pose = self._dyn.pose(q, self.link)
        return (pose[:3, 3] if self._point is None else
                pose[:3, 3] + pose[:3, :3].dot(np.array(self._point)))


class ToolOrientation(LinkConstraint):
    """
    Keep a link's orientation: ``phi`` is the rotation vector of ``R(q) R_d(t)^T``, world axes.

    Its length is the geodesic distance of the two orientations, at most pi.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics, ``mbd_ros.compile(model)``.
    link : str
        Name of the link.
    orientation : Orientation
        Desired axes of the link in world axes.

    Raises
    ------
    UnknownNameError
        If the robot has no such link.
    InvalidValueError
        If the orientation is none in time.

    """

    reference_size = 27

    def __init__(self, dyn: PreparedDynamics, link: str, orientation: Orientation) -> None:
        super().__init__(dyn, link, 3)
        require('orientation', orientation, ('at',),
                'an orientation in time: held(quaternion) or Turn(start, end, duration)')
        self.orientation = orientation

    def function(self, moving: Moving, reference: Row) -> Sequence[Scalar]:
        """Return ``log(R R_d^T)``."""
        x, y, z = (Vector3(*reference[k:k + 3]) for k in (0, 3, 6))   # columns of R_d^T
        return rotation_vector(moving.rotation.compose(Rotation(x, y, z)))

    def _made(self) -> TimeCode | None:
        code = time_code_of(self.orientation)
        return None if code is None else followed(code, _columns_and_rates, 27)

    def _followed(self, t: float) -> Vector:
        R, omega, alpha = self.orientation.at(t)
        return np.array(_columns_and_rates(np.concatenate((R.ravel(), omega, alpha)).tolist()))


def _columns_and_rates(point: Row) -> Row:
    """
    Return the columns of ``R_d^T``, which are the rows of ``R_d``, and their two rates.

    ``R_dot = [omega] R``, ``R_ddot = [alpha] R + [omega] R_dot``. ``point`` (15,): R_d by rows,
    its angular velocity and acceleration in world axes.
    """
    omega, alpha = Vector3(*point[9:12]), Vector3(*point[12:])
    axes = [Vector3(*point[k:9:3]) for k in range(3)]
    rates = [omega.cross(axis) for axis in axes]
    seconds = [alpha.cross(axis) + omega.cross(rate) for axis, rate in zip(axes, rates)]
    return [axis[row] for each in (axes, rates, seconds) for row in range(3) for axis in each]


class ToolDirection(LinkConstraint):
    """
    Keep an axis of a link in a world direction; the turn about it stays free.

    ``phi = (e1 . u, e2 . u)`` with the link's axis u in world axes and e1, e2 at right angles to
    the direction: the sine of the angle between them. The opposite direction satisfies it, too,
    but elimination does not lead there from less than a right angle.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics, ``mbd_ros.compile(model)``.
    link : str
        Name of the link.
    axis : array_like
        (3,) in the link's axes.
    direction : array_like
        (3,) in world axes.

    Raises
    ------
    UnknownNameError
        If the robot has no such link.
    ShapeError, NotFiniteError, InvalidValueError
        If a vector is not three finite numbers, or zero.

    """

    def __init__(self, dyn: PreparedDynamics, link: str, axis: ArrayLike, direction: ArrayLike
                 ) -> None:
        self._axis = Vector3(*checked_direction('axis', axis).tolist())
        _, _, basis = np.linalg.svd(checked_direction('direction', direction)[None])
        self._across = tuple(Vector3(*row.tolist()) for row in basis[1:])
        super().__init__(dyn, link, 2, self._axis, self._across)

    def function(self, moving: Moving, reference: Row) -> Sequence[Scalar]:
        """Return ``e . u``."""
        u = moving.rotation.apply(self._axis)
        return [u.dot(e) for e in self._across]


class NoSideslip(LinkConstraint):
    """
    Let a link not move along one of its own axes, as a blade or a wheel: ``psi = u . xdot``.

    Not holonomic: it restricts no configuration, only how one gets there.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics, ``mbd_ros.compile(model)``.
    link : str
        Name of the link; the velocity is that of its origin.
    axis : array_like
        (3,): u in the link's axes.

    Raises
    ------
    UnknownNameError, ShapeError, NotFiniteError, InvalidValueError
        If the link or the axis are not as they should be.

    """

    holonomic = False

    def __init__(self, dyn: PreparedDynamics, link: str, axis: ArrayLike) -> None:
        self._axis = Vector3(*checked_direction('axis', axis).tolist())
        super().__init__(dyn, link, 1, self._axis)

    def function(self, moving: Moving, reference: Row) -> Sequence[Scalar]:
        """Return ``u . xdot``."""
        return [moving.rotation.apply(self._axis).dot(moving.velocity)]
