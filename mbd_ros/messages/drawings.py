"""Paths and markers for RViz."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import Point, PoseStamped
from nav_msgs.msg import Path
import numpy as np
from numpy.typing import NDArray
from visualization_msgs.msg import Marker, MarkerArray

from mbd_ros.messages.times import to_stamp

Vector = NDArray[np.float64]
Color = tuple[float, float, float, float]

GREEN: Color = (0.06, 0.59, 0.28, 0.8)
RED: Color = (0.88, 0.23, 0.16, 1.0)
VIOLET: Color = (0.44, 0.19, 0.69, 1.0)
METRES_PER_NEWTON = 0.02
"""Length of the arrow of a force."""


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


def markers(
    nanoseconds: int, frame: str, *, desired: Iterable[Vector], tool: Vector, target: Vector,
    force: Vector,
) -> MarkerArray:
    """
    Return what a tracking controller shows.

    Parameters
    ----------
    nanoseconds : int
        Time of the message.
    frame : str
        Frame of all positions.
    desired : iterable of Vector
        Points (3,) of the desired path [m].
    tool, target : Vector
        (3,): where the tool is and where it should be [m].
    force : Vector
        (3,): constraint force at the tool [N].

    Returns
    -------
    MarkerArray
        Namespaces ``trajectory``, ``error`` and ``constraint_force``.

    """
    stamp = to_stamp(nanoseconds)

    def marker(space: str, kind: int, scale: tuple[float, float, float], color: Color,
               points: Iterable[Vector]) -> Marker:
        one = Marker(ns=space, id=0, type=kind, action=Marker.ADD)
        one.header.stamp = stamp
        one.header.frame_id = frame
        one.pose.orientation.w = 1.0
        one.scale.x, one.scale.y, one.scale.z = scale
        one.color.r, one.color.g, one.color.b, one.color.a = color
        one.points = [to_point(point) for point in points]
        return one

    return MarkerArray(markers=[
        marker('trajectory', Marker.LINE_STRIP, (0.012, 0.0, 0.0), GREEN, desired),
        marker('error', Marker.LINE_LIST, (0.004, 0.0, 0.0), RED, (tool, target)),
        marker('constraint_force', Marker.ARROW, (0.015, 0.035, 0.06), VIOLET,
               (tool, tool + METRES_PER_NEWTON * force)),
    ])
