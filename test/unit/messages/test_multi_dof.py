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

"""Ball and planar joints as MultiDOFJointState, there and back."""

import math
from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import NotFiniteError, ShapeError, UnknownNameError
from mbd_ros.messages.states.multi_dof import MultiDOFStates
from mbd_ros.model.state import difference, neutral, random_configuration

ROOT = Path(__file__).parents[3]
JOINT = """<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{0}_link"/>
  <origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/></joint>
  <link name="{0}_link"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>"""


@pytest.fixture(scope='module')
def model():
    return mbd_ros.load('<robot name="two"><link name="root"/>'
                        + JOINT.format('plane', 'planar', 'root')
                        + JOINT.format('ball', 'spherical', 'plane_link') + '</robot>')


@pytest.fixture(scope='module')
def state(model):
    rng = np.random.default_rng(2)
    return random_configuration(model, rng), rng.normal(size=model.nv)


def test_there_and_back(model, state):
    states = MultiDOFStates(model)
    assert states.names == ('plane', 'ball')
    message = states.write(1_500_000_000, *state)
    v = np.zeros(model.nv)
    q = states.put(message, 1_500_000_000, neutral(model), v)
    np.testing.assert_allclose(difference(model, q, state[0]), 0.0, atol=1e-15)
    np.testing.assert_array_equal(v, state[1])
    assert message.twist[0].linear.z == message.twist[0].angular.x == 0.0   # it stays in its plane
    later = states.put(message, 1_510_000_000, neutral(model), v)
    np.testing.assert_allclose(difference(model, q, later), 0.01 * v, atol=1e-14)


def test_a_floating_base_and_joints_in_loops_are_not_in_it():
    for file, floats in (('delta.urdf.xacro', True), ('stewart.urdf.xacro', False)):
        robot = mbd_ros.load(ROOT / 'urdf' / file, floating_base=floats)
        assert robot.nq > robot.nv
        assert not MultiDOFStates(robot).names


def test_what_is_wrong_is_named(model, state):
    states, q, v = MultiDOFStates(model), neutral(model), np.zeros(model.nv)
    message = states.write(0, *state)
    message.joint_names = ['plane', 'bell']
    with pytest.raises(UnknownNameError, match="no joint in multi_dof_joint_states named 'ball'"):
        states.put(message, 0, q, v)
    message = states.write(0, *state)
    message.twist = message.twist[:1]
    with pytest.raises(ShapeError, match=r'twist in multi_dof_joint_states has shape \(1,\)'):
        states.put(message, 0, q, v)
    message = states.write(0, *state)
    message.twist[1].angular.y = math.nan
    with pytest.raises(NotFiniteError, match="multi_dof_joint_states of joint 'ball' is nan"):
        states.put(message, 0, q, v)
