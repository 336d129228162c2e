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

"""Hydrodynamic properties of links, by the bodies that carry them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import FluidBody
from mbd_ros.model.link_frame import LinkFrame
from mbd_ros.model.loops import placed_frame

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SubmergedLink:
    """
    A link in a fluid; links merged by fixed joints keep one record each.

    Attributes
    ----------
    name : str
        Of the link.
    frame : LinkFrame
        The frame F of the coefficients on the body B that carries the link; its origin is the
        centre of buoyancy: ``R_BF``, ``p_BoFo_B`` [m].
    volume : float
        Of the fluid it displaces [m^3].
    added_mass : (6, 6) array
        Symmetric; x y z [kg], then rotations about them [kg m, kg m^2], about and along F.
    linear_drag, quadratic_drag : (6,) array
        Force and moment against v_i, and against v_i abs(v_i); v is relative to the fluid
        [N s/m, N m s/rad; N s^2/m^2, N m s^2/rad^2].
    lift : (float, float)
        In the x-y and the x-z plane of F [N s^2/m^2].

    """

    name: str
    frame: LinkFrame
    volume: float
    added_mass: Array
    linear_drag: Array
    quadratic_drag: Array
    lift: tuple[float, float] = (0.0, 0.0)

    @property
    def body(self) -> int:
        """Return the body that carries the link."""
        return self.frame.body


def make_submerged(fluid: FluidBody, frames: Mapping[str, LinkFrame]) -> SubmergedLink:
    """Return what a fluid does to a link, with its frame on the link's body."""
    added, linear, quadratic = (np.array(values) for values in (
        fluid.added_mass, fluid.linear_drag, fluid.quadratic_drag))
    return SubmergedLink(fluid.link, placed_frame(fluid.frame, frames[fluid.link]), fluid.volume,
                         added, linear, quadratic, fluid.lift)
