"""Targets that are dragged in RViz, ``visualization_msgs/InteractiveMarker``."""

from __future__ import annotations

from collections.abc import Mapping
import math

from geometry_msgs.msg import Quaternion
import numpy as np
from numpy.typing import NDArray
from visualization_msgs.msg import (
    InteractiveMarker, InteractiveMarkerControl as Control, InteractiveMarkerFeedback,
    InteractiveMarkerPose, InteractiveMarkerUpdate, Marker)

from mbd_ros.errors import InvalidValueError
from mbd_ros.messages.states.drawings import Color, from_point, to_point

Vector = NDArray[np.float64]

SIZE = 0.25
"""Of the arrows that RViz draws along the axes [m]."""
BALL: Color = (0.95, 0.55, 0.10, 0.5)
FARTHEST = 1e3
"""Distance of a target from the origin [m]."""
HALF = math.sqrt(0.5)
AXES = {'x': Quaternion(x=HALF, w=HALF), 'y': Quaternion(z=HALF, w=HALF),
        'z': Quaternion(y=HALF, w=HALF)}
"""Orientations of controls along axes, which RViz moves along their own x axis."""


def drag_target(frame: str, link: str, place: Vector) -> InteractiveMarker:
    """
    Return the target of a link: a ball, and an arrow along each axis.

    Parameters
    ----------
    frame : str
        Frame of the place; without a stamp, so that RViz gives places in this frame, too.
    link : str
        Name of the link, and of the marker.
    place : Vector
        (3,) [m].

    Returns
    -------
    InteractiveMarker
        That can be moved, not turned.

    """
    ball = Marker(type=Marker.SPHERE, action=Marker.ADD)
    ball.pose.orientation.w = 1.0
    ball.scale.x = ball.scale.y = ball.scale.z = 0.4 * SIZE
    ball.color.r, ball.color.g, ball.color.b, ball.color.a = BALL
    free = Control(name='free', orientation_mode=Control.VIEW_FACING,
                   interaction_mode=Control.MOVE_3D, always_visible=True, markers=[ball])
    free.orientation.w = 1.0
    target = InteractiveMarker(name=link, description=f'drag {link}', scale=SIZE, controls=[
        free, *(Control(name=axis, orientation=turn, interaction_mode=Control.MOVE_AXIS)
                for axis, turn in AXES.items())])
    target.header.frame_id = frame
    target.pose.position, target.pose.orientation.w = to_point(place), 1.0
    return target


def moved_targets(number: int, frame: str, places: Mapping[str, Vector]
                  ) -> InteractiveMarkerUpdate:
    """Return the update of a number that puts targets to places (3,) [m]."""
    update = InteractiveMarkerUpdate(type=InteractiveMarkerUpdate.UPDATE, seq_num=number)
    for link, place in places.items():
        one = InteractiveMarkerPose(name=link)
        one.header.frame_id = frame
        one.pose.position, one.pose.orientation.w = to_point(place), 1.0
        update.poses.append(one)
    return update


def read_drag(message: InteractiveMarkerFeedback, frame: str) -> Vector:
    """
    Return where a target is dragged.

    Parameters
    ----------
    message : InteractiveMarkerFeedback
        What RViz says.
    frame : str
        Frame of the target.

    Returns
    -------
    Vector
        (3,) in that frame [m].

    Raises
    ------
    InvalidValueError
        If it is in another frame, or further off than ``FARTHEST``.

    """
    if message.header.frame_id != frame:
        raise InvalidValueError('frame_id of a target', message.header.frame_id,
                                f'{frame!r}, in which it was offered')
    place = from_point(message.pose.position)
    if not np.abs(place).max() <= FARTHEST:
        raise InvalidValueError('place of a target', place.tolist(),
                                f'numbers from {-FARTHEST:g} to {FARTHEST:g}')
    return place
