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

"""Interactive markers of joints: where they are, how they move, and the goals of a drag."""

import math
from pathlib import Path

from hypothesis import given, strategies as st
import numpy as np
import pytest
from rviz_rules import check_menu, check_rotation
from transforms3d.quaternions import quat2mat
from visualization_msgs.msg import InteractiveMarkerFeedback

import mbd_ros
from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.messages.states.interactive import read_pose, to_pose
from mbd_ros.messages.trajectories.joint_handles import (
    joint_handle, joint_pose, move_goal, travel)
from mbd_ros.model import JointType
from mbd_ros.model.names import simple_joints

URDF = Path(__file__).resolve().parents[3] / 'urdf'
ROBOTS = {name: mbd_ros.load(URDF / f'{name}.urdf') for name in (
    'three_link_arm', 'puma560', 'four_bar', 'slider_crank', 'panda', 'flexible_arm')}
ARM = ROBOTS['three_link_arm']


@given(st.sampled_from(list(ROBOTS)), st.integers(0, 2**32 - 1))
def test_a_joint_that_moves_drags_its_handle_by_as_much(robot, seed):
    """All joints of a random configuration, one after the other, by up to half a turn or 3 m."""
    model, rng = ROBOTS[robot], np.random.default_rng(seed)
    q = mbd_ros.random_configuration(model, seed)
    for joint in simple_joints(model):
        by = float(rng.uniform(-3.1, 3.1))
        moved = q.copy()
        moved[model.q_offsets[model.joint_index(joint)]] += by
        here, there = (joint_pose(model, joint, mbd_ros.link_poses(model, one))
                       for one in (q, moved))
        slides = model.joint_types[model.joint_index(joint)] is JointType.PRISMATIC
        # Some products of rotations, of numbers about one.
        assert travel(slides, here, there) == pytest.approx(by, abs=1e-12)


@pytest.mark.parametrize('robot', ROBOTS)
def test_handles_lie_on_their_joints(robot):
    """In the origin of the link that the joint moves; RViz draws their axis along the joint's."""
    model = ROBOTS[robot]
    q = mbd_ros.random_configuration(model, 7)
    links = mbd_ros.link_poses(model, q)
    joints = {joint.name: joint for joint in model.mechanism.joints}
    for name in simple_joints(model):
        pose = joint_pose(model, name, links)
        child = links[joints[name].child]
        assert pose[:3, 3] == pytest.approx(child[:3, 3], abs=1e-12)
        (control,) = joint_handle(model, 'base', name, pose).controls
        check_rotation(control.orientation)
        turn = control.orientation
        along = quat2mat((turn.w, turn.x, turn.y, turn.z))[:, 0]
        # RViz may take the axis with either sign: poses come back, no angles.
        assert abs(pose[:3, :3] @ along @ child[:3, :3] @ joints[name].axis) == (
            pytest.approx(1.0, abs=1e-12))
        slides = model.joint_types[model.joint_index(name)] is JointType.PRISMATIC
        assert control.interaction_mode == (
            control.MOVE_AXIS if slides else control.ROTATE_AXIS)


def test_a_handle_has_a_name_and_a_menu():
    handle = joint_handle(ARM, 'base_link', 'joint2', np.eye(4), ['Stop', 'Gravity/Moon'])
    assert (handle.name, handle.header.frame_id, handle.description) == (
        'joint2', 'base_link', 'joint2')
    assert handle.header.stamp.sec == handle.header.stamp.nanosec == 0   # else it is left behind
    check_menu(handle.menu_entries)
    assert [one.title for one in handle.menu_entries] == ['Stop', 'Gravity', 'Moon']


def test_goals_move_one_joint_within_its_limits():
    model = ROBOTS['puma560']
    q = np.array([0.1, -0.2, 0.3, 0.4, 0.5, 0.6])

    def goal(joint, by, speed=0.5):
        moved = q.copy()
        moved[model.joint_index(joint)] += by
        here, there = (joint_pose(model, joint, mbd_ros.link_poses(model, one))
                       for one in (q, moved))
        trajectory = move_goal(model, q, model.joint_names, joint, here, there, speed).trajectory
        (point,) = trajectory.points
        time = point.time_from_start
        return dict(zip(trajectory.joint_names, point.positions)), time.sec + 1e-9 * time.nanosec
    places, time = goal('joint2', 0.5)
    assert places == pytest.approx(
        {**dict(zip(model.joint_names, q)), 'joint2': 0.3}, abs=1e-12)
    assert time == pytest.approx(1.0)
    assert goal('joint1', 0.01)[1] == 0.5   # no motion is shorter
    lower, upper = model.lower[0], model.upper[0]
    assert -2.9 < lower < upper < 2.9
    assert goal('joint1', 3.1)[0]['joint1'] == upper
    assert goal('joint1', -3.1)[0]['joint1'] == lower
    with pytest.raises(UnknownNameError, match="named 'joint6'; known: joint1"):
        move_goal(model, q, model.joint_names[:5], 'joint6', np.eye(4), np.eye(4), 0.5)


@given(st.lists(st.floats(width=32), min_size=4, max_size=4))
def test_where_a_handle_is_dragged_is_a_rotation_or_refused(turn):
    message = InteractiveMarkerFeedback(marker_name='joint1')
    message.header.frame_id = 'base'
    given_turn = message.pose.orientation
    given_turn.w, given_turn.x, given_turn.y, given_turn.z = turn
    if abs(math.hypot(*turn) - 1.0) <= 1e-3:
        rotation = read_pose(message, 'base')[:3, :3]
        assert rotation @ rotation.T == pytest.approx(np.eye(3), abs=1e-12)
    else:
        with pytest.raises(InvalidValueError, match=r"orientation of 'joint1' is .*; "
                                                    'allowed: a quaternion of length 1'):
            read_pose(message, 'base')


def test_poses_come_back():
    pose = joint_pose(ARM, 'joint3', mbd_ros.link_poses(ARM, np.array([0.4, -0.9, 1.7])))
    message = InteractiveMarkerFeedback(marker_name='joint3', pose=to_pose(pose))
    message.header.frame_id = 'base'
    assert read_pose(message, 'base') == pytest.approx(pose, abs=1e-12)
