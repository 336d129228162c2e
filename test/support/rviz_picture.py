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

"""What RViz shows, as a picture from its camera: to be looked at, by whoever has no RViz."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from rviz_camera import Camera, SIZE
from rviz_shapes import Line
from rviz_urdf import Solid

BACKGROUND = (248, 249, 251)   # of the configuration
LIGHT = np.array([0.3, -0.4, 0.87])
LARGEST = 20_000   # triangles; of finer meshes some are left out


def draw(solids: Sequence[Solid], lines: Sequence[Line], camera: Camera, file: Path) -> None:
    """Draw a scene into a PNG, what is farther first."""
    pieces: list[tuple[float, Any, tuple[int, ...]]] = []
    for solid in solids:
        triangles = solid.triangles()
        triangles = triangles[::max(1, len(triangles) // LARGEST)]
        assert np.isfinite(triangles).all()
        places, depth = camera.seen(triangles)
        places, depth = places.reshape(-1, 3, 2), depth.reshape(-1, 3).mean(axis=1)
        normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        lengths = np.linalg.norm(normals, axis=1)
        facing = np.einsum('ij,ij->i', normals, camera.eye - triangles[:, 0]) > 0.0
        bright = 0.55 + 0.45 * np.abs(normals @ LIGHT) / np.where(lengths > 0.0, lengths, 1.0)
        for k in np.flatnonzero(facing & np.isfinite(places).all(axis=(1, 2))):
            pieces.append((depth[k], places[k], shade(solid.color, bright[k])))
    for line in lines:
        assert np.isfinite(line.points).all()
        places, depth = camera.seen(line.points)
        for k in range(len(places) - 1):
            if np.isfinite(places[k:k + 2]).all():
                pieces.append((depth[k:k + 2].mean(), places[k:k + 2], shade(line.color, 1.0)))
    assert pieces, 'nothing to draw'
    picture = Image.new('RGB', SIZE, BACKGROUND)
    pen = ImageDraw.Draw(picture, 'RGBA')
    for _, places, color in sorted(pieces, key=lambda piece: -piece[0]):
        corners = [tuple(place) for place in places]
        if len(corners) == 3:
            pen.polygon(corners, fill=color)
        else:
            pen.line(corners, fill=color, width=2)
    file.parent.mkdir(parents=True, exist_ok=True)
    picture.save(file)


def shade(color: Sequence[float], bright: float) -> tuple[int, ...]:
    """Return a colour with an opacity, as of ``Solid``, in whole numbers."""
    return (*(round(255.0 * min(1.0, part * bright)) for part in color[:3]),
            round(255.0 * color[3]))
