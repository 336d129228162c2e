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

"""Effort commands in the order of the effort controller's joints."""

import math

from described import joint, link, robot
import numpy as np
import pytest
from std_msgs.msg import Float64MultiArray

import mbd_ros
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError, UnknownNameError
from mbd_ros.messages.states.efforts import EffortCommands


def test_order_of_joints_is_that_of_the_parameter(model):
    commands = EffortCommands(model, ['joint3', 'joint1'])
    message = Float64MultiArray(data=[3.0, 1.0])
    assert commands.read(message).tolist() == [1.0, 0.0, 3.0]
    assert list(commands.write(np.array([1.0, 2.0, 3.0]), 5).data) == [3.0, 1.0]


def test_positions_are_in_the_same_order_and_finite(model):
    commands = EffortCommands(model, ['joint3', 'joint1'])
    message = commands.write_positions(np.array([0.1, 0.2, 0.3]), 7)
    assert list(message.data) == [0.3, 0.1]
    assert commands.answered(message) == 7
    with pytest.raises(NotFiniteError, match="position of joint 'joint3' is nan"):
        commands.write_positions(np.array([0.1, 0.2, math.nan]), 7)


def test_commands_say_which_state_they_answer(model):
    commands = EffortCommands(model, [])
    assert commands.answered(commands.write(np.zeros(3), 1_234_567_890_123_456_789)) == (
        1_234_567_890_123_456_789)
    assert commands.answered(Float64MultiArray(data=[0.0] * 3)) is None


@pytest.mark.parametrize('label', ['', 'x', '-1', '1e9', '9' * 20, '9' * 400, '9' * 6000])
def test_labels_that_are_no_stamps_do_not_count(model, label):
    message = EffortCommands(model, []).write(np.zeros(3), 1)
    message.layout.dim[0].label = label
    assert EffortCommands.answered(message) is None


def test_wrong_size_names_the_joints(model):
    with pytest.raises(ShapeError, match=r'effort command has shape \(2,\); allowed: \(3,\): '
                                         'joint1, joint2, joint3'):
        EffortCommands(model, []).read(Float64MultiArray(data=[0.0] * 2))


def test_nan_names_the_joint(model):
    with pytest.raises(NotFiniteError, match="effort command of joint 'joint1' is nan"):
        EffortCommands(model, ['joint3', 'joint1']).read(Float64MultiArray(data=[0.0, math.nan]))


def test_unknown_and_repeated_joints_are_refused(model):
    with pytest.raises(UnknownNameError, match=r"no joint named 'joint4'.*did you mean 'joint"):
        EffortCommands(model, ['joint1', 'joint4'])
    with pytest.raises(InvalidValueError, match='each joint at most once'):
        EffortCommands(model, ['joint1', 'joint1'])


def test_initial_state_is_given_in_the_same_order(model):
    commands = EffortCommands(model, ['joint2', 'joint1', 'joint3'])
    assert commands.configuration('p', [2.0, 1.0, 3.0]).tolist() == [1.0, 2.0, 3.0]
    assert commands.configuration('p', []).tolist() == [0.0, 0.0, 0.0]
    assert commands.velocities('p', [2.0, 1.0, 3.0]).tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(ShapeError, match=r'initial_positions has shape \(2,\); allowed: \(3,\)'):
        commands.configuration('initial_positions', [1.0, 2.0])


HANGING = robot(
    link('root'), link('cart'), link('bob'), link('plate'),
    joint('slide', 'prismatic', 'root', 'cart'), joint('ball', 'spherical', 'cart', 'bob'),
    joint('table', 'planar', 'root', 'plate'))


@pytest.fixture(scope='module')
def hanging():
    return mbd_ros.load(HANGING)


def test_a_joint_of_several_coordinates_has_its_entries_one_after_the_other(hanging):
    """In the order of its velocities; joints that are not named stay without effort."""
    commands = EffortCommands(hanging, ['table', 'slide', 'ball'])
    assert commands.entries == (
        'table.linear.x', 'table.linear.y', 'table.angular.z', 'slide',
        'ball.angular.x', 'ball.angular.y', 'ball.angular.z')
    efforts = np.arange(1.0, 8.0)
    message = commands.write(efforts, 1)
    assert commands.read(message).tolist() == efforts.tolist()
    place = hanging.v_offsets[hanging.joint_index('table')]
    assert list(message.data)[:3] == efforts[place:place + 3].tolist()
    assert EffortCommands(hanging, []).entries == ('slide',)


def test_a_floating_base_is_driven_where_it_is_named(floating):
    assert EffortCommands(floating, ['floating_base']).entries == (
        *(f'floating_base.linear.{axis}' for axis in 'xyz'),
        *(f'floating_base.angular.{axis}' for axis in 'xyz'))


def test_the_initial_state_of_a_ball_is_a_quaternion_and_a_velocity(hanging):
    commands = EffortCommands(hanging, ['ball', 'slide'])
    place = hanging.q_offsets[hanging.joint_index('ball')]
    q = commands.configuration('initial_positions', [0.0, 0.0, 3.0, 4.0, 0.2])
    assert q[place:place + 4].tolist() == pytest.approx([0.0, 0.0, 0.6, 0.8])
    assert commands.velocities('initial_velocities', [1.0, 2.0, 3.0, 0.5]).sum() == 6.5
    with pytest.raises(ShapeError, match=r'allowed: \(5,\): ball.orientation.x, .*, slide'):
        commands.configuration('initial_positions', [0.0] * 4)
    with pytest.raises(InvalidValueError, match=r'quaternion of q is .*not all zero'):
        commands.configuration('initial_positions', [0.0] * 5)
    with pytest.raises(NotFiniteError, match=r"effort command of joint 'ball.angular.y' is nan"):
        commands.read(Float64MultiArray(data=[0.0, math.nan, 0.0, 0.0]))


def test_which_joints_are_driven(hanging):
    """Those with one coordinate, and of the others those whose efforts are sent."""
    assert EffortCommands(hanging, []).driven([]) == ('slide',)
    commands = EffortCommands(hanging, ['ball', 'slide'])
    assert commands.driven([]) == ('slide', 'ball')
    assert commands.driven(['ball']) == ('ball',)
    with pytest.raises(InvalidValueError, match=(
            r"actuated is 'table'; allowed: .* that the parameter joints names, too")):
        commands.driven(['slide', 'table'])
    with pytest.raises(UnknownNameError, match="no joint named 'bell'"):
        commands.driven(['bell'])
