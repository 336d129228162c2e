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

"""The scalar-generic records against NumPy matrices."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Peer

from mbd_ros.spatial import (
    Floating, Link, Prismatic, Revolute, RigidInertia, Rotation, Symmetric3, Twist, Vector3,
    Wrench)
from mbd_ros.spatial.joints import Coordinates
from mbd_ros.spatial.symmetric import UPPER

RNG = np.random.default_rng(7)
# 1e-13: sums of a handful of products of numbers near one, in float64.
NEAR = {'rtol': 0.0, 'atol': 1e-13}


def skew(p):
    return np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])


def random_link():
    rotation = Peer.random(random_state=RNG).as_matrix()
    return Link(Rotation(*(Vector3(*rotation[:, k]) for k in range(3))),
                Vector3(*RNG.normal(size=3))), rotation


def random_rigid():
    root, center, mass = RNG.normal(size=(3, 3)), RNG.normal(size=3), 1.7
    rotational = root @ root.T + mass * (center @ center * np.eye(3) - np.outer(center, center))
    record = RigidInertia(mass, Vector3(*(mass * center)),
                          Symmetric3(*(rotational[i, j] for i, j in UPPER)))
    h = skew(mass * center)
    return record, np.block([[rotational, h], [-h, mass * np.eye(3)]])


def motion_to_child(rotation, p):
    """6 x 6, angular first: twist of a frame at p, fixed to the parent, in its own axes."""
    return np.block([[rotation.T, np.zeros((3, 3))], [-rotation.T @ skew(p), rotation.T]])


def flat(pair):
    return np.concatenate([np.array(pair[0]), np.array(pair[1])])


def dense(inertia):
    coupling = np.array(inertia.coupling)
    return np.block([[np.array(inertia.rotational.matrix()), coupling],
                     [coupling.T, np.array(inertia.linear.matrix())]])


def test_link_moves_twists_and_wrenches_like_the_6x6_transform():
    link, rotation = random_link()
    transform = motion_to_child(rotation, np.array(link.translation))
    twist = Twist(Vector3(*RNG.normal(size=3)), Vector3(*RNG.normal(size=3)))
    wrench = Wrench(*twist)
    np.testing.assert_allclose(flat(link.twist_to_child(twist)), transform @ flat(twist), **NEAR)
    np.testing.assert_allclose(flat(link.wrench_to_parent(wrench)), transform.T @ flat(wrench),
                               **NEAR)


def test_inertias_move_by_congruence():
    link, rotation = random_link()
    transform = motion_to_child(rotation, np.array(link.translation))
    rigid, matrix = random_rigid()
    expected = transform.T @ matrix @ transform
    np.testing.assert_allclose(dense(rigid.articulated()), matrix, **NEAR)
    np.testing.assert_allclose(dense(link.inertia_to_parent(rigid).articulated()), expected,
                               **NEAR)
    np.testing.assert_allclose(dense(link.articulated_to_parent(rigid.articulated())), expected,
                               **NEAR)


def test_articulated_inertia_is_a_symmetric_matrix():
    rigid, matrix = random_rigid()
    inertia = rigid.articulated()
    column = inertia.column(4)
    np.testing.assert_allclose(flat(column), matrix[:, 4], **NEAR)
    np.testing.assert_allclose(dense(inertia.minus_square(column, 0.3)),
                               matrix - 0.3 * np.outer(matrix[:, 4], matrix[:, 4]), **NEAR)
    twist = Twist(Vector3(1.0, 2.0, 3.0), Vector3(4.0, 5.0, 6.0))
    np.testing.assert_allclose(flat(inertia.apply(twist)), matrix @ flat(twist), **NEAR)
    np.testing.assert_allclose(flat(rigid.apply(twist)), matrix @ flat(twist), **NEAR)
    assert rigid.kinetic_energy(twist) == pytest.approx(
        0.5 * flat(twist) @ matrix @ flat(twist), rel=1e-14)  # one quadratic form


def motion_cross(twist):
    """6 x 6, angular first: rate of a twist fixed to a frame that moves with another."""
    angular, linear = skew(twist.angular), skew(twist.linear)
    return np.block([[angular, np.zeros((3, 3))], [linear, angular]])


def random_twist():
    return Twist(Vector3(*RNG.normal(size=3)), Vector3(*RNG.normal(size=3)))


def test_rates_of_twists_and_wrenches_in_a_moving_frame():
    one, other = random_twist(), random_twist()
    np.testing.assert_allclose(flat(one.cross(other)), motion_cross(one) @ flat(other), **NEAR)
    np.testing.assert_allclose(flat(one.cross_wrench(Wrench(*other))),
                               -motion_cross(one).T @ flat(other), **NEAR)
    np.testing.assert_array_equal(flat(one * 2.0), 2.0 * flat(one))


def test_flow_gives_the_coriolis_forces():
    """Against v x* I x - I v x x + x x* I v, Singh, Russell and Wensing 2022."""
    (rigid, matrix), velocity, other = random_rigid(), random_twist(), random_twist()
    flow = rigid.moments_of_flow(velocity)
    v, x = flat(velocity), flat(other)
    expected = (-motion_cross(velocity).T @ matrix @ x - matrix @ motion_cross(velocity) @ x
                - motion_cross(other).T @ matrix @ v)
    np.testing.assert_allclose(flat(flow.coriolis(other.angular)), expected, **NEAR)
    twist = random_twist()
    assert flow.coriolis_power(twist).dot(other.angular) == pytest.approx(
        flow.coriolis(other.angular).dot(twist), rel=1e-12)  # one bilinear form, summed two ways


def test_flow_in_another_frame():
    link, _ = random_link()
    (rigid, _), velocity = random_rigid(), random_twist()
    turning = Vector3(*RNG.normal(size=3))
    moved = link.flow_to_parent(rigid.moments_of_flow(link.twist_to_child(velocity)))
    expected = link.inertia_to_parent(rigid).moments_of_flow(velocity)
    np.testing.assert_allclose(flat(moved.coriolis(turning)), flat(expected.coriolis(turning)),
                               **NEAR)


@pytest.mark.parametrize('kind', [Revolute, Prismatic, Floating])
def test_directions_are_the_columns_of_the_span(kind):
    pose, rotation = random_link()
    joint = kind(Coordinates((0.0,) * kind.nq, (0.0,) * kind.nv, (), ()))
    to_child = motion_to_child(rotation, np.array(pose.translation))
    for k, column in enumerate(joint.directions(pose)):
        unit = joint.span(tuple(float(k == j) for j in range(kind.nv)))
        np.testing.assert_allclose(to_child @ flat(column), flat(unit), **NEAR)


def test_quaternion_of_any_length():
    quaternion = RNG.normal(size=4)
    expected = Peer.from_quat(quaternion).as_matrix()
    for factor in (1.0, 0.1, 30.0):
        found = np.array(Rotation.from_quaternion(*(factor * quaternion))).T
        np.testing.assert_allclose(found, expected, **NEAR)


@pytest.mark.parametrize('kind', [Revolute, Prismatic, Floating])
def test_span_is_the_rate_of_the_link(kind):
    """The twist that a joint spans is the derivative of the pose that it gives."""
    placement, _ = random_link()
    v, h = RNG.normal(size=kind.nv), 1e-6
    if kind is Floating:
        quaternion = Peer.random(random_state=RNG)
        at = [*RNG.normal(size=3), *quaternion.as_quat()]

        def moved(t):
            turned = quaternion * Peer.from_rotvec(t * v[3:])
            return [*(np.array(at[:3]) + t * quaternion.apply(v[:3])), *turned.as_quat()]
    else:
        at = [0.4]

        def moved(t):
            return [0.4 + t * v[0]]

    def link(t):
        found = kind(Coordinates(tuple(moved(t)), (), (), ())).link(placement)
        return np.array(found.rotation).T, np.array(found.translation)

    (r1, p1), (r0, p0), (here, _) = link(h), link(-h), link(0.0)
    spin = here.T @ (r1 - r0) / (2 * h)
    numeric = [spin[2, 1], spin[0, 2], spin[1, 0], *(here.T @ (p1 - p0) / (2 * h))]
    twist = kind(Coordinates(tuple(at), (), (), ())).span(tuple(v))
    # Central difference: truncation 1e-12, rounding 1e-16 / 1e-6.
    np.testing.assert_allclose(flat(twist), numeric, rtol=0, atol=1e-8)
