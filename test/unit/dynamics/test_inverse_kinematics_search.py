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

"""Inverse kinematics as machine code: it finds, keeps limits, and says what it did not find."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from robots import urdf

import mbd_ros
from mbd_ros.errors import InvalidValueError, UnsupportedError

URDF = Path(__file__).resolve().parents[3] / 'urdf'
PANDA, PUMA = mbd_ros.load(URDF / 'panda.urdf'), mbd_ros.load(URDF / 'puma560.urdf')


def configurations(model, count, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([mbd_ros.random_configuration(model, rng) for _ in range(count)])


@pytest.mark.parametrize('model', [PANDA, PUMA], ids=['panda', 'puma'])
def test_every_reachable_pose_is_found_within_limits(model):
    link = model.body_names[-1]
    poses = mbd_ros.pose(model, configurations(model, 3000), link)
    found = mbd_ros.inverse_kinematics(model, {link: poses})
    assert found.converged.all()   # the issue asks for 99.95 % of them
    # The answer is one step beyond the error that was within 1e-9.
    np.testing.assert_allclose(mbd_ros.pose(model, found.q, link), poses, atol=1e-9)
    assert (found.q >= model.lower).all() and (found.q <= model.upper).all()
    for k in range(30):
        one = mbd_ros.inverse_kinematics(model, {link: poses[k]})
        assert one.converged and one.q.shape == (model.nq,)
        np.testing.assert_allclose(mbd_ros.pose(model, one.q, link), poses[k], atol=1e-9)


def test_a_near_start_stays_near():
    link, q = 'link7', configurations(PANDA, 200, 1)
    near = np.clip(q + np.random.default_rng(2).uniform(-0.02, 0.02, q.shape), PANDA.lower,
                   PANDA.upper)
    poses = mbd_ros.pose(PANDA, q, link)
    many = mbd_ros.inverse_kinematics(PANDA, {link: poses}, near)
    each = np.array([mbd_ros.inverse_kinematics(PANDA, {link: pose}, start).q
                     for pose, start in zip(poses, near)])
    for found in (many.q, each):
        far = np.abs(found - near).max(axis=1)
        # Some are singular, or against a limit: there the nearest solution is elsewhere.
        assert (far < 0.3).mean() > 0.95


@pytest.mark.parametrize('kinds', [
    ['revolute', 'prismatic', 'revolute', 'continuous', 'fixed', 'prismatic', 'revolute'],
    ['prismatic', 'prismatic', 'prismatic', 'revolute', 'revolute', 'revolute']])
def test_slides_branches_and_links_that_are_fixed(kinds):
    model = mbd_ros.load(urdf([*range(len(kinds) - 1), 1], kinds, 3))
    for link in model.links:
        if model.links[link].body < 0:
            continue
        poses = mbd_ros.pose(model, configurations(model, 20, 3), link)
        found = mbd_ros.inverse_kinematics(model, {link: poses})
        assert found.converged.all(), link
        np.testing.assert_allclose(mbd_ros.pose(model, found.q, link), poses, atol=1e-8)


def test_out_of_reach_the_nearest_is_returned():
    target = np.eye(4)
    target[0, 3] = 3.0
    found = mbd_ros.inverse_kinematics(PANDA, {'link7': target})
    slow = mbd_ros.inverse_kinematics(PANDA, {'link7': target}, attempts=20)
    assert not found.converged and np.isfinite(found.q).all()
    assert found.error < 1.2 * slow.error   # another beginning may be a little nearer


def test_all_solutions_of_an_arm_with_six_joints():
    q = np.array((0.3, -0.6, 0.4, 0.5, 0.8, -0.4))
    link = PUMA.body_names[-1]
    pose = mbd_ros.pose(PUMA, q, link)
    found = mbd_ros.inverse_kinematics(PUMA, {link: pose}, limits=False, solutions='all')
    # An elbow, a shoulder and a wrist, each in two ways.
    assert len(found.q) == 8 and found.converged.all() and found.error.max() < 1e-8
    turned = np.abs((found.q - q + np.pi) % (2.0 * np.pi) - np.pi).max(axis=1)
    assert turned.min() < 1e-6
    far = pose.copy()
    far[:3, 3] = 9.0
    assert not len(mbd_ros.inverse_kinematics(PUMA, {link: far}, solutions='all').q)
    with pytest.raises(UnsupportedError, match='6 joints'):
        mbd_ros.inverse_kinematics(PANDA, {'link7': pose}, solutions='all')
    with pytest.raises(InvalidValueError, match='nearest'):
        mbd_ros.inverse_kinematics(PUMA, {link: pose}, solutions='some')


def test_threads_have_workspaces_of_their_own():
    link, q = 'link7', configurations(PANDA, 64, 4)
    poses = mbd_ros.pose(PANDA, q, link)
    alone = [mbd_ros.inverse_kinematics(PANDA, {link: pose}).q for pose in poses]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(
            lambda pose: mbd_ros.inverse_kinematics(PANDA, {link: pose}).q, poses))
    np.testing.assert_array_equal(alone, together)


def test_what_is_not_plain_takes_the_other_way():
    link, q = 'link7', configurations(PANDA, 1, 5)[0]
    pose = mbd_ros.pose(PANDA, q, link)
    for target in (pose.tolist(), pose.astype(np.float32), np.asfortranarray(pose)):
        assert mbd_ros.inverse_kinematics(PANDA, {link: target}, tolerance=1e-6).converged
    bad = pose.copy()
    bad[:3, :3] *= -1.0
    with pytest.raises(InvalidValueError, match='rotation matrix'):
        mbd_ros.inverse_kinematics(PANDA, {link: bad})
