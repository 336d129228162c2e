"""A link's orientation as a constraint: the whole of it, or the direction of one axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.orientations import (
    checked_direction, cross_matrix, Orientation, OrientationPoint, rate_of_rotation_vector,
    rotation_vector)
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import UnknownNameError
from mbd_ros.simulation.manifold import Matrix, Vector


class ToolOrientation:
    """
    Keep a link's orientation: ``phi`` is the rotation vector of ``R(q) R_d(t)^T``, world axes.

    Its length is the geodesic distance of the two orientations, at most pi. With
    ``w = omega - R R_d^T omega_d``: ``phi_dot = B(phi) w``, ``A = B J_omega``, and b from its
    derivative, exact at any distance (``orientations.rate_of_rotation_vector``).

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

    """

    def __init__(self, dyn: PreparedDynamics, link: str, orientation: Orientation) -> None:
        if link not in dyn.model.links:
            raise UnknownNameError('link', link, dyn.model.links)
        self.link = link
        self.orientation = orientation
        self._dyn = dyn
        self._none = np.zeros(3)
        self._latest = (0.0, orientation.at(0.0))

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return ``B J_omega`` (3, nv)."""
        B, _, _ = rate_of_rotation_vector(self.violation(q, t), self._none, self._none)
        matrix: Matrix = B @ self._dyn.jacobian(q, self.link)[3:]
        return matrix

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``b`` (3,) [rad/s^2]."""
        return -self._rates(q, v, t)[1]

    def violation(self, q: Vector, t: float) -> Vector:
        """Return ``phi`` (3,) [rad]."""
        return rotation_vector(
            self._dyn.pose(q, self.link)[:3, :3] @ self._desired(t).rotation.T)

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``phi_dot`` (3,) [rad/s]."""
        return self._rates(q, v, t)[0]

    def _rates(self, q: Vector, v: Vector, t: float) -> tuple[Vector, Vector]:
        """Return ``phi_dot``, and ``phi_ddot`` at ``vdot = 0``."""
        desired = self._desired(t)
        pose, velocity, drift = self._dyn.link_motion(q, v, self.link)
        E = pose[:3, :3] @ desired.rotation.T
        carried = E @ desired.velocity
        spin = velocity[3:] - carried
        spin_rate = drift[3:] - E @ desired.acceleration - cross_matrix(spin) @ carried
        _, rate, second = rate_of_rotation_vector(rotation_vector(E), spin, spin_rate)
        return rate, second

    def _desired(self, t: float) -> OrientationPoint:
        """Return the orientation at a time; several functions of a state ask for the same one."""
        time, point = self._latest
        if time != t:
            point = self.orientation.at(t)
            self._latest = (t, point)
        return point


class ToolDirection:
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
        if link not in dyn.model.links:
            raise UnknownNameError('link', link, dyn.model.links)
        self.link = link
        self._axis = checked_direction('axis', axis)
        _, _, basis = np.linalg.svd(checked_direction('direction', direction)[None])
        self._across: Matrix = basis[1:]
        self._dyn = dyn

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return ``e . (omega x u)`` by joints (2, nv)."""
        u = self._dyn.pose(q, self.link)[:3, :3] @ self._axis
        matrix: Matrix = np.cross(u, self._across) @ self._dyn.jacobian(q, self.link)[3:]
        return matrix

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``b`` (2,) [1/s^2]."""
        pose, velocity, drift = self._dyn.link_motion(q, v, self.link)
        u, spin = pose[:3, :3] @ self._axis, velocity[3:]
        right_side: Vector = -self._across @ (
            np.cross(drift[3:], u) + np.cross(spin, np.cross(spin, u)))
        return right_side

    def violation(self, q: Vector, t: float) -> Vector:
        """Return ``phi`` (2,)."""
        violation: Vector = self._across @ (self._dyn.pose(q, self.link)[:3, :3] @ self._axis)
        return violation

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``phi_dot`` (2,) [1/s]."""
        pose, velocity, _ = self._dyn.link_motion(q, v, self.link)
        rate: Vector = self._across @ np.cross(velocity[3:], pose[:3, :3] @ self._axis)
        return rate
