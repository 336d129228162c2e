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
How the segments of a flexible robot move against each other.

The origin of a segment sits on its parent where ``rho = p + Phi b`` is, turned by the small
rotation ``E = exp(beta~)``, ``beta = Psi a``, and moved by its joint. Twists and accelerations are
(linear; angular) in the segment's own axes, with the acceleration of the origin against an
inertial frame. Each is linear in those of the parent, in the parent's elastic rates and in the
joint's::

    V = G (V_p; a'_p) + S v,    A = G (A_p; a''_p) + S v' + c

"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any, NamedTuple

import numpy as np

from mbd_ros.dynamics.algorithms.flexible.link_inertia import (
    Array, body_terms, BodyTerms, cross, Extended, extended)
from mbd_ros.execution.stacks.stacks import apply
from mbd_ros.model import JointType, Model
from mbd_ros.model.flexible.segments import ElasticTree, rigid_tree, Segment
from mbd_ros.model.flexible.shape_integrals import cross_matrices, ElasticBody
from mbd_ros.model.joints.joint_manifold import MANIFOLDS
from mbd_ros.spatial import cosine, root, sine

TERMS = 14
"""Of the series of the rotation; exact to rounding up to 3 rad, which modes are far below."""
SERIES = np.array([[(-1.0) ** i / factorial(2 * i + k + 1) for k in range(3)]
                   for i in range(TERMS)])
SLOPES = np.arange(1, TERMS)[:, None] * SERIES[1:]


class Placed(NamedTuple):
    """
    A segment in N states.

    Attributes
    ----------
    joint, elastic : slice
        Where its coordinates are in v.
    pose : (N, 4, 4) array
        In the world.
    twist : (N, 6) array
        V.
    transfer : (N, 6, 6 + n) array
        G, with the n elastic coordinates of the parent.
    axes : (6, nj) array
        S.
    drift : (N, nj) array
        What turning axes add to the joint's accelerations, see ``Joint.drift``.
    bias : (N, 6) array
        c.
    terms : BodyTerms
        Mass matrix and bias.
    sprung : (N, nj) array, optional
        What the joint's springs take of its efforts; None without springs.

    """

    joint: slice
    elastic: slice
    pose: Array
    twist: Array
    transfer: Array
    axes: Array
    drift: Array
    bias: Array
    terms: BodyTerms
    sprung: Array | None = None


def tree_of_segments(model: Model) -> ElasticTree:
    """Return the segments of a model; those of a rigid one are its bodies."""
    return rigid_tree(model) if model.elastic is None else model.elastic


def place(model: Model, q: Array, v: Array) -> list[Placed]:
    """
    Return all segments of a robot in N states, parents first.

    Parameters
    ----------
    model : Model
        The robot.
    q, v : (N, nq) and (N, nv) array
        States, of real or complex numbers.

    """
    states, kind = len(q), np.result_type(q, v)
    elastic_q, elastic_v = (size - len(model.elastic_names) for size in (model.nq, model.nv))
    placed: list[Placed] = []
    deformed: list[Deformed] = []
    ground = np.broadcast_to(np.eye(4), (states, 4, 4)), np.zeros((states, 6), kind)
    nothing = Deformed(np.zeros((states, 0), kind), np.zeros((states, 0), kind))
    for segment in tree_of_segments(model).segments:
        body, parent = segment.elastic, segment.parent
        count, first = (0, 0) if body is None else (body.count, body.first)
        elastic = slice(elastic_v + first, elastic_v + first + count)
        deformed.append(deformed_by(body, q[:, elastic_q + first:elastic_q + first + count],
                                    v[:, elastic]))
        kind_of, own_q, joint = joint_of(model, segment)
        above = ground if parent < 0 else (placed[parent].pose, placed[parent].twist)
        placed.append(segment_on(
            segment, above, nothing if parent < 0 else deformed[parent], deformed[-1],
            joint_motion(kind_of, q[:, own_q]), v[:, joint])._replace(
                joint=joint, elastic=elastic))
    return placed


class Deformed(NamedTuple):
    """Elastic coordinates a and rates (N, nf) of a segment, and its extended coordinates."""

    a: Array
    rates: Array
    b: Extended | None = None


def deformed_by(body: ElasticBody | None, a: Array, rates: Array) -> Deformed:
    """Return how elastic coordinates (N, nf) deform a segment."""
    return Deformed(a, rates, None if body is None else extended(body, a, rates))


class JointMotion(NamedTuple):
    """The axes S (6, nj) of a joint; how it turns (N, 3, 3), and shifts (N, 3)."""

    axes: Array
    turn: Array
    shift: Array


def segment_on(segment: Segment, above: tuple[Array, Array], below: Deformed, own: Deformed,
               joint: JointMotion, joint_rates: Array) -> Placed:
    """
    Return a segment in N states; where its coordinates are in v is left open.

    Parameters
    ----------
    segment : Segment
        The segment.
    above : (N, 4, 4) and (N, 6) array
        Pose and twist of its parent.
    below, own : Deformed
        How the parent is deformed, and how itself.
    joint : JointMotion
        How its joint moves it.
    joint_rates : (N, nj) array
        Velocities of that.

    """
    pose, twist = above
    bend = (_rest(segment, len(twist), twist.dtype) if segment.attachment is None
            else _bent(segment, *below))
    transfer, bias, relative = _transfer(bend, segment, joint.turn, joint.shift, joint.axes,
                                         joint_rates, below.rates, twist[:, 3:])
    twist = apply(transfer, np.hstack([twist, below.rates])) + joint_rates @ joint.axes.T
    nowhere = slice(0, 0)
    return Placed(nowhere, nowhere, pose @ relative, twist, transfer, joint.axes,
                  joint_drift(joint.axes, joint_rates), bias,
                  body_terms(segment, own.b, own.a, own.rates, twist[:, 3:]))


def joint_drift(axes: Array, rates: Array) -> Array:
    """Return ``Joint.drift`` (N, nj) of a joint with the axes S (6, nj) and the rates (N, nj)."""
    if axes.shape[1] == 1:
        return 0.0 * rates
    relative = rates @ axes.T
    turned: Array = cross(relative[:, 3:], relative[:, :3]) @ axes[:3]
    return turned


class Bend(NamedTuple):
    """
    Where an attachment is on its parent, in the parent's axes.

    ``position`` rho (N, 3), ``turn`` E (N, 3, 3), ``linear`` and ``angular`` (N, 3, n) per elastic
    rate, ``linear_bias`` and ``angular_bias`` (N, 3): accelerations that the rates leave.
    """

    position: Array
    turn: Array
    linear: Array
    angular: Array
    linear_bias: Array
    angular_bias: Array


def _rest(segment: Segment, states: int, kind: np.dtype[Any]) -> Bend:
    zero = np.zeros((states, 3), kind)
    nothing = np.zeros((states, 3, 0), kind)
    return Bend(zero + segment.translation, np.broadcast_to(np.eye(3), (states, 3, 3)), nothing,
                nothing, zero, zero)


def _bent(segment: Segment, a: Array, rates: Array, b: Extended | None) -> Bend:
    """Return where a segment is attached to a flexible parent."""
    assert b is not None
    assert segment.attachment is not None
    shape, psi = segment.attachment
    beta, beta_rate = a @ psi.T, rates @ psi.T
    turn, left, left_rate = rotation_of(beta, beta_rate)
    return Bend(segment.translation + b.values @ shape.T, turn,
                shape @ b.by_a, left @ psi, b.bias @ shape.T,
                apply(left_rate, beta_rate))


def rotation_of(beta: Array, rate: Array) -> tuple[Array, Array, Array]:
    """
    Return ``E = exp(beta~)``, its left Jacobian and the rate of that, each (N, 3, 3).

    ``E = 1 + c0 beta~ + c1 beta~^2`` and ``J = 1 + c1 beta~ + c2 beta~^2`` with the series
    ``c_k = sum_i (-s)^i / (2 i + k + 1)!`` of s = beta . beta.
    """
    square = np.sum(beta * beta, axis=1)[:, None]
    square_rate = 2.0 * np.sum(beta * rate, axis=1)[:, None]
    powers = square ** np.arange(TERMS)
    c0, c1, c2 = (powers @ SERIES).T[:, :, None, None]
    _, slope1, slope2 = (square_rate * (powers[:, :-1] @ SLOPES)).T[:, :, None, None]
    turn, turning = cross_matrices(beta), cross_matrices(rate)
    twice = turn @ turn
    return (np.eye(3) + c0 * turn + c1 * twice, np.eye(3) + c1 * turn + c2 * twice,
            slope1 * turn + c1 * turning + slope2 * twice
            + c2 * (turning @ turn + turn @ turning))


def _transfer(bend: Bend, segment: Segment, rotation: Array, shift: Array, axes: Array,
              joint_rates: Array, rates: Array, w: Array) -> tuple[Array, Array, Array]:
    """Return G, c, and the pose (N, 4, 4) of a segment in its parent."""
    home = bend.turn @ segment.rotation
    turn = home @ rotation
    lever = apply(home, shift)
    arm = bend.position + lever
    states, count = rates.shape
    number = np.result_type(turn, arm, w, rates, joint_rates)
    back = turn.transpose(0, 2, 1)
    transfer = np.zeros((states, 6, 6 + count), number)
    transfer[:, :3, :3] = transfer[:, 3:, 3:6] = back
    transfer[:, :3, 3:6] = -back @ cross_matrices(arm)
    bias = np.zeros((states, 6), number)
    own, alpha = w, np.zeros_like(w)
    linear = cross(w, cross(w, bend.position))
    if bend.linear.shape[2]:
        transfer[:, :3, 6:] = back @ (bend.linear - cross_matrices(lever) @ bend.angular)
        transfer[:, 3:, 6:] = back @ bend.angular
        turning = apply(bend.angular, rates)
        own = w + turning
        alpha = cross(w, turning) + bend.angular_bias
        linear = linear + bend.linear_bias + 2.0 * cross(
            w, apply(bend.linear, rates))
    linear = linear + cross(alpha, lever) + cross(own, cross(own, lever))
    before = apply(back, own)
    relative = joint_rates @ axes.T
    bias[:, :3] = (apply(back, linear)
                   + cross(2.0 * before + relative[:, 3:], relative[:, :3]))
    bias[:, 3:] = apply(back, alpha) + cross(before, relative[:, 3:])
    pose = np.zeros((states, 4, 4), number)
    pose[:, :3, :3], pose[:, :3, 3], pose[:, 3, 3] = turn, arm, 1.0
    return transfer, bias, pose


def joint_of(model: Model, segment: Segment) -> tuple[JointType | None, slice, slice]:
    """Return the joint of a segment, and where it is in q and v; None for a fixed one."""
    if segment.joint < 0:
        return None, slice(0, 0), slice(0, 0)
    kind = model.joint_types[segment.joint]
    start, first = model.q_offsets[segment.joint], model.v_offsets[segment.joint]
    return kind, slice(start, start + kind.nq), slice(first, first + kind.nv)


def joint_motion(kind: JointType | None, own: Array) -> JointMotion:
    """Return how a joint moves what it carries, for its coordinates (N, nq)."""
    states = len(own)
    turn = np.broadcast_to(np.eye(3), (states, 3, 3))
    shift = np.zeros((states, 3), own.dtype)
    if kind is None:
        return JointMotion(np.zeros((6, 0)), turn, shift)
    axes = np.zeros((6, kind.nv))
    for column, axis in enumerate(kind.pair.axes):  # there angular axes come first
        axes[(axis + 3) % 6, column] = 1.0
    if kind is JointType.REVOLUTE:
        turn = _about_z(_each(cosine, np.cos, own[:, 0]), _each(sine, np.sin, own[:, 0]))
    elif kind is JointType.PRISMATIC:
        shift[:, 2] = own[:, 0]
    elif kind is JointType.PLANAR:
        length = _each(root, np.sqrt, own[:, 2] ** 2 + own[:, 3] ** 2)
        turn, shift[:, :2] = _about_z(own[:, 2] / length, own[:, 3] / length), own[:, :2]
    else:
        turn = _of_quaternion(own[:, -4:])
        if kind is JointType.FLOATING:
            shift = own[:, :3]
    return JointMotion(axes, turn, shift)


def joint_rates(kind: JointType, q: Array, v: Array) -> Array:
    """Return the rates of the coordinates (N, nq) of a joint."""
    return v if kind.is_simple else np.stack(
        MANIFOLDS[kind].rate(tuple(q.T), tuple(v.T)), axis=1)


def _each(of_symbols: Callable[[Any], Any], of_numbers: Callable[[Array], Array], values: Array
          ) -> Array:
    """Return a function of each value."""
    if values.dtype != object:
        return of_numbers(values)
    return np.array([of_symbols(value) for value in values], object)


def _about_z(cosine: Array, sine: Array) -> Array:
    result = np.zeros((len(cosine), 3, 3), cosine.dtype)
    result[:, 0, 0] = result[:, 1, 1] = cosine
    result[:, 1, 0], result[:, 0, 1] = sine, -sine
    result[:, 2, 2] = 1.0
    return result


def _of_quaternion(quaternion: Array) -> Array:
    """Return the rotations of quaternions x y z w (N, 4) of any length but zero."""
    scale = 2.0 / np.sum(quaternion * quaternion, axis=1)[:, None, None]
    cross = cross_matrices(quaternion[:, :3])
    return np.eye(3) + scale * (quaternion[:, 3, None, None] * cross + cross @ cross)
