"""Effort commands in the order of the effort controller's joints."""

import math

import numpy as np
import pytest
from std_msgs.msg import Float64MultiArray

from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError, UnknownNameError
from mbd_ros.messages.efforts import EffortCommands


def test_order_of_joints_is_that_of_the_parameter(model):
    commands = EffortCommands(model, ['joint3', 'joint1'])
    message = Float64MultiArray(data=[3.0, 1.0])
    assert commands.read(message).tolist() == [1.0, 0.0, 3.0]
    assert list(commands.write(np.array([1.0, 2.0, 3.0]), 5).data) == [3.0, 1.0]


def test_commands_say_which_state_they_answer(model):
    commands = EffortCommands(model, [])
    assert commands.answered(commands.write(np.zeros(3), 1_234_567_890_123_456_789)) == (
        1_234_567_890_123_456_789)
    assert commands.answered(Float64MultiArray(data=[0.0] * 3)) is None


def test_wrong_size_names_the_joints(model):
    with pytest.raises(ShapeError, match=r'effort command has shape \(2,\); allowed: \(3,\): '
                                         'joint1, joint2, joint3'):
        EffortCommands(model, []).read(Float64MultiArray(data=[0.0] * 2))


def test_nan_names_the_joint(model):
    with pytest.raises(NotFiniteError, match="effort command of joint 'joint1' is nan"):
        EffortCommands(model, ['joint3', 'joint1']).read(Float64MultiArray(data=[0.0, math.nan]))


def test_unknown_and_repeated_joints_are_refused(model, floating):
    with pytest.raises(UnknownNameError, match=r"no joint named 'joint4'.*did you mean 'joint"):
        EffortCommands(model, ['joint1', 'joint4'])
    with pytest.raises(InvalidValueError, match='each joint at most once'):
        EffortCommands(model, ['joint1', 'joint1'])
    with pytest.raises(InvalidValueError, match='joints with an actuator'):
        EffortCommands(floating, ['floating_base'])


def test_initial_state_is_given_in_the_same_order(model):
    commands = EffortCommands(model, ['joint2', 'joint1', 'joint3'])
    assert commands.configuration('p', [2.0, 1.0, 3.0]).tolist() == [1.0, 2.0, 3.0]
    assert commands.configuration('p', []).tolist() == [0.0, 0.0, 0.0]
    assert commands.velocities('p', [2.0, 1.0, 3.0]).tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(ShapeError, match=r'initial_positions has shape \(2,\); allowed: \(3,\)'):
        commands.configuration('initial_positions', [1.0, 2.0])
