"""Poses of frames in files."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from transforms3d.quaternions import quat2mat

from mbd_ros.description.mechanism import Matrix3, Pose, Vector3
from mbd_ros.description.numbers import read_numbers
from mbd_ros.description.report import owner, Report

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
    if element.get('rpy') is not None:
        raise report.error(f'{owner(element)}<origin> gives rpy and quat_xyzw; allowed: one of '
                           'them', source)
    quaternion = read_numbers(element, 'quat_xyzw', 4, report)
    length = float(np.linalg.norm(quaternion))
    if length == 0.0:
        raise report.error(f'{owner(element)}quat_xyzw of <origin> is zero; allowed: a unit '
                           'quaternion x y z w', source)
    if abs(length - 1.0) > 1e-6:
        report.remark('warning', f'{owner(element)}quat_xyzw of <origin> has the length '
                      f'{length:.6g}; it is scaled to 1', source)
    x, y, z, w = quaternion
    return matrix3(clean(quat2mat((w, x, y, z))))


def matrix3(array: Array) -> Matrix3:
    """Return a (3, 3) array as rows of floats."""
    first, second, third = (_row(row) for row in array.tolist())
    return first, second, third


def _row(row: list[float]) -> Vector3:
    x, y, z = row
    return x, y, z
