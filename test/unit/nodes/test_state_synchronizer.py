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

"""Joint states and what belongs to them, out of step: who is answered, and by which odometry."""

from types import SimpleNamespace

import numpy as np
import pytest
from robots import model_of, random_state
from sensor_msgs.msg import JointState

from mbd_ros.messages.fields.times import SECOND, to_stamp
from mbd_ros.messages.states.multi_dof import MultiDOFStates
from mbd_ros.messages.states.odometry import BaseOdometry
from mbd_ros.nodes.controlling.state_synchronizer import StateSynchronizer

PERIOD = SECOND // 100
COUNT = 12


class Bench:
    """The companions of a robot, with what a controller does with them."""

    def __init__(self, joints, lockstep):
        self.model = model_of([0, *range(1, len(joints))], joints, 3)
        self.callbacks, self.answered = {}, []
        self.companions = StateSynchronizer(
            SimpleNamespace(create_subscription=self.listen), self.hear, lockstep)
        self.companions.use(self.model, 'world')
        self.writers = {'odom': BaseOdometry(self.model, 'world')}
        if 'spherical' in joints:
            self.writers['multi_dof_joint_states'] = MultiDOFStates(self.model)
        self.states = [random_state(self.model, seed)[:2] for seed in range(COUNT)]

    def listen(self, kind, topic, callback, *arguments, **options):
        self.callbacks[topic] = callback

    def hear(self, message):
        if not self.companions.awaits(message):
            stamp = message.header.stamp
            now = stamp.sec * SECOND + stamp.nanosec
            place = self.companions.state(now, 60.0 * SECOND)
            if place is not None:
                self.answered.append((now // PERIOD, place.q))

    def send(self, topic, number):
        """Deliver the message of a topic about a state."""
        now = number * PERIOD
        if topic == 'joint_states':
            message = JointState()
            message.header.stamp = to_stamp(now)
            self.hear(message)
        else:
            self.callbacks[topic](self.writers[topic].write(now, *self.states[number]))


@pytest.mark.parametrize('joints', [['floating', 'revolute'],
                                    ['floating', 'spherical', 'revolute']])
@pytest.mark.parametrize('seed', range(20))
def test_in_lockstep_only_what_has_one_stamp_is_answered(joints, seed):
    """In any order, and each of them any number of times: as published again, or queued."""
    bench, rng = Bench(joints, True), np.random.default_rng(seed)
    for number in range(COUNT):
        # Time stands still until the answer: none but messages of this state are on their way.
        times = rng.integers(1, 4, 1 + len(bench.writers))
        sent = np.repeat(['joint_states', *bench.writers], times)
        for topic in rng.permutation(sent):
            bench.send(str(topic), number)
        assert bench.answered and bench.answered[-1][0] == number
    for number, q in bench.answered:
        for joint in range(len(bench.writers)):   # base and ball
            entries = slice(bench.model.q_offsets[joint], bench.model.q_offsets[joint + 1])
            # Rounding of numbers near 1, in the poses of the joint and a length of quaternions.
            np.testing.assert_allclose(q[entries], bench.states[number][0][entries], rtol=0,
                                       atol=1e-14)


def test_a_joint_state_that_is_published_again_still_waits_in_lockstep():
    """What a simulator does after 0.1 s without an answer, on a machine with other work."""
    bench = Bench(['floating', 'revolute'], True)
    bench.send('odom', 0)
    for _ in range(3):
        bench.send('joint_states', 1)
    assert not bench.answered
    assert bench.companions.missing == 'odometry'
    bench.send('odom', 1)
    assert [number for number, _ in bench.answered] == [1]


def test_joint_states_that_are_behind_their_odometry_find_it():
    """As queues are read, by topic."""
    bench = Bench(['floating', 'revolute'], True)
    for number in range(5):
        bench.send('odom', number)
    for number in range(5):
        bench.send('joint_states', number)
    assert [number for number, _ in bench.answered] == [0, 1, 2, 3, 4]
    np.testing.assert_allclose(bench.answered[1][1][:3], bench.states[1][0][:3], rtol=0,
                               atol=1e-14)


def test_without_lockstep_odometry_is_brought_to_the_time_of_the_joint_state():
    """That of a sensor comes when it comes."""
    bench = Bench(['floating', 'revolute'], False)
    bench.send('joint_states', 1)
    assert not bench.answered
    bench.send('odom', 1)
    bench.send('joint_states', 2)
    (number, q), = bench.answered
    assert number == 2
    # From state 1 on by its velocity, of which 0.01 s of turning bend little; the random state 2
    # is as far off as such states are, by about 1.
    way = np.linalg.norm(q[:3] - bench.states[1][0][:3])
    assert way == pytest.approx(0.01 * np.linalg.norm(bench.states[1][1][:3]), rel=0.1)
