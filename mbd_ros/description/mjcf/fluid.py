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
What MuJoCo's medium does to bodies, by ``<option density viscosity>``.

A body is a box with its mass and moments of inertia, of sides b, in its principal axes. With the
mean d of the sides, the density rho and the viscosity mu, the velocity v of its centre and its
angular velocity w, along each axis i, with j and k the two others::

    f_i = -3 pi d mu v_i - rho b_j b_k / 2 |v_i| v_i
    n_i = -pi d^3 mu w_i - rho b_i (b_j^4 + b_k^4) / 64 |w_i| w_i

which is the linear and quadratic drag of a ``FluidBody`` without volume.
"""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.mjcf.document import Document
from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.mechanism import FluidBody, Inertia
from mbd_ros.description.records.poses import pose_from

Array = NDArray[np.float64]
SMALLEST = 1e-15
"""Least mass [kg] of bodies on which the medium acts, and least of what sides are roots of."""
ALIKE = 1e-6
"""Moments that differ less, relatively, leave their axes to the program that looks for them."""


def drag_of(link: str, inertia: Inertia | None, axes: Array | None, ellipsoid: bool,
            document: Document, source: Source) -> FluidBody | None:
    """
    Return what the medium does to a body.

    Parameters
    ----------
    link : str
        Its name.
    inertia : Inertia, optional
        Its own.
    axes : array, optional
        (4, 4) the frame of its principal axes where the file gives them.
    ellipsoid : bool
        Whether a geom of it has ``fluidshape="ellipsoid"``.
    document : Document
        With the settings.
    source : Source
        Where it was written.

    Returns
    -------
    FluidBody or None
        None where there is no medium, or no mass.

    Raises
    ------
    UnsupportedError
        If it is another model of the medium, unless that is to be ignored.

    """
    settings = document.settings
    if not (settings.density or settings.viscosity) or inertia is None or (
            inertia.mass < SMALLEST):
        return None
    if ellipsoid:
        document.report.leave_out('fluid', f"fluidshape=\"ellipsoid\" of a geom of body '{link}'",
                                  source)
        return None
    tensor = np.array(inertia.tensor)
    turn = np.linalg.eigh(tensor)[1] if axes is None else axes[:3, :3]
    moments = np.diag(turn.T @ tensor @ turn)
    if axes is None and settings.density and np.diff(np.sort(moments)).min() < (
            ALIKE * moments.max()):
        document.report.leave_out(
            'fluid', f"the drag of body '{link}', two principal moments of inertia of which are "
            'equal, so that MuJoCo chooses the axes that its drag depends on,', source)
        return None
    if np.linalg.det(turn) < 0.0:
        turn = turn * [1.0, 1.0, -1.0]
    sides = np.sqrt(np.maximum(moments.sum() - 2.0 * moments, SMALLEST) / inertia.mass * 6.0)
    mean = sides.mean()
    faces = sides.prod() / sides
    fourth = sides**4
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = turn, inertia.center
    linear = np.repeat([3.0 * pi * mean, pi * mean**3], 3) * settings.viscosity
    quadratic = np.concatenate(
        [0.5 * faces, sides * (fourth.sum() - fourth) / 64.0]) * settings.density
    return FluidBody(link, pose_from(frame), linear_drag=tuple(linear.tolist()),
                     quadratic_drag=tuple(quadratic.tolist()), source=source)
