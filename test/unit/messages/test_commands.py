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

"""Commands that users can copy say what was called: read back they give the same messages."""

import shlex

from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import Inertia, Vector3
from hypothesis import given, settings
from hypothesis import strategies as some
from mbd_msgs.msg import LinkWrench
from mbd_msgs.srv import SetPayload
from rosidl_runtime_py.set_message import set_message_fields
from std_srvs.srv import SetBool, Trigger
import yaml

from mbd_ros.messages.fields.commands import (
    goal_command, parameter_command, publication, service_call)
from mbd_ros.messages.trajectories.simple_goals import joint_goal

TEXTS = some.text(max_size=20).filter(lambda text: '\0' not in text)
NUMBERS = some.floats(allow_nan=False)


def read(command, message):
    """Fill a message with the last word of a command, as ``ros2`` does."""
    set_message_fields(message, yaml.safe_load(shlex.split(command)[-1]))
    return message


def test_a_command_names_type_and_service():
    assert service_call(SetBool, '/simulator/pause', SetBool.Request(data=True)) == (
        "ros2 service call /simulator/pause std_srvs/srv/SetBool '{data: true}'")
    assert service_call(Trigger, '/a', Trigger.Request()) == (
        "ros2 service call /a std_srvs/srv/Trigger '{}'")
    assert parameter_command('/simulator', 'gravity', [0.0, 0.0, -1.62]) == (
        "ros2 param set /simulator gravity '[0.0, 0.0, -1.62]'")
    assert parameter_command('/simulator', 'real_time_factor', 0.5) == (
        'ros2 param set /simulator real_time_factor 0.5')


@settings(deadline=None)
@given(TEXTS, NUMBERS, NUMBERS)
def test_requests_read_back_are_the_same(link, mass, x):
    request = SetPayload.Request(link=link, payload=Inertia(m=mass, com=Vector3(x=x)))
    command = service_call(SetPayload, '/controller/set_payload', request)
    assert '\n' not in command.replace("'\"'\"'", '') or '\n' in link
    assert read(command, SetPayload.Request()) == request


@settings(deadline=None)
@given(TEXTS, some.lists(NUMBERS, min_size=3, max_size=3))
def test_messages_read_back_are_the_same(link, force):
    message = LinkWrench(link=link)
    message.wrench.force.x, message.wrench.force.y, message.wrench.force.z = force
    message.duration.nanosec = 250_000_000
    assert read(publication(LinkWrench, '/simulator/push', message), LinkWrench()) == message


def test_goals_read_back_are_the_same():
    goal = joint_goal({'a': 0.5, 'b': -1.0}, 2.5)
    command = goal_command(FollowJointTrajectory, '/controller/follow_joint_trajectory', goal)
    assert command.startswith('ros2 action send_goal /controller/follow_joint_trajectory '
                              'control_msgs/action/FollowJointTrajectory ')
    assert 'multi_dof' not in command   # what has its default is left out
    assert read(command, FollowJointTrajectory.Goal()) == goal
