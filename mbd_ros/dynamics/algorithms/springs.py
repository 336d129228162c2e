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

"""Springs and dampers between two points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.algorithms.constraint_rows import Side
from mbd_ros.execution.program.sweeps import Tie
from mbd_ros.model import Spring
from mbd_ros.spatial import inverse_above, positive_part, Scalar, Vector3
from mbd_ros.spatial.vector import root


def pull(tie: Tie, first: Side, second: Side) -> Vector3:
    """
    Return the force on the first body [N], opposite to that on the second, in world axes.

    ``(k x + c l') n`` with n from the first point to the second, l apart, and x as much as l is
    beyond the lengths without force; where the points coincide there is no direction, and no
    force.
    """
    stiffness, damping = tie.constants[:2]
    d = second.point - first.point
    length = root(d.dot(d))
    n = d * inverse_above(length, 0.0)
    rate = n.dot(second.velocity - first.velocity)
    return n * (_stretch(tie, length) * stiffness + rate * damping)


def _stretch(tie: Tie, length: Scalar) -> Scalar:
    """Return how far a length is beyond those without force."""
    _, _, rest, *slack = tie.constants
    stretch = length - rest
    for most in slack:
        stretch = positive_part(stretch - most) - positive_part(stretch * -1.0)
    return stretch


def energy_in(tie: Tie, first: Side, second: Side) -> Scalar:
    """Return the energy in a spring [J]."""
    d = second.point - first.point
    stretch = _stretch(tie, root(d.dot(d)))
    return stretch * stretch * tie.constants[0] * 0.5


def stored_energy(springs: Sequence[Spring], bodies: NDArray[np.float64]) -> NDArray[np.float64]:
    """
    Return the energy in springs [J].

    Parameters
    ----------
    springs : sequence of Spring
        The springs.
    bodies : array
        (..., nb, 4, 4) poses of the bodies in the world.

    Returns
    -------
    array
        (...) the sum over all springs.

    """
    total = np.zeros(bodies.shape[:-3])
    for spring in springs:
        ends = [frame.translation if frame.body < 0 else
                bodies[..., frame.body, :3, :3] @ frame.translation
                + bodies[..., frame.body, :3, 3] for frame in (spring.frame1, spring.frame2)]
        stretch = np.linalg.norm(ends[0] - ends[1], axis=-1) - spring.length
        stretch = np.maximum(stretch - spring.slack, 0.0) + np.minimum(stretch, 0.0)
        total = total + 0.5 * spring.stiffness * stretch * stretch
    return total
