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

"""Distances from surfaces, and how they are drawn, against vectors of NumPy."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mbd_ros.control import cylinder, OnSurface, plane, sphere
from mbd_ros.errors import InvalidValueError, NotFiniteError
from mbd_ros.spatial import Vector3


@pytest.mark.parametrize('seed', range(8))
def test_distances(seed):
    """Near it the distance; farther away of round ones ``(d^2 - r^2) / (2 r)``."""
    rng = np.random.default_rng(seed)
    x, p, n = rng.normal(size=(3, 3))
    r, unit = rng.uniform(0.3, 2.0), n / np.linalg.norm(n)
    from_center, from_axis = np.linalg.norm(x - p), np.linalg.norm(np.cross(x - p, unit))
    for surface, expected in (
            (plane(p, n), (x - p) @ unit),
            (sphere(p, r), (from_center**2 - r**2) / (2.0 * r)),
            (cylinder(p, n, r), (from_axis**2 - r**2) / (2.0 * r))):
        # Rounding of squares of up to 30 m^2, over 0.3 m.
        assert surface(Vector3(*x.tolist()), 0.0) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize('axis', [
    [0, 0, 1], [0, 0, -1], [0, 0, -3], [1e-3, 0, -1], [0, 1e-3, -1], [1, 2, -0.5], [-1, 0.3, 2],
    [1, 0, 0]])
def test_what_a_surface_looks_like(axis):
    """Its z axis is the normal, or the axis, also of one that looks down."""
    center, unit = [0.1, -0.2, 0.3], np.array(axis) / np.linalg.norm(axis)
    for surface, kind, radius in ((plane(center, axis), 'plane', 0.0),
                                  (cylinder(center, axis, 0.7), 'cylinder', 0.7)):
        drawn = surface.drawn
        assert (drawn.kind, drawn.radius) == (kind, radius)
        assert drawn.center.tolist() == center
        assert np.linalg.norm(drawn.quaternion) == pytest.approx(1.0, abs=1e-15)
        # The square root of 1 + z loses half of the digits near -1, where 1 + z is 5e-7.
        np.testing.assert_allclose(Rotation.from_quat(drawn.quaternion).as_matrix()[:, 2], unit,
                                   rtol=0, atol=1e-9)
    ball = sphere(center, 0.7).drawn
    assert (ball.kind, ball.radius, ball.center.tolist()) == ('sphere', 0.7, center)
    assert ball.quaternion.tolist() == [0.0, 0.0, 0.0, 1.0]


def test_a_point_of_a_link_on_surfaces_that_move(urdf_arm):
    """One at rest, one that rises; in the order in which they are given."""
    point, q, v, t = [0.1, 0.2, -0.3], np.array([0.3, -0.4, 0.9]), np.array([0.5, 0.2, -0.7]), 0.6
    held = OnSurface(urdf_arm, 'tool', [
        sphere([0.1, 0.0, 0.2], 0.4), lambda x, t: x.z - 0.2 * t - 0.3 * t * t], point=point)
    pose = urdf_arm.pose(q, 'tool')
    x = pose[:3, 3] + pose[:3, :3] @ point
    J = urdf_arm.jacobian(q, 'tool')
    rate = (J[:3] + np.cross(J[3:].T, pose[:3, :3] @ point).T) @ v
    away = x - [0.1, 0.0, 0.2]
    # Rounding of numbers of order 1.
    np.testing.assert_allclose(held.violation(q, t), [
        (away @ away - 0.16) / 0.8, x[2] - 0.2 * t - 0.3 * t**2], rtol=0, atol=1e-14)
    np.testing.assert_allclose(held.violation_rate(q, v, t), [
        away @ rate / 0.4, rate[2] - 0.2 - 0.6 * t], rtol=0, atol=1e-14)
    still = OnSurface(urdf_arm, 'tool', [sphere([0.1, 0.0, 0.2], 0.4), lambda x, t: x.z],
                      point=point)
    np.testing.assert_allclose(held.right_side(q, v, t) - still.right_side(q, v, t), [0.0, 0.6],
                               rtol=0, atol=1e-13)
    assert [one.kind for one in held.drawn] == ['sphere']


def test_what_is_no_surface_at_the_beginning_is_refused_at_once(urdf_arm):
    with pytest.raises(NotFiniteError, match="constraint on link 'tool'"):
        OnSurface(urdf_arm, 'tool', [lambda x, t: x.z / t])
    for surfaces, found in ((plane([0, 0, 0], [0, 0, 1]), "'one function'"), ([], r'\[\]')):
        with pytest.raises(InvalidValueError, match=f'surfaces is {found}'):
            OnSurface(urdf_arm, 'tool', surfaces)
