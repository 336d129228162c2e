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

"""Paths, markers, transforms, stamps and diagnostics."""

from diagnostic_msgs.msg import DiagnosticStatus
import numpy as np
import pytest
from robots import model_of, random_state
from scipy.spatial.transform import Rotation
from visualization_msgs.msg import Marker

import mbd_ros
from mbd_ros.control import cylinder, plane, sphere
from mbd_ros.control.constraints.surfaces import Drawn
from mbd_ros.control.tasks.followed_tools import ToolPoints
from mbd_ros.messages.diagnostics.diagnostics import diagnostics
from mbd_ros.messages.fields.times import to_nanoseconds, to_stamp
from mbd_ros.messages.states.drawings import (
    delete_all, from_path, lines_of, markers, METRES_PER_NEWTON, shapes_of, to_path)
from mbd_ros.messages.states.joint_states import JointStateReader, JointStateWriter
from mbd_ros.messages.states.transforms import (
    joint_transforms, pose_of, poses_in_world, put_joints)


def test_stamps_keep_every_nanosecond():
    for nanoseconds in (0, 999_999_999, 1_795_000_000_123_456_789):
        assert to_nanoseconds(to_stamp(nanoseconds)) == nanoseconds


def test_paths_are_read_as_written():
    points = np.random.default_rng(2).normal(size=(5, 3))
    path = to_path(7, 'world', [(k, point) for k, point in enumerate(points)])
    assert path.header.frame_id == 'world'
    assert to_nanoseconds(path.poses[3].header.stamp) == 3
    assert path.poses[0].pose.orientation.w == 1.0
    assert np.array_equal(from_path(path), points)
    assert from_path(to_path(0, 'world', [])).shape == (0, 3)


def test_force_is_drawn_from_the_tool_in_its_direction():
    place, force = np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 50.0])
    tool = ToolPoints('tool', place, place, place, 0.0, force)
    ball = sphere([0.0, 0.0, 1.0], 0.3).drawn
    table = plane([0.0, 0.0, 0.5], [0.0, 0.0, -1.0]).drawn
    rod = cylinder([0.1, 0.0, 0.0], [1.0, 0.0, 0.0], 0.2).drawn
    array = markers(0, 'base_link', [tool], paths=[[place, place]], surfaces=[ball, table, rod])
    assert array.markers[0].action == Marker.DELETEALL
    drawn = array.markers[1:]
    assert [one.ns for one in drawn] == [
        *['manifold'] * 3, 'trajectory', 'violation', 'error', 'constraint_force', 'numbers']
    assert [one.type for one in drawn[:3]] == [Marker.SPHERE, Marker.CUBE, Marker.CYLINDER]
    assert [one.id for one in drawn[:3]] == [0, 1, 2]
    assert drawn[0].scale.x == 0.6
    assert drawn[1].pose.orientation.x == 1.0   # the normal points down
    turned = drawn[2].pose.orientation
    assert (turned.y, turned.w) == pytest.approx((0.5**0.5, 0.5**0.5))   # z to x, about y
    text = drawn[-1]
    assert text.text == 'tool: error 0 mm, force 50 N'
    assert text.pose.position.z > 3.0   # above the tool
    arrow = drawn[-2]
    assert arrow.type == Marker.ARROW
    assert (arrow.points[0].z, arrow.points[1].z) == (3.0, 3.0 + 50.0 * METRES_PER_NEWTON)
    assert delete_all().markers[0].action == Marker.DELETEALL


def test_a_viewer_reads_surfaces_and_violation():
    """The same solids that RViz draws, in metres, and the line from nominal model to path."""
    tool = ToolPoints('tool', np.array([0.0, 0.0, 1.0]), np.array([0.1, 0.0, 1.0]), np.zeros(3),
                      1.0, np.zeros(3))
    drawn = markers(0, 'world', [tool], surfaces=(
        Drawn('plane', np.array([1.0, 2.0, 3.0]), np.array([0, 0, 0, 1.0]), 0.0),
        Drawn('sphere', np.zeros(3), np.array([0, 0, 0, 1.0]), 0.3),
        Drawn('cylinder', np.zeros(3), np.array([1.0, 0, 0, 0]), 0.2)))
    plate, ball, tube = shapes_of(drawn)
    assert (plate.kind, ball.kind, tube.kind) == ('box', 'sphere', 'cylinder')
    assert plate.pose[:3, 3].tolist() == [1.0, 2.0, 3.0]
    assert ball.size == pytest.approx((0.3,))
    assert tube.size == pytest.approx((0.2, 1.0))
    np.testing.assert_allclose(tube.pose[:3, 2], [0.0, 0.0, -1.0], atol=1e-15)
    np.testing.assert_array_equal(lines_of(drawn, 'violation'), [[[0.1, 0, 1.0], [0, 0, 1.0]]])
    assert lines_of(delete_all(), 'violation') == lines_of(drawn, 'trajectory') == []


def test_every_tool_has_markers_and_rviz_refuses_none():
    """Since RViz takes no line of fewer than two points, nor two markers of a name and number."""
    left, right = (ToolPoints(name, *np.full((3, 3), x), 0.0, np.zeros(3))
                   for name, x in (('left', 1.0), ('right', 2.0)))
    for tools, paths in (([left, right], [[np.zeros(3), np.ones(3)]] * 2), ([left], [])):
        drawn = markers(0, 'world', tools, paths=paths).markers[1:]
        assert len(drawn) == 4 * len(tools) + len(paths)
        assert len({(one.ns, one.id) for one in drawn}) == len(drawn)
        for one in drawn:
            assert len(one.points) == (0 if one.ns == 'numbers' else 2)
    assert lines_of(markers(0, 'world', [left, right]), 'error')[1][0].tolist() == [2.0, 2.0, 2.0]


def test_a_root_that_moves_carries_the_links(floating):
    q = random_state(floating, np.random.default_rng(2))[0]
    link = floating.root
    root = pose_of(joint_transforms(floating, 0, q, 'map'), link)
    np.testing.assert_allclose(root, mbd_ros.pose(floating, q, link), atol=1e-14)
    np.testing.assert_array_equal(poses_in_world({'a': np.eye(4)}, root)['a'], root)
    assert poses_in_world({'a': 0}, None) == {'a': 0}
    assert pose_of([], link) is None


def test_floating_base_is_a_transform_and_comes_back(floating):
    model = floating
    q = np.array([1.0, 2.0, 3.0, 0.0, 0.6, 0.0, 0.8, 0.0, 0.0, 0.0])
    (transform,) = joint_transforms(model, 5, q, 'world')
    assert (transform.header.frame_id, transform.child_frame_id) == ('world', 'base_link')
    again = np.zeros(model.nq)
    put_joints(model, [transform], again)
    assert again[:7].tolist() == q[:7].tolist()


def test_joints_with_several_coordinates_travel_as_transforms():
    model = model_of([0, 1, 2, 2], ['planar', 'spherical', 'revolute', 'floating'], 3)
    q, v, effort = random_state(model, 4)
    transforms = joint_transforms(model, 5, q, 'world')
    poses = mbd_ros.link_poses(model, q)
    assert [(one.header.frame_id, one.child_frame_id) for one in transforms] == [
        ('link000', 'link001'), ('link001', 'link002'), ('link002', 'link004')]
    for one in transforms:
        relative = np.linalg.inv(poses[one.header.frame_id]) @ poses[one.child_frame_id]
        shift, turn = one.transform.translation, one.transform.rotation
        # Two ways through some ten products of numbers of order 1.
        np.testing.assert_allclose([shift.x, shift.y, shift.z], relative[:3, 3], atol=1e-14)
        np.testing.assert_allclose(
            Rotation.from_quat([turn.x, turn.y, turn.z, turn.w]).as_matrix(), relative[:3, :3],
            atol=1e-14)
    again = JointStateReader(model).read(JointStateWriter(model).write(5, q, v, effort)).q
    put_joints(model, transforms, again)
    for found, expected in zip(mbd_ros.link_poses(model, again).values(), poses.values()):
        np.testing.assert_allclose(found, expected, atol=1e-13)


def test_diagnostics_hold_level_and_figures():
    array = diagnostics(10, '/simulator', 1, 'no effort commands', {'steps': 3})
    (status,) = array.status
    assert status.level == DiagnosticStatus.WARN
    assert (status.name, status.message) == ('/simulator', 'no effort commands')
    assert [(value.key, value.value) for value in status.values] == [('steps', '3')]
