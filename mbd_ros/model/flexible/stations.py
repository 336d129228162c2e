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

"""Places along a flexible link that show how it bends."""

from __future__ import annotations

from typing import NamedTuple, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import Beam, FlexibleBody
from mbd_ros.model.caches import owned
from mbd_ros.model.flexible.beam_modes import bending_modes, rotary_inertia, scale, torsion_modes
from mbd_ros.model.flexible.modal_data import modal_data

if TYPE_CHECKING:
    from mbd_ros.model.model import Model

Array = NDArray[np.float64]

COUNT = 25
"""Stations of a beam: a spline through them is within 1e-3 of a wave of the fifth mode."""
POINT = 0.01
"""Radius with which a mass point is drawn, against the length of the link."""


class Stations(NamedTuple):
    """
    Where stations of a link are, and how they move with its elastic coordinates.

    Attributes
    ----------
    points : (k, 3) array
        While nothing is bent, in the frame of the annotation [m].
    radii : (k,) array
        Polar radius of gyration of the section there [m]: the size it is drawn with.
    shapes : (k, 3, ne) array
        Displacement per extended coordinate.
    turns : (k, 3, nf) array
        Rotation vector per coordinate; zero where a link is known by mass points only.
    strains : (k, 3, nf) array, optional
        Strain of bending along y, along z, and of torsion (divided by sqrt 3) at the radius, per
        coordinate; None where a link is known by mass points only.
    pairs : (2, ne - nf) array
        Which coordinates each further extended coordinate is the product of.

    """

    points: Array
    radii: Array
    shapes: Array
    turns: Array
    strains: Array | None
    pairs: NDArray[np.intp]


@owned()
def link_stations(model: Model) -> dict[str, Stations]:
    """Return the stations of all flexible links of a robot."""
    return {body.link: stations_of(body) for body in model.mechanism.flexibles}


def stations_of(body: FlexibleBody) -> Stations:
    """Return stations along a beam, or the mass points of a link that is known by these."""
    data = modal_data(body)
    count = data.stiffness.shape[0]
    if body.beam is None:
        size = len(data.points)
        return Stations(data.points, np.full(size, POINT * data.length), data.shapes,
                        np.zeros((size, 3, count)), None, data.pairs)
    beam = body.beam
    x = np.linspace(0.0, beam.length, COUNT)
    points = np.stack([x, 0.0 * x, 0.0 * x], axis=1)
    there = [data.shape_at('', point, True) for point in points]
    radii = np.sqrt(sum(rotary_inertia(beam)) / beam.linear_density) * scale(beam, x)
    if not radii.any():
        radii = np.full(COUNT, POINT * beam.length)
    return Stations(points, radii, np.array([shape.displacement for shape in there]),
                    np.array([shape.rotation for shape in there]),
                    radii[:, None, None] * _curvatures(beam, x, count), data.pairs)


def _curvatures(beam: Beam, x: Array, count: int) -> Array:
    """Return the curvatures along y and z and the twist rate by sqrt 3 [1/m]: (k, 3, nf)."""
    result = np.zeros((len(x), 3, count))
    ends = np.cumsum(beam.modes).tolist()
    planes = (bending_modes(beam, 0), bending_modes(beam, 1), torsion_modes(beam))
    for axis, (modes, end, own, factor) in enumerate(zip(
            planes, ends, beam.modes, (1.0, 1.0, 3.0 ** -0.5))):
        result[:, axis, end - own:end] = factor * modes.curvature(x)
    return result
