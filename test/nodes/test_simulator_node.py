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

"""The simulator: brakes until efforts come, bad efforts refused, time out, clock."""

import itertools
import math
import re
import threading
import time

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from processes import PATIENCE
import pytest
import rclpy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from tf2_msgs.msg import TFMessage

from mbd_ros.messages.states.joint_states import JointStateWriter
from mbd_ros.nodes.simulator import Simulator

pytestmark = pytest.mark.nodes

COMMANDS = 'effort_controller/commands'


@pytest.fixture
def simulator(run_node, urdf):
    def begin(**parameters):
        return run_node('simulator', {
            'robot_description': str(urdf('three_link_arm')), 'joints': '[joint3, joint1, joint2]',
            'initial_positions': '[1.5, 0.5, -0.5]', **parameters})
    return begin


@pytest.fixture
def send(graph):
    publisher = graph.node.create_publisher(Float64MultiArray, COMMANDS, 10)

    def publish(*efforts, until, what):
        graph.publish_until(publisher, Float64MultiArray(data=list(efforts)), until, what)
    return publish


def wait_for_more(grows, count):
    """Wait until a list has some more entries."""
    enough, end = len(grows) + count, time.monotonic() + PATIENCE
    while len(grows) < enough:
        assert time.monotonic() < end, f'{len(grows)} of {enough}'
        time.sleep(0.01)


def figures(message):
    return {value.key: value.value for status in message.status for value in status.values}


def test_brakes_hold_until_the_first_command_and_after_the_last(simulator, graph, send):
    running = simulator(effort_timeout='0.3')
    states = graph.hear(JointState, 'joint_states', 1000)
    first = graph.wait_until(lambda: states and states[0], 'joint states come')
    assert list(first.name) == ['joint1', 'joint2', 'joint3']
    assert list(first.position) == [0.5, -0.5, 1.5]
    graph.wait_until(lambda: len(states) > 200, 'more of them come')
    assert list(states[-1].position) == [0.5, -0.5, 1.5]
    assert list(states[-1].effort) == [0.0, 0.0, 0.0]

    begin = len(states)
    send(0.0, 5.0, 0.0,   # in the order of joints: joint3, joint1, joint2
         until=lambda: any(one.velocity[0] > 0.01 for one in states[begin:]), what='joint1 moves')
    assert {tuple(one.effort) for one in states[begin:] if one.velocity[0] > 0.01} == {
        (5.0, 0.0, 0.0)}
    running.wait_for(r'no effort command for 0.3 s: the brakes hold the robot until commands')
    graph.wait_until(lambda: list(states[-1].velocity) == [0.0] * 3, 'the brakes hold')
    count = len(states)
    graph.wait_until(lambda: len(states) > count + 200, 'states go on')
    assert states[-1].position == states[count].position
    # once, or on a busy machine after each command that came late
    assert 1 <= running.output.count('no effort command') < 5


def test_stamps_are_even_and_beside_the_clock(simulator, graph):
    simulator()
    states = graph.hear(JointState, 'joint_states', 100)
    graph.wait_until(lambda: len(states) > 300, 'joint states come')
    stamps = [one.header.stamp.sec * 1_000_000_000 + one.header.stamp.nanosec for one in states]
    steps = {b - a for a, b in itertools.pairwise(stamps)}
    assert all(step > 0 and step % 2_000_000 == 0 for step in steps)   # 500 Hz; some may be lost

    def lag():   # of the simulation, or of this test
        stamp = states[-1].header.stamp
        return (graph.node.get_clock().now().nanoseconds
                - stamp.sec * 1_000_000_000 - stamp.nanosec)

    graph.wait_until(lambda: abs(lag()) < 0.5e9, 'it is beside the clock')


@pytest.mark.parametrize(('efforts', 'message'), [
    ((1.0, 2.0), r'commands not used: effort command has shape \(2,\); allowed: \(3,\): '
                 'joint3, joint1, joint2'),
    ((0.0, math.nan, 0.0), "commands not used: effort command of joint 'joint1' is nan"),
])
def test_bad_commands_are_said_counted_and_ignored(simulator, graph, send, efforts, message):
    running = simulator()
    states = graph.hear(JointState, 'joint_states')
    health = graph.hear(DiagnosticArray, '/diagnostics')
    graph.wait_until(lambda: states, 'joint states come')
    send(*efforts, until=lambda: re.search(message, running.output), what=message)
    graph.wait_until(lambda: health and int(figures(health[-1])['refused']) > 0,
                     'the command is counted')
    assert list(states[-1].position) == [0.5, -0.5, 1.5]
    assert health[-1].status[0].message == 'no effort commands'
    assert health[-1].status[0].level == DiagnosticStatus.OK   # nobody has sent any yet
    send(0.0, 5.0, 0.0, until=lambda: states[-1].velocity[0] > 0.01,
         what='good commands still act')
    assert running.up


def test_two_nodes_that_send_efforts_are_a_warning(simulator, graph, send):
    running = simulator()
    states = graph.hear(JointState, 'joint_states')
    health = graph.hear(DiagnosticArray, '/diagnostics')
    other = graph.node.create_publisher(Float64MultiArray, 'effort_controller/commands', 10)
    send(0.0, 5.0, 0.0, until=lambda: any(
        one.status[0].message.startswith('2 nodes publish efforts on /effort_controller/commands; '
                                         'allowed: one for each robot') for one in health),
         what='the warning comes')
    assert health[-1].status[0].level == DiagnosticStatus.WARN
    assert states[-1].velocity[0] != 0.0   # commands act all the same
    graph.node.destroy_publisher(other)
    send(0.0, 5.0, 0.0, until=lambda: health[-1].status[0].message == 'simulating',
         what='it goes when the other does')
    assert running.up


def test_an_effort_that_no_drive_gives_does_not_end_the_motion(simulator, graph, send):
    """The limit of the arm's joints is 200 N m; it went on by itself never again."""
    running = simulator(effort_timeout_action='zero')
    states = graph.hear(JointState, 'joint_states')
    health = graph.hear(DiagnosticArray, '/diagnostics')
    graph.wait_until(lambda: states, 'joint states come')
    send(1e300, -1e300, 1e300, until=lambda: states[-1].velocity[0] < -0.1, what='joint1 moves')
    assert {abs(effort) for one in states for effort in one.effort} == {0.0, 200.0}
    graph.wait_until(lambda: health and int(
        figures(health[-1])['commands beyond effort limits']) > 0, 'they are counted')
    begin = len(states)
    send(0.0, 1.0, 0.0, until=lambda: any(list(one.effort) == [1.0, 0.0, 0.0]
                                          for one in states[begin:]), what='good ones act')
    assert running.up


def test_a_floating_base_falls_and_is_a_transform(run_node, graph, send, urdf, tmp_path):
    link = '<link name="base_link">'
    inertial = ('<inertial><mass value="5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" '
                'izz="1"/></inertial>')
    file = tmp_path / 'flying.urdf'
    file.write_text(urdf('three_link_arm').read_text().replace(link, link + inertial))
    run_node('simulator', {'robot_description': str(file), 'floating_base': 'true',
                           'publish_clock': 'true', 'effort_timeout_action': 'zero'})
    transforms = graph.hear(TFMessage, '/tf')
    states = graph.hear(JointState, 'joint_states')
    graph.wait_until(lambda: transforms and states, 'transforms come')
    assert list(states[-1].name) == ['joint1', 'joint2', 'joint3']

    def height():
        (transform,) = transforms[-1].transforms
        assert (transform.header.frame_id, transform.child_frame_id) == ('world', 'base_link')
        return transform.transform.translation.z

    send(0.0, 0.0, 0.0, until=lambda: height() < -1.0, what='the base falls')


def test_clock_begins_at_zero_and_keeps_its_factor(simulator, graph):
    simulator(publish_clock='true', real_time_factor='4.0')
    clocks = graph.hear(Clock, '/clock')
    states = graph.hear(JointState, 'joint_states')
    graph.wait_until(lambda: clocks and clocks[-1].clock.sec >= 4, 'four simulated seconds')
    first = clocks[0].clock
    assert first.sec < 1000   # 0 if the first message was heard; not the time of day
    assert states[-1].header.stamp.sec < 1000


def test_the_end_amid_sending_is_no_failure(monkeypatch, urdf):
    """Ctrl-C ends the context while the thread of the simulation still publishes."""
    written, failures = [], []
    write = JointStateWriter.write

    def counted(*arguments):
        written.append(None)
        return write(*arguments)

    monkeypatch.setattr(JointStateWriter, 'write', counted)
    monkeypatch.setattr(threading, 'excepthook', failures.append)
    rclpy.init(args=['--ros-args', '-p', f'robot_description:={urdf("three_link_arm")}'])
    node = Simulator()
    try:
        node.start()
        wait_for_more(written, 2)
        rclpy.shutdown()
        wait_for_more(written, 3)   # at least two of them are sent after the end
    finally:
        node.close()
        node.destroy_node()
        rclpy.try_shutdown()
    assert not failures
