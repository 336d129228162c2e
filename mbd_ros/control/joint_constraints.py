"""Constraints on joints: trajectories, couplings, and velocities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.orientations import checked_direction
from mbd_ros.control.references import Path, PathPoint
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError, ShapeError, UnknownNameError, UnsupportedError
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import Matrix, Vector


class JointPath:
    """
    Keep joints on a path of their own: ``phi = q_j - q_d(t)``.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Names of the joints, in the order of the path's entries; not a floating base.
    path : Path
        ``at(t)`` with positions, velocities and accelerations (k,) [rad or m].

    Raises
    ------
    UnknownNameError, UnsupportedError, InvalidValueError, ShapeError
        If a joint is not known, moves more ways than one or is named twice, or the path has
        another number of entries.

    """

    def __init__(self, model: Model, joints: Sequence[str], path: Path) -> None:
        self.joints = tuple(joints)
        self.path = path
        self._q, self._v = joint_places(model, joints)
        found = path.at(0.0).position.shape
        if found != self._q.shape:
            raise ShapeError('path of joints', found, f'({len(self._q)},), one for each joint')
        self._matrix = np.zeros((len(self._v), model.nv))
        self._matrix[np.arange(len(self._v)), self._v] = 1.0
        self._latest: tuple[float, PathPoint] = (0.0, path.at(0.0))

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return a unit row for each joint (k, nv)."""
        return self._matrix

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return the desired accelerations (k,)."""
        return self._desired(t).acceleration

    def violation(self, q: Vector, t: float) -> Vector:
        """Return ``q_j - q_d`` (k,)."""
        violation: Vector = q[self._q] - self._desired(t).position
        return violation

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``v_j - v_d`` (k,)."""
        rate: Vector = v[self._v] - self._desired(t).velocity
        return rate

    def _desired(self, t: float) -> PathPoint:
        """Return the path at a time; several functions of a state ask for the same one."""
        time, point = self._latest
        if time != t:
            point = self.path.at(t)
            self._latest = (t, point)
        return point


class JointCoupling:
    """
    Keep a linear relation between joints: ``phi = sum_j c_j q_j - value``.

    Parameters
    ----------
    model : Model
        The robot.
    coefficients : mapping of str to float
        ``c_j`` by joint: ``{'left': 1, 'right': -1}`` keeps two joints equal.
    value : float, optional
        Right-hand side.

    Raises
    ------
    UnknownNameError, UnsupportedError, InvalidValueError
        If a joint is not known or moves more ways than one, or the coefficients are all zero or
        not finite.

    """

    def __init__(self, model: Model, coefficients: Mapping[str, float], value: float = 0.0
                 ) -> None:
        self._q, places, weights = _relation(model, coefficients)
        if not math.isfinite(value):
            raise InvalidValueError('value', value, 'a finite number')
        self._value = value
        self._weights = weights
        self._matrix = np.zeros((1, model.nv))
        self._matrix[0, places] = weights

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return the coefficients (1, nv)."""
        return self._matrix

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return zero (1,)."""
        return np.zeros(1)

    def violation(self, q: Vector, t: float) -> Vector:
        """Return ``phi`` (1,)."""
        return np.array((self._weights.dot(q[self._q]) - self._value,))

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``phi_dot`` (1,)."""
        return self._matrix.dot(v)


class JointSpeed:
    """
    Keep a linear relation between joint velocities: ``psi = sum_j c_j v_j - value``.

    Parameters
    ----------
    model, coefficients, value
        As in ``JointCoupling``, with velocities [rad/s or m/s].

    Raises
    ------
    UnknownNameError, UnsupportedError, InvalidValueError
        As there.

    """

    def __init__(self, model: Model, coefficients: Mapping[str, float], value: float = 0.0
                 ) -> None:
        _, places, weights = _relation(model, coefficients)
        if not math.isfinite(value):
            raise InvalidValueError('value', value, 'a finite number')
        self._value = value
        self._matrix = np.zeros((1, model.nv))
        self._matrix[0, places] = weights

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return the coefficients (1, nv)."""
        return self._matrix

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return zero (1,)."""
        return np.zeros(1)

    def violation(self, q: Vector, t: float) -> None:
        """Return None: configurations are free."""
        return None

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``psi`` (1,)."""
        rate: Vector = self._matrix.dot(v) - self._value
        return rate


class NoSideslip:
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

    def __init__(self, dyn: PreparedDynamics, link: str, axis: ArrayLike) -> None:
        if link not in dyn.model.links:
            raise UnknownNameError('link', link, dyn.model.links)
        self._link = link
        self._axis = checked_direction('axis', axis)
        self._dyn = dyn

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return ``d psi / dv`` (1, nv)."""
        u = self._dyn.pose(q, self._link)[:3, :3] @ self._axis
        matrix: Matrix = u[None] @ self._dyn.jacobian(q, self._link)[:3]
        return matrix

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``-u . Jdot v - (omega x u) . xdot`` (1,) [m/s^2]."""
        pose, velocity, drift = self._dyn.link_motion(q, v, self._link)
        u = pose[:3, :3] @ self._axis
        return np.array((-u.dot(drift[:3]) - np.cross(velocity[3:], u).dot(velocity[:3]),))

    def violation(self, q: Vector, t: float) -> None:
        """Return None: configurations are free."""
        return None

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``psi`` (1,) [m/s]."""
        pose, velocity, _ = self._dyn.link_motion(q, v, self._link)
        return np.array(((pose[:3, :3] @ self._axis).dot(velocity[:3]),))


def joint_places(model: Model, joints: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """
    Return where joints stand in q and in v.

    Raises
    ------
    UnknownNameError, UnsupportedError, InvalidValueError
        If a joint is not known, has more than one coordinate, or is named twice.

    """
    indices = [model.joint_index(name) for name in joints]
    if not indices or len(set(indices)) < len(indices):
        raise InvalidValueError('joints', list(joints), 'each joint at most once, at least one')
    for name, index in zip(joints, indices):
        if not model.joint_types[index].is_simple:
            raise UnsupportedError(f"a constraint on the coordinates of joint '{name}'",
                                   'name revolute and prismatic joints, or constrain its link')
    return (np.array([model.q_offsets[index] for index in indices], dtype=np.intp),
            np.array([model.v_offsets[index] for index in indices], dtype=np.intp))


def _relation(model: Model, coefficients: Mapping[str, float]
              ) -> tuple[np.ndarray, np.ndarray, Vector]:
    """Return places in q and v and the coefficients of a linear relation."""
    places_q, places_v = joint_places(model, list(coefficients))
    weights = np.array([float(value) for value in coefficients.values()])
    if not np.isfinite(weights).all() or not weights.any():
        raise InvalidValueError('coefficients', dict(coefficients),
                                'finite numbers, not all of them zero')
    return places_q, places_v, weights
