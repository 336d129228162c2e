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

"""Targets that are dragged in RViz."""

import math
from pathlib import Path

import numpy as np
import pytest
from rviz_rules import check_marker, check_rotation
from transforms3d.quaternions import quat2mat
from visualization_msgs.msg import InteractiveMarkerFeedback, InteractiveMarkerUpdate

import mbd_ros
from mbd_ros.errors import InvalidValueError
from mbd_ros.messages.states.drag_targets import drag_target, target_size
from mbd_ros.messages.states.interactive import at, moved, read_drag
from mbd_ros.messages.trajectories.joint_handles import joint_handle


def test_a_target_moves_along_all_axes_and_freely_and_does_not_turn():
    target = drag_target('base_link', 'tool', at(np.array([1.0, 2.0, 3.0])))
    assert (target.name, target.header.frame_id) == ('tool', 'base_link')
    assert target.header.stamp.sec == target.header.stamp.nanosec == 0   # else it is left behind
    free, *axes = target.controls
    assert free.interaction_mode == free.MOVE_3D
    (ball,) = free.markers
    ball.header.frame_id = 'base_link'   # RViz takes that of the target for an empty one
    check_marker(ball)
    along = {}
    for control in axes:
        assert control.interaction_mode == control.MOVE_AXIS
        assert not control.markers   # RViz draws its arrows
        check_rotation(control.orientation)
        turn = control.orientation
        along[control.name] = quat2mat((turn.w, turn.x, turn.y, turn.z))[:, 0]
    for name, unit in zip('xyz', np.eye(3)):
        assert np.abs(along[name]) == pytest.approx(unit, abs=1e-15)


def test_updates_are_numbered_and_say_where_targets_are():
    update = moved(7, 'world', {'left': np.eye(4), 'right': at(np.array([0.1, 0.2, 0.3]))})
    assert (update.seq_num, update.type) == (7, InteractiveMarkerUpdate.UPDATE)
    assert [one.name for one in update.poses] == ['left', 'right']
    right = update.poses[1]
    assert (right.header.frame_id, right.pose.position.z) == ('world', 0.3)
    check_rotation(right.pose.orientation)


def test_where_it_is_dragged_is_read_with_bounds():
    message = InteractiveMarkerFeedback(marker_name='tool')
    message.header.frame_id = 'base_link'
    message.pose.position.x = 0.5
    assert read_drag(message, 'base_link').tolist() == [0.5, 0.0, 0.0]
    with pytest.raises(InvalidValueError, match=(
            "frame_id of 'tool' is 'base_link'; allowed: 'world', in which it was offered")):
        read_drag(message, 'world')
    for wrong in (math.nan, math.inf, -1001.0):
        message.pose.position.y = wrong
        with pytest.raises(InvalidValueError, match='numbers from -1000 to 1000'):
            read_drag(message, 'base_link')


@pytest.mark.parametrize(('robot', 'least', 'most'), [
    ('three_link_arm', 0.2, 0.3), ('puma560', 0.1, 0.2), ('panda', 0.08, 0.15),
    ('five_bar', 0.05, 0.07), ('delta', 0.05, 0.07), ('pendulum', 0.05, 0.07)])
def test_targets_are_as_large_as_the_robot_needs_and_rings_are_around_them(robot, least, most):
    """By eye in RViz: 0.25 m suits the arm of 3 m, and hides the path of one of 0.7 m."""
    (file,) = (Path(__file__).parents[3] / 'urdf').glob(f'{robot}.urdf*')
    model = mbd_ros.load(file)
    size = target_size(model.mechanism)
    assert least <= size <= most
    target = drag_target('world', 'tool', np.eye(4), size=size)
    assert target.scale == size
    assert target.controls[0].markers[0].scale.x < 0.5 * size   # the ball, within the arrows
    ring = joint_handle(model, 'world', model.joint_names[0], np.eye(4), size=size)
    assert ring.scale > 1.5 * size
