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


"""Whatever else comes on joint_states, the controller goes on with the robot's own states."""

import math

from controller_bench import ControllerBench, OTHER, ROBOT, STRANGER, URDF
from hypothesis import given, settings, strategies as st
import pytest

from mbd_ros.nodes.controlling.state_stream import StateStream

pytestmark = pytest.mark.nodes

MILLISECOND = 1_000_000
RESEND = 100 * MILLISECOND   # of the simulator in lockstep
SOON = 100 * MILLISECOND     # in which control has to resume
AFTER = 210 * MILLISECOND    # for which it is watched then: a state may come again twice
BEGIN = 30 * MILLISECOND     # of the robot's states

OFFSETS = [0, *(round(sign * MILLISECOND * size) for sign in (-1, 1) for size in (
    0.4, 1, 2, 3, 10, 20, 50, 100, 400, 600, 5_000, 4e6, 1.7e12))]
"""From the stamp of the robot's newest state to that of a stray one [ns]."""
BODIES = ['as the robot', 'elsewhere', 'zeros', 'no velocities', 'a joint missing', 'not finite']
STRAYS = st.lists(st.tuples(
    st.integers(0, 120), st.sampled_from(OFFSETS), st.sampled_from(BODIES),
    st.sampled_from([STRANGER, OTHER]), st.integers(1, 15), st.sampled_from([1, 2, 7, 10, 30]),
    st.booleans()), min_size=1, max_size=3)
"""
When they begin [ms]; the first stamp; what is in them; from whom; how many follow one another; at
which interval [ms]; whether their stamps go on (as those of a bag do) or stay.
"""
SENDERS = ['robot known', 'told apart', 'not told']
"""
What is known of senders: who takes our commands; only that they differ, as with ros2_control,
whose broadcaster takes none; nothing, as in Humble.
"""


class Bench(ControllerBench):
    """It, and what else comes on the topic."""

    def begin(self, known):
        """Know no state yet."""
        senders = self.node._senders
        senders.stream = stream = StateStream(
            2 * MILLISECOND, self.lockstep, 500 * MILLISECOND, lambda: self.now / 1e9)
        stream.robots = frozenset([ROBOT] if known == 'robot known' else [])
        senders._looked = math.inf if known != 'robot known' else -math.inf
        self.node._stamp = -1
        self.now += 10**9

    def run(self, strays, period, known):
        """
        Play a robot and strays; return what was answered of whom.

        Three lists of times [ns]: of the robot's states, of those that were answered, and of the
        stray ones that were answered.
        """
        events = sorted(
            (MILLISECOND * (begin + index * interval), number,
             goes_on * index * interval * MILLISECOND)
            for number, (begin, *_, count, interval, goes_on) in enumerate(strays)
            for index in range(count))
        firsts = {}
        first, end = self.now + BEGIN, self.now + events[-1][0]
        begin, due, waits = self.now, self.now + BEGIN, False
        told = known != 'not told' or None
        self.stamp += 10**9
        sent, answered, strange = [], [], []
        while due <= max(end, first) + AFTER:
            if events and begin + events[0][0] < due:
                when, number, later = events.pop(0)
                _, offset, kind, sender, *_ = strays[number]
                self.now = begin + when
                first_of = firsts.setdefault(number, self.stamp + offset)
                if self.hear(kind, first_of + later, told and sender):
                    strange.append(self.now)
                continue
            self.now = due
            sent.append(due)
            if self.stamp in self.hear('as the robot', self.stamp, told and ROBOT):
                answered.append(due)
                waits = False
            else:
                waits = self.lockstep
            if waits:
                due += RESEND
            else:
                self.stamp += period
                due += period
        return sent, answered, strange, end


@pytest.fixture(scope='module', params=[False, True], ids=['real time', 'lockstep'])
def bench(request):
    one = Bench(request.param, f'robot_description:={URDF}', 'path.kind:=none')
    yield one
    one.close()


@settings(max_examples=1000)
@given(strays=STRAYS, period=st.sampled_from([5, 10, 20]), known=st.sampled_from(SENDERS))
def test_control_resumes_whatever_is_sent(bench, strays, period, known):
    """Within 0.1 s of the first of the robot's states after the last stray one."""
    bench.begin(known)
    sent, answered, strange, end = bench.run(strays, period * MILLISECOND, known)
    soon = next(when for when in sent if when > end) + SOON
    assert [when for when in answered if end < when <= soon]
    assert [when for when in answered if when >= soon] == [when for when in sent if when >= soon]
    if known == 'robot known':   # nothing of the others acts once the robot has been heard
        assert answered == sent
        assert not [when for when in strange if when > sent[0]]


def test_what_is_refused_is_counted_and_told_of_with_the_node(bench):
    """In the diagnostics, and once in the log."""
    bench.begin('robot known')
    bench.node._senders.refused.clear()
    for number in range(5):
        stamp = bench.stamp + (number + 1) * 4 * MILLISECOND
        bench.now += 4 * MILLISECOND
        assert bench.hear('as the robot', stamp, ROBOT) == [stamp]
        assert not bench.hear('zeros', stamp + 400 * MILLISECOND, STRANGER)
    assert not bench.hear('as the robot', stamp + 5000 * MILLISECOND, ROBOT)
    figures = bench.node._diagnostics()
    told = ('5 of /stranger (the states of /robot are used); '
            '1 of /robot (its stamp is ahead of those used so far)')
    assert figures.values['joint states refused'] == told
    assert figures.message == f'joint states are refused: {told}'
    assert figures.level == 1
