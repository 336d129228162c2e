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

r"""
The shape of the ground: a plane, or heights on a grid.

With (u, v) the place of a point on the grid, in cells, and ``hat(s) = max(0, 1 - |s|)``::

    h(x, y) = sum_ij h_ij hat(u - i) hat(v - j)        bilinear
    g(x, y) likewise of the slopes at the points of the grid, by central differences
    n = (-g_x, -g_y, 1) / |...|                         so that it does not jump between cells

A step of a sweep does not branch on values nor look things up: the sum is over all points, which
is why there are not many.

"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.spatial import absolute, positive_part, root, Scalar, Vector3

LARGEST = 1024
"""Points of a grid: a foot costs some nanoseconds for each of them, at each call."""


class Plane(NamedTuple):
    """The ground: its normal in world axes, and the height h of its surface along it [m]."""

    normal: Vector3 = Vector3(0.0, 0.0, 1.0)
    height: Scalar = 0.0

    def below(self, center: Vector3) -> Plane:
        """Return the plane below a place, this one everywhere."""
        return self


class Relief(NamedTuple):
    """
    The ground as heights on a grid.

    Attributes
    ----------
    origin : tuple of float
        x and y of the first point [m].
    cells : tuple of float
        Cells per metre along x and y [1/m].
    heights, slopes_x, slopes_y : tuple of tuple of float
        At each point, rows along x: [m], and the slopes there.

    """

    origin: tuple[Scalar, ...]
    cells: tuple[Scalar, ...]
    heights: tuple[tuple[Scalar, ...], ...]
    slopes_x: tuple[tuple[Scalar, ...], ...]
    slopes_y: tuple[tuple[Scalar, ...], ...]

    def below(self, center: Vector3) -> Plane:
        """Return the plane through the surface below a place, normal to it there."""
        in_x, in_y = (_hats((x - x0) * cells, count) for x, x0, cells, count in zip(
            center[:2], self.origin, self.cells, (len(self.heights), len(self.heights[0]))))
        height, slope_x, slope_y = (_weighted([_weighted(row, in_y) for row in table], in_x)
                                    for table in self[2:])
        steep = 1.0 / root(slope_x * slope_x + slope_y * slope_y + 1.0)
        normal = Vector3(slope_x * steep * -1.0, slope_y * steep * -1.0, steep)
        return Plane(normal, normal.dot(Vector3(center.x, center.y, height)))


def relief(heights: NDArray[np.float64], spacing: Sequence[float], origin: Sequence[float]
           ) -> Relief:
    """
    Return the ground of heights on a grid.

    Parameters
    ----------
    heights : array
        (nx, ny) [m].
    spacing, origin : sequence of float
        Along x and y: between points, and of the first [m].

    Returns
    -------
    Relief
        With its slopes.

    """
    slopes = np.gradient(heights, *spacing)
    return Relief(tuple(map(float, origin)), tuple(1.0 / float(one) for one in spacing), *(
        tuple(map(tuple, table.tolist())) for table in (heights, *slopes)))


def _hats(place: Scalar, count: int) -> list[Scalar]:
    """Return how much each of the points counts at a place in cells; beyond, the last."""
    last = float(count - 1)
    within = last - positive_part(last - positive_part(place))
    return [positive_part(1.0 - absolute(within - float(k))) for k in range(count)]


def _weighted(values: Sequence[Any], weights: Sequence[Scalar]) -> Scalar:
    total: Any = 0.0
    for value, weight in zip(values, weights):
        total = total + value * weight
    return total
