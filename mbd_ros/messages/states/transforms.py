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

"""Joints with several coordinates (floating, spherical, planar) as transforms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from geometry_msgs.msg import TransformStamped
import numpy as np
from numpy.typing import NDArray
from transforms3d.affines import compose
from transforms3d.quaternions import quat2mat

from mbd_ros.messages.fields.times import to_stamp
from mbd_ros.model import Model
from mbd_ros.model.joints.joint_poses import posed_joints

Vector = NDArray[np.float64]
Array = NDArray[np.float64]


def joint_transforms(model: Model, nanoseconds: int, q: Vector, world: str
                     ) -> list[TransformStamped]:
    """
    Return the transforms of the joints of a model that have several coordinates.

    Parameters
    ----------
    model : Model
        The robot.
    nanoseconds : int
        Time of the state.
    q : Vector
        (nq,).
    world : str
        Frame in which a floating base is given.

    Returns
    -------
    list of TransformStamped
        One for each joint, from the link it hangs on to the link it moves.

    """
    transforms = []
    for joint in posed_joints(model):
        transform = TransformStamped()
        transform.header.stamp = to_stamp(nanoseconds)
        transform.header.frame_id = joint.parent or world
        transform.child_frame_id = joint.child
        shift, turn = transform.transform.translation, transform.transform.rotation
        (shift.x, shift.y, shift.z), (turn.x, turn.y, turn.z, turn.w) = joint.pose(q)
        transforms.append(transform)
    return transforms


def put_joints(model: Model, transforms: Iterable[TransformStamped], q: Vector) -> None:
    """
    Put the transforms of joints with several coordinates into a configuration.

    Parameters
    ----------
    model : Model
        The robot.
    transforms : iterable of TransformStamped
        Any; those of other links are passed over.
    q : Vector
        (nq,), changed.

    """
    joints = {joint.child: joint for joint in posed_joints(model)}
    for transform in transforms:
        joint = joints.get(transform.child_frame_id)
        if joint is not None:
            shift, turn = transform.transform.translation, transform.transform.rotation
            q[joint.joint.q] = joint.coordinates(
                ((shift.x, shift.y, shift.z), (turn.x, turn.y, turn.z, turn.w)))


def pose_of(transforms: Iterable[TransformStamped], link: str) -> Array | None:
    """Return the newest pose (4, 4) of a link among transforms, None if it is not there."""
    found = None
    for transform in transforms:
        if transform.child_frame_id == link:
            shift, turn = transform.transform.translation, transform.transform.rotation
            found = compose((shift.x, shift.y, shift.z),
                            quat2mat((turn.w, turn.x, turn.y, turn.z)), np.ones(3))
    return found


def poses_in_world(poses: Mapping[str, Array], root: Array | None) -> Mapping[str, Array]:
    """Return poses (4, 4) of links in the world, given in a root link that is at a pose there."""
    return poses if root is None else {link: root @ pose for link, pose in poses.items()}
