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
Constraints on a robot's motion: what they demand and how far a state is from it.

A constraint is any object with the four functions of ``Constraint``; those of this room and those
a user writes are treated alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import math
from typing import Protocol

import numpy as np

from mbd_ros.control.references.arguments import CONSTRAINT, require
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.simulation.manifold import Matrix, Vector


class Constraint(Protocol):
    """
    A constraint ``phi(q, t) = 0`` or ``psi(q, v, t) = 0``, differentiated to ``A vdot = b``.

    All functions return new arrays or arrays that the caller does not change. ``phi`` and
    ``phi_dot`` belong to the first rows of ``A``: a mixture of constraints on configurations, on
    velocities and on accelerations has them in this order, see ``Stack``.
    """

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return ``A`` (m, nv)."""
        ...

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``b`` (m,)."""
        ...

    def violation(self, q: Vector, t: float) -> Vector | None:
        """Return ``phi`` (m,), or None for a constraint on velocities alone."""
        ...

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector | None:
        """Return ``phi_dot`` (or ``psi``) (m,), or None where only accelerations are known."""
        ...


@dataclass(frozen=True)
class FunctionConstraint:
    """
    A constraint made of the user's own functions.

    Parameters
    ----------
    A : callable
        ``(q, v, t)`` to the rows (m, nv).
    b : callable
        ``(q, v, t)`` to the right-hand side (m,).
    phi : callable, optional
        ``(q, t)`` to the violation (m,); absent for constraints on velocities.
    phi_dot : callable, optional
        ``(q, v, t)`` to its rate, or to ``psi`` of a constraint on velocities (m,).

    """

    A: Callable[[Vector, Vector, float], Matrix]
    b: Callable[[Vector, Vector, float], Vector]
    phi: Callable[[Vector, float], Vector] | None = None
    phi_dot: Callable[[Vector, Vector, float], Vector] | None = None

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return ``A`` (m, nv)."""
        matrix = np.asarray(self.A(q, v, t), np.float64)
        if matrix.ndim != 2 or matrix.shape[1] != len(v):
            raise ShapeError('A', matrix.shape, f'(m, {len(v)}), as the function A is to return')
        return matrix

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``b`` (m,)."""
        return np.asarray(self.b(q, v, t), np.float64)

    def violation(self, q: Vector, t: float) -> Vector | None:
        """Return ``phi`` (m,), or None if there is none."""
        return None if self.phi is None else np.asarray(self.phi(q, t), np.float64)

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector | None:
        """Return ``phi_dot`` (m,), or None if there is none."""
        return None if self.phi_dot is None else np.asarray(self.phi_dot(q, v, t), np.float64)


@dataclass(frozen=True)
class Baumgarte:
    """
    A constraint stabilized in the manner of Baumgarte: ``b - alpha phi_dot - beta phi``.

    The violation then follows ``phi_ddot + alpha phi_dot + beta phi = 0``. With a fixed-step
    Runge-Kutta method of order 4 the fastest root times the step must stay above -2.785.

    Parameters
    ----------
    constraint : Constraint
        The constraint to stabilize.
    alpha : float, optional
        Damping [1/s].
    beta : float, optional
        Stiffness [1/s^2]. The defaults are those of Lyu and Liu (2018): roots -10 and -40 1/s.

    Raises
    ------
    InvalidValueError
        If the constraint is none, or a gain is below zero.

    """

    constraint: Constraint
    alpha: float = 50.0
    beta: float = 400.0

    def __post_init__(self) -> None:
        """Check the data."""
        require('constraint', self.constraint, CONSTRAINT, 'a constraint')
        for name in ('alpha', 'beta'):
            if not 0.0 <= getattr(self, name) < math.inf:
                raise InvalidValueError(name, getattr(self, name), 'a number not below zero')

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return ``A`` (m, nv) of the constraint."""
        return self.constraint.matrix(q, v, t)

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``b - alpha phi_dot - beta phi`` (m,)."""
        right_side = self.constraint.right_side(q, v, t)
        rate = self.violation_rate(q, v, t)
        position = self.violation(q, t)
        right_side = right_side.copy()
        if rate is not None:
            right_side[:len(rate)] -= self.alpha * rate
        if position is not None:
            right_side[:len(position)] -= self.beta * position
        return right_side

    def violation(self, q: Vector, t: float) -> Vector | None:
        """Return ``phi`` (m,) of the constraint."""
        return self.constraint.violation(q, t)

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector | None:
        """Return ``phi_dot`` (m,) of the constraint."""
        return self.constraint.violation_rate(q, v, t)
