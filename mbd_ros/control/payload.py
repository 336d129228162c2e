"""A robot that carries a load, and one that stands under another gravity: set while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import functools
import math

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.references import checked_point
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.prepared import STANDARD_GRAVITY
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError, UnknownNameError
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import Matrix, Vector

NO_INERTIA = ((0.0, 0.0, 0.0),) * 3


@dataclass(frozen=True)
class Payload:
    """
    A rigid body fixed to a link.

    Parameters
    ----------
    link : str
        Link that carries it.
    mass : float
        [kg]; zero: nothing is carried.
    center : tuple of float, optional
        Mass centre (3,) in the link's axes [m].
    inertia : tuple of rows, optional
        (3, 3) about the mass centre, in the link's axes [kg m^2].

    """

    link: str
    mass: float
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: tuple[tuple[float, float, float], ...] = NO_INERTIA

    def check(self, model: Model) -> Payload:
        """
        Return it, checked against a robot.

        Raises
        ------
        UnknownNameError
            If the robot has no such link.
        InvalidValueError, ShapeError, NotFiniteError
            If the mass is negative, a number is not finite, or the inertia is none of a body.

        """
        if self.link not in model.links:
            raise UnknownNameError('link', self.link, model.links)
        if not 0.0 <= self.mass < math.inf:
            raise InvalidValueError('mass of the payload', self.mass, 'a number not below zero')
        checked_point('center of the payload', self.center)
        inertia = np.array(self.inertia, np.float64)
        if inertia.shape != (3, 3):
            raise ShapeError('inertia of the payload', inertia.shape, '(3, 3)')
        if not np.isfinite(inertia).all():
            raise NotFiniteError('inertia of the payload', 'an entry',
                                 float(inertia[~np.isfinite(inertia)][0]))
        moments = np.linalg.eigvalsh(inertia)
        scale = 1e-9 * np.abs(inertia).max()
        if (np.abs(inertia - inertia.T).max() > scale or moments[0] < -scale
                or moments[2] > moments[0] + moments[1] + scale):
            raise InvalidValueError(
                'inertia of the payload', inertia.tolist(), 'a symmetric tensor whose principal '
                'moments are not negative and the largest not above the sum of the others')
        return self


class LoadedDynamics(PreparedDynamics):
    """
    Prepared dynamics of a robot with a payload; nothing is compiled anew.

    With the Jacobians ``J_c`` of the load's mass centre and ``J_w`` of its turning,
    ``M' = M + m J_c^T J_c + J_w^T I J_w``, and its weight and inertia forces go the same way.

    Parameters
    ----------
    model : Model
        The robot.
    payload : Payload
        What it carries.
    gravity : tuple of float, optional
        (3,) [m/s^2].

    Raises
    ------
    UnknownNameError, InvalidValueError, ShapeError, NotFiniteError
        If the payload does not fit.

    """

    def __init__(self, model: Model, payload: Payload,
                 gravity: tuple[float, ...] = STANDARD_GRAVITY) -> None:
        super().__init__(model, gravity)
        self.payload = payload.check(model)
        self._bare = PreparedDynamics(model, gravity)
        self._center = np.array(payload.center)
        self._inertia = np.array(payload.inertia)
        self._still = np.zeros(model.nv)

    @functools.cached_property
    def mass_matrix(self) -> Callable[..., Matrix]:
        """Give the mass matrix M' (nv, nv) for (q)."""
        bare, mass = self._bare.mass_matrix, self.payload.mass

        def mass_matrix(q: Vector) -> Matrix:
            turning, moving, R = self._jacobians(q)
            inertia = R @ self._inertia @ R.T
            loaded: Matrix = (bare(q) + mass * (moving.T @ moving)
                              + turning.T @ inertia @ turning)
            return loaded
        return mass_matrix

    @functools.cached_property
    def inverse_dynamics(self) -> Callable[..., Vector]:
        """Callable ``(q, v, qdd) -> tau`` (nv,)."""
        bare = self._bare.inverse_dynamics

        def inverse_dynamics(q: Vector, v: Vector, accelerations: Vector) -> Vector:
            efforts: Vector = bare(q, v, accelerations) + self._load(q, v, accelerations)
            return efforts
        return inverse_dynamics

    @functools.cached_property
    def bias_forces(self) -> Callable[..., Vector]:
        """Callable ``(q, v) -> h'`` (nv,)."""
        bare = self._bare.bias_forces

        def bias_forces(q: Vector, v: Vector) -> Vector:
            efforts: Vector = bare(q, v) + self._load(q, v, self._still)
            return efforts
        return bias_forces

    @functools.cached_property
    def forward_dynamics(self) -> Callable[..., Vector]:
        """Callable ``(q, v, tau) -> qdd`` (nv,)."""
        def forward_dynamics(q: Vector, v: Vector, tau: ArrayLike) -> Vector:
            force = np.asarray(tau, np.float64) - self.bias_forces(q, v)
            return np.asarray(np.linalg.solve(self.mass_matrix(q), force), np.float64)
        return forward_dynamics

    def change_gravity(self, gravity: ArrayLike) -> None:
        """Go on under another gravity (3,) [m/s^2]."""
        self._bare.change_gravity(gravity)
        super().change_gravity(gravity)

    def _jacobians(self, q: Vector) -> tuple[Matrix, Matrix, Matrix]:
        """Return the Jacobians of the load's turning and of its mass centre, and the link's R."""
        J = self._bare.jacobian(q, self.payload.link)
        R = self._bare.pose(q, self.payload.link)[:3, :3]
        turning = J[3:]
        return turning, J[:3] + np.cross(turning, R @ self._center, axis=0), R

    def _load(self, q: Vector, v: Vector, accelerations: Vector) -> Vector:
        """Return the efforts (nv,) that move and carry the load."""
        turning, moving, R = self._jacobians(q)
        _, velocity, acceleration = self._bare.link_motion(
            q, v, self.payload.link, accelerations)
        spin, arm = velocity[3:], R @ self._center
        inertia = R @ self._inertia @ R.T
        force = self.payload.mass * (
            acceleration[:3] + np.cross(acceleration[3:], arm)
            + np.cross(spin, np.cross(spin, arm)) - self._gravity)
        moment = inertia @ acceleration[3:] + np.cross(spin, inertia @ spin)
        efforts: Vector = moving.T @ force + turning.T @ moment
        return efforts


def dynamics_with(model: Model, payload: Payload | None, gravity: ArrayLike) -> PreparedDynamics:
    """
    Return prepared dynamics of a robot with a payload, or none, under a gravity.

    Parameters
    ----------
    model : Model
        The robot.
    payload : Payload or None
        What it carries; None or without mass: nothing.
    gravity : array_like
        (3,) in world axes [m/s^2].

    Returns
    -------
    PreparedDynamics
        A new one.

    Raises
    ------
    MbdError
        If the payload or the gravity are not as they should be.

    """
    field = tuple(checked_point('gravity', gravity).tolist())
    if payload is None or payload.check(model).mass == 0.0:
        return PreparedDynamics(model, field)
    return LoadedDynamics(model, payload, field)
