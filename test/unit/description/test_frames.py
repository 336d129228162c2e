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

"""Body frames along any axis."""

import numpy as np
import pytest

from mbd_ros.description.records.frames import axis_rotation

DIRECTIONS = [tuple(sign * float(k == axis) + 0.0 for k in range(3))
              for axis in range(3) for sign in (1.0, -1.0)]


@pytest.mark.parametrize('axis', DIRECTIONS)
def test_coordinate_directions_give_exact_permutations(axis):
    rotation = axis_rotation(axis)
    assert rotation[:, 2].tolist() == list(axis)
    assert np.linalg.det(rotation) == pytest.approx(1.0, abs=1e-15)
    assert set(np.abs(rotation).ravel().tolist()) == {0.0, 1.0}
    assert not np.signbit(rotation[rotation == 0.0]).any()


def test_z_needs_no_turn():
    assert axis_rotation((0.0, 0.0, 1.0)).tolist() == np.eye(3).tolist()


@pytest.mark.parametrize('near', DIRECTIONS)
@pytest.mark.parametrize('tilt', [1.0, 1e-3, 1e-8, 1e-12, 1e-16])
def test_any_direction_gives_an_orthonormal_frame(near, tilt):
    rng = np.random.default_rng(3)
    axis = np.array(near) + tilt * rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    rotation = axis_rotation(tuple(axis.tolist()))
    assert rotation[:, 2].tolist() == axis.tolist()
    # Orthonormal to a few roundings of numbers of order 1.
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), atol=1e-15)
    assert np.linalg.det(rotation) > 0.0
