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

"""Shapes of links that bend, against kinematics and the curvature of what is drawn."""

from flexible_robots import four_joint_arm, two_link_arm
import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import NotFiniteError, ShapeError


@pytest.fixture(scope='module')
def arm():
    return mbd_ros.load('urdf/flexible_arm.urdf')


def test_the_tip_is_where_the_next_link_sits(arm):
    """The joint behind a beam is placed by the dynamics, by other code than what is drawn."""
    rng = np.random.default_rng(1)
    for _ in range(5):
        q = rng.normal(scale=0.5, size=arm.nq)
        q[4:] *= 0.02
        links, poses = mbd_ros.bent_links(arm, q), mbd_ros.link_poses(arm, q)
        assert list(links) == ['upper_arm', 'forearm']
        for name, following in (('upper_arm', 'elbow'), ('forearm', 'hand')):
            # Rounding of a chain of rotations.
            np.testing.assert_allclose(links[name].points[0], poses[name][:3, 3], atol=1e-14)
            if following == 'elbow':   # the wrist's joint turns the hand further
                np.testing.assert_allclose(
                    links[name].rotations[-1], poses[following][:3, :3], atol=1e-13)
            np.testing.assert_allclose(
                links[name].points[-1], poses[following][:3, 3], atol=1e-13)


@pytest.mark.parametrize(('coordinate', 'axis'), [(4, 1), (6, 2)])
def test_strain_is_curvature_by_radius(arm, coordinate, axis):
    q = np.zeros(arm.nq)
    q[coordinate] = 1e-4
    link = mbd_ros.bent_links(arm, q)['upper_arm']
    x, w = link.points[:, 0], link.points[:, axis]
    curvature = np.gradient(np.gradient(w, x), x)
    # Second differences over 1/12 of the length err by h^2/6 of the fourth derivative: 0.4 % of
    # the first mode's largest; numpy's at the ends by more, so that these are left out.
    np.testing.assert_allclose(link.strains[3:-3], link.radii[3:-3] * np.abs(curvature[3:-3]),
                               atol=6e-3 * link.strains.max())
    assert link.strains[-1] < 1e-6 * link.strains[0]   # a free end bears no moment


def test_strain_of_torsion(arm):
    q = np.zeros(arm.nq)
    q[8] = 1e-3
    link = mbd_ros.bent_links(arm, q)['upper_arm']
    x = link.points[:, 0] / 0.8
    # A uniform rod, clamped and free: twist a sin(pi x / 2 L), shear strain r theta' by sqrt 3.
    expected = link.radii * 1e-3 * np.pi / 1.6 * np.cos(0.5 * np.pi * x) / 3.0 ** 0.5
    np.testing.assert_allclose(link.strains, expected, atol=1e-9 * expected.max())
    # Of a tube: the mean square of its radii.
    np.testing.assert_allclose(link.radii, np.sqrt(0.5 * (0.025 ** 2 + 0.022 ** 2)), rtol=1e-12)


def test_an_axis_keeps_its_length():
    """Foreshortening is of second order in the deflection: what is left is of fourth."""
    model = mbd_ros.load(two_link_arm(1))
    lengths = []
    for bent in (0.05, 0.1):
        points = mbd_ros.bent_links(model, [0.0, 0.0, bent, 0.0])['link1'].points
        lengths.append(np.linalg.norm(np.diff(points, axis=0), axis=1).sum() - 1.0)
    # Without it: 0.58 bent^2, 5.8e-3 here. Chords are shorter than their arcs: 24 of them by
    # curvature^2 / (24 24^2), 1e-6.
    assert abs(lengths[1]) < 1e-4 and abs(lengths[0]) < 1e-5


def test_links_of_mass_points_are_their_points():
    model = mbd_ros.load(four_joint_arm())
    q = np.zeros(model.nq)
    q[4] = 0.01
    links, straight = mbd_ros.bent_links(model, q), mbd_ros.bent_links(model, 0.0 * q)
    name, link = next(iter(links.items()))
    assert link.of_points is True and np.isnan(link.strains).all()
    assert np.abs(link.points - straight[name].points).max() > 1e-4


def test_what_is_refused_and_what_is_empty(arm):
    assert mbd_ros.bent_links(mbd_ros.load('urdf/puma560.urdf'), np.zeros(6)) == {}
    with pytest.raises(ShapeError, match='one configuration'):
        mbd_ros.bent_links(arm, np.zeros((2, arm.nq)))
    with pytest.raises(NotFiniteError):
        mbd_ros.bent_links(arm, np.full(arm.nq, np.nan))
