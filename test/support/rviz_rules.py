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

"""
What RViz 2 asks of what it draws.

By its sources (ros2/rviz, ``rviz_default_plugins/displays``): ``marker_common.cpp``, the
``onNewMessage`` of each marker, ``path_display.cpp``, and tf2's ``buffer_core.cpp``. What it does
not draw it says in the status of a display, at best.
"""

from __future__ import annotations

import math
from typing import Any

from visualization_msgs.msg import Marker

SOLIDS = (Marker.CUBE, Marker.SPHERE, Marker.CYLINDER)
LINES = (Marker.LINE_LIST, Marker.LINE_STRIP)
LARGEST = 3.4e38
"""RViz draws with float32."""


def check_markers(array: Any) -> None:
    """Check a ``visualization_msgs/MarkerArray``; raises AssertionError."""
    names = [(one.ns, one.id) for one in array.markers]
    assert len(set(names)) == len(names), 'two markers of a name and number: an error in RViz'
    for one in array.markers:
        assert one.action in (Marker.ADD, Marker.DELETE, Marker.DELETEALL)
        if one.action == Marker.ADD:
            check_marker(one)


def check_marker(one: Any) -> None:
    """Check a marker that is drawn."""
    check_frame(one.header.frame_id)
    check_rotation(one.pose.orientation)
    size, color = (one.scale.x, one.scale.y, one.scale.z), one.color
    points = [(point.x, point.y, point.z) for point in one.points]
    check_finite((one.pose.position.x, one.pose.position.y, one.pose.position.z), size, *points)
    assert all(0.0 <= channel <= 1.0 for channel in (color.r, color.g, color.b))
    assert 0.0 < color.a <= 1.0, 'it cannot be seen'
    assert len(one.colors) in (0, len(points)), 'colours that are not one for each point'
    assert one.lifetime.sec >= 0
    if one.type in SOLIDS:
        assert min(size) > 0.0, 'a solid without extent'
        assert not points
    elif one.type == Marker.MESH_RESOURCE:
        assert one.mesh_resource.startswith(('file://', 'package://')), 'nothing to load'
        assert 0.0 not in size
    elif one.type == Marker.SPHERE_LIST:
        assert min(size) > 0.0 and points
    elif one.type == Marker.TEXT_VIEW_FACING:
        assert one.text and size[2] > 0.0 and not points
    elif one.type in LINES:
        assert size[0] > 0.0, 'a line without width'
        assert len(points) > 1, 'a line of one point'
        assert one.type == Marker.LINE_STRIP or len(points) % 2 == 0, 'an odd number of points'
    else:
        assert one.type == Marker.ARROW, 'rules for others are not needed yet'
        assert len(points) == 2
        assert min(size) > 0.0


def check_controls(controls: Any) -> None:
    """Refuse markers that RViz turns to the camera, as it does where a control faces the view."""
    for one in controls:
        round_ = all(marker.type == Marker.SPHERE and marker.scale.x == marker.scale.y
                     == marker.scale.z for marker in one.markers)
        assert (one.orientation_mode != one.VIEW_FACING or one.independent_marker_orientation
                or round_), f"what is not round would be turned in control '{one.name}'"


def check_menu(entries: Any) -> None:
    """Check the menu of an interactive marker: numbers are unique, submenus are there."""
    numbers = [one.id for one in entries]
    assert len(set(numbers)) == len(numbers) and 0 not in numbers, 'entries of one number'
    for place, one in enumerate(entries):
        assert one.title
        assert one.parent_id in (0, *numbers[:place]), 'a submenu that there is not'


def check_path(path: Any) -> None:
    """Check a ``nav_msgs/Path``, of which RViz takes the frame of the header."""
    check_frame(path.header.frame_id)
    for pose in path.poses:
        assert pose.header.frame_id == path.header.frame_id
        check_rotation(pose.pose.orientation)
        place = pose.pose.position
        check_finite((place.x, place.y, place.z))


def check_transforms(transforms: Any) -> None:
    """Check transforms: each frame has one parent, none is its own, none has a cycle."""
    parents: dict[str, str] = {}
    for one in transforms:
        check_frame(one.header.frame_id)
        check_frame(one.child_frame_id)
        assert one.child_frame_id not in parents, 'a frame with two parents'
        parents[one.child_frame_id] = one.header.frame_id
        check_rotation(one.transform.rotation)
        shift = one.transform.translation
        check_finite((shift.x, shift.y, shift.z))
    for frame in parents:
        above = frame
        for _ in range(len(parents) + 1):
            above = parents.get(above, '')
        assert not above, f'{frame} is in a cycle'


def check_frame(name: str) -> None:
    """Check the name of a frame; tf2 takes none that begins with a slash."""
    assert name
    assert not name.startswith('/')


def check_rotation(turn: Any) -> None:
    """Check a quaternion; tf2 refuses those that are off by 1e-6."""
    assert math.isclose(turn.x**2 + turn.y**2 + turn.z**2 + turn.w**2, 1.0, abs_tol=1e-6)


def check_finite(*rows: tuple[float, ...]) -> None:
    """Check that numbers can be drawn."""
    assert all(abs(value) < LARGEST for row in rows for value in row), 'NaN or infinite'
