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

"""Control steps go on while goals and payloads are prepared; changes come between them."""

import sys
import threading
import time

from geometry_msgs.msg import Inertia
from mbd_msgs.action import FollowPath
from mbd_msgs.srv import SetPayload
from processes import PATIENCE
import pytest
import rclpy
from rclpy.action import ActionClient
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from mbd_ros.nodes.controlling.background_work import DefaultGroupQueue, run_in_thread

pytestmark = pytest.mark.nodes

SLOW = """
import pathlib, time
from mbd_ros.control.tasks import goal_check
from mbd_ros.control.tasks.tracker import Tracker

RELEASE = pathlib.Path({release!r})

def held_up(function):
    def later(*arguments, **options):
        end = time.monotonic() + 120.0
        while not RELEASE.exists() and time.monotonic() < end:
            time.sleep(0.01)
        return function(*arguments, **options)
    return later

Tracker.prepare = held_up(Tracker.prepare)
for name in ('plan_task', 'plan_joint_path'):
    setattr(goal_check, name, held_up(getattr(goal_check, name)))
from mbd_ros.nodes.controller import main
main()
"""
"""A controller whose compiler is slow until a file is there; at most two minutes."""

ARM = """<robot name="arm"><link name="base"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit effort="50" velocity="10" lower="-3" upper="3"/></joint>
  <link name="arm"><inertial><origin xyz="0.3 0 0"/><mass value="1"/>
    <inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial></link>
  <joint name="bend" type="revolute"><parent link="arm"/><child link="tool"/><axis xyz="0 0 1"/>
    <origin xyz="0.5 0 0"/><limit effort="50" velocity="10" lower="-3" upper="3"/></joint>
  <link name="tool"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
    <inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial></link></robot>"""

STEPS = 20
"""Steps that would not come while a callback keeps the others from their turn."""


@pytest.mark.parametrize('threads', [1, 3])
def test_what_is_done_in_turns_never_meets_a_callback(threads):
    """Others go on while something is done aside, and wait while something is done in a turn."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node, inside, met, ticks = Node('one', context=context), [], [], []
    default_group, group = DefaultGroupQueue(node), ReentrantCallbackGroup()
    release, answers = threading.Event(), []

    def alone():
        met.extend(inside)
        inside.append(1)
        time.sleep(0.002)
        inside.pop()

    async def work():
        began.cancel()
        await run_in_thread(release.wait)
        for _ in range(STEPS):
            await default_group.take(alone)
        try:
            await default_group.take(lambda: 1 / 0)
        except ZeroDivisionError:
            answers.append('told')

    def wait_until(condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, what
            time.sleep(0.005)
    node.create_timer(0.002, lambda: (ticks.append(1), alone()))
    began = node.create_timer(0.01, work, callback_group=group)
    executor = (SingleThreadedExecutor(context=context) if threads == 1
                else MultiThreadedExecutor(threads, context=context))
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin, daemon=True)
    thread.start()
    try:
        wait_until(began.is_canceled, 'the work begins')
        before = len(ticks)
        wait_until(lambda: len(ticks) > before + STEPS, 'the timer goes on')
        release.set()
        wait_until(lambda: answers, 'what the turn raised is told')
    finally:
        release.set()
        executor.shutdown()
        thread.join(10.0)
        node.destroy_node()
        rclpy.shutdown(context=context)
    assert not met


@pytest.fixture
def slow(start, graph, tmp_path):
    """Return a node whose arm stands still, what the controller sends, and how to release it."""
    script, file, release = (tmp_path / name for name in ('slow.py', 'arm.urdf', 'release'))
    script.write_text(SLOW.format(release=str(release)))
    file.write_text(ARM)
    running = start(sys.executable, script, '--ros-args', '-p', f'robot_description:={file}', '-p',
                    'link:=tool', '-p', 'path.kind:=none', '-p', 'start:=approach')
    running.wait_for('generation 1')
    efforts = graph.hear(Float64MultiArray, 'effort_controller/commands')
    states = graph.node.create_publisher(JointState, 'joint_states', 10)
    stamp = graph.node.get_clock().now().nanoseconds

    def send():
        nonlocal stamp
        stamp += 2_000_000
        message = JointState(name=['turn', 'bend'], position=[0.1, 0.8], velocity=[0.0, 0.0])
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 1_000_000_000)
        states.publish(message)
    graph.node.create_timer(0.01, send)
    graph.wait_until(lambda: efforts, 'the controller sends efforts')
    return running, efforts, release


def test_steps_go_on_while_a_goal_or_a_payload_is_prepared(slow, graph):
    """The compiler is held up; efforts go on, and a newer goal takes the place of one."""
    running, efforts, release = slow
    client = ActionClient(graph.node, FollowPath, 'controller/follow_path')
    assert client.wait_for_server(60.0)
    payload = graph.node.create_client(SetPayload, 'controller/set_payload')
    assert payload.wait_for_service(60.0)

    def goal(value):
        return FollowPath.Goal(task='constraints: [{kind: joint_coupling, coefficients: '
                                    f'{{turn: 1.0, bend: 1.0}}, value: {value}}}]')

    def go_on(what):
        before = len(efforts)
        graph.wait_until(lambda: len(efforts) > before + STEPS, what)
    one = client.send_goal_async(goal(0.95))
    go_on('steps while a goal is prepared')
    assert not one.done()
    other = client.send_goal_async(goal(1.0))
    carried = payload.call_async(SetPayload.Request(link='arm', payload=Inertia(m=0.1)))
    go_on('steps while a payload is prepared, too')
    assert not other.done() and not carried.done()
    release.touch()
    graph.wait_until(lambda: one.done() and other.done() and carried.done(), 'all are answered')
    assert not one.result().accepted
    running.wait_for('path rejected: another goal came while it was prepared')
    assert other.result().accepted
    assert (carried.result().success, carried.result().message) == (True, '')
    go_on('steps towards the goal')
