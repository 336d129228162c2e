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

"""NED and ENU, FRD and FLU."""

import numpy as np

from mbd_ros.environment.marine_axes import exchange_body, exchange_rotation, exchange_world


def test_axes_of_the_world():
    np.testing.assert_array_equal(exchange_world([[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
                                  [[0, 1, 0], [1, 0, 0], [0, 0, -1]])   # north, east, down


def test_axes_of_a_body():
    np.testing.assert_array_equal(exchange_body([1, 2, 3]), [1, -2, -3])


def test_attitudes():
    """A craft that heads east, level, has its bow along x of ENU and its left side along y."""
    frd_in_ned = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    np.testing.assert_array_equal(exchange_rotation(frd_in_ned), np.eye(3))


def test_they_are_their_own_inverses_and_rotations():
    rng = np.random.default_rng(1)
    vectors, rotation = rng.normal(size=(2, 4, 3)), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    for exchange in (exchange_world, exchange_body):
        np.testing.assert_array_equal(exchange(exchange(vectors)), vectors)
    np.testing.assert_array_equal(exchange_rotation(exchange_rotation(rotation)), rotation)
    # What is fixed to a body stays so: R_WB v_B in other axes.
    np.testing.assert_allclose(
        exchange_rotation(rotation) @ exchange_body([1.0, 2.0, 3.0]),
        exchange_world(rotation @ [1.0, 2.0, 3.0]), rtol=1e-15)
    assert np.linalg.det(exchange_rotation(np.eye(3))) > 0.0
