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

"""The configuration manifold of a model, and steps on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.model.caches import owned
from mbd_ros.model.joints.joint_manifold import Floats, JointManifold, MANIFOLDS
from mbd_ros.model.joints.joint_type import JointType
from mbd_ros.model.model import Model

Array = NDArray[np.float64]
TERMS = 14
"""Of a power series for turns below a quarter [rad]: exact to rounding."""


def neutral(model: Model) -> Array:
    """
    Return the configuration with all joints at zero, without a turn.

    Returns
    -------
    (nq,) array
        Also if zero is outside the joints' limits.

    """
    q = np.zeros(model.nq)
    for joint in curved_joints(model):
        q[joint.q] = joint.manifold.neutral
    return q


def normalize(model: Model, q: Array) -> Array:
    """
    Return the configuration with quaternions and directions of unit length.

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
    ShapeError
        If q has not the model's size.
    InvalidValueError
        If a quaternion or direction is zero.

    """
    q = _copy(model, 'q', q, model.nq)
    for joint in curved_joints(model):
        length = np.linalg.norm(q[joint.unit])
        if not length > 0.0:
            raise InvalidValueError(
                f'the {joint.manifold.unit_name} of q', tuple(q[joint.unit].tolist()),
                f'{joint.manifold.unit_meaning}, not all zero')
        q[joint.unit] /= length
    return q


def configuration_rate(model: Model, q: Array, v: Array) -> Array:
    """
    Return the time derivative of the configuration.

    For a floating joint ``pdot = R v_linear`` and the quaternion's rate is half the product of the
    quaternion with (omega, 0); other joints with several coordinates likewise.

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

    Raises
    ------
    ShapeError
        If an array has not the model's size.

    """
    q = _copy(model, 'q', q, model.nq)
    v = _copy(model, 'v', v, model.nv)
    if model.nq == model.nv:
        return v
    rate = np.empty(model.nq)
    simple_q, simple_v = adding_entries(model)
    rate[simple_q] = v[simple_v]
    for joint in curved_joints(model):
        rate[joint.q] = joint.manifold.rate(_floats(q[joint.q]), _floats(v[joint.v]))
    return rate


def integrate(model: Model, q: Array, dv: Array) -> Array:
    """
    Return the configuration reached from q with constant velocity dv in unit time.

    On a floating joint this is the exponential map of SE(3), a screw motion, as Pinocchio's
    ``integrate`` of a free flyer; on spherical and planar joints that of SO(3) and SE(2).

    Parameters
    ----------
    model : Model
        The robot.
    q : (nq,) or (N, nq) array
        Configuration, quaternions of unit length.
    dv : (nv,) or (N, nv) array
        Velocities times a time step [rad or m].

    Returns
    -------
    (nq,) or (N, nq) array
        Configuration, quaternions of unit length.

    Raises
    ------
    ShapeError
        If an array has not the model's size.

    """
    q, dv = _copies(model, {'q': (q, model.nq), 'dv': (dv, model.nv)})
    if model.nq == model.nv:
        return q + dv
    simple_q, simple_v = adding_entries(model)
    q[..., simple_q] += dv[..., simple_v]
    for joint in curved_joints(model) if q.size else ():
        q[..., joint.q] = _each(joint.manifold.integrate, q[..., joint.q], dv[..., joint.v])
    return q


def difference(model: Model, q0: Array, q1: Array) -> Array:
    """
    Return the constant velocity that leads from q0 to q1 in unit time.

    The inverse of ``integrate``: the logarithm of the joint's group, with the shorter of the two
    turns.

    Parameters
    ----------
    model : Model
        The robot.
    q0, q1 : (nq,) or (N, nq) array
        Configurations, quaternions of unit length.

    Returns
    -------
    (nv,) or (N, nv) array
        [rad or m].

    Raises
    ------
    ShapeError
        If an array has not the model's size.

    """
    q0, q1 = _copies(model, {'q0': (q0, model.nq), 'q1': (q1, model.nq)})
    if model.nq == model.nv:
        return q1 - q0
    simple_q, simple_v = adding_entries(model)
    dv = np.empty((*q0.shape[:-1], model.nv))
    dv[..., simple_v] = q1[..., simple_q] - q0[..., simple_q]
    for joint in curved_joints(model) if dv.size else ():
        dv[..., joint.v] = _each(joint.manifold.difference, q0[..., joint.q], q1[..., joint.q])
    return dv


class IntegrateDerivatives(NamedTuple):
    """
    Derivatives of ``integrate(q, dv)``, all displacements in the coordinates of v.

    Attributes
    ----------
    dq, ddv : array
        (nv, nv) or (N, nv, nv): of the result, by a displacement of q, and by dv.

    """

    dq: Array
    ddv: Array


class DifferenceDerivatives(NamedTuple):
    """
    Derivatives of ``difference(q0, q1)``, displacements of both in the coordinates of v.

    Attributes
    ----------
    dq0, dq1 : array
        (nv, nv) or (N, nv, nv): by a displacement of q0, and of q1.

    """

    dq0: Array
    dq1: Array


def integrate_derivatives(model: Model, q: Array, dv: Array) -> IntegrateDerivatives:
    """
    Return the derivatives of ``integrate``, Pinocchio's ``dIntegrate``.

    Parameters and errors are those of ``integrate``. By dv it is the right Jacobian of the joint's
    group, by q the adjoint matrix of the inverse displacement.

    Returns
    -------
    IntegrateDerivatives
        ``.dq``, ``.ddv``, each (nv, nv) or (N, nv, nv).

    References
    ----------
    Sola, Deray, Atchuthan, A micro Lie theory for state estimation in robotics, 2018.

    """
    _, dv = _copies(model, {'q': (q, model.nq), 'dv': (dv, model.nv)})
    jacobian, adjoint = _right_jacobian(model, dv)
    return IntegrateDerivatives(adjoint, jacobian)


def difference_derivatives(model: Model, q0: Array, q1: Array) -> DifferenceDerivatives:
    """
    Return the derivatives of ``difference``, Pinocchio's ``dDifference``.

    Parameters and errors are those of ``difference``, references those of
    ``integrate_derivatives``.

    Returns
    -------
    DifferenceDerivatives
        ``.dq0``, ``.dq1``, each (nv, nv) or (N, nv, nv): the inverses of the Jacobians of the
        joint's group, left and right.

    """
    jacobian, adjoint = _right_jacobian(model, difference(model, q0, q1))
    by_last = np.asarray(np.linalg.inv(jacobian), np.float64)
    return DifferenceDerivatives(-by_last @ adjoint, by_last)


def _right_jacobian(model: Model, dv: Array) -> tuple[Array, Array]:
    """
    Return J = (1 - exp(-ad)) / ad and exp(-ad) (..., nv, nv) of displacements (..., nv).

    ``ad`` is the matrix of the bracket of the joint's group. J is a power series for small turns;
    with ``A = -ad``, ``J(2 A) = J(A) + J(A) A J(A) / 2`` leads to larger ones.
    """
    jacobian = np.tile(np.eye(model.nv), (*dv.shape[:-1], 1, 1))
    adjoint, brackets = jacobian.copy(), bracket_matrices(model, dv)
    for joint in curved_joints(model) if dv.size else ():
        own = joint.v
        bracket = brackets[..., own, own]
        jacobian[..., own, own] = _series(-bracket)
        adjoint[..., own, own] -= bracket @ jacobian[..., own, own]
    return jacobian, adjoint


def _series(exponent: Array) -> Array:
    """Return (exp(A) - 1) / A of matrices A (..., n, n)."""
    halvings = int(np.log2(min(1e9, max(1.0, np.abs(exponent).max())))) + 3
    found, power = np.zeros_like(exponent), np.eye(exponent.shape[-1])
    scaled = exponent / 2.0**halvings
    for k in range(1, TERMS):
        found += power
        power = power @ scaled / (k + 1.0)
    for _ in range(halvings):
        found += 0.5 * found @ scaled @ found
        scaled = 2.0 * scaled
    return found


def bracket_matrices(model: Model, v: Array) -> Array:
    """
    Return ad(v) (..., nv, nv) of velocities (..., nv): the brackets of the joints' groups.

    Zero but for joints with several coordinates. A displacement d of a configuration that moves
    at v is ``-ad(v) d`` faster in the axes of what moves.
    """
    found = np.zeros((*v.shape, model.nv))
    for joint in curved_joints(model):
        axes, own = model.joint_types[joint.number].pair.axes, joint.v
        found[..., own, own] = np.einsum('...k,kij->...ij', v[..., own],
                                         _brackets()[np.ix_(axes, axes, axes)])
    return found


@functools.cache
def _brackets() -> Array:
    """Return the brackets of SE(3) (6, 6, 6): of unit k with unit j, angular axes first."""
    found = np.zeros((6, 6, 6))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        for first, second in ((0, 0), (0, 3), (3, 0)):   # 3: the linear axes
            found[first + i, first + second + k, second + j] = 1.0
            found[first + j, first + second + k, second + i] = -1.0
    return found


def random_configuration(model: Model, rng: np.random.Generator | int | None = None,
                         count: int | None = None) -> Array:
    """Return what ``mbd_ros.random_configuration`` does, from NumPy's numbers."""
    try:
        rng = np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InvalidValueError('rng', rng, 'a numpy.random.Generator, or a seed') from None
    if count is not None and (not isinstance(count, (int, np.integer)) or count < 0):
        raise InvalidValueError('count', count, 'a count, 0 or more')
    rows = 1 if count is None else int(count)
    parts = [part.draw(rng, rows) if isinstance(part, Ranges) else
             MANIFOLDS[part].draw(rng, rows) for part in joints_drawn(model)]
    elastic = model.nq - sum(part.shape[1] for part in parts)   # coordinates that are zero
    q = parts[0] if len(parts) == 1 and not elastic else np.concatenate(
        [*parts, np.zeros((rows, elastic))], axis=1)
    return q[0] if count is None else q


BLOCK = 64
"""Configurations that are scaled in one row of arithmetic."""


class Ranges:
    """
    Joints, one after the other, whose coordinates lie between limits.

    Parameters
    ----------
    lower, upper : list of float
        The limits; ``span`` is their distance.

    """

    def __init__(self, lower: list[float], upper: list[float]) -> None:
        self.lower = np.array(lower, np.float64)
        self.span = upper - self.lower
        self._blocks = np.tile(self.lower, BLOCK), np.tile(self.span, BLOCK)

    def draw(self, rng: np.random.Generator, count: int) -> Array:
        """Return random coordinates (count, joints), row by row."""
        size = len(self.lower)
        found: Array = rng.random((count, size))
        if not size:   # nothing moves but what bends
            return found
        whole = count - count % BLOCK
        lower, span = self._blocks
        for rows in found[:whole].reshape(-1, BLOCK * size), found[whole:]:
            rows *= span[:rows.shape[1]]
            rows += lower[:rows.shape[1]]
        return found


@owned()
def joints_drawn(model: Model) -> list[Ranges | JointType]:
    """Return what is drawn in turn: simple joints beside each other, or one of several axes."""
    found: list[Ranges | JointType] = []
    lower: list[float] = []
    upper: list[float] = []
    for kind, first in zip(model.joint_types, model.v_offsets):
        if kind in MANIFOLDS:
            found += [Ranges(lower, upper)] * bool(lower) + [kind]
            lower, upper = [], []
            continue
        span = np.pi if kind is JointType.REVOLUTE else 1.0
        low, high = float(model.lower[first]), float(model.upper[first])
        if not np.isfinite(low):
            low = min(-span, high - span) if np.isfinite(high) else -span
        if not np.isfinite(high):
            high = max(span, low + span)
        lower.append(low)
        upper.append(high)
    return found + [Ranges(lower, upper)] * bool(lower or not found)


class CurvedJoint(NamedTuple):
    """
    A joint with several coordinates.

    Attributes
    ----------
    number : int
        Which joint.
    manifold : JointManifold
        Its configurations.
    q, v : slice
        Its coordinates.
    unit : slice
        Those of q that are a vector of length 1.

    """

    number: int
    manifold: JointManifold
    q: slice
    v: slice
    unit: slice


@owned()
def curved_joints(model: Model) -> tuple[CurvedJoint, ...]:
    """Return the joints whose configurations do not just add."""
    found = []
    for index, (kind, start, first) in enumerate(
            zip(model.joint_types, model.q_offsets, model.v_offsets)):
        if kind in MANIFOLDS:
            unit = MANIFOLDS[kind].unit
            found.append(CurvedJoint(
                index, MANIFOLDS[kind], slice(start, start + kind.nq),
                slice(first, first + kind.nv), slice(start + unit.start, start + unit.stop)))
    return tuple(found)


def floating_base(model: Model) -> CurvedJoint | None:
    """
    Return the joint by which a robot moves freely in the world.

    Parameters
    ----------
    model : Model
        The robot.

    Returns
    -------
    CurvedJoint or None
        A floating joint of the first body; None if there is none, or if loops tie the robot to the
        ground.

    """
    if (not model.nb or model.joint_types[0] is not JointType.FLOATING
            or any(loop.junction < 0 for loop in model.loops)):
        return None
    return curved_joints(model)[0]


@owned()
def joints_outside_loops(model: Model) -> tuple[CurvedJoint, ...]:
    """
    Return the joints with several coordinates that no closed loop determines.

    Parameters
    ----------
    model : Model
        The robot.

    Returns
    -------
    tuple of CurvedJoint
        A floating base, and joints that no loop passes through.

    """
    inside = set()
    for loop in model.loops:
        for body in (loop.body1, loop.body2):
            while body not in (loop.junction, -1):
                inside.add(body)
                body = model.parents[body]
    return tuple(joint for joint in curved_joints(model) if joint.number not in inside)


@owned()
def simple_entries(model: Model) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where in q and in v the joints with one coordinate are."""
    simple = np.array([kind not in MANIFOLDS for kind in model.joint_types], bool)
    q, v = np.array(model.q_offsets, np.intp), np.array(model.v_offsets, np.intp)
    return q[simple], v[simple]


@owned()
def adding_entries(model: Model) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where in q and in v what just adds is: simple joints and elastic coordinates."""
    elastic = np.arange(len(model.elastic_names))
    q, v = simple_entries(model)
    return (np.append(q, elastic + model.nq - len(elastic)),
            np.append(v, elastic + model.nv - len(elastic)))


def _copies(model: Model, given: Mapping[str, tuple[Array, int]]) -> list[Array]:
    """Return arrays (size,) or (N, size), all of one state or all of as many, as copies."""
    arrays = []
    for name, (value, size) in given.items():
        array = np.array(value, dtype=np.float64)
        if array.ndim not in (1, 2) or array.shape[-1] != size:
            raise ShapeError(name, array.shape,
                             f"({size},) or (N, {size}), the sizes of '{model.name}'")
        arrays.append(array)
    counts = {len(array) for array in arrays if array.ndim == 2}
    if len(counts) > 1:
        raise ShapeError(name, array.shape, f'{len(arrays[0])} states, as in the first argument')
    return [np.array(np.broadcast_to(array, (*counts, array.shape[-1]))) for array in arrays]


def _each(function: Callable[[Floats, Floats], Floats], a: Array, b: Array) -> Any:
    """Return a function of the coordinates of a joint, of one state or of each."""
    if a.ndim == 1:
        return function(_floats(a), _floats(b))
    return [function(_floats(one), _floats(other)) for one, other in zip(a, b)]


def _copy(model: Model, argument: str, array: Array, size: int) -> Array:
    copy = np.array(array, dtype=np.float64)
    if copy.shape != (size,):
        raise ShapeError(argument, copy.shape, f"({size},), the size of '{model.name}'")
    return copy


def _floats(array: Array) -> Floats:
    return tuple(array.tolist())
