"""What a state is: the configuration manifold of a model, and steps on it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.model.joint_type import JointType
from mbd_ros.model.model import Model

Array = NDArray[np.float64]

SMALL_ANGLE = 1e-3
"""Below it the series of sin and cos, cut after theta^4, are exact to 1e-20 (relative)."""


def neutral(model: Model) -> Array:
    """
    Return the configuration with all joints at zero, quaternions at unity.

    Returns
    -------
    (nq,) array
        Also if zero is outside the joints' limits.

    """
    q = np.zeros(model.nq)
    for start, _ in _floating(model):
        q[start + 6] = 1.0
    return q


def normalize(model: Model, q: Array) -> Array:
    """
    Return the configuration with quaternions of unit length.

    Parameters
    ----------
    model : Model
        The robot.
    q : (nq,) array
        Configuration.

    Returns
    -------
    (nq,) array
        A copy.

    Raises
    ------
    InvalidValueError
        If a quaternion is zero.

    """
    q = _copy(model, 'q', q, model.nq)
    for start, _ in _floating(model):
        length = np.linalg.norm(q[start + 3:start + 7])
        if not length > 0.0:
            raise InvalidValueError('the quaternion of q', tuple(q[start + 3:start + 7].tolist()),
                                    'x y z w, not all zero')
        q[start + 3:start + 7] /= length
    return q


def configuration_rate(model: Model, q: Array, v: Array) -> Array:
    """
    Return the time derivative of the configuration.

    For a floating joint ``pdot = R v_linear`` and the quaternion's rate is half the product of the
    quaternion with (omega, 0).

    Parameters
    ----------
    model : Model
        The robot.
    q, v : (nq,) and (nv,) array
        Configuration and velocities.

    Returns
    -------
    (nq,) array
        [rad/s, m/s, 1/s].

    """
    q = _copy(model, 'q', q, model.nq)
    v = _copy(model, 'v', v, model.nv)
    if model.nq == model.nv:
        return v
    rate = np.zeros(model.nq)
    rate[_simple(model)[0]] = v[_simple(model)[1]]
    for start, first in _floating(model):
        quaternion = q[start + 3:start + 7]
        rate[start:start + 3] = _rotate(quaternion, v[first:first + 3])
        rate[start + 3:start + 7] = 0.5 * _product(quaternion, np.append(v[first + 3:first + 6],
                                                                         0.0))
    return rate


def integrate(model: Model, q: Array, dv: Array) -> Array:
    """
    Return the configuration reached from q with constant velocity dv in unit time.

    On a floating joint this is the exponential map of SE(3), a screw motion, as Pinocchio's
    ``integrate`` of a free flyer.

    Parameters
    ----------
    model : Model
        The robot.
    q : (nq,) array
        Configuration, quaternions of unit length.
    dv : (nv,) array
        Velocities times a time step [rad or m].

    Returns
    -------
    (nq,) array
        Configuration, quaternions of unit length.

    """
    q = _copy(model, 'q', q, model.nq)
    dv = _copy(model, 'dv', dv, model.nv)
    if model.nq == model.nv:
        return q + dv
    simple_q, simple_v = _simple(model)
    q[simple_q] += dv[simple_v]
    for start, first in _floating(model):
        linear, angular = dv[first:first + 3], dv[first + 3:first + 6]
        quaternion = q[start + 3:start + 7].copy()
        q[start:start + 3] += _rotate(quaternion, _left_jacobian(angular, linear))
        turned = _product(quaternion, _quaternion(angular))
        q[start + 3:start + 7] = turned / np.linalg.norm(turned)
    return q


def difference(model: Model, q0: Array, q1: Array) -> Array:
    """
    Return the constant velocity that leads from q0 to q1 in unit time.

    The inverse of ``integrate``: the logarithm of SE(3) on a floating joint, with the shorter of
    the two turns.

    Parameters
    ----------
    model : Model
        The robot.
    q0, q1 : (nq,) array
        Configurations, quaternions of unit length.

    Returns
    -------
    (nv,) array
        [rad or m].

    """
    q0 = _copy(model, 'q0', q0, model.nq)
    q1 = _copy(model, 'q1', q1, model.nq)
    if model.nq == model.nv:
        return q1 - q0
    simple_q, simple_v = _simple(model)
    dv = np.zeros(model.nv)
    dv[simple_v] = q1[simple_q] - q0[simple_q]
    for start, first in _floating(model):
        inverse = q0[start + 3:start + 7] * (-1.0, -1.0, -1.0, 1.0)
        angular = _rotation_vector(_product(inverse, q1[start + 3:start + 7]))
        moved = _rotate(inverse, q1[start:start + 3] - q0[start:start + 3])
        dv[first:first + 3] = _inverse_left_jacobian(angular, moved)
        dv[first + 3:first + 6] = angular
    return dv


def random_configuration(model: Model, rng: np.random.Generator) -> Array:
    """
    Return a random configuration within the limits.

    Parameters
    ----------
    model : Model
        The robot.
    rng : numpy.random.Generator
        Where the random numbers come from.

    Returns
    -------
    (nq,) array
        Uniform between the limits; where there are none, within half a turn or a metre of zero.
        Orientations are uniform over all rotations.

    """
    q = np.empty(model.nq)
    for kind, start, first in zip(model.joint_types, model.q_offsets, model.v_offsets):
        if kind is JointType.FLOATING:
            q[start:start + 3] = rng.uniform(-1.0, 1.0, 3)
            quaternion = rng.normal(size=4)
            q[start + 3:start + 7] = quaternion / np.linalg.norm(quaternion)
            continue
        span = np.pi if kind is JointType.REVOLUTE else 1.0
        lower, upper = model.lower[first], model.upper[first]
        if not np.isfinite(lower):
            lower = min(-span, upper - span) if np.isfinite(upper) else -span
        if not np.isfinite(upper):
            upper = max(span, lower + span)
        q[start] = rng.uniform(lower, upper)
    return q


def _copy(model: Model, argument: str, array: Array, size: int) -> Array:
    copy = np.array(array, dtype=np.float64)
    if copy.shape != (size,):
        raise ShapeError(argument, copy.shape, f"({size},), the size of '{model.name}'")
    return copy


def _floating(model: Model) -> list[tuple[int, int]]:
    return [(start, first) for kind, start, first in
            zip(model.joint_types, model.q_offsets, model.v_offsets)
            if kind is JointType.FLOATING]


def _simple(model: Model) -> tuple[list[int], list[int]]:
    pairs = [(start, first) for kind, start, first in
             zip(model.joint_types, model.q_offsets, model.v_offsets)
             if kind is not JointType.FLOATING]
    return [start for start, _ in pairs], [first for _, first in pairs]


def _product(a: Array, b: Array) -> Array:
    """Return the product of two quaternions x y z w."""
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(vector, a[3] * b[3] - a[:3] @ b[:3])


def _rotate(quaternion: Array, vector: Array) -> Array:
    """Return ``R p`` for a unit quaternion."""
    twice = 2.0 * np.cross(quaternion[:3], vector)
    rotated: Array = vector + quaternion[3] * twice + np.cross(quaternion[:3], twice)
    return rotated


def _quaternion(angular: Array) -> Array:
    """Return the quaternion of a rotation vector."""
    angle = float(np.linalg.norm(angular))
    half = 0.5 * angle
    factor = 0.5 - half * half / 12.0 if angle < SMALL_ANGLE else np.sin(half) / angle
    return np.append(factor * angular, np.cos(half))


def _rotation_vector(quaternion: Array) -> Array:
    """Return the rotation vector of a unit quaternion, no longer than pi."""
    if quaternion[3] < 0.0:
        quaternion = -quaternion
    sine = float(np.linalg.norm(quaternion[:3]))
    if sine < SMALL_ANGLE:
        factor = 2.0 / quaternion[3] * (1.0 - (sine / quaternion[3]) ** 2 / 3.0)
    else:
        factor = 2.0 * np.arctan2(sine, quaternion[3]) / sine
    return np.asarray(factor * quaternion[:3])


def _left_jacobian(angular: Array, vector: Array) -> Array:
    """Return ``V p``, V = 1 + (1 - cos)/theta^2 [w] + (theta - sin)/theta^3 [w]^2."""
    squared = float(angular @ angular)
    angle = np.sqrt(squared)
    if angle < SMALL_ANGLE:
        first, second = 0.5 - squared / 24.0, 1.0 / 6.0 - squared / 120.0
    else:
        first = 2.0 * np.sin(0.5 * angle) ** 2 / squared
        second = (angle - np.sin(angle)) / (squared * angle)
    turned = np.cross(angular, vector)
    moved: Array = vector + first * turned + second * np.cross(angular, turned)
    return moved


def _inverse_left_jacobian(angular: Array, vector: Array) -> Array:
    """Return ``V^-1 p = p - [w] p / 2 + (1 - theta/2 cot(theta/2))/theta^2 [w]^2 p``."""
    squared = float(angular @ angular)
    half = 0.5 * np.sqrt(squared)
    if half < SMALL_ANGLE:
        factor = 1.0 / 12.0 + squared / 720.0
    else:
        factor = (1.0 - half * np.cos(half) / np.sin(half)) / squared
    turned = np.cross(angular, vector)
    moved: Array = vector - 0.5 * turned + factor * np.cross(angular, turned)
    return moved
