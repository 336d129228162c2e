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

"""Fixed joints, and joints with one coordinate, as transforms from link to link."""

from __future__ import annotations

from collections.abc import Iterator

from geometry_msgs.msg import TransformStamped
import numpy as np
from numpy.typing import NDArray

from mbd_ros.messages.fields.times import to_stamp
from mbd_ros.model import JointType, LinkFrame, Model
from mbd_ros.model.rigid_motion import of_matrix

Array = NDArray[np.float64]


def fixed_transforms(model: Model, nanoseconds: int) -> list[TransformStamped]:
    """
    Return the transforms of the fixed joints of a description.

    Parameters
    ----------
    model : Model
        The robot.
    nanoseconds : int
        Time of the message.

    Returns
    -------
    list of TransformStamped
        From parent link to child link.

    """
    return [_transform(joint.parent, joint.child, nanoseconds,
                       _inverse(model.links[joint.parent]) @ _matrix(model.links[joint.child]))
            for joint in model.mechanism.joints if joint.kind == 'fixed']


def simple_transforms(model: Model, nanoseconds: int, q: Array) -> list[TransformStamped]:
    """
    Return the transforms of the joints with one coordinate.

    Parameters
    ----------
    model : Model
        The robot.
    nanoseconds : int
        Time of the state.
    q : array
        (nq,).

    Returns
    -------
    list of TransformStamped
        From parent link to child link.

    """
    return list(_moving(model, nanoseconds, q))


def _moving(model: Model, nanoseconds: int, q: Array) -> Iterator[TransformStamped]:
    parents = {joint.child: joint.parent for joint in model.mechanism.joints}
    for i, (kind, child) in enumerate(zip(model.joint_types, model.body_names)):
        if not kind.is_simple:
            continue
        value = float(q[model.q_offsets[i]])
        motion = np.eye(4)
        if kind is JointType.PRISMATIC:
            motion[2, 3] = value
        else:
            cosine, sine = np.cos(value), np.sin(value)
            motion[:2, :2] = (cosine, -sine), (sine, cosine)
        placement = LinkFrame(model.parents[i], model.rotations[i], model.translations[i])
        yield _transform(parents[child], child, nanoseconds,
                         _inverse(model.links[parents[child]]) @ _matrix(placement) @ motion
                         @ _matrix(model.links[child]))


def _matrix(frame: LinkFrame) -> Array:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = frame.rotation, frame.translation
    return matrix


def _inverse(frame: LinkFrame) -> Array:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = frame.rotation.T, -frame.rotation.T @ frame.translation
    return matrix


def _transform(parent: str, child: str, nanoseconds: int, matrix: Array) -> TransformStamped:
    message = TransformStamped()
    message.header.stamp = to_stamp(nanoseconds)
    message.header.frame_id, message.child_frame_id = parent, child
    shift, turn = message.transform.translation, message.transform.rotation
    shift.x, shift.y, shift.z = matrix[:3, 3].tolist()
    turn.x, turn.y, turn.z, turn.w = of_matrix(matrix[:3, :3].tolist())
    return message
