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

"""A line in space as a tube, so that a line inside it stays visible."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

SIDES = 8


def tube(points: NDArray[np.float64], radius: float) -> tuple[
        NDArray[np.float32], NDArray[np.uint32]]:
    """
    Return a tube around a line.

    Parameters
    ----------
    points : (n, 3) array
        The line [m], n > 1; closed if it ends where it begins.
    radius : float
        Radius of the tube [m].

    Returns
    -------
    (8 n, 3) array
        Vertices.
    (16 (n - 1), 3) array
        Triangles, as indices of vertices.

    """
    tangents = np.gradient(points, axis=0)
    if np.allclose(points[0], points[-1]):
        tangents[0] = tangents[-1] = points[1] - points[-2]
    lengths = np.linalg.norm(tangents, axis=1, keepdims=True)
    tangents = np.divide(tangents, lengths, out=np.tile([0.0, 0.0, 1.0], (len(points), 1)),
                         where=lengths > 0.0)
    across = np.eye(3)[int(np.argmin(np.abs(tangents).sum(axis=0)))]
    vertices = np.empty((len(points), SIDES, 3), dtype=np.float32)
    angles = [2.0 * math.pi * side / SIDES for side in range(SIDES)]
    for index, (point, tangent) in enumerate(zip(points, tangents)):
        across = across - tangent * (across @ tangent)   # carried along, so that it never twists
        across /= np.linalg.norm(across) or 1.0
        other = np.cross(tangent, across)
        vertices[index] = [point + radius * (math.cos(a) * across + math.sin(a) * other)
                           for a in angles]
    ring = np.arange(SIDES)
    here = ring + SIDES * np.arange(len(points) - 1)[:, None]
    turned = (ring + 1) % SIDES + SIDES * np.arange(len(points) - 1)[:, None]
    faces = np.stack((here, here + SIDES, turned, turned, here + SIDES, turned + SIDES), axis=-1)
    return vertices.reshape(-1, 3), faces.reshape(-1, 3).astype(np.uint32)
