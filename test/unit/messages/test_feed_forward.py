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


"""Feed-forward efforts of a state or a reference."""

import math
from pathlib import Path

from control_msgs.msg import JointTrajectoryControllerState
import numpy as np
import pytest
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectoryPoint

import mbd_ros
from mbd_ros.errors import NotFiniteError, UnknownNameError
from mbd_ros.messages.states.feed_forward import FeedForward

MODEL = mbd_ros.load(Path(__file__).resolve().parents[3] / 'urdf' / 'three_link_arm.urdf')
NAMES = ['joint3', 'joint1', 'joint2']


def test_the_weight_is_that_of_the_library_by_name():
    q = np.array([0.3, -0.5, 1.1])
    answer = FeedForward(MODEL).carry(JointState(name=NAMES, position=[1.1, 0.3, -0.5]))
    assert list(answer.name) == ['joint1', 'joint2', 'joint3']
    assert list(answer.position) == q.tolist()
    np.testing.assert_allclose(answer.effort, mbd_ros.gravity_forces(MODEL, q), rtol=1e-12)


@pytest.mark.parametrize('field', ['reference', 'desired'])   # of new messages, of Humble's
def test_a_reference_takes_what_inverse_dynamics_says(field):
    rng = np.random.default_rng(4)
    q, v, a = rng.normal(size=(3, 3))
    point = JointTrajectoryPoint(**{name: [values[2], values[0], values[1]] for name, values in (
        ('positions', q), ('velocities', v), ('accelerations', a))})
    message = JointTrajectoryControllerState(joint_names=NAMES, **{field: point})
    message.header.stamp.sec = 7
    streams = FeedForward(MODEL)
    answer = streams.lead(message)
    assert answer.header.stamp.sec == 7
    np.testing.assert_allclose(
        answer.effort, mbd_ros.inverse_dynamics(MODEL, q, v, a), rtol=1e-10, atol=1e-12)
    point.velocities, point.accelerations = [], []
    np.testing.assert_allclose(streams.lead(message).effort, mbd_ros.gravity_forces(MODEL, q),
                               rtol=1e-10, atol=1e-12)


def test_what_is_wrong_is_said():
    streams = FeedForward(MODEL)
    with pytest.raises(UnknownNameError):
        streams.carry(JointState(name=NAMES[:2], position=[0.0, 0.0]))
    point = JointTrajectoryPoint(positions=[0.0] * 3, accelerations=[0.0, math.nan, 0.0])
    with pytest.raises(NotFiniteError, match='acceleration of the reference'):
        streams.lead(JointTrajectoryControllerState(joint_names=NAMES, reference=point))
