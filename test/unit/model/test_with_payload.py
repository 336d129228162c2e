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

"""A robot with a payload moves as the one whose controller knows of it."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import random_state, trees

import mbd_ros
from mbd_ros.control import dynamics_with, Payload
from mbd_ros.errors import InvalidValueError, ShapeError, UnknownNameError

TURN = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
INERTIA = TURN @ np.diag([0.02, 0.03, 0.04]) @ TURN.T
"""Of a body: the largest moment is below the sum of the others."""


@settings(max_examples=30, deadline=None, derandomize=True)
@given(text=trees(max_joints=5), floating=st.booleans(), seed=st.integers(0, 2**16))
def test_it_is_the_controllers_payload(text, floating, seed):
    model = mbd_ros.load(text, floating_base=floating)
    q, v, _ = random_state(model, seed)
    link = sorted(model.links)[seed % len(model.links)]
    loaded = mbd_ros.with_payload(model, link, 2.0, (0.1, -0.2, 0.3), INERTIA)
    inertia = tuple(map(tuple, (0.5 * (INERTIA + INERTIA.T)).tolist()))
    # The same load by its Jacobian, in another room; the rest is rounding of inertias of order 1.
    oracle = dynamics_with(model, Payload(link, 2.0, (0.1, -0.2, 0.3), inertia), (0, 0, -9.81))
    for mine, other in ((mbd_ros.mass_matrix(loaded, q), oracle.mass_matrix(q)),
                        (mbd_ros.bias_forces(loaded, q, v), oracle.bias_forces(q, v))):
        np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-9 * np.abs(other).max())
    assert loaded.joint_names == model.joint_names and set(loaded.links) == set(model.links)


def test_a_link_without_inertia_can_carry():
    model = mbd_ros.load('package://mbd_ros/urdf/puma560.urdf')
    loaded = mbd_ros.with_payload(model, 'tool', 1.5)
    assert loaded.masses.sum() == pytest.approx(model.masses.sum() + 1.5, abs=1e-12)   # rounding
    assert loaded != model


@pytest.mark.parametrize(('arguments', 'error', 'text'), [
    (('flang', 1.0), UnknownNameError, "did you mean 'flange'"),
    (('flange', -1.0), InvalidValueError, 'mass of the payload'),
    (('flange', 'heavy'), InvalidValueError, 'mass of the payload'),
    (('flange', 1.0, 'left'), InvalidValueError, 'center of the payload'),
    (('flange', 1.0, (0.0, 0.0)), ShapeError, 'center of the payload'),
    (('flange', 1.0, (0.0, 0.0, 0.0), np.diag([1.0, 1.0, 3.0])), InvalidValueError, 'inertia')])
def test_what_is_no_body_is_refused(arguments, error, text):
    with pytest.raises(error, match=text):
        mbd_ros.with_payload(mbd_ros.load('package://mbd_ros/urdf/puma560.urdf'), *arguments)


@pytest.mark.parametrize(('link', 'center'), [
    ('hand', (0.1, 0.0, 0.2)), ('forearm', (0.3, 0.0, 0.0)), ('forearm', (0.25, 0.02, -0.04))])
def test_a_link_that_bends_carries_where_it_bends_to(link, center):
    model = mbd_ros.load('package://mbd_ros/urdf/flexible_arm.urdf')
    loaded, q = mbd_ros.with_payload(model, link, 1.5, center), np.zeros(model.nq)
    q[:4], q[4:] = (0.3, -0.9, 1.2, 0.3), 1e-3 * np.arange(10)
    if link == 'hand':   # rigid, fixed to a tip
        jacobian, pose = mbd_ros.jacobian(model, q, link), mbd_ros.pose(model, q, link)
        x, y, z = pose[:3, :3] @ center
        arm = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        point = jacobian[:3] - arm @ jacobian[3:]
    else:   # by differences of where it is: the same as the place of a link that is fixed there
        assert loaded.links.keys() - model.links.keys() == {'forearm/payload'}
        ahead, behind = (np.array([mbd_ros.pose(loaded, mbd_ros.integrate(
            model, q, sign * 1e-6 * unit), 'forearm/payload')[:3, 3] for unit in np.eye(model.nv)])
            for sign in (1.0, -1.0))
        point = (ahead - behind).T / 2e-6
        assert np.abs(point[:, 4:]).max() > 0.1
    # Of entries of order 1; differences leave 1e-16 / 1e-6 of a position.
    np.testing.assert_allclose(mbd_ros.mass_matrix(loaded, q), mbd_ros.mass_matrix(model, q)
                               + 1.5 * point.T @ point, atol=1e-12 if link == 'hand' else 1e-8)
    assert mbd_ros.with_payload(model, link, 0.0, center) == model or link == 'hand'
