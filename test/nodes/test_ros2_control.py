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

"""The controller in front of ros2_control: order, limits, rate and kind of commands are theirs."""

from pathlib import Path

from drives import Drives
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from mbd_msgs.msg import ControllerState
import pytest
from std_msgs.msg import Float64MultiArray

import mbd_ros

pytestmark = pytest.mark.nodes

ROOT = Path(__file__).resolve().parents[2]
ORDER = ['joint3', 'joint1', 'joint2']
START = [0.7, -0.7, 1.5]
LATE = 2.0   # s on the path: what drives did at the begin of the approach is forgotten
LONGEST = 400.0   # s: each of some thousand steps waits for the other process


@pytest.fixture
def arm(urdf):
    return mbd_ros.load(urdf('three_link_arm'))


@pytest.fixture
def controller(run_node, urdf):
    """Return a function that starts the controller; it asks the drives for their order."""
    def begin(interface, **more):
        return run_node('controller', {
            'robot_description': str(urdf('three_link_arm')), 'command_interface': interface,
            'hardware': f'{interface}_controller', 'rate': '200.0', 'start': 'approach',
            'state_timeout': '60.0', **more},
            '--params-file', str(ROOT / 'config' / 'three_link_arm.yaml'))
    return begin


def tracked(drives, states, until):
    """Return the states on the path after ``LATE``, once drives have moved for a time [s]."""
    drives.graph.wait_until(lambda: drives.seconds > until, f'{until} s of motion', LONGEST)
    late = [one for one in list(states)
            if one.mode == ControllerState.MODE_TRACKING and one.path_time > LATE]
    assert len(late) > 20
    return late


@pytest.mark.parametrize(('interface', 'limit', 'largest'), [
    # Held for 5 ms, efforts cost 0.095 mm at 1.2 m/s; 0.039 mm is the figure of 2 ms.
    ('effort', 100.0, 1.2e-4),
    # Held for 5 ms, a velocity is that of 2.5 ms before: 0.63 mm, halved with the period.
    ('velocity', 3.0, 8e-4),
    # The place of one period later, to first order: 0.026 mm.
    ('position', 3.0, 4e-5)])
def test_the_arm_follows_its_path_by_drives_of_every_kind(
        controller, graph, arm, interface, limit, largest):
    """In their order, which is not that of the controller, at their rate."""
    states = graph.hear(ControllerState, 'controller/state', 100)
    drives = Drives(graph, arm, f'{interface}_controller', ORDER, interface, START, limit=limit)
    controller(interface)
    late = tracked(drives, states, 6.0)
    assert max(one.tool_error for one in late) < largest
    assert not any(one.message for one in late)
    if interface == 'velocity':   # which drives would keep
        graph.call(ChangeState, 'controller/change_state', ChangeState.Request(
            transition=Transition(id=Transition.TRANSITION_DEACTIVATE)))
        graph.wait_until(lambda: not drives.v.any(), 'it rests')


def test_an_order_that_does_not_fit_is_explained_and_another_is_taken(controller, graph, arm):
    drives = Drives(graph, arm, 'effort_controller', ORDER[:2], 'effort', START)
    states = graph.hear(ControllerState, 'controller/state', 100)
    running = controller('effort')
    running.wait_for(
        r"waiting: parameter 'joints' of effort_controller is \['joint3', 'joint1'\]; allowed: "
        'names of all that is driven: joint1, joint2, joint3')
    assert not drives.commanded
    drives.take(ORDER, 'position')
    running.wait_for("waiting: parameter 'command_interface' is 'effort'; allowed: 'position', "
                     'what effort_controller takes')
    assert not drives.commanded
    drives.take(ORDER, 'effort')
    graph.wait_until(lambda: drives.seconds > 0.5, 'it moves')
    assert states[-1].mode == ControllerState.MODE_TRACKING


def test_hardware_without_the_name_of_its_interface(controller, graph, arm):
    drives = Drives(graph, arm, 'effort_controller', ORDER, 'effort', START,
                    names_interface=False)
    controller('effort')
    graph.wait_until(lambda: drives.seconds > 0.5, 'it moves')


def test_hardware_in_another_order_while_others_listen(controller, graph, arm):
    """A subscription that stays, such as of a bag, says nothing of who takes the commands."""
    graph.hear(Float64MultiArray, 'effort_controller/commands')
    drives = Drives(graph, arm, 'effort_controller', ORDER, 'effort', START)
    running = controller('effort')
    graph.wait_until(lambda: drives.seconds > 0.5, 'it moves')
    drives.take(ORDER[:2], 'effort')   # as after a new start that nobody has seen
    running.wait_for(r"waiting: parameter 'joints' of effort_controller is \['joint3', 'joint1'\]")


def test_drives_that_give_less_than_the_description_says_are_told_of(controller, graph, arm):
    """The controller does not know their limit; it sees what the robot does."""
    states = graph.hear(ControllerState, 'controller/state', 100)
    drives = Drives(graph, arm, 'effort_controller', ORDER, 'effort', START, limit=5.0)
    controller('effort')
    graph.wait_until(lambda: any(one.mode == ControllerState.MODE_NOT_FOLLOWING
                                 for one in list(states)), 'it says so')
    assert drives.largest > 5.0
    said = next(one for one in states if one.mode == ControllerState.MODE_NOT_FOLLOWING)
    assert said.message.startswith("the robot does not follow: joint 'joint")


def test_without_a_path_drives_that_take_positions_stay_where_they_are(controller, graph, arm):
    """Nobody can lead them by hand, so that the robot is held and never weightless."""
    states = graph.hear(ControllerState, 'controller/state', 100)
    drives = Drives(graph, arm, 'position_controller', ORDER, 'position', START)
    controller('position', **{'path.kind': 'none'})
    graph.wait_until(lambda: drives.seconds > 1.0, 'it goes on')
    assert states[-1].mode == ControllerState.MODE_HOLDING
    assert states[-1].message == 'nothing to follow'
    assert drives.q.tolist() == pytest.approx(START, abs=1e-12)
