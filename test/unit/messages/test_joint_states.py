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

"""Joint states against the order of a model, and what is wrong with them."""

import math

from described import link, robot
import numpy as np
import pytest
from sensor_msgs.msg import JointState

import mbd_ros
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError, UnknownNameError
from mbd_ros.messages.states.joint_states import JointStateReader, JointStateWriter


def test_joints_are_matched_by_name_and_those_of_others_passed_over(model):
    message = JointState(name=['joint3', 'gripper', 'joint1', 'joint2'],
                         position=[3.0, 9.0, 1.0, 2.0], velocity=[30.0, 90.0, 10.0, 20.0])
    measured = JointStateReader(model).read(message)
    assert measured.q.tolist() == [1.0, 2.0, 3.0]
    assert measured.v.tolist() == [10.0, 20.0, 30.0]
    assert measured.effort is None


def test_order_may_change_between_messages(model):
    reader = JointStateReader(model)
    names = ['joint1', 'joint2', 'joint3']
    for order in ([0, 1, 2], [2, 0, 1], [0, 1, 2]):
        message = JointState(name=[names[k] for k in order], position=[float(k) for k in order],
                             velocity=[0.0] * 3, effort=[10.0 * k for k in order])
        measured = reader.read(message)
        assert measured.q.tolist() == [0.0, 1.0, 2.0]
        assert measured.effort.tolist() == [0.0, 10.0, 20.0]


def test_written_states_are_read_again(model):
    q, v, effort = np.random.default_rng(1).normal(size=(3, 3))
    message = JointStateWriter(model).write(1_234_567_890_123_456_789, q, v, effort)
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (1234567890, 123456789)
    measured = JointStateReader(model).read(message)
    for sent, received in zip((q, v, effort), measured):
        assert np.array_equal(sent, received)


def test_a_missing_joint_is_named_with_the_nearest(model):
    message = JointState(name=['joint1', 'joint2', 'join3'], position=[0.0] * 3,
                         velocity=[0.0] * 3)
    with pytest.raises(UnknownNameError, match=(
            "no joint in joint_states named 'joint3'; known: joint1, joint2, join3; "
            "did you mean 'join3'")):
        JointStateReader(model).read(message)


def test_lengths_are_checked(model):
    message = JointState(name=['joint1', 'joint2', 'joint3'], position=[0.0] * 2,
                         velocity=[0.0] * 3)
    with pytest.raises(ShapeError, match=r'position in joint_states has shape \(2,\); '
                                         r'allowed: \(3,\), one for each name'):
        JointStateReader(model).read(message)


def test_missing_velocities_are_an_error_only_where_they_are_needed(model):
    message = JointState(name=['joint1', 'joint2', 'joint3'], position=[1.0] * 3)
    assert JointStateReader(model).read(message, velocities=False).v.tolist() == [0.0] * 3
    with pytest.raises(ShapeError, match='velocity in joint_states'):
        JointStateReader(model).read(message)


@pytest.mark.parametrize('value', [math.nan, math.inf])
def test_values_that_are_not_finite_are_named(model, value):
    message = JointState(name=['joint1', 'joint2', 'joint3'], position=[0.0, value, 0.0],
                         velocity=[0.0] * 3)
    with pytest.raises(NotFiniteError, match=f"position in joint_states of joint 'joint2' is "
                                             f'{value}; allowed: finite numbers'):
        JointStateReader(model).read(message)


def test_floating_joints_are_left_out_of_joint_states(floating):
    model = floating
    q = np.arange(model.nq, dtype=float)
    message = JointStateWriter(model).write(0, q, np.zeros(model.nv), np.zeros(model.nv))
    assert message.name == ['joint1', 'joint2', 'joint3']
    assert list(message.position) == [7.0, 8.0, 9.0]
    measured = JointStateReader(model).read(message)
    assert measured.q.tolist() == [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 7.0, 8.0, 9.0]


def test_a_robot_without_joints_of_one_coordinate_has_empty_messages():
    """A body that floats, or that hangs on a ball joint alone."""
    model = mbd_ros.load(robot(link('body')), floating_base=True)
    message = JointStateWriter(model).write(
        5, np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv))
    assert (list(message.name), list(message.position), list(message.effort)) == ([], [], [])
    assert JointStateReader(model).read(message).q.tolist() == [0, 0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize('field', ['position', 'velocity'])
@pytest.mark.parametrize('exponent', [6.1, 12.0, 150.0, 308.0])
@pytest.mark.parametrize('sign', [-1.0, 1.0])
def test_values_that_no_joint_can_have_are_refused(model, field, exponent, sign):
    values = {'position': [0.0] * 3, 'velocity': [0.0] * 3}
    values[field][1] = sign * 10.0 ** exponent
    message = JointState(name=['joint1', 'joint2', 'joint3'], **values)
    with pytest.raises(InvalidValueError) as caught:
        JointStateReader(model).read(message)
    assert str(caught.value) == (
        f"{field} in joint_states of joint 'joint2' is {values[field][1]!r}; allowed: from -1e+06 "
        'to 1e+06')


def test_a_joint_that_is_named_twice_is_refused_and_others_are_passed_over(model):
    message = JointState(name=['joint1', 'grip', 'joint2', 'joint3', 'joint2', 'grip'],
                         position=[0.0] * 6, velocity=[0.0] * 6)
    with pytest.raises(InvalidValueError) as caught:
        JointStateReader(model).read(message)
    assert str(caught.value) == "joint in joint_states is 'joint2'; allowed: names that differ"
    message.name = ['joint1', 'grip', 'joint2', 'joint3', 'other', 'grip']
    assert JointStateReader(model).read(message).q.tolist() == [0.0] * 3


def test_elastic_coordinates_are_taken_where_all_are_there(model):
    reader = JointStateReader(model, ('arm/bend_y_1', 'arm/bend_z_1'))
    names = ['joint1', 'arm/bend_z_1', 'joint2', 'joint3', 'arm/bend_y_1']
    message = JointState(name=names, position=[1.0, 0.2, 2.0, 3.0, 0.1], velocity=[0.0] * 5)
    measured = reader.read(message)
    assert reader.elastic.tolist() == [0.1, 0.2] and measured.q.tolist() == [1.0, 2.0, 3.0]
    message.position = [1.0, math.nan, 2.0, 3.0, 0.1]
    with pytest.raises(NotFiniteError, match=r"position in joint_states .* 'arm/bend_z_1'"):
        reader.read(message)
    fewer = JointState(name=names[:4], position=[1.0, 0.2, 2.0, 3.0], velocity=[0.0] * 4)
    reader.read(fewer)
    assert reader.elastic is None
    twice = JointState(name=[*names, names[1]], position=[0.0] * 6, velocity=[0.0] * 6)
    with pytest.raises(InvalidValueError, match="'arm/bend_z_1'; allowed: names that differ"):
        reader.read(twice)
