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

"""Poses in MJCF: a position, and an orientation in one of five ways."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from transforms3d.axangles import axangle2mat
from transforms3d.quaternions import quat2mat

from mbd_ros.description.mjcf.document import Item
from mbd_ros.description.records.poses import clean

Array = NDArray[np.float64]

_WAYS = ('quat', 'axisangle', 'euler', 'xyaxes', 'zaxis')


def read_pose(item: Item) -> Array:
    """
    Return the pose of an element in its parent's frame, homogeneous (4, 4).

    Raises
    ------
    DescriptionError
        If the orientation is given twice or means nothing.

    """
    matrix = np.eye(4)
    matrix[:3, :3] = read_rotation(item)
    position = item.numbers('pos', 3)
    if position is not None:
        matrix[:3, 3] = position
    return matrix


def read_rotation(item: Item) -> Array:
    """Return the orientation of an element (3, 3)."""
    given = [way for way in _WAYS if way in item.element.attrib] or [
        way for way in _WAYS if way in item.values]
    if not given:
        return np.eye(3)
    if len(given) > 1:
        raise _error(item, f'has {" and ".join(given)}; allowed: one of them')
    way, angle = given[0], item.document.settings.angle
    if way == 'quat':
        return rotation_of(item, item.numbers('quat', 4) or ())
    if way == 'axisangle':
        *axis, turn = item.numbers('axisangle', 4) or ()
        return clean(axangle2mat(_unit(item, way, np.array(axis)), turn * angle))
    if way == 'euler':
        return euler(item, np.array(item.numbers('euler', 3)))
    if way == 'xyaxes':
        values = np.array(item.numbers('xyaxes', 6))
        x = _unit(item, way, values[:3])
        y = _unit(item, way, values[3:] - (x @ values[3:]) * x)
        return clean(np.column_stack((x, y, np.cross(x, y))))
    return turn_z_to(_unit(item, way, np.array(item.numbers('zaxis', 3))))


def rotation_of(item: Item, quaternion: tuple[float, ...]) -> Array:
    """Return the rotation of a quaternion w x y z."""
    if not any(quaternion):
        raise _error(item, 'has a quaternion of zeros; allowed: w x y z')
    return clean(quat2mat(quaternion))


def turn_z_to(axis: Array) -> Array:
    """Return the smallest rotation that takes the z axis to a unit vector."""
    across = np.array([-axis[1], axis[0], 0.0])
    length = float(np.linalg.norm(across))
    if length < 1e-10:
        return np.diag([1.0, 1.0, 1.0]) if axis[2] > 0.0 else np.diag([1.0, -1.0, -1.0])
    return clean(axangle2mat(across / length, float(np.arctan2(length, axis[2]))))


def euler(item: Item, angles: Array) -> Array:
    """Return three turns in a row: about turned axes from the right, about fixed from the left."""
    unit = item.document.settings.angle
    total = np.eye(3)
    for letter, angle in zip(item.document.settings.sequence, angles):
        turn = axangle2mat(np.eye(3)['xyz'.index(letter.lower())], angle * unit)
        total = total @ turn if letter.islower() else turn @ total
    return clean(total)


def _unit(item: Item, way: str, vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    if length < 1e-12:
        raise _error(item, f'has a direction of length 0 in {way}')
    return vector / length


def _error(item: Item, message: str) -> Exception:
    return item.document.error(item.element, f'{item.called()} {message}')
