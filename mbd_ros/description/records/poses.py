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

"""Poses of frames in files."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, hypot, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transforms3d.euler import euler2mat
from transforms3d.quaternions import quat2mat

from mbd_ros.description.records.mechanism import Matrix3, Pose, Vector3
from mbd_ros.description.records.numbers import read_numbers
from mbd_ros.description.records.report import owner, Report, tag_name

Array = NDArray[np.float64]

ROUNDING = 1e-15
"""An entry of a rotation matrix this close to 0, 1 or -1 differs from it by rounding only."""


def clean(rotation: Array) -> Array:
    """
    Return a rotation matrix whose entries within rounding of 0, 1 and -1 are exactly those.

    Files give right angles in decimals, so cos(pi/2) comes out as 6e-17; the exact zero lets the
    compiled equations leave the term out.
    """
    nearest = np.rint(rotation)
    return np.where(np.abs(rotation - nearest) < ROUNDING, nearest, rotation) + 0.0


def read_pose(element: Any, matrix: Array | None, report: Report) -> Pose:
    """
    Return the pose that an ``<origin>`` gives.

    Parameters
    ----------
    element : lxml element or None
        The ``<origin>``, if there is one.
    matrix : (4, 4) array or None
        What was read from its ``xyz`` and ``rpy``.
    report : Report
        Takes the findings.

    Returns
    -------
    Pose
        The identity where there is no origin.

    Raises
    ------
    DescriptionError
        If the orientation is given twice, or by a quaternion of zeros.

    """
    if element is None or matrix is None:
        return Pose()
    x, y, z = (matrix[:3, 3] + 0.0).tolist()
    if element.get('quat_xyzw') is None:
        return Pose(matrix3(clean(matrix[:3, :3])), (x, y, z))
    return Pose(_read_quaternion(element, report), (x, y, z))


def _read_quaternion(element: Any, report: Report) -> Matrix3:
    source = report.source(element)
    tag = tag_name(element)
    if element.get('rpy') is not None:
        raise report.error(f'{owner(element)}<{tag}> gives rpy and quat_xyzw; allowed: one of '
                           'them', source)
    quaternion = read_numbers(element, 'quat_xyzw', 4, report)
    length = hypot(*quaternion)
    if length == 0.0:
        raise report.error(f'{owner(element)}quat_xyzw of <{tag}> is zero; allowed: a unit '
                           'quaternion x y z w', source)
    if abs(length - 1.0) > 1e-6:
        report.remark('warning', f'{owner(element)}quat_xyzw of <{tag}> has the length '
                      f'{length:.6g}; it is scaled to 1', source)
    x, y, z, w = (part / length for part in quaternion)
    return matrix3(clean(quat2mat((w, x, y, z))))


def pose_of(xyz: Sequence[float], rpy: Sequence[float]) -> Pose:
    """Return the pose of a translation [m] and of roll, pitch and yaw about fixed axes [rad]."""
    x, y, z = xyz
    roll, pitch, yaw = rpy
    return Pose(matrix3(clean(euler2mat(roll, pitch, yaw, axes='sxyz'))), (x, y, z))


def read_placement(element: Any, report: Report) -> Pose:
    """Return the pose in an element's attributes ``xyz``, and ``rpy`` or ``quat_xyzw``."""
    xyz, rpy = (read_numbers(element, name, 3, report) if element.get(name) is not None
                else (0.0, 0.0, 0.0) for name in ('xyz', 'rpy'))
    pose = pose_of(xyz, rpy)
    if element.get('quat_xyzw') is None:
        return pose
    return Pose(_read_quaternion(element, report), pose.translation)


def roll_pitch_yaw(rotation: Matrix3) -> Vector3:
    """
    Return the angles about fixed axes x, y, z [rad] that give a rotation, to rounding everywhere.

    Near a pitch of 90 degrees roll and yaw are only known together: yaw is taken from what is left
    of the rotation once the roll is undone, so that the three give the same matrix.
    """
    (_, r01, r02), (_, r11, r12), (r20, r21, r22) = rotation
    roll = atan2(r21, r22)
    c, s = cos(roll), sin(roll)
    yaw = atan2(s * r02 - c * r01, c * r11 - s * r12)
    return roll, atan2(-r20, hypot(r21, r22)), yaw


def matrix_of(pose: Pose) -> Array:
    """Return a pose as a homogeneous matrix (4, 4)."""
    matrix = np.eye(4)
    matrix[:3, :3] = pose.rotation
    matrix[:3, 3] = pose.translation
    return matrix


def pose_from(matrix: Array) -> Pose:
    """Return the pose that a homogeneous matrix (4, 4) gives."""
    x, y, z = (matrix[:3, 3] + 0.0).tolist()
    return Pose(matrix3(clean(matrix[:3, :3])), (x, y, z))


def inverse(matrix: Array) -> Array:
    """Return the inverse of a homogeneous matrix (4, 4)."""
    turned = np.eye(4)
    turned[:3, :3] = matrix[:3, :3].T
    turned[:3, 3] = -matrix[:3, :3].T @ matrix[:3, 3]
    return turned


def matrix3(array: Array) -> Matrix3:
    """Return a (3, 3) array as rows of floats."""
    first, second, third = (_row(row) for row in array.tolist())
    return first, second, third


def _row(row: list[float]) -> Vector3:
    x, y, z = row
    return x, y, z
