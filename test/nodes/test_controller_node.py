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

"""The controller alone: what it makes of joint states that are wrong, lost or overtaken."""

import contextlib
import math
from pathlib import Path
import re
import time

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Inertia, Vector3, Vector3Stamped
from mbd_msgs.msg import ControllerState
from mbd_msgs.srv import SetPayload
from processes import PATIENCE
import pytest
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.srv import SetParameters
import rclpy
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import NotFiniteError
from mbd_ros.nodes.controller import Controller

pytestmark = pytest.mark.nodes

CONFIG = Path(__file__).resolve().parents[2] / 'config' / 'three_link_arm.yaml'
NAMES = ['joint1', 'joint2', 'joint3']
START = [math.pi / 4.0, -math.pi / 4.0, math.pi / 2.0]


class Bench:
    """
    A robot that stands where the test says.

    Stamps go on from bench to bench: a controller passes over those that are a little older than
    what it had, as overtaken.
    """

    newest = 0

    def __init__(self, graph):
        self.graph = graph
        self.efforts = []
        self.subscription = graph.node.create_subscription(
            Float64MultiArray, 'effort_controller/commands', self.efforts.append, 10)
        self.states = graph.hear(ControllerState, 'controller/state', 100)
        self.seen = 0   # of the states: those that tests have waited for
        self._publisher = graph.node.create_publisher(JointState, 'joint_states', 10)
        now = graph.node.get_clock().now().nanoseconds // 2_000_000 * 2_000_000
        self.stamp = max(now, Bench.newest)

    def send(self, positions=START, names=NAMES, step=2_000_000):
        """Publish a joint state, by default one control period after the last."""
        self.graph.wait_until(self._publisher.get_subscription_count, 'the controller listens')
        self.stamp += step
        Bench.newest = max(Bench.newest, self.stamp)
        message = JointState(name=list(names), position=list(positions),
                             velocity=[0.0] * len(names))
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(
            self.stamp, 1_000_000_000)
        self._publisher.publish(message)

    def send_until(self, condition, what, **state):
        """Send states until a condition holds; the first ones of a new pair may be lost."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, what
            self.send(**state)
            time.sleep(0.02)

    def answer(self, **state):
        """Send states one at a time until one is answered, and return the efforts."""
        end, patience = time.monotonic() + PATIENCE, 0.25
        while time.monotonic() < end:
            self.send(**state)
            soon, patience = time.monotonic() + patience, 2.0 * patience
            while time.monotonic() < soon:
                if self.efforts and self.efforts[-1].layout.dim[0].label == str(self.stamp):
                    return self.efforts[-1]
                time.sleep(0.002)
        raise AssertionError(f'no answer: {self.states[-1:]}')

    def wait_for_mode(self, mode):
        """Return the next state that tells of a mode, which may not last."""
        def find():
            return next((k for k, one in enumerate(self.states[self.seen:], self.seen + 1)
                         if one.mode == mode), None)
        self.seen = self.graph.wait_until(find, f'mode {mode}')
        return self.states[self.seen - 1]


def test_without_anybody_to_take_efforts_it_waits(run_node, graph, urdf):
    running = run_node('controller', {'robot_description': str(urdf('three_link_arm'))},
                       '--params-file', str(CONFIG))
    running.wait_for('generation 1')
    bench = Bench(graph)
    graph.node.destroy_subscription(bench.subscription)
    bench.send_until(lambda: 'waiting: no subscriber of the effort commands'
                     in running.output, 'it does not wait')
    assert not bench.efforts


def test_a_robot_that_does_not_follow_is_a_mode_and_a_warning(run_node, graph, urdf):
    """The path moves on, the robot stands still."""
    running = run_node('controller', {'robot_description': str(urdf('three_link_arm'))},
                       '--params-file', str(CONFIG))
    running.wait_for('generation 1')
    health = graph.hear(DiagnosticArray, '/diagnostics')
    bench = Bench(graph)

    def found(mode):
        return [one for one in bench.states if one.mode == mode]
    bench.send_until(lambda: found(ControllerState.MODE_NOT_FOLLOWING), 'it says nothing',
                     step=20_000_000)
    state = found(ControllerState.MODE_NOT_FOLLOWING)[0]
    assert re.fullmatch(r"the robot does not follow: joint 'joint[123]' is \d\.\d+ rad or m off "
                        r'the nominal model, allowed is 0\.05', state.message)
    assert state.effort_total   # and goes on sending
    assert found(ControllerState.MODE_TRACKING)   # before
    bench.send_until(lambda: any(
        status.message == state.message and status.level == DiagnosticStatus.WARN
        for one in health for status in one.status), 'no warning', step=2_000_000)
    assert running.output.count('the robot does not follow') < 5


def test_in_lockstep_a_slow_simulator_changes_nothing(run_node, graph, urdf):
    """Silence is said; the next state is answered as if it had come at once."""
    running = run_node('controller', {
        'robot_description': str(urdf('three_link_arm')), 'following_tolerance': '0.0',
        'lockstep': 'true', 'state_timeout': '0.2'}, '--params-file', str(CONFIG))
    running.wait_for('generation 1')
    bench = Bench(graph)
    bench.answer()
    bench.wait_for_mode(ControllerState.MODE_TRACKING)
    lost = bench.wait_for_mode(ControllerState.MODE_LOST)
    assert lost.message == 'joint_states stopped coming 0.2 s ago: no efforts are sent'

    def twice():
        """Return whether a state has two answers: the weight alone is sent as the second."""
        labels = [one.layout.dim[0].label for one in list(bench.efforts)]
        return len(set(labels)) < len(labels)
    assert not twice()
    # The same state again, as of a simulator that is paused, ends it, too.
    bench.send_until(lambda: bench.states[-1].mode == ControllerState.MODE_TRACKING,
                     'it is still lost', step=0)
    bench.seen = len(bench.states)
    bench.wait_for_mode(ControllerState.MODE_LOST)
    bench.efforts.clear()   # the same answer came again
    bench.answer()
    bench.wait_for_mode(ControllerState.MODE_TRACKING)
    bench.wait_for_mode(ControllerState.MODE_LOST)
    assert not twice()
    graph.node.destroy_publisher(bench._publisher)   # that is no slow one
    graph.wait_until(twice, 'the weight is carried at last')


@pytest.fixture(scope='class')
def controller(run_shared, urdf):
    running = run_shared('controller', {   # the robot of the bench stands still, on any path
        'robot_description': str(urdf('three_link_arm')), 'following_tolerance': '0.0'},
        '--params-file', str(CONFIG))
    running.wait_for('generation 1')
    return running


class TestOneController:
    """One controller gets them all, on a clock that goes on from test to test."""

    @pytest.fixture
    def bench(self, controller, graph):
        bench = Bench(graph)
        idle = (ControllerState.MODE_WAITING, ControllerState.MODE_LOST)
        graph.wait_until(lambda: bench.states and bench.states[-1].mode in idle,
                         'nothing is left of the test before')
        bench.efforts.clear()
        bench.seen = len(bench.states)
        return bench

    def test_each_state_is_answered_with_its_stamp(self, controller, bench):
        command = bench.answer()
        assert len(command.data) == 3
        assert all(math.isfinite(effort) for effort in command.data)
        assert int(command.layout.dim[0].label) % 2_000_000 == 0
        state = bench.wait_for_mode(ControllerState.MODE_TRACKING)
        assert list(state.joint_names) == NAMES
        assert state.header.frame_id == 'base_link'
        # All 0.743 m of the paper's inconsistent start are still between robot and path.
        assert state.tool_error == pytest.approx(0.7433, abs=5e-3)

    @pytest.mark.parametrize(('wrong', 'message'), [
        ({'names': ['joint1', 'joint2', 'elbow']},
         "joint_states not used: there is no joint in joint_states named 'joint3'"),
        ({'positions': [0.0, math.nan, 0.0]},
         "joint_states not used: position in joint_states of joint 'joint2' is nan"),
        ({'positions': [0.0, 0.0]},
         r'joint_states not used: position in joint_states has shape \(2,\)'),
    ])
    def test_wrong_states_are_explained_and_the_next_good_one_is_used(
            self, controller, bench, wrong, message):
        bench.send_until(lambda: re.search(message, controller.output), 'it says nothing', **wrong)
        assert not bench.efforts
        assert bench.answer()
        assert controller.up

    def test_lost_states_end_the_efforts_and_returning_ones_bring_them_back(
            self, controller, bench):
        bench.answer()
        bench.wait_for_mode(ControllerState.MODE_TRACKING)
        lost = bench.wait_for_mode(ControllerState.MODE_LOST)
        assert lost.message == 'joint_states stopped coming 0.5 s ago: no efforts are sent'
        count = len(bench.efforts)
        time.sleep(0.3)
        assert len(bench.efforts) == count
        bench.answer(step=2_000_000_000)
        bench.send_until(lambda: bench.states[-1].mode == ControllerState.MODE_TRACKING,
                         'it does not track again')
        assert bench.states[-1].path_time > 1.9   # the path goes on where it is by now

    def test_states_that_were_overtaken_are_passed_over(self, controller, bench):
        bench.answer()
        said = controller.output.count('went back')
        count = len(bench.efforts)
        bench.send(step=-2_000_000)
        time.sleep(0.3)
        assert len(bench.efforts) == count
        assert controller.output.count('went back') == said

    def test_a_clock_that_was_set_back_begins_the_path_anew(self, controller, bench):
        for _ in range(5):
            bench.answer(step=1_000_000_000)
        bench.answer(step=-4_000_000_000)
        controller.wait_for('the stamps of joint_states went back: the path restarts')
        bench.send_until(lambda: bench.states[-1].mode == ControllerState.MODE_TRACKING
                         and bench.states[-1].path_time < 1.0, 'the path does not begin anew')

    def test_a_second_robot_on_the_same_topic_is_told_of(self, controller, bench):
        """As when two demos run at once on one machine."""
        other = bench.graph.node.create_publisher(JointState, 'joint_states', 10)
        bench.graph.wait_until(other.get_subscription_count, 'the controller listens')
        bench.answer()
        try:
            bench.send_until(lambda: 'went back, 2 nodes publish it; allowed: one for each robot,'
                             in controller.output, 'it says nothing', step=-2_000_000_000)
        finally:
            bench.graph.node.destroy_publisher(other)

    @pytest.mark.parametrize(('wrong', 'allowed'), [
        ({'z': math.nan}, 'entries from -1000.0 to 1000.0'),
        ({'z': -1001.0}, 'entries from -1000.0 to 1000.0'),
        ({'x': 1e308}, 'entries from -1000.0 to 1000.0'),   # no force fits into float64
    ])
    def test_gravity_has_the_bounds_of_the_parameter(self, controller, bench, wrong, allowed):
        publisher = bench.graph.node.create_publisher(Vector3Stamped, 'controller/gravity', 10)
        message = Vector3Stamped(vector=Vector3(**wrong))
        values = [message.vector.x, message.vector.y, message.vector.z]
        text = f"gravity not used: parameter 'gravity' is {values}; allowed: {allowed}"
        bench.graph.publish_until(publisher, message, lambda: text in controller.output, text)
        bench.graph.node.destroy_publisher(publisher)
        before = bench.answer()
        # Its weight is that under the old gravity: the arm needs no more than some 10 N m.
        assert max(map(abs, before.data)) < 1e3
        assert controller.up

    def test_the_same_state_gets_the_same_answer_again(self, controller, bench):
        first = bench.answer()
        count = len(bench.efforts)
        bench.send(step=0)
        bench.graph.wait_until(lambda: len(bench.efforts) > count, 'the answer is sent again')
        assert bench.efforts[-1].data == first.data
        assert bench.efforts[-1].layout.dim[0].label == first.layout.dim[0].label

    def test_gains_change_while_it_runs(self, controller, bench, graph):
        def change(name, value):
            kind = None if isinstance(value, float) else Parameter.Type.DOUBLE_ARRAY
            value = Parameter(name, kind, value).get_parameter_value()
            request = SetParameters.Request(parameters=[
                ParameterMessage(name=name, value=value)])
            return graph.call(SetParameters, 'controller/set_parameters', request).results[0]
        bench.answer()
        assert change('bandwidth', 25.0).successful
        assert change('approach_speed', 1.0).successful
        bench.answer()
        assert not change('bandwidth', math.nan).successful
        assert change('bandwidth', 15.0).successful and change('approach_speed', 1.5).successful
        # It gets a robust term, which is compiled aside, while steps go on.
        assert not bench.states[-1].effort_robust
        assert change('robust_rate', 5.0).successful
        bench.send_until(lambda: bench.states[-1].effort_robust, 'no robust term')
        assert change('robust_rate', 0.0).successful
        bench.answer()
        refused = change('posture', [0.0, 1.0])
        assert not refused.successful and '3' in refused.reason
        # Compiled aside, and not.
        for posture in ([0.5, -0.7, 1.4], [0.6, -0.7, 1.4], []):
            assert change('posture', posture).successful
            bench.answer()
        assert controller.up


def test_a_load_from_which_no_motion_follows_is_refused(run_node, graph, urdf):
    """The robot is led on as before."""
    controller = run_node('controller', {'robot_description': str(urdf('three_link_arm')),
                                         'state_timeout': '60.0'}, '--params-file', str(CONFIG))
    bench = Bench(graph)
    before = bench.answer()
    answer = graph.call(SetPayload, 'controller/set_payload', SetPayload.Request(
        link='tool', payload=Inertia(m=1.0, com=Vector3(x=1e9))))
    assert not answer.success
    assert 'center of the payload is (1000000000.0, 0.0, 0.0); allowed: numbers' in answer.message
    answer = graph.call(SetPayload, 'controller/set_payload', SetPayload.Request(
        link='tool', payload=Inertia(m=1000.0)))
    assert not answer.success
    assert "payload is '1000 kg on tool'; allowed: what the robot can hold" in answer.message
    assert 'more than the effort limit of joint2' in answer.message
    after = bench.answer()
    # Feedback on what happened meanwhile, within the limits; the load weighs 1e10 N m.
    assert after.data != before.data
    assert controller.up


SLIDE = """<robot name="slide"><link name="base"/>
<link name="tool"><inertial><mass value="2"/><origin xyz="0 0.1 0"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="arm"><inertial><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/>
<axis xyz="0 1 0"/></joint>
<joint name="slide" type="prismatic"><parent link="arm"/><child link="tool"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="100" velocity="1"/></joint></robot>"""


def test_states_whose_forces_are_no_numbers_do_not_end_it(run_node, graph):
    """Not even when they are the last ones that come."""
    controller = run_node('controller', {'robot_description': SLIDE, 'path.kind': 'none'})
    bench = Bench(graph)
    bench.send_until(lambda: 'joint_states not used: ' in controller.output, 'it says nothing',
                     names=['turn', 'slide'], positions=[0.0, 1e308])
    bench.send_until(lambda: bench.efforts, 'it does not go on', names=['turn', 'slide'],
                     positions=[0.0, 0.1])
    bench.send_until(lambda: controller.output.count('joint_states not used: ') > 1,
                     'it says nothing again', names=['turn', 'slide'], positions=[0.0, 1e308])
    bench.wait_for_mode(ControllerState.MODE_LOST)
    assert controller.up


def test_a_state_that_fails_in_its_step_leaves_its_time_to_another(monkeypatch, urdf):
    """In lockstep the simulator sends a state again that is not answered."""
    rclpy.init(args=['--ros-args', '--params-file', str(CONFIG), '-p',
                     f'robot_description:={urdf("three_link_arm")}'])
    node, sent, said, step = Controller(), [], [], Tracker.step

    def fails(*_):
        raise NotFiniteError('qdd', "joint 'joint2'", math.inf)

    try:
        node.start()
        publisher = node._hardware._publisher
        monkeypatch.setattr(publisher, 'get_subscription_count', lambda: 1)
        monkeypatch.setattr(publisher, 'publish', sent.append)
        for stamp, how in ((2, step), (4, fails), (4, step)):
            monkeypatch.setattr(Tracker, 'step', how)
            message = JointState(name=NAMES, position=START, velocity=[0.0] * 3)
            message.header.stamp.nanosec = stamp * 1_000_000
            with contextlib.suppress(NotFiniteError):   # the guard's, where it is a callback
                node._on_joint_states(message)
        assert [one.layout.dim[0].label for one in sent] == ['2000000', '4000000']
        monkeypatch.setattr(node._states, 'publish', said.append)
        node.trigger_deactivate()   # its last state does not look as if it tracked
        assert said[-1].mode == ControllerState.MODE_WAITING
        assert said[-1].message == 'the controller was deactivated'
    finally:
        node.close()
        node.destroy_node()
        rclpy.try_shutdown()
