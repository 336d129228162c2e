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

"""The record of a thruster as its author wrote it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from mbd_ros.description.records.finding import Source

Vector3 = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class ThrusterBody:
    """
    A thruster: a propeller that pushes a link along an axis.

    Attributes
    ----------
    name : str
        Its name.
    link : str
        The link that it pushes.
    point : (3,) tuple
        Where, in the link's frame [m].
    axis : (3,) tuple
        Unit vector in the link's frame, along a positive thrust.
    curve : (float, float)
        Thrust per square of the shaft's speed, forwards and in reverse [N s^2/rad^2]; zeros: the
        thrust itself follows the command.
    time_constant : float
        Of the shaft's speed, or of the thrust without a curve [s]; 0: it follows at once.
    lower, upper : float
        Limits of the thrust [N].
    source : Source
        Where it was written.

    """

    name: str
    link: str
    point: Vector3 = (0.0, 0.0, 0.0)
    axis: Vector3 = (1.0, 0.0, 0.0)
    curve: tuple[float, float] = (0.0, 0.0)
    time_constant: float = 0.0
    lower: float = -inf
    upper: float = inf
    source: Source = Source()
