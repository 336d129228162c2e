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
Efforts that a motion needs, beside those that its joints have.

Run through at the part r of its speed a motion needs ``tau(r) = tau_0 + r^2 (tau - tau_0)``, with
what it needs when it is very slow, tau_0: weight and dry friction. Viscous friction and the
resistance of a fluid fall more slowly.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple

import numpy as np

from mbd_ros.dynamics.quantities.joint_friction import viscous_friction
from mbd_ros.errors import TooMuchEffortError
from mbd_ros.model import Model
from mbd_ros.model.names import position_units
from mbd_ros.simulation.manifold import joint_of_each_velocity, Matrix, Vector

SPARE = 0.01
"""
More than its limit by this part is no excess: planners that go to the limits compute efforts from
the same description, but the spline through their points is another one.
"""
STANDING = 1e-6
"""A joint slower than this stands: its dry friction is not overcome [rad/s or m/s]."""
UNITS = {' rad': 'N m', ' m': 'N', '': 'N m or N'}
"""Units of efforts by those of positions."""


class Needs(NamedTuple):
    """
    Efforts that a motion needs.

    Attributes
    ----------
    times : Vector
        (k,) [s] from its begin.
    efforts : Matrix
        (k, nv) [N m or N].
    slowest : Matrix
        (k, nv): what the same motion needs when it is very slow.

    """

    times: Vector
    efforts: Matrix
    slowest: Matrix

    def beyond(self, limits: Vector) -> Matrix:
        """
        Return by which part efforts exceed their limits (nv,), zero if they do not: (k, nv).

        A joint whose limit is less than what holds it where the motion begins may go on to where
        it is enough.
        """
        sizes = np.abs(self.efforts)
        reached = np.logical_or.accumulate(sizes <= limits, axis=0)
        most = np.where(reached, limits, np.maximum(limits, np.abs(self.slowest[0])))
        with np.errstate(divide='ignore', invalid='ignore'):
            parts = np.where(sizes > most, sizes / most - 1.0, 0.0)
        return np.where(parts > SPARE, parts, 0.0)

    def slower(self, limits: Vector) -> float:
        """Return the part of its speed at which the motion should fit, 0 if it never does."""
        beyond = self.beyond(limits) > 0.0
        sign, most = np.sign(self.efforts[beyond]), np.broadcast_to(limits, beyond.shape)[beyond]
        slowest = sign * self.slowest[beyond]
        squares = (most - slowest) / (np.abs(self.efforts[beyond]) - slowest)
        return math.sqrt(max(float(squares.min(initial=1.0)), 0.0))

    def require_within(self, model: Model, limits: Vector, what: str) -> None:
        """Raise TooMuchEffortError if a joint would need more than it has (nv,); says when."""
        beyond = self.beyond(limits)
        if not beyond.any():
            return
        when = int(np.argmax(beyond.any(axis=1)))
        joint = int(np.argmax(beyond[when]))
        worst = int(np.argmax(beyond[:, joint]))
        raise TooMuchEffortError(
            what, float(self.times[when]), joint_of_each_velocity(model)[joint],
            float(np.abs(self.efforts[worst, joint])), float(limits[joint]),
            UNITS[position_units(model)[joint]],
            f' (at {self.times[worst]:.4g} s)' if worst != when else '')


def as_needs(found: Sequence[tuple[float, Vector, Vector]]) -> Needs:
    """Return the needs of one instant after the other."""
    times, efforts, resting = zip(*found)
    return Needs(np.array(times), np.array(efforts), np.array(resting))


def friction_of(model: Model, v: Matrix) -> tuple[Matrix, Matrix]:
    """Return the efforts (..., nv) against viscous and against dry friction at velocities."""
    moving = np.sign(v) * (np.abs(v) > STANDING)
    return viscous_friction(model, v), np.asarray(model.friction * moving)
