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


"""In which frame motions of links are given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.quantities.kinematics import LinkMotion
from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.stacks.stacks import apply, cross_matrices

Array = NDArray[np.float64]
WORLD_ALIGNED = 'world_aligned'
FRAMES = (WORLD_ALIGNED, 'local', 'world')
"""
In which frame twists are: at the link's origin in world axes, at its origin in its own axes, or of
the point at the world's origin in world axes.
"""


def require_frame(frame: str) -> None:
    """Raise InvalidValueError if there is no such frame."""
    if frame not in FRAMES:
        raise InvalidValueError('frame', frame, ', '.join(f"'{name}'" for name in FRAMES))


def in_frame(found: LinkMotion, frame: str) -> tuple[Array, Array]:
    """Return velocity and classical acceleration of a link in a frame."""
    velocity, acceleration = found.velocity, found.acceleration
    if frame == WORLD_ALIGNED:
        return velocity, acceleration
    matrix, _ = transform(frame, found)
    velocity, acceleration = apply(matrix, velocity), apply(matrix, acceleration)
    if frame == 'world':   # from the link's origin to the world's
        turning = cross_matrices(velocity[..., 3:])
        acceleration[..., :3] -= apply(turning @ turning, found.pose[..., :3, 3])
    return velocity, acceleration


def transform(frame: str, link: LinkMotion) -> tuple[Array, Array]:
    """Return X (..., 6, 6), which takes a link's twist to a frame but world_aligned; its rate."""
    matrix = np.zeros((*link.pose.shape[:-2], 6, 6))
    rate = np.zeros_like(matrix)
    linear, angular = slice(3), slice(3, 6)
    if frame == 'world':
        matrix[...] = np.eye(6)
        matrix[..., linear, angular] = cross_matrices(link.pose[..., :3, 3])
        rate[..., linear, angular] = cross_matrices(link.velocity[..., linear])
        return matrix, rate
    turn = link.pose[..., :3, :3].swapaxes(-1, -2)
    for part in (linear, angular):
        matrix[..., part, part] = turn
        rate[..., part, part] = -turn @ cross_matrices(link.velocity[..., angular])
    return matrix, rate
