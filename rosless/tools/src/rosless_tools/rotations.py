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

"""Rotations as angles and as matrices, for people to read."""

from __future__ import annotations

import math

from rosless_tools.geometry import Quaternion
from rosless_tools.geometry import rotate

Angles = tuple[float, float, float]


def from_rpy(roll: float, pitch: float, yaw: float) -> Quaternion:
    """Return the rotation by roll, pitch and yaw [rad] about the fixed axes x, y and z."""
    cr, sr = math.cos(roll / 2), math.sin(roll / 2)
    cp, sp = math.cos(pitch / 2), math.sin(pitch / 2)
    cy, sy = math.cos(yaw / 2), math.sin(yaw / 2)
    return (sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy)


def to_rpy(q: Quaternion) -> Angles:
    """Return roll, pitch and yaw [rad]; at a pitch of a quarter turn yaw takes all the rest."""
    (a, d, g), (b, e, h), (_, _, i) = columns(q)
    pitch = math.asin(max(-1.0, min(1.0, -g)))
    if abs(g) > 1.0 - 1e-12:
        return 0.0, pitch, math.atan2(-b, e)
    return math.atan2(h, i), pitch, math.atan2(d, a)


def columns(q: Quaternion) -> tuple[Angles, Angles, Angles]:
    """Return the axes of the rotated frame."""
    return (rotate(q, (1.0, 0.0, 0.0)), rotate(q, (0.0, 1.0, 0.0)), rotate(q, (0.0, 0.0, 1.0)))
