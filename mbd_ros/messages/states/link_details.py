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

"""What the description says of each link: mass, mass centre, the box with its inertia."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.model import Model
from mbd_ros.spatial.inertia_box import inertia_box

Array = NDArray[np.float64]

MOST_LINKS = 200
"""Links of which details are shown."""


class MassBox(NamedTuple):
    """
    The box of uniform density that moves as a link does.

    Attributes
    ----------
    pose : array
        (4, 4) in the frame of the link: its middle is the mass centre.
    edges : array
        (3,) [m].
    mass : float
        [kg].

    """

    pose: Array
    edges: Array
    mass: float


def mass_boxes(model: Model) -> dict[str, MassBox]:
    """Return the boxes of the links of a robot that have mass, ``MOST_LINKS`` at most."""
    boxes: dict[str, MassBox] = {}
    for link in model.mechanism.links:
        inertia = link.inertia
        if inertia is None or not inertia.mass > 0.0 or len(boxes) == MOST_LINKS:
            continue
        pose = np.eye(4)
        pose[:3, 3] = inertia.center
        pose[:3, :3], half = inertia_box(inertia.tensor, inertia.mass)
        boxes[link.name] = MassBox(pose, 2.0 * half, inertia.mass)
    return boxes


def link_line(boxes: Mapping[str, MassBox], link: str) -> str:
    """Return what a link is in one line: its name, and its mass if it has one."""
    box = boxes.get(link)
    return f'{link}, massless' if box is None else f'{link}, {box.mass:.4g} kg'
