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

"""
Rotations, 6-D vectors, inertias and joints in scalar-generic form; this room knows no robot.

Every record is a ``NamedTuple`` of scalars or records. A scalar is a Python float or a traced
symbol (``mbd_ros.execution.ir.trace``), so that one text serves every executor.

"""

from mbd_ros.spatial.inertia import ArticulatedInertia, MomentsOfFlow, RigidInertia
from mbd_ros.spatial.joints import (
    Floating, Joint, Planar, Prismatic, Revolute, Spherical)
from mbd_ros.spatial.link import Link
from mbd_ros.spatial.motion import Twist, Wrench, ZERO_TWIST, ZERO_WRENCH
from mbd_ros.spatial.rotation import IDENTITY, Rotation
from mbd_ros.spatial.symmetric import Symmetric3
from mbd_ros.spatial.vector import (
    absolute, cosine, inverse_above, larger, or_infinite, or_nan, positive_part, root, Scalar,
    sine, step, tanh, Vector3, ZERO3)

__all__ = [
    'IDENTITY', 'ZERO3', 'ZERO_TWIST', 'ZERO_WRENCH', 'ArticulatedInertia', 'Floating', 'Joint',
    'Link', 'MomentsOfFlow', 'Planar', 'Prismatic', 'Revolute', 'RigidInertia', 'Rotation',
    'Scalar', 'Spherical', 'Symmetric3', 'Twist', 'Vector3', 'Wrench',
    'absolute', 'cosine', 'inverse_above', 'larger', 'or_infinite', 'or_nan', 'positive_part',
    'root', 'sine', 'step', 'tanh',
]
