"""How a point that is fixed to a link moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.references import checked_point
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import UnknownNameError
from mbd_ros.simulation.manifold import Matrix, Vector


class PointMotion(NamedTuple):
    """
    A point's motion at one state, in world axes.

    Attributes
    ----------
    position, velocity, drift : Vector
        (3,): where it is, how fast, and its acceleration ``Jdot v`` at ``vdot = 0``.

    """

    position: Vector
    velocity: Vector
    drift: Vector


class LinkPoint:
    """
    A point fixed to a link.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics, ``mbd_ros.compile(model)``.
    link : str
        Name of the link.
    point : array_like, optional
        (3,) in the link's axes [m]; its origin if not given.

    Raises
    ------
    UnknownNameError
        If the robot has no such link.
    ShapeError, NotFiniteError, InvalidValueError
        If the point is not three finite numbers.

    """

    def __init__(self, dyn: PreparedDynamics, link: str, point: ArrayLike | None = None) -> None:
        if link not in dyn.model.links:
            raise UnknownNameError('link', link, dyn.model.links)
        arm = None if point is None else checked_point('point', point)
        self.link = link
        self._arm = None if arm is None or not arm.any() else arm
        self._dyn = dyn

    @property
    def at_origin(self) -> bool:
        """Whether it is the origin of the link."""
        return self._arm is None

    def position(self, q: Vector) -> Vector:
        """Return where it is (3,) [m]."""
        pose = self._dyn.pose(q, self.link)
        return pose[:3, 3] if self._arm is None else pose[:3, 3] + pose[:3, :3].dot(self._arm)

    def jacobian(self, q: Vector) -> Matrix:
        """Return the Jacobian (3, nv) of the position."""
        J = self._dyn.jacobian(q, self.link)
        if self._arm is None:
            return J[:3]
        x, y, z = self._dyn.pose(q, self.link)[:3, :3].dot(self._arm).tolist()
        turned = np.array(((0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0)))   # omega x r = -[r] omega
        jacobian: Matrix = J[:3] + turned.dot(J[3:])
        return jacobian

    def drift(self, q: Vector, v: Vector) -> Vector:
        """Return ``Jdot v`` (3,) [m/s^2]."""
        if self._arm is None:
            return self._dyn.link_motion(q, v, self.link).acceleration[:3]
        return self.motion(q, v).drift

    def motion(self, q: Vector, v: Vector) -> PointMotion:
        """Return position, velocity and ``Jdot v``."""
        pose, velocity, drift = self._dyn.link_motion(q, v, self.link)
        if self._arm is None:
            return PointMotion(pose[:3, 3], velocity[:3], drift[:3])
        arm, spin = pose[:3, :3].dot(self._arm), velocity[3:]
        swept = np.cross(spin, arm)
        return PointMotion(pose[:3, 3] + arm, velocity[:3] + swept,
                           drift[:3] + np.cross(drift[3:], arm) + np.cross(spin, swept))
