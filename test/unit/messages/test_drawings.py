"""Paths, markers, transforms, stamps and diagnostics."""

from diagnostic_msgs.msg import DiagnosticStatus
import numpy as np
from visualization_msgs.msg import Marker

from mbd_ros.messages.diagnostics import diagnostics
from mbd_ros.messages.drawings import delete_all, from_path, markers, METRES_PER_NEWTON, to_path
from mbd_ros.messages.times import to_nanoseconds, to_stamp
from mbd_ros.messages.transforms import base_transforms, put_base


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
    tool, force = np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 50.0])
    array = markers(0, 'base_link', desired=[tool, tool], tool=tool, target=tool, force=force)
    assert [one.ns for one in array.markers] == ['trajectory', 'error', 'constraint_force']
    arrow = array.markers[-1]
    assert arrow.type == Marker.ARROW
    assert (arrow.points[0].z, arrow.points[1].z) == (3.0, 3.0 + 50.0 * METRES_PER_NEWTON)
    assert delete_all().markers[0].action == Marker.DELETEALL


def test_floating_base_is_a_transform_and_comes_back(floating):
    model = floating
    q = np.array([1.0, 2.0, 3.0, 0.0, 0.6, 0.0, 0.8, 0.0, 0.0, 0.0])
    (transform,) = base_transforms(model, 5, q, 'world')
    assert (transform.header.frame_id, transform.child_frame_id) == ('world', 'base_link')
    again = np.zeros(model.nq)
    put_base(model, [transform], again)
    assert again[:7].tolist() == q[:7].tolist()


def test_diagnostics_hold_level_and_figures():
    array = diagnostics(10, '/simulator', 1, 'no effort commands', {'steps': 3})
    (status,) = array.status
    assert status.level == DiagnosticStatus.WARN
    assert (status.name, status.message) == ('/simulator', 'no effort commands')
    assert [(value.key, value.value) for value in status.values] == [('steps', '3')]
