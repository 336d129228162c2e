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

"""The floating base as odometry, there and back."""

import math
from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import InvalidValueError, NotFiniteError, UnsupportedError
from mbd_ros.messages.states.odometry import BaseOdometry
from mbd_ros.model.state import difference, neutral

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope='module')
def model():
    return mbd_ros.load(ROOT / 'urdf' / 'space_robot.urdf.xacro', floating_base=True)


@pytest.fixture(scope='module')
def state(model):
    rng = np.random.default_rng(4)
    q = neutral(model)
    q[:7] = [0.1, -0.2, 0.3, *(rng.normal(size=4))]
    q[3:7] /= np.linalg.norm(q[3:7])
    return q, rng.normal(size=model.nv)


def test_there_and_back(model, state):
    q, v = state
    odometry = BaseOdometry(model, 'map')
    message = odometry.write(1_500_000_000, q, v)
    assert (message.header.frame_id, message.child_frame_id) == ('map', 'base_link')
    # By the definition of the message: the pose of the link, its velocity in its own axes.
    pose = mbd_ros.pose(model, q, 'base_link')
    place = message.pose.pose.position
    np.testing.assert_allclose((place.x, place.y, place.z), pose[:3, 3], atol=1e-15)
    linear = message.twist.twist.linear
    world = mbd_ros.jacobian(model, q, 'base_link') @ v
    np.testing.assert_allclose((linear.x, linear.y, linear.z), pose[:3, :3].T @ world[:3],
                               atol=1e-14)
    coordinates, rates = odometry.read(message)
    np.testing.assert_allclose(coordinates, q[:7], atol=1e-15)
    np.testing.assert_array_equal(rates, v[:6])


def test_it_is_brought_to_the_stamp_of_the_joints_by_its_twist(model, state):
    q, v = state
    odometry = BaseOdometry(model, 'world')
    found = odometry.put(odometry.write(1_500_000_000, q, v), 1_510_000_000, neutral(model),
                         np.zeros(model.nv))
    np.testing.assert_allclose(difference(model, q, found)[:6], 0.01 * v[:6], atol=1e-14)


@pytest.mark.parametrize('length', [0.9995, 1.0005])
def test_a_quaternion_that_was_printed_with_few_digits_is_made_one_of_length_one(
        model, state, length):
    odometry = BaseOdometry(model, 'world')
    message = odometry.write(0, *state)
    turn = message.pose.pose.orientation
    turn.x, turn.y, turn.z, turn.w = (length * value for value in state[0][3:7])
    np.testing.assert_allclose(odometry.read(message)[0][3:7], state[0][3:7], atol=1e-15)
    for name in 'xyzw':
        setattr(turn, name, (1.0 + 3.0 * (length - 1.0)) / length * getattr(turn, name))
    with pytest.raises(InvalidValueError, match='a quaternion of length 1'):
        odometry.read(message)


def test_what_is_wrong_is_named(model, state):
    odometry = BaseOdometry(model, 'world')
    message = odometry.write(0, *state)
    message.child_frame_id = 'base_footprint'
    with pytest.raises(InvalidValueError, match="'base_footprint'; allowed: 'base_link'"):
        odometry.read(message)
    message = odometry.write(0, *state)
    message.twist.twist.angular.y = math.nan
    with pytest.raises(NotFiniteError, match="twist in odometry of link 'base_link' is nan"):
        odometry.read(message)
    message = odometry.write(0, *state)
    message.pose.pose.orientation.w += 0.1
    with pytest.raises(InvalidValueError, match='a quaternion of length 1'):
        odometry.read(message)
    with pytest.raises(UnsupportedError, match='give one with a floating base that no loop'):
        BaseOdometry(mbd_ros.load(ROOT / 'urdf' / 'puma560.urdf'), 'world')
