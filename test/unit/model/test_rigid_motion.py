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

"""Quaternions and screws."""

from math import cos, pi, sin

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from mbd_ros.model import rigid_motion

RNG = np.random.default_rng(31)
VECTORS = [tuple(RNG.normal(size=3).tolist()) for _ in range(10)]
QUATERNIONS = [tuple(RNG.normal(size=4).tolist()) for _ in range(10)]  # of any length
ANGLES = [0.0, 1e-9, 1e-4, 0.999e-3, 1.001e-3, 1.99e-3, 0.1, 1.0, 3.0]


def scaled(vector, length):
    return tuple((length * np.array(vector) / np.linalg.norm(vector)).tolist())


@pytest.mark.parametrize('a', QUATERNIONS)
@pytest.mark.parametrize('vector', VECTORS[:3])
def test_rotate(a, vector):
    np.testing.assert_allclose(rigid_motion.rotate(a, vector),
                               Rotation.from_quat(a).apply(vector), atol=1e-14)


@pytest.mark.parametrize(('a', 'b'), [*zip(QUATERNIONS, QUATERNIONS[::-1])])
def test_product(a, b):
    together = rigid_motion.rotate(rigid_motion.product(a, b), VECTORS[0])
    one_by_one = rigid_motion.rotate(a, rigid_motion.rotate(b, VECTORS[0]))
    np.testing.assert_allclose(together, one_by_one, atol=1e-14)
    back = rigid_motion.rotate(rigid_motion.product(a, rigid_motion.inverse(a)), VECTORS[0])
    np.testing.assert_allclose(back, VECTORS[0], atol=1e-14)


@pytest.mark.parametrize('angle', ANGLES)
def test_turn_and_back(angle):
    vector = scaled(VECTORS[1], angle)
    quaternion = rigid_motion.turn(vector)
    assert abs(np.linalg.norm(quaternion) - 1.0) < 1e-15
    np.testing.assert_allclose(quaternion, Rotation.from_rotvec(vector).as_quat(), atol=1e-16)
    # Relative: small turns keep all their digits.
    np.testing.assert_allclose(rigid_motion.rotation_vector(quaternion), vector, rtol=1e-13,
                               atol=1e-300)


def test_a_half_turn():
    vector = rigid_motion.rotation_vector((1.0, 0.0, 0.0, 0.0))
    assert vector == pytest.approx((pi, 0.0, 0.0), rel=1e-15)


@pytest.mark.parametrize('angle', ANGLES)
def test_displacement_is_the_exponential_of_a_twist(angle):
    linear, angular = VECTORS[2], scaled(VECTORS[3], angle)
    x, y, z = angular
    twist = np.zeros((4, 4))
    twist[:3, :3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    twist[:3, 3] = linear
    moved = rigid_motion.displacement(linear, angular)
    # (t - sin t)/t^3 loses digits towards the series: 1e-16/t^3 t^2 at t = 1e-3.
    np.testing.assert_allclose(moved, expm(twist)[:3, 3], atol=1e-13)
    np.testing.assert_allclose(rigid_motion.linear_velocity(moved, angular), linear, atol=1e-13)


def test_a_quarter_of_a_circle():
    moved = rigid_motion.displacement((pi / 2, 0.0, 0.0), (0.0, 0.0, pi / 2))
    assert moved == pytest.approx((sin(pi / 2), 1.0 - cos(pi / 2), 0.0), abs=1e-15)
