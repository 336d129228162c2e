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

"""Loops whose bodies move in planes, from the axes of their joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.model.joints.joint_type import JointType
from mbd_ros.model.loops import branches, Loop
from mbd_ros.model.model import Model

Array = NDArray[np.float64]


class Plane(NamedTuple):
    """
    The plane of a loop.

    Attributes
    ----------
    normal : array
        (3,) in the axes of the junction.
    lean : float
        Sine of the largest angle by which an axis of a joint leaves what a planar loop asks:
        parallel to the normal where it turns, across it where it slides.
    cut : float
        The same of the z axes of the cut.

    """

    normal: Array
    lean: float
    cut: float


def plane_of(model: Model, loop: Loop) -> Plane | None:
    """
    Return the plane of a loop of joints that turn and slide; None for others.

    Axes that are parallel at the zero configuration are so at all, if all of a loop are.

    Parameters
    ----------
    model : Model
        The robot.
    loop : Loop
        One of its loops.

    Returns
    -------
    Plane or None
        The normal is the axis of the first joint that turns; None if there is none, or if a joint
        has several axes.

    """
    turns, slides, cut = [], [], []
    for frame, way in zip((loop.frame1, loop.frame2), branches(loop, model.parents)):
        axes = np.eye(3)
        for body in reversed(way):
            axes = axes @ model.rotations[body]
            if model.joint_types[body] is JointType.REVOLUTE:
                turns.append(axes[:, 2])
            elif model.joint_types[body] is JointType.PRISMATIC:
                slides.append(axes[:, 2])
            else:
                return None
        cut.append(axes @ frame.rotation[:, 2])
    if not turns:
        return None
    normal = turns[0]
    across = np.abs(np.reshape(slides, (-1, 3)) @ normal)
    return Plane(normal, float(max(_sines(turns, normal).max(), across.max(initial=0.0))),
                 float(_sines(cut, normal).max()))


def _sines(axes: list[Array], normal: Array) -> Array:
    """Return the sines of the angles between axes and a normal."""
    sines: Array = np.linalg.norm(np.cross(axes, normal), axis=1)
    return sines
