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
Links that swing, alongside the real ones, on joints that damp them.

A twin of the robot has elastic coordinates a that swing as they must, and joints that accelerate
as a controller asks for, and more than that by what the swinging itself asks for,

    q'' = asked + G (a' - a_s'),    G = c M_qq^-1 M_qa,
    M_aa a'' + M_aq q'' + (stiffness, damping, velocities, weight) = 0,

with a_s the deflection that rests under the motion asked for. What joints do so to the links is
``-M_aq G (a' - a_s')``, a damping matrix ``c M_aq M_qq^-1 M_qa``, which is symmetric and takes
energy from every mode that joints feel. ``c`` gives none of them more than the damping ratio
``RATIO``. The efforts of the twin are those of the real joints, whose errors against it the
tracking law reduces: the twin never sees what is measured, so that no delay and no noise can make
its damping unstable.

Steps are of the implicit midpoint rule in all that is linear in a'', so that modes of any
frequency are stable; efforts that are held for a step are those of its middle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.simulation.manifold import displaced, Matrix, Vector

RATIO = 0.3
"""Damping ratio of the mode that joints damp best: a period leaves 14 % of its swing. With more,
joints are led further aside, from where they come back slowly."""
FELT = 0.1
"""Part of a mode that joints feel, of which 1 is all; those that feel less are not moved more."""


class Motion(NamedTuple):
    """Configuration (nq,), velocity and acceleration (nv,), elastic ones among them."""

    q: Vector
    v: Vector
    vdot: Vector


class Asked(NamedTuple):
    """Accelerations of joints (n,), and the rate of the deflection that rests under them."""

    accelerations: Vector
    rate: Vector


class SwingingTwin:
    """
    The robot whose links swing.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot with links that bend, a tree whose joints all have an actuator.
    q, v : Vector
        Where its motion begins (nq,), (nv,).

    """

    def __init__(self, dyn: PreparedDynamics, q: Vector, v: Vector) -> None:
        self.dyn, self.q, self.v = dyn, q, v
        count = len(dyn.model.elastic_names)
        self._n = dyn.model.nv - count
        self._stiffness, self._damping = np.zeros((2, count, count))
        assert dyn.model.elastic is not None
        for body in dyn.model.elastic.bodies:
            own = slice(body.first, body.first + body.count)
            self._stiffness[own, own], self._damping[own, own] = body.stiffness, body.damping
        self._gain = self._gain_for(dyn.mass_matrix(q))

    def _gain_for(self, M: Matrix) -> float:
        """Return c [1/s]: twice the ratio times the least frequency over what joints feel."""
        n = self._n
        lower = np.linalg.inv(np.linalg.cholesky(M[n:, n:]))
        squares, modes = np.linalg.eigh(lower @ self._stiffness @ lower.T)
        felt = M[:n, n:] @ lower.T @ modes
        shares = (felt * np.linalg.solve(M[:n, :n], felt)).sum(0)
        return float(2.0 * RATIO * np.min(np.sqrt(squares) / shares.clip(FELT)))

    @property
    def bending(self) -> tuple[Vector, Vector]:
        """Return the elastic coordinates and their rates."""
        return self.q[self.q.size - self._stiffness.shape[0]:], self.v[self._n:]

    def middle(self, asked: Asked, step: float) -> Motion:
        """Return the middle of a step [s] that begins where the twin is, with its mean vdot."""
        n, half = self._n, 0.5 * step
        q, v = self.q, self.v
        M = self.dyn.mass_matrix(q)
        gain = self._gain * np.linalg.solve(M[:n, :n], M[:n, n:])
        vdot = np.zeros_like(v)
        vdot[:n] = asked.accelerations + gain @ (v[n:] - asked.rate)
        missing = self.dyn.inverse_dynamics(displaced(self.dyn.model, q, half * v), v, vdot)[n:]
        vdot[n:] = -np.linalg.solve(
            M[n:, n:] + half * (self._damping + M[n:, :n] @ gain) + half ** 2 * self._stiffness,
            missing)
        vdot[:n] += half * gain @ vdot[n:]
        mean = v + half * vdot
        return Motion(displaced(self.dyn.model, q, half * mean), mean, vdot)

    def advance(self, asked: Asked, step: float) -> None:
        """Go on to the end of a step [s]."""
        mean = self.middle(asked, step)
        self.q = displaced(self.dyn.model, self.q, step * mean.v)
        self.v = self.v + step * mean.vdot
