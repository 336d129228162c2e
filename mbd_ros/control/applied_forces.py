"""
Forces that the nominal model applies beside the constraint force.

The Udwadia-Kalaba force does no work along the constraint manifold: whatever the constraint leaves
free moves as a passive mechanism under gravity would, it falls and swings. A robot with more joints
than constraint rows therefore needs an applied force that holds the free part.
"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.simulation.manifold import Matrix, Vector


class AppliedForce(Protocol):
    """A generalized force as a function of the state."""

    def __call__(
        self, t: float, q: Vector, v: Vector, mass_matrix: Matrix, bias: Vector, /,
    ) -> Vector:
        """Return the force (nv,) [N m or N]; ``M(q)`` and ``h(q, v)`` are handed in."""
        ...


@dataclass(frozen=True, eq=False)
class PostureSpring:
    """
    Carry the robot's weight and draw it softly to a posture.

    ``tau = h(q, v) + M(q) (w^2 (q_0 - q) - 2 zeta w v)``: by itself every joint would return to
    the posture with the same frequency and damping. Under a constraint the accelerations nearest
    to these, in the metric of M, remain: the force acts along the constraint manifold only as far
    as the constraint lets it, and never disturbs it.

    Parameters
    ----------
    posture : array_like
        ``q_0`` (nv,) [rad or m]; robots without a floating base.
    frequency : float, optional
        ``w`` [rad/s].
    damping : float, optional
        Damping ratio ``zeta``.

    Raises
    ------
    ShapeError, InvalidValueError
        If the posture is not a finite vector, or frequency or damping are not positive.

    """

    posture: Vector
    frequency: float = 3.0
    damping: float = 1.0

    def __post_init__(self) -> None:
        """Check the data."""
        posture: ArrayLike = self.posture
        vector = np.array(posture, np.float64)
        if vector.ndim != 1:
            raise ShapeError('posture', vector.shape, '(nv,)')
        for name in ('frequency', 'damping'):
            if not 0.0 < getattr(self, name) < math.inf:
                raise InvalidValueError(name, getattr(self, name), 'a positive number')
        if not np.isfinite(vector).all():
            raise InvalidValueError('posture', vector.tolist(), 'finite numbers')
        vector.setflags(write=False)
        object.__setattr__(self, 'posture', vector)

    def __call__(
        self, t: float, q: Vector, v: Vector, mass_matrix: Matrix, bias: Vector, /,
    ) -> Vector:
        """Return the force (nv,) [N m or N]."""
        w = self.frequency
        wanted = (w * w) * (self.posture - q) - (2.0 * self.damping * w) * v
        force: Vector = mass_matrix.dot(wanted) + bias
        return force
