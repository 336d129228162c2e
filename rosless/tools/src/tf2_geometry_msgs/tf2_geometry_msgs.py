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

"""Apply transforms to messages of geometry_msgs."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import PointStamped
from geometry_msgs.msg import Pose
from geometry_msgs.msg import PoseStamped
from geometry_msgs.msg import PoseWithCovarianceStamped
from geometry_msgs.msg import TransformStamped
from geometry_msgs.msg import Vector3Stamped
import numpy as np
from rosless_tools.geometry import compose
from rosless_tools.geometry import Displacement
from rosless_tools.geometry import rotate
import tf2_ros


def to_msg_msg(msg: Any) -> Any:
    """Return the message itself."""
    return msg


def from_msg_msg(msg: Any) -> Any:
    """Return the message itself."""
    return msg


def do_transform_point(point: PointStamped, transform: TransformStamped) -> PointStamped:
    """
    Return a point in the frame that a transform leads to.

    Parameters
    ----------
    point : PointStamped
        Point [m] in the frame ``transform.child_frame_id``.
    transform : TransformStamped
        Place of that frame in ``transform.header.frame_id``.

    """
    p = point.point
    moved = compose(_displacement(transform), ((p.x, p.y, p.z), (0.0, 0.0, 0.0, 1.0)))
    result = PointStamped(header=transform.header)
    result.point.x, result.point.y, result.point.z = moved[0]
    return result


def do_transform_vector3(vector3: Vector3Stamped, transform: TransformStamped) -> Vector3Stamped:
    """Return a free vector in the frame that a transform leads to: it is only turned."""
    v = vector3.vector
    result = Vector3Stamped(header=transform.header)
    result.vector.x, result.vector.y, result.vector.z = rotate(
        _displacement(transform)[1], (v.x, v.y, v.z))
    return result


def do_transform_pose(pose: Pose, transform: TransformStamped) -> Pose:
    """Return a pose in the frame that a transform leads to."""
    p, q = pose.position, pose.orientation
    moved = compose(_displacement(transform), ((p.x, p.y, p.z), (q.x, q.y, q.z, q.w)))
    result = Pose()
    result.position.x, result.position.y, result.position.z = moved[0]
    (result.orientation.x, result.orientation.y, result.orientation.z,
     result.orientation.w) = moved[1]
    return result


def do_transform_pose_stamped(pose: PoseStamped, transform: TransformStamped) -> PoseStamped:
    """Return a pose with a header in the frame that a transform leads to."""
    return PoseStamped(header=transform.header, pose=do_transform_pose(pose.pose, transform))


def transform_covariance(cov_in: Any, transform: TransformStamped) -> Any:
    """
    Return a covariance in the frame that a transform leads to.

    Parameters
    ----------
    cov_in : sequence of 36 numbers
        Covariance of position and rotation about the fixed axes, row by row.
    transform : TransformStamped
        Only its rotation matters.

    Returns
    -------
    ndarray, shape (36,)
        ``diag(R, R) C diag(R, R)^T``.

    """
    turn = _displacement(transform)[1]
    rotation = np.array([rotate(turn, axis) for axis in (
        (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]).T
    both = np.kron(np.eye(2), rotation)
    return (both @ np.reshape(cov_in, (6, 6)) @ both.T).ravel()


def do_transform_pose_with_covariance_stamped(
    pose: PoseWithCovarianceStamped, transform: TransformStamped,
) -> PoseWithCovarianceStamped:
    """Return a pose with its covariance in the frame that a transform leads to."""
    result = PoseWithCovarianceStamped(header=transform.header)
    result.pose.pose = do_transform_pose(pose.pose.pose, transform)
    result.pose.covariance = transform_covariance(pose.pose.covariance, transform)
    return result


def _displacement(transform: TransformStamped) -> Displacement:
    t, q = transform.transform.translation, transform.transform.rotation
    return (t.x, t.y, t.z), (q.x, q.y, q.z, q.w)


for _type, _function in (
        (PointStamped, do_transform_point), (Vector3Stamped, do_transform_vector3),
        (PoseStamped, do_transform_pose_stamped),
        (PoseWithCovarianceStamped, do_transform_pose_with_covariance_stamped)):
    tf2_ros.TransformRegistration().add(_type, _function)
    tf2_ros.ConvertRegistration().add_to_msg(_type, to_msg_msg)
    tf2_ros.ConvertRegistration().add_from_msg(_type, from_msg_msg)
