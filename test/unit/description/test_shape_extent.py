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

"""How far shapes reach, against points on their surfaces."""

import numpy as np
import pytest
from random_loops import random_rotation

from mbd_ros.description.urdf.shape_extent import enclosing_ball, lowest_height, SMALLEST
from mbd_ros.description.urdf.visuals import Shape

GREY = (0.5, 0.5, 0.5, 1.0)
NONE = np.empty((0, 3))
SHAPES = [('box', (0.2, 0.7, 0.4)), ('sphere', (0.3,)), ('cylinder', (0.2, 0.9)),
          ('capsule', (0.2, 0.9))]


def pose(rng):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = random_rotation(rng), rng.uniform(-2.0, 2.0, 3)
    return X


def farthest(kind, size, direction):
    """Return the point of a shape that is farthest in a direction, in the shape's own axes."""
    if kind == 'box':
        return 0.5 * np.array(size) * np.sign(direction)
    if kind == 'sphere':
        return size[0] * direction
    radius, length = size
    end = np.array([0.0, 0.0, 0.5 * length * np.sign(direction[2])])
    if kind == 'capsule':
        return end + radius * direction
    across = direction * (1.0, 1.0, 0.0)
    return end + radius * across / np.linalg.norm(across)


@pytest.mark.parametrize(('kind', 'size'), SHAPES)
def test_the_lowest_point_and_a_ball_around_all(kind, size):
    rng = np.random.default_rng(1)
    for _ in range(20):
        link, own = pose(rng), pose(rng)
        X = link @ own
        shape = Shape('tool', kind, size, own, GREY)
        down = X[:3, :3] @ farthest(kind, size, -X[2, :3]) + X[:3, 3]
        # Sums of a few lengths of some metres.
        assert lowest_height([shape], {'tool': link}, NONE) == pytest.approx(
            min(0.0, down[2]), abs=1e-14)
        middle, radius = enclosing_ball([shape], {'tool': link}, NONE)
        for direction in rng.normal(size=(50, 3)):
            unit = direction / np.linalg.norm(direction)
            point = X[:3, :3] @ farthest(kind, size, unit) + X[:3, 3]
            assert np.linalg.norm(point - middle) <= radius + 1e-14


def test_points_count_and_links_that_are_nowhere_do_not():
    below = np.array([[1.0, 0.0, -0.5], [-1.0, 0.0, 0.5]])
    lost = Shape('lost', 'sphere', (9.0,), np.eye(4), GREY)
    assert lowest_height([lost], {}, below) == -0.5
    middle, radius = enclosing_ball([lost], {}, below)
    np.testing.assert_array_equal(middle, 0.0)
    assert radius == pytest.approx(np.hypot(1.0, 0.5))


def test_nothing_to_show_stands_on_the_origin():
    assert lowest_height([], {}, NONE) == 0.0
    assert enclosing_ball([], {}, NONE)[1] == SMALLEST
    mesh = Shape('tool', 'mesh', (1.0, 1.0, 1.0), np.eye(4), GREY)
    assert lowest_height([mesh], {'tool': np.eye(4)}, NONE) == 0.0
    assert enclosing_ball([mesh], {'tool': np.eye(4)}, NONE)[1] == SMALLEST
