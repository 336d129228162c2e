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

"""Prefixes of frames: in every place where a message names one, and nowhere else."""

from geometry_msgs.msg import PoseStamped, TransformStamped
from mbd_msgs.msg import ControllerState, LinkWrench
from nav_msgs.msg import Odometry, Path
import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, Header
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray
from visualization_msgs.srv import GetInteractiveMarkers

from mbd_ros.messages.fields.frames import add_prefix, places, remove_prefix
from mbd_ros.messages.states.drag_targets import drag_target
from mbd_ros.messages.states.interactive import moved

WORLD = Header(frame_id='world')


def examples():
    """Return a message of each kind and the names of the frames in it."""
    target = drag_target('world', 'tool', np.eye(4))
    target.controls[0].markers[0].header.frame_id = 'tool'
    update = moved(1, 'world', {'tool': np.eye(4)})
    update.markers = [target]
    return [
        (TFMessage(transforms=[TransformStamped(header=WORLD, child_frame_id='base'),
                               TransformStamped(header=WORLD, child_frame_id='tool')]), 4),
        (Odometry(header=WORLD, child_frame_id='base'), 2),
        (Path(header=WORLD, poses=[PoseStamped(header=WORLD), PoseStamped(header=WORLD)]), 3),
        (MarkerArray(markers=[Marker(header=WORLD, ns='trace'), Marker(ns='error')]), 1),
        (update, 3), (GetInteractiveMarkers.Response(markers=[target]), 2),
        (ControllerState(header=WORLD, joint_names=['world']), 1)]


@pytest.mark.parametrize('number', range(7))
def test_all_names_of_frames_get_it_and_lose_it(number):
    message, count = examples()[number]
    original = str(message)
    undo = add_prefix(message, 'left/')
    prefixed = str(message)
    # Written out, a name is between quotation marks; headers that are one object have it once.
    assert prefixed.count("'left/") == count
    assert prefixed.replace("'left/", "'") == original
    undo()
    assert str(message) == original
    add_prefix(message, 'left/')
    remove_prefix(message, 'left/')
    assert str(message) == original


def test_frames_of_somebody_else_are_nobodys():
    """Another robot's, and those without a prefix, where several robots share /tf."""
    message, _ = examples()[0]
    add_prefix(message, 'right/')
    message.transforms[1].child_frame_id = 'tool'
    remove_prefix(message, 'left/')
    names = [one.child_frame_id for one in message.transforms]
    assert names == ['right/base without left/', 'tool without left/']


def test_messages_that_name_no_frames_are_known():
    assert not any(places(LinkWrench))   # of a link, by its name in the description
    assert not any(places(Float64MultiArray))
    assert any(places(JointState))
