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

"""The thrusters of a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.thruster import ThrusterBody

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Thruster:
    """
    A propeller that pushes a link along an axis.

    Attributes
    ----------
    name, link : str
        Its name, and the link that it pushes.
    wrench : (6,) array
        Force [N] and moment [N m] of a thrust of 1 N about the link's origin, in its axes.
    forward, reverse : float
        Thrust per square of the shaft's speed [N s^2/rad^2]; 0: without a curve.
    time_constant : float
        [s].
    lower, upper : float
        Limits of the thrust [N].

    """

    name: str
    link: str
    wrench: Array
    forward: float
    reverse: float
    time_constant: float
    lower: float
    upper: float


def make_thruster(one: ThrusterBody) -> Thruster:
    """Return a thruster of a model."""
    return Thruster(one.name, one.link, np.array([*one.axis, *np.cross(one.point, one.axis)]),
                    *one.curve, one.time_constant, one.lower, one.upper)
