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


"""What the controller does when its robot is described anew, or is another one from now on."""

from controller_bench import ControllerBench, URDF
from mbd_msgs.msg import ControllerState
import numpy as np
import pytest

pytestmark = pytest.mark.nodes

PERIOD = 2_000_000
TEXT = URDF.read_text()
HEAVIER = TEXT.replace('<mass value="', '<mass value="1', 1)


class Described(ControllerBench):
    """A controller that gets its robot on the topic."""

    def describe(self, text):
        """Hand over a description."""
        self.node._source._on_description(text)

    def goes_on(self, count=3):
        """Hand over states, each of which is answered; return the mode after them."""
        for _ in range(count):
            self.stamp += PERIOD
            assert self.hear('as the robot', self.stamp) == [self.stamp]
        return self.node._mode


@pytest.fixture
def bench(request):
    one = Described(False, *getattr(request, 'param', ()))
    one.describe(TEXT)
    yield one
    one.close()


def test_another_text_of_the_same_robot_changes_nothing(bench):
    assert bench.goes_on() == ControllerState.MODE_TRACKING
    tracker = bench.node._tracker
    for text in (TEXT.replace('<link', '<!-- the same -->\n<link', 1), f'{TEXT}\n', TEXT):
        bench.describe(text)
        assert bench.goes_on() == ControllerState.MODE_TRACKING
        assert bench.node._tracker is tracker and bench.node.generation == 1


def test_another_robot_is_held_where_it_is(bench):
    """What was followed was meant for the one before, and so was the task of the launch."""
    assert bench.goes_on() == ControllerState.MODE_TRACKING
    bench.describe(HEAVIER)
    assert bench.node.generation == 2
    assert bench.goes_on(50) == ControllerState.MODE_HOLDING
    assert bench.node._why == 'the robot was replaced'
    controlled = bench.node.controlled()
    q, v, _ = controlled.tracker.reference(controlled.measured.q)
    assert np.array_equal(q, controlled.measured.q) and not v.any()
    bench.describe(TEXT)   # and the next one
    assert bench.goes_on() == ControllerState.MODE_HOLDING
    bench.node.trigger_deactivate()   # the task begins anew when somebody asks for it
    bench.node.trigger_activate()
    assert bench.goes_on() == ControllerState.MODE_TRACKING


@pytest.mark.parametrize('bench', [['path.kind:=none']], indirect=True)
def test_a_robot_that_followed_nothing_is_weightless_again(bench):
    assert bench.goes_on() == ControllerState.MODE_WEIGHTLESS
    bench.describe(HEAVIER)
    assert bench.goes_on() == ControllerState.MODE_WEIGHTLESS
