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

"""Links that are pushed in RViz, and the menu of the simulation."""

from pathlib import Path

import numpy as np
import pytest
from rviz_rules import check_controls, check_marker, check_menu
from visualization_msgs.msg import InteractiveMarkerFeedback, Marker

from mbd_ros.description.urdf.visuals import Shape
from mbd_ros.messages.states.drag_targets import drag_target
from mbd_ros.messages.states.interactive import at, read_drag, read_grabbed
from mbd_ros.messages.states.push_markers import entries, link_hand

GREY = (0.5, 0.5, 0.5, 1.0)
PLACE = at(np.array([0.1, 0.2, 0.3]))


@pytest.mark.parametrize(('kind', 'size', 'drawn'), [
    ('box', (0.1, 0.2, 0.3), [(Marker.CUBE, (0.1, 0.2, 0.3), 0.3)]),
    ('sphere', (0.1,), [(Marker.SPHERE, (0.2, 0.2, 0.2), 0.3)]),
    ('cylinder', (0.1, 0.5), [(Marker.CYLINDER, (0.2, 0.2, 0.5), 0.3)]),
    ('capsule', (0.1, 0.5), [(Marker.CYLINDER, (0.2, 0.2, 0.5), 0.3),
                             (Marker.SPHERE, (0.2, 0.2, 0.2), 0.05),
                             (Marker.SPHERE, (0.2, 0.2, 0.2), 0.55)]),
])
def test_what_is_grabbed_is_larger_than_the_link(kind, size, drawn):
    """Else the link, which RViz draws as well, is before it."""
    hand = link_hand('world', 'arm', PLACE, [Shape('arm', kind, size, PLACE, GREY)], ['Pause'])
    assert (hand.name, hand.header.frame_id) == ('arm', 'world')
    assert hand.header.stamp.sec == hand.header.stamp.nanosec == 0   # else it is left behind
    (grip,) = hand.controls
    assert grip.interaction_mode == grip.MOVE_3D
    assert len(grip.markers) == len(drawn)
    check_controls(hand.controls)
    check_controls(drag_target('world', 'arm', PLACE).controls)
    for marker, (shape, least, height) in zip(grip.markers, drawn):
        marker.header.frame_id = 'world'   # RViz takes that of the whole for an empty one
        check_marker(marker)
        assert marker.type == shape
        assert marker.pose.position.z == pytest.approx(height)
        larger = np.array((marker.scale.x, marker.scale.y, marker.scale.z)) - least
        assert larger.min() > 2e-3 and larger.max() < 0.02


def test_meshes_keep_their_file_and_are_mirrored_where_the_link_is():
    shape = Shape('arm', 'mesh', (1.0, -1.0, 0.001), PLACE, GREY, Path('/robots/my arm.stl'))
    (marker,) = link_hand('world', 'arm', PLACE, [shape], []).controls[0].markers
    marker.header.frame_id = 'world'
    check_marker(marker)
    assert marker.mesh_resource == 'file:///robots/my%20arm.stl'
    assert (marker.scale.x, marker.scale.y, marker.scale.z) == pytest.approx(
        (1.02, -1.02, 0.00102))


def test_menus_have_submenus():
    menu = entries(['Pause', 'Load/none', 'Load/1 kg', 'Reset'])
    check_menu(menu)
    found = {one.id: (one.title, one.parent_id) for one in menu}
    load = next(number for number, (title, _) in found.items() if title == 'Load')
    assert found == {1: ('Pause', 0), 2: ('none', load), 3: ('1 kg', load), 4: ('Reset', 0),
                     load: ('Load', 0)}
    assert [one.title for one in menu] == ['Pause', 'Load', 'none', '1 kg', 'Reset']


def test_the_grabbed_point_is_that_under_the_mouse_where_rviz_knows_it():
    message = InteractiveMarkerFeedback(marker_name='arm')
    message.header.frame_id, message.pose.position.x, message.mouse_point.y = 'world', 1.0, 2.0
    assert read_grabbed(message, 'world').tolist() == [1.0, 0.0, 0.0]
    message.mouse_point_valid = True
    assert read_grabbed(message, 'world').tolist() == [0.0, 2.0, 0.0]
    assert read_drag(message, 'world').tolist() == [1.0, 0.0, 0.0]
