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

"""Extent of the shapes of a robot, for a camera that shows all of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.urdf.visuals import Shape

Matrix = NDArray[np.float64]

SMALLEST = 0.1
"""Radius of the smallest ball [m]."""


def enclosing_ball(shapes: Iterable[Shape], poses: Mapping[str, Matrix], points: Matrix,
                   ) -> tuple[Matrix, float]:
    """
    Return a ball that holds a robot and some points; meshes count as points.

    Parameters
    ----------
    shapes : iterable of Shape
        The robot; shapes of links without a pose are passed over.
    poses : mapping of str to (4, 4) array
        Links in the world.
    points : (n, 3) array
        The points, in the world [m].

    Returns
    -------
    (3,) array
        Centre, in the world [m].
    float
        Radius [m], at least ``SMALLEST``.

    """
    centers, reaches = [np.zeros(3), *points], [0.0] * (1 + len(points))
    for shape in shapes:
        if shape.link in poses:
            centers.append((poses[shape.link] @ shape.pose)[:3, 3])
            reaches.append(_reach(shape))
    places = np.array(centers)
    middle = 0.5 * (places.min(axis=0) + places.max(axis=0))
    ends = np.linalg.norm(places - middle, axis=1) + np.array(reaches)
    return middle, max(float(ends.max()), SMALLEST)


def lowest_height(shapes: Iterable[Shape], poses: Mapping[str, Matrix], points: Matrix) -> float:
    """
    Return how high a robot and some points begin above the world's origin.

    Parameters
    ----------
    shapes, poses, points
        As in ``enclosing_ball``.

    Returns
    -------
    float
        Height of what is lowest [m], or 0 if nothing is below the origin.

    """
    heights = [0.0, *points[:, 2].tolist()]
    for shape in shapes:
        if shape.link in poses:
            pose = poses[shape.link] @ shape.pose
            heights.append(float(pose[2, 3]) - _half_height(shape, pose[2, :3]))
    return min(heights)


def _reach(shape: Shape) -> float:
    """Return how far a shape reaches from its centre [m]."""
    if shape.kind == 'mesh':
        return 0.0
    if shape.kind == 'sphere':
        return shape.size[0]
    if shape.kind == 'box':
        return 0.5 * float(np.linalg.norm(shape.size))
    radius, length = shape.size
    return radius + 0.5 * length if shape.kind == 'capsule' else float(
        np.hypot(radius, 0.5 * length))


def _half_height(shape: Shape, up: Matrix) -> float:
    """Return how far a shape reaches below its centre [m], ``up`` (3,) in its own axes."""
    if shape.kind == 'mesh':
        return 0.0
    if shape.kind == 'box':
        return 0.5 * float(np.abs(up) @ np.array(shape.size))
    if shape.kind == 'sphere':
        return shape.size[0]
    radius, length = shape.size
    rim = radius if shape.kind == 'capsule' else radius * float(np.hypot(up[0], up[1]))
    return rim + 0.5 * length * abs(float(up[2]))
