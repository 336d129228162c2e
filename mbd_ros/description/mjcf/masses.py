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

"""Masses of MJCF after its settings: bounds, totals, inertia from geoms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mbd_ros.description.mjcf.document import Settings
from mbd_ros.description.records.mechanism import Inertia, Link
from mbd_ros.description.records.poses import matrix3

ROUNDING = 1e-12
"""Relative; the moments of a thin plate, whose largest is the sum of the others, pass."""


def possible(inertia: Inertia, settings: Settings) -> Inertia:
    """
    Return the mass and moments of a body as ``<compiler>`` bounds and balances them.

    The axes of the tensor stay, its principal moments are raised to ``boundinertia``; then, if
    the largest is above the sum of the others and ``balanceinertia`` is set, all become the mean.
    """
    if not (settings.mass or settings.moment or settings.balances):
        return inertia
    moments, axes = np.linalg.eigh(np.array(inertia.tensor))
    moments = np.maximum(moments, settings.moment)
    if settings.balances and moments[2] > (moments[0] + moments[1]) * (1.0 + ROUNDING):
        moments[:] = moments.mean()
    return Inertia(max(inertia.mass, settings.mass), inertia.center,
                   matrix3(axes @ np.diag(moments) @ axes.T), inertia.source)


def scaled(links: Sequence[Link], total: float) -> list[Link]:
    """Return links whose masses add up to a total [kg]; as they are where it is not positive."""
    mass = sum(link.inertia.mass for link in links if link.inertia is not None)
    if total <= 0.0 or mass <= 0.0:
        return list(links)
    factor = total / mass
    return [link if link.inertia is None else replace(link, inertia=replace(
        link.inertia, mass=link.inertia.mass * factor,
        tensor=matrix3(np.array(link.inertia.tensor) * factor))) for link in links]
