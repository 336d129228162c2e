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


"""Stray joint states over DDS, as others publish them beside a running robot."""

import random
import time

from mbd_msgs.msg import ControllerState
import pytest
from sensor_msgs.msg import JointState

pytestmark = pytest.mark.nodes

NAMES = ['joint1', 'joint2', 'joint3']
AHEAD = [-5.0, -0.4, -0.02, -0.002, 0.0, 0.0005, 0.01, 0.02, 0.4, 5.0, 1e6]
"""From the stamp of the newest state to that of a stray one [s]."""
SOON = 100_000_000
"""In which the robot's states are used again [ns]."""


def nanoseconds(message):
    """Return the stamp of a message."""
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


@pytest.mark.parametrize('lockstep', ['true', 'false'])
def test_control_goes_on_beside_stray_states(launch, graph, patient, lockstep):
    """Ten streams in each mode; none of them acts, and the node that sends them is named."""
    running = launch('track.launch.py', patient('three_link_arm'), 'viewer:=false', 'rviz:=false',
                     f'lockstep:={lockstep}', 'rate:=100.0')
    states = graph.hear(ControllerState, 'controller/state', 100)
    real = graph.hear(JointState, 'joint_states', 100)
    graph.wait_until(lambda: states and states[-1].mode == ControllerState.MODE_TRACKING,
                     'the robot tracks')
    stranger = graph.node.create_publisher(JointState, 'joint_states', 10)
    graph.wait_until(lambda: stranger.get_subscription_count() > 1, 'the controller listens')
    rng = random.Random(30)
    for number in range(10):
        offset, interval = rng.choice(AHEAD), rng.choice([0.0, 0.002, 0.02])
        for _ in range(rng.randint(1, 10)):
            newest = next(one for one in reversed(real) if one.position[0] != 7.0)
            stamp = round(1e9 * offset) + newest.header.stamp.sec * 10**9 + (
                newest.header.stamp.nanosec)
            message = JointState(name=NAMES, position=[7.0] * 3, velocity=[0.0] * 3)
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(max(stamp, 0), 10**9)
            stranger.publish(message)
            time.sleep(interval)
        step, end = states[-1].step, nanoseconds(
            next(one for one in reversed(real) if one.position[0] != 7.0))
        graph.wait_until(lambda step=step: states[-1].step > step + 5,
                         f'control goes on after stream {number}, {offset} s ahead')
        if lockstep == 'true':   # time waits for the answer: a busy machine changes nothing
            first = next(one for one in states if one.step > step)
            assert nanoseconds(first) - end <= SOON, (number, offset)
    assert all(abs(place) < 6.0 for one in states if one.mode == ControllerState.MODE_TRACKING
               for place in one.feedback.positions)
    running.wait_for(f'a joint state of {graph.node.get_fully_qualified_name()} is not used: '
                     'the states of /simulator are used')
