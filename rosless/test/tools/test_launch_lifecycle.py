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

"""Managed nodes in launch files: steered by events, followed by event handlers."""

import signal

import pytest

NODE = """
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.lifecycle import Node, TransitionCallbackReturn

class Managed(Node):
    def on_configure(self, state):
        print('configuring', self.get_fully_qualified_name(), flush=True)
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state):
        print('activating', flush=True)
        return TransitionCallbackReturn.SUCCESS

    def on_deactivate(self, state):
        return TransitionCallbackReturn.FAILURE

rclpy.init()
node = Managed('default')
try:
    rclpy.spin(node)
except (KeyboardInterrupt, ExternalShutdownException):
    pass
node.destroy_node()
rclpy.try_shutdown()
"""
BEFORE = """
from launch.events import matches_action
from launch_ros.event_handlers import OnStateTransition
from launch_ros.events import matches_node_name
from launch_ros.events.lifecycle import ChangeState, StateTransition
from lifecycle_msgs.msg import Transition

managed = LifecycleNode(executable=PY, arguments=[{script!r}], name='lc', namespace='/arm',
                        output='screen')

def change(name, matcher=None):
    return EmitEvent(event=ChangeState(
        lifecycle_node_matcher=matcher or matches_action(managed),
        transition_id=getattr(Transition, 'TRANSITION_' + name)))

def on(goal_state, *entities, start_state=None):
    return RegisterEventHandler(OnStateTransition(
        target_lifecycle_node=managed, start_state=start_state, goal_state=goal_state,
        entities=list(entities)))
"""


@pytest.fixture
def launched(ros2, launch_file, tmp_path):
    """Launch a managed node with these entities."""
    script = tmp_path / 'managed.py'
    script.write_text(NODE)

    def run(*entities, before=''):
        return ros2('launch', launch_file(
            *entities, before=BEFORE.format(script=str(script)) + before), 'sigterm_timeout:=50')
    return run


def test_brought_up_and_ended_by_events(launched):
    command = launched(
        'managed', "change('CONFIGURE')",
        "on('inactive', LogInfo(msg='is inactive'), change('ACTIVATE'), "
        "start_state='configuring')",
        "on('active', LogInfo(msg='is active'), "
        "EmitEvent(event=ShutdownEvent(reason='all is up')))")
    assert command.finish() == 0
    for text in ('configuring /arm/lc', 'is inactive', 'activating', 'is active'):
        assert text in command.text
    assert 'Traceback' not in command.text


def test_wishes_are_carried_out_in_their_order(launched):
    command = launched(
        'managed', "change('CONFIGURE', matches_node_name('arm/lc'))", "change('ACTIVATE')",
        "on('active', LogInfo(msg='is active'))")
    command.wait_for('is active')
    assert 'ERROR' not in command.text
    command.signal(signal.SIGINT)
    command.finish()
    assert 'escalating' not in command.text
    assert 'Traceback' not in command.text


def test_failures_are_logged(launched):
    command = launched('managed', "change('ACTIVATE')")
    command.wait_for(r"ERROR.*Failed to make transition 'TRANSITION_ACTIVATE' for LifecycleNode "
                     "'/arm/lc'")


def test_nodes_that_are_not_meant_are_left_alone(launched):
    command = launched(
        'managed', "change('CONFIGURE', matches_node_name('other'))",
        'TimerAction(period=1.5, actions=[EmitEvent(event=ShutdownEvent())])')
    assert command.finish() == 0
    assert 'configuring' not in command.text


@pytest.mark.parametrize(('line', 'message'), [
    ('ChangeState(lifecycle_node_matcher=lambda _: True, transition_id=97)',
     "'97' is not the id of a transition that can be asked for; allowed: TRANSITION_CREATE (0), "),
    ('OnStateTransition(entities=[], target_lifecycle_node=LogInfo(msg=""))',
     'OnStateTransition expects a LifecycleNode action as its target'),
    ('OnStateTransition(entities=[], goal_state="active", matcher=lambda _: True)',
     'OnStateTransition takes either a matcher or goal_state, not both'),
    ('LifecycleNode(executable=PY, name="x")',
     "missing 1 required keyword-only argument: 'namespace'"),
])
def test_wrong_use(launched, line, message):
    command = launched(before=line)
    assert command.finish() == 1
    assert message in command.text


def test_lifecycle_transition_leads_a_node_through_several(launched):
    running = launched(
        'managed',
        "LifecycleTransition(lifecycle_node_names=['/arm/lc'], transition_ids=["
        'Transition.TRANSITION_CONFIGURE, str(Transition.TRANSITION_ACTIVATE)])',
        "on('active', LogInfo(msg='is active'))")
    running.wait_for('is active')
    running.signal(signal.SIGINT)
    assert running.finish() == 0
    said = [line for line in running.lines if 'configuring' in line or 'activating' in line]
    assert [line.split()[1] for line in said] == ['configuring', 'activating']


@pytest.mark.parametrize(('arguments', 'message'), [
    ('lifecycle_node_names=[], transition_ids=[1]', 'No lifecycle_node_names provided.'),
    ("lifecycle_node_names=['/a'], transition_ids=[]", 'No transition_ids provided.'),
    ("lifecycle_node_names=['/a'], transition_ids=['99']",
     "'99' is not the id of a transition that can be asked for"),
])
def test_wrong_lifecycle_transitions(ros2, launch_file, arguments, message):
    running = ros2('launch', launch_file(f'LifecycleTransition({arguments})'))
    assert running.finish() == 1
    assert message in running.text


CLOCK = """
import time
import rclpy
from rosgraph_msgs.msg import Clock
rclpy.init()
node = rclpy.create_node('clock')
publisher = node.create_publisher(Clock, '/clock', 10)
for tick in range(1, 1000):
    message = Clock()
    message.clock.sec = 60 * tick
    publisher.publish(message)
    time.sleep(0.05)
"""


def test_ros_timer_follows_simulated_time(ros2, launch_file, tmp_path):
    (tmp_path / 'clock.py').write_text(CLOCK)
    running = ros2('launch', launch_file(
        f"ExecuteProcess(cmd=[PY, {str(tmp_path / 'clock.py')!r}])",
        'GroupAction([SetUseSimTime(True), RosTimer(period=600.0, actions=['
        "LogInfo(msg='ten minutes'), Shutdown()])])"))
    running.wait_for('ten minutes')
    assert running.finish() == 0
