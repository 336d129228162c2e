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
Adaptive control term for wrong masses and an unknown payload (Slotine, Li).

Where a plant differs from its model by parameters p, its equation differs by ``Y p``, linear in
them. The law adds ``Y(q, v, qdd_r) p^`` with ``qdd_r = qdd_n + w ed`` and learns from the error
``s = ed + w e``,

    p^dot = Gamma Y^T s,    kept within given bounds.

With ``V = (s^T M s + (p - p^)^T Gamma^-1 (p - p^)) / 2`` the products with Y cancel, and what is
left of Vdot is ``-(w + kappa) s^T M^ s + s^T Mdot s / 2``: negative, where the robot does not turn
faster than it is controlled (Slotine, Li 1987, for the law of ``tracking.py``). V does not grow,
so that ``s^T M s`` stays below ``p^T Gamma^-1 p``, and s goes to zero, whether or not the
parameters are found; keeping them within bounds that hold the true ones only lowers V. Two of them
are learned: by which part all masses are too small, and a point mass at the tool.
"""

from __future__ import annotations

import math

import numpy as np

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError, UnknownNameError, UnsupportedError
from mbd_ros.simulation.manifold import Matrix, Vector

MOST_MASSES = 0.5
"""Part by which all masses may be wrong."""

LONGEST_STEP = 0.02
"""Longer gaps between two states teach no more than this [s]."""


class Adaptation:
    """
    Estimate of mass errors and payload, and the efforts that compensate them.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics of the model.
    link : str
        The link that may carry a load at its origin; without ``payload`` it need not exist.
    rate : float
        About how fast an estimate approaches what is true, each alone [1/s].
    payload : float, optional
        Largest load [kg]; zero: it is known to carry none.

    Attributes
    ----------
    rate : float
        As given; it may be changed, zero: what was learned stays.
    estimate : Vector
        (2,): the part by which masses and inertias are larger than the model's, within
        ``MOST_MASSES``, and the load [kg].

    Raises
    ------
    UnknownNameError, InvalidValueError
        If there is no such link, or a number is not allowed.
    UnsupportedError
        If the robot has closed loops.

    """

    def __init__(self, dyn: PreparedDynamics, link: str, rate: float, *, payload: float = 0.0
                 ) -> None:
        if dyn.model.loops:
            raise UnsupportedError('learning the masses of a robot with closed loops',
                                   'measure them, or use robust_rate')
        if payload != 0.0 and link not in dyn.model.links:
            raise UnknownNameError('link', link, dyn.model.links)
        if not 0.0 < rate < math.inf:
            raise InvalidValueError('adaptation_rate', rate, 'a positive number')
        if not 0.0 <= payload < math.inf:
            raise InvalidValueError('payload_limit', payload, 'a number not below zero')
        self.estimate = np.zeros(2)
        self.link = link
        self.rate = rate
        self._least, self._most = np.array((-MOST_MASSES, 0.0)), np.array((MOST_MASSES, payload))
        self._gains: Vector | None = None
        self._time = math.inf

    def term(self, dyn: PreparedDynamics, q: Vector, v: Vector, accelerations: Vector
             ) -> tuple[Vector, Matrix]:
        """Return ``Y p^`` (nv,) [N m or N] and Y (nv, 2) at a state, for ``qdd_r``."""
        Y = np.zeros((len(v), 2))
        Y[:, 0] = dyn.inverse_dynamics(q, v, accelerations)
        if self._most[1] > 0.0:
            moved = dyn.link_motion(q, v, self.link, accelerations).acceleration[:3]
            Y[:, 1] = (moved - dyn.gravity).dot(dyn.jacobian(q, self.link)[:3])
        return Y.dot(self.estimate), Y

    def learn(self, dyn: PreparedDynamics, time: float, q: Vector, Y: Matrix, s: Vector,
              stiffness: float) -> None:
        """
        Take what an error tells.

        Parameters
        ----------
        dyn : PreparedDynamics
            Prepared dynamics of the model.
        time : float
            Of the state [s]; since the last one that was learned from.
        q, Y, s : Vector, Matrix, Vector
            Configuration (nq,), Y (nv, 2) as ``term`` gives it, and the error (nv,).
        stiffness : float
            ``w + kappa`` of the law [1/s].

        """
        if self._gains is None:   # an error s = M^-1 Y p / (w + kappa) is to fade at the rate
            rest = np.zeros(len(s))
            _, weights = self.term(dyn, q, rest, rest)
            pulled = (weights * np.linalg.solve(dyn.mass_matrix(q), weights)).sum(axis=0)
            self._gains = stiffness / np.maximum(pulled, 1.0)
        step = min(max(time - self._time, 0.0), LONGEST_STEP)
        self._time = time
        learned = self.estimate + step * self.rate * self._gains * s.dot(Y)
        self.estimate = np.minimum(np.maximum(learned, self._least), self._most)

    @property
    def gains(self) -> Vector | None:
        """Diagonal of Gamma (2,), known from the first state on."""
        return None if self._gains is None else self.rate * self._gains
