"""What a state is: the configuration manifold of a model, and steps on it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.model import rigid_motion
from mbd_ros.model.joint_type import JointType
from mbd_ros.model.model import Model

Array = NDArray[np.float64]


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
    rate = np.empty(model.nq)
    simple_q, simple_v = _simple(model)
    rate[simple_q] = v[simple_v]
    for start, first in _floating(model):
        quaternion = _quaternion(q, start)
        x, y, z = _vector(v, first + 3)
        rate[start:start + 3] = rigid_motion.rotate(quaternion, _vector(v, first))
        rate[start + 3:start + 7] = rigid_motion.product(quaternion,
                                                         (0.5 * x, 0.5 * y, 0.5 * z, 0.0))
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
        angular = _vector(dv, first + 3)
        quaternion = _quaternion(q, start)
        moved = rigid_motion.displacement(_vector(dv, first), angular)
        q[start:start + 3] += rigid_motion.rotate(quaternion, moved)
        q[start + 3:start + 7] = rigid_motion.unit(
            rigid_motion.product(quaternion, rigid_motion.turn(angular)))
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
    dv = np.empty(model.nv)
    dv[simple_v] = q1[simple_q] - q0[simple_q]
    for start, first in _floating(model):
        back = rigid_motion.inverse(_quaternion(q0, start))
        angular = rigid_motion.rotation_vector(
            rigid_motion.product(back, _quaternion(q1, start)))
        moved = rigid_motion.rotate(back, _vector(q1 - q0, start))
        dv[first:first + 3] = rigid_motion.linear_velocity(moved, angular)
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


def _vector(array: Array, start: int) -> rigid_motion.Vector3:
    x, y, z = array[start:start + 3].tolist()
    return x, y, z


def _quaternion(q: Array, start: int) -> rigid_motion.Quaternion:
    x, y, z, w = q[start + 3:start + 7].tolist()
    return x, y, z, w


def _floating(model: Model) -> list[tuple[int, int]]:
    return [(start, first) for kind, start, first in
            zip(model.joint_types, model.q_offsets, model.v_offsets)
            if kind is JointType.FLOATING]


def _simple(model: Model) -> tuple[list[int], list[int]]:
    pairs = [(start, first) for kind, start, first in
             zip(model.joint_types, model.q_offsets, model.v_offsets)
             if kind is not JointType.FLOATING]
    return [start for start, _ in pairs], [first for _, first in pairs]
