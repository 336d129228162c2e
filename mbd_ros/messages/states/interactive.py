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

"""What interactive markers have in common, ``visualization_msgs/InteractiveMarker``."""

from __future__ import annotations

from collections.abc import Mapping

from geometry_msgs.msg import Point, Pose, Quaternion
import numpy as np
from numpy.typing import NDArray
from transforms3d.affines import compose
from transforms3d.quaternions import mat2quat, quat2mat
from visualization_msgs.msg import (
    InteractiveMarkerFeedback, InteractiveMarkerPose, InteractiveMarkerUpdate)

from mbd_ros.errors import InvalidValueError
from mbd_ros.messages.states.drawings import from_point, to_point

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

FARTHEST = 1e3
"""Distance of a marker from the origin [m]."""
UNIT = 1e-3
"""By which the length of a quaternion may differ from 1; RViz has single precision."""
ORIGIN = np.eye(4)
"""Pose (4, 4) of what is where its frame is."""


def to_pose(pose: Matrix) -> Pose:
    """Return a pose (4, 4) as a message."""
    w, x, y, z = mat2quat(pose[:3, :3]).tolist()
    return Pose(position=to_point(pose[:3, 3]), orientation=Quaternion(w=w, x=x, y=y, z=z))


def at(place: Vector) -> Matrix:
    """Return the pose (4, 4) of a place (3,), not turned."""
    return np.asarray(compose(place, np.eye(3), np.ones(3)))


def moved(number: int, frame: str, poses: Mapping[str, Matrix]) -> InteractiveMarkerUpdate:
    """
    Return the update of a number that puts markers to poses (4, 4) [m].

    They are in a frame; with an empty one each is in the frame of its own name.
    """
    update = InteractiveMarkerUpdate(type=InteractiveMarkerUpdate.UPDATE, seq_num=number)
    for name, pose in poses.items():
        one = InteractiveMarkerPose(name=name, pose=to_pose(pose))
        one.header.frame_id = frame or name
        update.poses.append(one)
    return update


def read_drag(message: InteractiveMarkerFeedback, frame: str) -> Vector:
    """
    Return where a marker is dragged.

    Parameters
    ----------
    message : InteractiveMarkerFeedback
        What RViz says.
    frame : str
        Frame of the marker.

    Returns
    -------
    Vector
        (3,) in that frame [m].

    Raises
    ------
    InvalidValueError
        If it is in another frame, or further off than ``FARTHEST``.

    """
    return _read(message, frame, message.pose.position)


def read_pose(message: InteractiveMarkerFeedback, frame: str) -> Matrix:
    """Return the pose (4, 4) to which a marker is dragged [m]; errors as ``read_drag``."""
    pose = at(read_drag(message, frame))
    given = message.pose.orientation
    turn = np.array((given.w, given.x, given.y, given.z))
    if not abs(np.linalg.norm(turn) - 1.0) <= UNIT:
        raise InvalidValueError(f"orientation of '{message.marker_name}'", turn.tolist(),
                                'a quaternion of length 1')
    pose[:3, :3] = quat2mat(turn)
    return pose


def read_grabbed(message: InteractiveMarkerFeedback, frame: str) -> Vector:
    """Return the point (3,) under the mouse, of a marker's place where RViz knows none."""
    return _read(message, frame,
                 message.mouse_point if message.mouse_point_valid else message.pose.position)


def read_held(message: InteractiveMarkerFeedback, frame: str, pose: Matrix, point: Vector
              ) -> Vector:
    """
    Return where a point of a marker is held, whose frame moves.

    Parameters
    ----------
    message : InteractiveMarkerFeedback
        What RViz says: by how much the marker, which was at the origin of its frame, is moved.
    frame : str
        That frame.
    pose : Matrix
        (4, 4) of the frame in the world at that time [m].
    point : Vector
        (3,) in the frame, where it was grabbed [m].

    Returns
    -------
    Vector
        (3,) in the world [m].

    Raises
    ------
    InvalidValueError
        As ``read_drag``.

    """
    return np.asarray(pose[:3, :3] @ (point + read_drag(message, frame)) + pose[:3, 3])


def _read(message: InteractiveMarkerFeedback, frame: str, point: Point) -> Vector:
    if message.header.frame_id != frame:
        raise InvalidValueError(f"frame_id of '{message.marker_name}'", message.header.frame_id,
                                f'{frame!r}, in which it was offered')
    place = from_point(point)
    if not np.abs(place).max() <= FARTHEST:
        raise InvalidValueError(f"place of '{message.marker_name}'", place.tolist(),
                                f'numbers from {-FARTHEST:g} to {FARTHEST:g}')
    return place
