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

"""What RViz draws of messages: lines and solids in the fixed frame."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from rviz_urdf import Solid
from transforms3d.affines import compose
from transforms3d.quaternions import quat2mat
from visualization_msgs.msg import Marker


class Line(NamedTuple):
    """A line in the fixed frame: points (n, 3) [m] and their colour."""

    points: Any
    color: tuple[float, ...]


def pose_of(pose: Any) -> Any:
    """Return a pose message as a matrix (4, 4)."""
    place, turn = pose.position, pose.orientation
    return compose((place.x, place.y, place.z), quat2mat((turn.w, turn.x, turn.y, turn.z)),
                   np.ones(3))


def applied(pose: Any, points: Any) -> Any:
    """Return points (n, 3) of a frame in the fixed one."""
    rows = np.asarray(points, dtype=float).reshape(-1, 3)
    return rows @ pose[:3, :3].T + pose[:3, 3]


def _color(one: Any) -> tuple[float, ...]:
    return one.r, one.g, one.b, one.a


def lines_of(one: Any, pose: Any) -> list[Line]:
    """Return the lines of a marker."""
    if one.type not in (Marker.LINE_STRIP, Marker.LINE_LIST, Marker.ARROW):
        return []
    points = applied(pose, [(point.x, point.y, point.z) for point in one.points])
    colors = [_color(color) for color in one.colors] or [_color(one.color)] * len(points)
    if one.type == Marker.LINE_LIST:
        return [Line(points[k:k + 2], colors[k]) for k in range(0, len(points), 2)]
    if not one.colors:
        return [Line(points, colors[0])]
    return [Line(points[k:k + 2], colors[k]) for k in range(len(points) - 1)]


def solids_of(one: Any, pose: Any) -> list[Solid]:
    """Return the solids of a marker."""
    size = one.scale.x, one.scale.y, one.scale.z
    kinds = {Marker.CUBE: ('box', size), Marker.SPHERE: ('sphere', (0.5 * size[0],)),
             Marker.CYLINDER: ('cylinder', (0.5 * size[0], size[2]))}
    if one.type in kinds:
        return [Solid(*kinds[one.type], pose, _color(one.color))]
    if one.type != Marker.SPHERE_LIST:
        return []
    return [Solid('sphere', (0.5 * size[0],), compose(place, np.eye(3), np.ones(3)),
                  _color(color))
            for place, color in zip(
                applied(pose, [(point.x, point.y, point.z) for point in one.points]),
                one.colors or [one.color] * len(one.points))]


def handle_of(control: Any, pose: Any, scale: float) -> list[Line]:
    """Return what RViz adds to a control without markers: arrows along its axis, or a ring."""
    turn = control.orientation
    axes = quat2mat((turn.w, turn.x, turn.y, turn.z)) * scale
    color = (*np.abs(axes[:, 0]) / scale, 1.0)
    if control.markers:
        return []
    if control.interaction_mode == control.MOVE_AXIS:
        return [Line(applied(pose, [-axes[:, 0], axes[:, 0]]), color)]
    if control.interaction_mode == control.ROTATE_AXIS:
        angles = np.linspace(0.0, 2.0 * np.pi, 33)[:, None]
        return [Line(applied(pose, np.cos(angles) * axes[:, 1] + np.sin(angles) * axes[:, 2]),
                     color)]
    return []
