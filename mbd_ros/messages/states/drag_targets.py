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

"""Targets that are dragged in RViz, ``visualization_msgs/InteractiveMarker``."""

from __future__ import annotations

from collections.abc import Sequence
import math

from geometry_msgs.msg import Quaternion
import numpy as np
from numpy.typing import NDArray
from visualization_msgs.msg import InteractiveMarker, InteractiveMarkerControl as Control, Marker

from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.description.records.reach import extent
from mbd_ros.messages.states.drawings import Color
from mbd_ros.messages.states.interactive import to_pose
from mbd_ros.messages.states.push_markers import entries

Matrix = NDArray[np.float64]

SHARE, SMALLEST, LARGEST = 1.0 / 12.0, 0.05, 0.5
"""Of the arrows that RViz draws along the axes: in terms of a robot's reach, and limits [m]."""
BALL: Color = (0.95, 0.55, 0.10, 0.5)
HALF = math.sqrt(0.5)
AXES = {'x': Quaternion(x=HALF, w=HALF), 'y': Quaternion(z=HALF, w=HALF),
        'z': Quaternion(y=HALF, w=HALF)}
"""Orientations of controls along axes, which RViz moves along their own x axis."""


def target_size(mechanism: Mechanism) -> float:
    """Return the size of the targets of a robot [m]: they neither hide it nor get lost in it."""
    return min(max(SHARE * extent(mechanism)[1], SMALLEST), LARGEST)


def drag_target(frame: str, link: str, pose: Matrix, menu: Sequence[str] = (),
                size: float = LARGEST) -> InteractiveMarker:
    """
    Return the target of a link: a ball, and an arrow along each axis.

    Parameters
    ----------
    frame : str
        Frame of the pose; without a stamp, so that RViz gives places in this frame, too.
    link : str
        Name of the link, and of the marker.
    pose : Matrix
        (4, 4), not turned [m].
    menu : sequence of str, optional
        Titles as of ``hands.entries``.
    size : float, optional
        Length of its arrows, as of ``target_size`` [m].

    Returns
    -------
    InteractiveMarker
        That can be moved, not turned.

    """
    ball = Marker(type=Marker.SPHERE, action=Marker.ADD)
    ball.pose.orientation.w = 1.0
    ball.scale.x = ball.scale.y = ball.scale.z = 0.4 * size
    ball.color.r, ball.color.g, ball.color.b, ball.color.a = BALL
    free = Control(name='free', orientation_mode=Control.VIEW_FACING,
                   interaction_mode=Control.MOVE_3D, always_visible=True, markers=[ball])
    free.orientation.w = 1.0
    target = InteractiveMarker(name=link, description=f'drag {link}', scale=size, controls=[
        free, *(Control(name=axis, orientation=turn, interaction_mode=Control.MOVE_AXIS)
                for axis, turn in AXES.items())], menu_entries=entries(menu))
    target.header.frame_id = frame
    target.pose = to_pose(pose)
    return target
