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

"""The camera of RViz that shows all of a robot."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.description.records.reach import extent, zero_poses
from mbd_ros.description.urdf.shape_extent import enclosing_ball
from mbd_ros.description.urdf.visuals import read_visuals

REACHES, RADII = 1.4, 2.9
"""
Distance of the camera in terms of how far a robot reaches, and of the radius of a ball around it,
which fills the picture at 2.6.
"""


class Orbit(NamedTuple):
    """
    A camera that looks at a point.

    Attributes
    ----------
    distance : float
        From the point [m].
    focus : tuple of float
        (3,): the point, in the axes of the root link [m]; from a link that is followed.

    """

    distance: float
    focus: tuple[float, float, float]


def whole_robot(mechanism: Mechanism, followed: str = '') -> Orbit:
    """
    Return the camera that shows a robot whose joints are at zero, in millimetres.

    Parameters
    ----------
    mechanism : Mechanism
        The robot.
    followed : str, optional
        Name of a link that the camera moves with.

    """
    _, reach = extent(mechanism)
    poses = zero_poses(mechanism)
    middle, radius = enclosing_ball(read_visuals(mechanism)[0], poses, np.zeros((0, 3)))
    focus = middle - poses[followed][:3, 3] if followed else middle
    x, y, z = (round(place, 3) for place in focus.tolist())
    return Orbit(round(max(REACHES * reach, RADII * radius), 3), (x, y, z))
