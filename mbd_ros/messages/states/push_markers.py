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

"""Links that are pushed in RViz, and a menu of what the simulator does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from visualization_msgs.msg import (
    InteractiveMarker, InteractiveMarkerControl as Control, Marker, MenuEntry)

from mbd_ros.description.urdf.visuals import Shape
from mbd_ros.messages.states.drawings import Color
from mbd_ros.messages.states.interactive import at, to_pose

Matrix = NDArray[np.float64]

COLOR: Color = (0.95, 0.95, 0.98, 0.15)
WIDER, BEYOND = 1.02, 0.004
"""Factor of what is grabbed over what is drawn, and [m] besides: what is inside is not grabbed."""
KINDS = {'box': Marker.CUBE, 'cylinder': Marker.CYLINDER, 'sphere': Marker.SPHERE,
         'mesh': Marker.MESH_RESOURCE}


def link_hand(frame: str, link: str, pose: Matrix, shapes: Iterable[Shape],
              menu: Sequence[str]) -> InteractiveMarker:
    """
    Return the marker by which a link is pushed: its shapes, a little larger.

    Parameters
    ----------
    frame : str
        Frame of the pose; without a stamp, so that RViz gives places in this frame, too.
    link : str
        Name of the link, and of the marker.
    pose : Matrix
        (4, 4) of the link.
    shapes : iterable of Shape
        Those of the link.
    menu : sequence of str
        Titles of the entries; those of a submenu begin with its title and a slash. Their numbers
        in what RViz answers are the places of ``entries``.

    Returns
    -------
    InteractiveMarker
        That can be moved, not turned, with a menu.

    """
    # RViz turns the markers of a control to the camera, too, unless they are independent of it.
    grip = Control(name='push', orientation_mode=Control.VIEW_FACING,
                   interaction_mode=Control.MOVE_3D, independent_marker_orientation=True,
                   markers=[marker for shape in shapes for marker in _markers(shape)])
    grip.orientation.w = 1.0
    hand = InteractiveMarker(name=link, scale=1.0, controls=[grip], menu_entries=entries(menu))
    hand.header.frame_id = frame
    hand.pose = to_pose(pose)
    return hand


def entries(titles: Sequence[str]) -> list[MenuEntry]:
    """
    Return a menu.

    Parameters
    ----------
    titles : sequence of str
        As of ``link_hand``.

    Returns
    -------
    list of MenuEntry
        The title at place k has the number k + 1; submenus have those behind them.

    """
    numbers: dict[str, int] = {}
    found = []
    for place, title in enumerate(titles):   # RViz shows them in this order
        submenu, *inside = title.split('/')
        if inside and submenu not in numbers:
            numbers[submenu] = len(titles) + 1 + len(numbers)
            found.append(MenuEntry(id=numbers[submenu], title=submenu))
        found.append(MenuEntry(id=1 + place, title=title.split('/')[-1],
                               parent_id=numbers[submenu] if inside else 0))
    return found


def _markers(shape: Shape) -> list[Marker]:
    """Return a shape, a capsule as a cylinder and two balls."""
    if shape.kind != 'capsule':
        size = np.asarray(shape.size)
        if shape.kind == 'sphere':
            size = np.full(3, 2.0 * size[0])
        elif shape.kind == 'cylinder':
            size = np.array((2.0 * size[0], 2.0 * size[0], size[1]))
        return [_marker(shape, shape.pose, size)]
    radius, length = shape.size
    across = np.full(3, 2.0 * radius)
    tube = Shape(shape.link, 'cylinder', (radius, length), shape.pose, shape.color)
    ball = Shape(shape.link, 'sphere', (radius,), shape.pose, shape.color)
    return [*_markers(tube), *(
        _marker(ball, shape.pose @ at(np.array((0.0, 0.0, end))), across)
        for end in (-0.5 * length, 0.5 * length))]


def _marker(shape: Shape, pose: Matrix, size: Matrix) -> Marker:
    one = Marker(type=KINDS[shape.kind], action=Marker.ADD, pose=to_pose(pose))
    one.color.r, one.color.g, one.color.b, one.color.a = COLOR
    if shape.file is not None:
        one.mesh_resource, size = shape.file.as_uri(), WIDER * size
    else:
        size = WIDER * np.abs(size) + BEYOND
    one.scale.x, one.scale.y, one.scale.z = size.tolist()
    return one
