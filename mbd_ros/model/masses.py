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

"""Mass properties of links that are fixed to each other, as one body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import Inertia

Array = NDArray[np.float64]


class MassProperties(NamedTuple):
    """Mass [kg], mass centre [m] and tensor about the mass centre [kg m^2], all in one frame."""

    mass: float
    center: Array
    tensor: Array


NO_MASS = MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))


def placed(inertia: Inertia, rotation: Array, translation: Array) -> MassProperties:
    """
    Return the mass properties of a link L in the axes of its body B.

    Parameters
    ----------
    inertia : Inertia
        In the link's frame.
    rotation, translation : (3, 3) and (3,) array
        ``R_BL`` and ``p_BoLo_B`` [m].

    Returns
    -------
    MassProperties
        In the body's frame.

    """
    tensor = rotation @ np.array(inertia.tensor) @ rotation.T
    return MassProperties(inertia.mass, translation + rotation @ np.array(inertia.center),
                          0.5 * (tensor + tensor.T) + 0.0)


def merged(parts: Sequence[MassProperties]) -> MassProperties:
    """
    Return the mass properties of several links as one body (parallel axis theorem).

    ``I = sum_k I_k + m_k (d.d 1 - d d^T)`` with d from the common mass centre to that of link k.

    Parameters
    ----------
    parts : sequence of MassProperties
        All in the frame of the body.

    Returns
    -------
    MassProperties
        In the same frame.

    """
    if not parts:
        return NO_MASS
    if len(parts) == 1:
        return parts[0]
    mass = sum(part.mass for part in parts)
    moment = sum((part.mass * part.center for part in parts), np.zeros(3))
    center = moment / mass if mass else np.zeros(3)
    tensor = np.zeros((3, 3))
    for part in parts:
        d = part.center - center
        tensor += part.tensor + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return MassProperties(mass, center, tensor)
