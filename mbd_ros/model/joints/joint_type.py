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

"""The joint types of a model."""

from __future__ import annotations

from enum import Enum

from mbd_ros.spatial import Floating, Joint, Planar, Prismatic, Revolute, Spherical


class JointType(str, Enum):
    """
    How a body moves against its parent; ``spatial/joints.py`` says what its coordinates are.

    Revolute joints turn about, prismatic joints slide along the z axis of the body's frame, which
    is the normal of the plane of a planar joint. URDF's ``continuous`` becomes ``REVOLUTE``
    without position limits, ``fixed`` is merged away.
    """

    REVOLUTE = 'revolute'
    PRISMATIC = 'prismatic'
    FLOATING = 'floating'
    SPHERICAL = 'spherical'
    PLANAR = 'planar'

    @property
    def pair(self) -> type[Joint]:
        """Return the kinematic pair."""
        return _PAIRS[self]

    @property
    def nq(self) -> int:
        """Return the number of configuration coordinates."""
        return _PAIRS[self].nq

    @property
    def nv(self) -> int:
        """Return the number of velocity coordinates."""
        return _PAIRS[self].nv

    @property
    def is_simple(self) -> bool:
        """Return whether it has one coordinate, a number: an angle or a distance."""
        return _PAIRS[self].nq == 1


_PAIRS: dict[JointType, type[Joint]] = {
    JointType.REVOLUTE: Revolute, JointType.PRISMATIC: Prismatic, JointType.FLOATING: Floating,
    JointType.SPHERICAL: Spherical, JointType.PLANAR: Planar}
