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

"""Paths and markers for RViz."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from geometry_msgs.msg import Point, PoseStamped, Quaternion
from nav_msgs.msg import Path
import numpy as np
from numpy.typing import NDArray
from transforms3d.affines import compose
from transforms3d.quaternions import quat2mat
from visualization_msgs.msg import Marker, MarkerArray

from mbd_ros.control.constraints.surfaces import Drawn
from mbd_ros.control.tasks.followed_tools import ToolPoints
from mbd_ros.description.urdf.visuals import Shape, ShapeKind
from mbd_ros.messages.fields.times import to_stamp

Vector = NDArray[np.float64]
Color = tuple[float, float, float, float]

GREEN: Color = (0.06, 0.59, 0.28, 0.35)
RED: Color = (0.88, 0.23, 0.16, 1.0)
ORANGE: Color = (0.95, 0.55, 0.10, 1.0)
BLUE: Color = (0.20, 0.45, 0.85, 0.25)
VIOLET: Color = (0.44, 0.19, 0.69, 1.0)
SHOWN = 1.0
"""Size of what is shown of a plane, and length of a cylinder [m]."""

GREY: Color = (0.15, 0.16, 0.18, 1.0)
TEXT = 0.04
"""Height of letters [m]."""
METRES_PER_NEWTON = 0.02
"""Length of the arrow of a force."""

SOLIDS: dict[int, ShapeKind] = {
    Marker.CUBE: 'box', Marker.SPHERE: 'sphere', Marker.CYLINDER: 'cylinder'}
"""Markers that are shapes."""


def _surface(marker: Callable[..., Marker], number: int, surface: Drawn) -> Marker:
    """Return the marker of a surface."""
    kinds = {'plane': (Marker.CUBE, (SHOWN, SHOWN, 1e-3)),
             'sphere': (Marker.SPHERE, (2.0 * surface.radius,) * 3),
             'cylinder': (Marker.CYLINDER, (2.0 * surface.radius, 2.0 * surface.radius, SHOWN))}
    kind, scale = kinds[surface.kind]
    one = marker('manifold', number, kind, scale, BLUE, ())
    one.pose.position = to_point(surface.center)
    x, y, z, w = surface.quaternion.tolist()
    one.pose.orientation = Quaternion(x=x, y=y, z=z, w=w)
    return one


def _numbers(marker: Callable[..., Marker], number: int, tool: ToolPoints) -> Marker:
    """Return a text above a tool: how far off its path it is, and the force that holds it."""
    one = marker('numbers', number, Marker.TEXT_VIEW_FACING, (0.0, 0.0, TEXT), GREY, ())
    one.pose.position = to_point(tool.actual + np.array((0.0, 0.0, 2.0 * TEXT)))
    one.text = (f'{tool.link}: error {1e3 * tool.error:.3g} mm, '
                f'force {float(np.linalg.norm(tool.force)):.3g} N')
    return one


def to_point(position: Vector) -> Point:
    """Return a position (3,) [m] as a message."""
    x, y, z = position.tolist()
    return Point(x=x, y=y, z=z)


def from_point(point: Point) -> Vector:
    """Return a message as a position (3,) [m]."""
    return np.array((point.x, point.y, point.z))


def to_path(nanoseconds: int, frame: str, points: Iterable[tuple[int, Vector]]) -> Path:
    """
    Return a path.

    Parameters
    ----------
    nanoseconds : int
        Time of the message.
    frame : str
        Frame of the points.
    points : iterable of (int, Vector)
        Time [ns] and position (3,) [m] of each.

    Returns
    -------
    Path
        With orientations that turn nothing.

    """
    path = Path()
    path.header.stamp = to_stamp(nanoseconds)
    path.header.frame_id = frame
    for time, position in points:
        pose = PoseStamped()
        pose.header.stamp = to_stamp(time)
        pose.header.frame_id = frame
        pose.pose.position = to_point(position)
        pose.pose.orientation.w = 1.0
        path.poses.append(pose)
    return path


def from_path(path: Path) -> Vector:
    """Return the positions (n, 3) of a path [m]."""
    return np.array([from_point(pose.pose.position) for pose in path.poses]).reshape(-1, 3)


def delete_all() -> MarkerArray:
    """Return the message that removes all markers of its topic."""
    return MarkerArray(markers=[Marker(action=Marker.DELETEALL)])


def shapes_of(message: MarkerArray) -> tuple[Shape, ...]:
    """
    Return the solids of a message: what is drawn of surfaces that hold a point.

    Parameters
    ----------
    message : MarkerArray
        As ``markers`` makes it.

    Returns
    -------
    tuple of Shape
        Boxes, spheres and cylinders, fixed to the frame of the message.

    """
    found = []
    for one in message.markers:
        if one.action != Marker.ADD or one.type not in SOLIDS:
            continue
        place, turn, size, color = (one.pose.position, one.pose.orientation, one.scale, one.color)
        pose = compose((place.x, place.y, place.z), quat2mat((turn.w, turn.x, turn.y, turn.z)),
                       np.ones(3))
        sizes = {Marker.CUBE: (size.x, size.y, size.z), Marker.SPHERE: (0.5 * size.x,),
                 Marker.CYLINDER: (0.5 * size.x, size.z)}[one.type]
        found.append(Shape(one.header.frame_id, SOLIDS[one.type], sizes, pose,
                           (color.r, color.g, color.b, color.a)))
    return tuple(found)


def lines_of(message: MarkerArray, space: str) -> list[Vector]:
    """Return the points (n, 3) [m] of each line of a namespace."""
    return [np.array([from_point(point) for point in one.points]) for one in message.markers
            if one.ns == space and one.action == Marker.ADD]


def segments_of(message: MarkerArray, space: str) -> Vector:
    """Return the lines of a namespace that have two points, (n, 2, 3) [m]."""
    return np.array([line for line in lines_of(message, space)
                     if line.shape == (2, 3)]).reshape(-1, 2, 3)


def markers(
    nanoseconds: int, frame: str, tools: Iterable[ToolPoints], *,
    paths: Iterable[Iterable[Vector]] = (), traces: Iterable[Sequence[Vector]] = (),
    surfaces: Iterable[Drawn] = (),
) -> MarkerArray:
    """
    Return what a tracking controller shows.

    Parameters
    ----------
    nanoseconds : int
        Time of the message.
    frame : str
        Frame of all positions.
    tools : iterable of ToolPoints
        Where the tools are and should be, and the constraint forces at them.
    paths : iterable of iterable of Vector, optional
        Points (3,) of the desired path of each tool that follows one [m].
    traces : iterable of sequence of Vector, optional
        The same of where each tool was.
    surfaces : iterable of Drawn, optional
        Surfaces that hold a point of the robot.

    Returns
    -------
    MarkerArray
        First one that removes all that was drawn before, such as a tool that is followed no more.
        Namespaces ``manifold``, ``trajectory``, ``trace``, ``violation``, ``error``,
        ``constraint_force``, ``numbers``; within each the number of the surface, path or tool.

    """
    stamp = to_stamp(nanoseconds)

    def marker(space: str, number: int, kind: int, scale: tuple[float, float, float],
               color: Color, points: Iterable[Vector]) -> Marker:
        one = Marker(ns=space, id=number, type=kind, action=Marker.ADD)
        one.header.stamp = stamp
        one.header.frame_id = frame
        one.pose.orientation.w = 1.0
        one.scale.x, one.scale.y, one.scale.z = scale
        one.color.r, one.color.g, one.color.b, one.color.a = color
        one.points = [to_point(point) for point in points]
        return one

    drawn = [_surface(marker, number, surface) for number, surface in enumerate(surfaces)]
    # RViz draws what can be seen through last: the thinner trace shows within the path.
    drawn += [marker('trajectory', number, Marker.LINE_STRIP, (0.018, 0.0, 0.0), GREEN, path)
              for number, path in enumerate(paths)]
    drawn += [marker('trace', number, Marker.LINE_STRIP, (0.006, 0.0, 0.0), RED, trace)
              for number, trace in enumerate(traces) if len(trace) > 1]
    for number, tool in enumerate(tools):
        drawn += [
            marker('violation', number, Marker.LINE_LIST, (0.006, 0.0, 0.0), ORANGE,
                   (tool.nominal, tool.desired)),
            marker('error', number, Marker.LINE_LIST, (0.004, 0.0, 0.0), RED,
                   (tool.actual, tool.desired)),
            marker('constraint_force', number, Marker.ARROW, (0.015, 0.035, 0.06), VIOLET,
                   (tool.actual, tool.actual + METRES_PER_NEWTON * tool.force)),
            _numbers(marker, number, tool)]
    return MarkerArray(markers=[*delete_all().markers, *drawn])
