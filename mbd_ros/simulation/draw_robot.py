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

"""A robot drawn on axes of matplotlib, for notebooks and figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.description.records.budget import reading
from mbd_ros.description.urdf.solids import solid_of
from mbd_ros.description.urdf.visuals import read_visuals
from mbd_ros.description.xml.packages import packages_of
from mbd_ros.dynamics.functions.bent_links import bent_links
from mbd_ros.dynamics.functions.equations_of_motion import link_poses
from mbd_ros.errors import InvalidValueError
from mbd_ros.model.model import Model

Array = NDArray[np.float64]

LAMP = np.array([0.35, -0.5, 0.79])
"""Direction of the light."""
DARKEST = 0.45
"""Brightness of what faces away from it."""
MARGIN = 0.05
"""Around what is drawn, in parts of its largest size."""


@reading()
def draw_robot(axes: Any, model: Model, q: ArrayLike, *, opacity: float = 1.0) -> tuple[str, ...]:
    """
    Draw a robot on 3-D axes of matplotlib, as its description says that it looks.

    The axes show all that was drawn on them by this function, with one scale in all directions;
    several postures can be drawn one after the other. Links that bend are lines along their
    axes.

    Parameters
    ----------
    axes : mpl_toolkits.mplot3d.Axes3D
        Such as ``pyplot.figure().add_subplot(projection='3d')``.
    model : Model
        The robot.
    q : array_like
        (nq,) its posture.
    opacity : float, optional
        From 0 to 1, by which that of each shape is multiplied.

    Returns
    -------
    tuple of str
        A remark for every visual that cannot be drawn.

    Raises
    ------
    InvalidValueError
        If the axes are not 3-D, or the opacity is out of its bounds.

    Examples
    --------
    >>> from matplotlib import pyplot as plt
    >>> import mbd_ros
    >>> model = mbd_ros.load('package://mbd_ros/urdf/puma560.urdf')
    >>> axes = plt.figure().add_subplot(projection='3d')
    >>> mbd_ros.draw_robot(axes, model, mbd_ros.neutral(model))
    ()

    """
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    if not hasattr(axes, 'add_collection3d'):
        raise InvalidValueError('axes', type(axes).__name__,
                                "3-D axes, such as figure.add_subplot(projection='3d')")
    if not 0.0 <= opacity <= 1.0:
        raise InvalidValueError('opacity', opacity, 'a number from 0 to 1')
    poses = link_poses(model, q)
    shapes, remarks = read_visuals(model.mechanism, find_package=packages_of(model.mechanism))
    bent = {name: link for name, link in bent_links(model, q).items() if not link.of_points}
    solids, paints, drawn = [], [], []
    for shape in shapes:
        if shape.link in bent or shape.link not in poses:
            continue
        try:
            solid = solid_of(shape)
        except Exception as error:   # a library that reads files of others may raise anything
            remarks += (f"{shape.file} of link '{shape.link}' is not drawn: {error}",)
            continue
        pose = poses[shape.link] @ shape.pose
        triangles = (solid.vertices @ pose[:3, :3].T + pose[:3, 3])[solid.faces]
        solids.append(triangles)
        paints.append(_lit(triangles, shape.color, opacity))
        drawn.append(triangles.reshape(-1, 3))
    if solids:   # all at once: what is behind what is decided within a collection
        paint = np.concatenate(paints)
        axes.add_collection3d(Poly3DCollection(
            np.concatenate(solids), facecolors=paint, edgecolors=paint, linewidths=0.2))
    for link in bent.values():
        drawn.append(link.points)
        axes.plot(*link.points.T, linewidth=4.0, color='0.45', alpha=opacity,
                  solid_capstyle='round')
    if drawn:
        _fit(axes, np.concatenate(drawn))
    return remarks


def _lit(triangles: Array, color: Sequence[float], opacity: float) -> Array:
    """Return the colours (m, 4) of triangles (m, 3, 3) that a lamp shines on."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    facing = np.divide(normals @ LAMP, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)
    brightness = DARKEST + (1.0 - DARKEST) * 0.5 * (1.0 + facing)
    lit = np.clip(brightness[:, None] * np.asarray(color[:3]), 0.0, 1.0)
    return np.column_stack([lit, np.full(len(lit), opacity * color[3])])


def _fit(axes: Any, points: Array) -> None:
    """Let axes show points (n, 3) and what was fitted before, alike in all directions."""
    low, high = points.min(axis=0), points.max(axis=0)
    before = getattr(axes, '_mbd_ros_bounds', None)
    if before is not None:
        low, high = np.minimum(low, before[0]), np.maximum(high, before[1])
    axes._mbd_ros_bounds = low, high
    half = (0.5 + MARGIN) * max(float((high - low).max()), 1e-6)
    middle = 0.5 * (low + high)
    axes.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half),
             zlim=(middle[2] - half, middle[2] + half))
    axes.set_box_aspect((1, 1, 1))
