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

"""A picture of what RViz would show, where matplotlib is, an extra of the tests."""

from __future__ import annotations

from collections.abc import Sequence
import importlib.util
from pathlib import Path

import numpy as np
from rviz_shapes import Line
from rviz_urdf import Solid

SIZE, DPI = (7.0, 6.0), 100


def draw(solids: Sequence[Solid], lines: Sequence[Line], file: Path, title: str) -> None:
    """Draw a scene into a PNG."""
    if importlib.util.find_spec('matplotlib') is None:
        return
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection
    figure = Figure(figsize=SIZE, dpi=DPI)
    axes = figure.add_subplot(projection='3d')
    points = [np.zeros((0, 3))]
    for solid in solids:
        triangles = solid.triangles()
        points.append(triangles.reshape(-1, 3))
        axes.add_collection3d(Poly3DCollection(
            triangles, facecolors=[solid.color], shade=True))
    for line in lines:
        points.append(line.points)
        axes.add_collection3d(Line3DCollection([line.points], colors=[line.color], linewidths=2))
    drawn = np.concatenate(points)
    assert len(drawn), 'nothing to draw'
    assert np.isfinite(drawn).all()
    low, high = drawn.min(axis=0), drawn.max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * (high - low).max() + 1e-3
    axes.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half),
             zlim=(middle[2] - half, middle[2] + half), xlabel='x', ylabel='y', zlabel='z',
             title=title)
    axes.set_box_aspect((1, 1, 1))
    axes.view_init(25.0, -60.0)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file)
