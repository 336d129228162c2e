"""
Forces that the nominal model applies beside the constraint force.

The Udwadia-Kalaba force does no work along the constraint manifold: whatever the constraint leaves
free moves as a passive mechanism under gravity would, it falls and swings. A robot with more
joints than constraint rows therefore needs an applied force that holds the free part.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.references.paths import quintic
from mbd_ros.control.references.scalars import Row
from mbd_ros.control.references.splines import PiecewisePolynomial, trajectory
from mbd_ros.control.references.time_code import TimeCode
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.model.state import floating_base
from mbd_ros.simulation.manifold import checked, displaced, displacement, is_flat, Matrix, Vector
from mbd_ros.spatial import root


class AppliedForce(Protocol):
    """A generalized force as a function of the state."""

    def __call__(self, t: float, q: Vector, v: Vector, mass_matrix: Matrix, /) -> Vector:
        """Return the force (nv,) [N m or N]; ``M(q)`` is at hand and so handed in."""
        ...


class SpringConstants(NamedTuple):
    """Stiffness of each joint (nv entries) [N m/rad or N/m], and their damping ratio."""

    stiffness: tuple[float, ...]
    damping: float

    def force(self, weight: Row, way: Row, rate: Row, inertia: Row) -> Row:
        """Return ``g + k way + 2 zeta sqrt(k m_ii) rate``, on scalars (nv each)."""
        return [g + k * x + (2.0 * self.damping * k**0.5) * root(m) * dx
                for k, g, x, dx, m in zip(self.stiffness, weight, way, rate, inertia)]


class PostureSpring:
    """
    Carry the robot's weight, and draw it to a posture by springs and dampers at its joints.

    ``tau = g(q) + k (q_0 - q) - 2 zeta sqrt(k m_ii(q)) v``. Springs and dampers only store and
    dissipate energy, so the free part of the motion cannot become unstable; gravity is balanced
    and does not pull. Along the constrained directions the constraint force outweighs them. Where
    the constraint leaves a choice, equal springs share a displacement among the joints by their
    lever, not by their inertia: without them the light wrist of an arm would do all the work.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics; a floating base is not pulled.
    posture : array_like
        ``q_0`` (nq,) [rad or m].
    stiffness : float or array_like, optional
        ``k``, one or (nv,) [N m/rad or N/m].
    damping : float, optional
        Damping ratio ``zeta`` of each joint moving alone.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If the posture does not fit the robot, or a constant is not positive.

    """

    def __init__(
        self, dyn: PreparedDynamics, posture: ArrayLike, *, stiffness: ArrayLike = 20.0,
        damping: float = 1.0,
    ) -> None:
        model = dyn.model
        spring = np.array(stiffness, np.float64)
        if spring.shape not in ((), (model.nv,)):
            raise ShapeError('stiffness', spring.shape, f'() or ({model.nv},)')
        if not ((spring > 0.0) & np.isfinite(spring)).all():
            raise InvalidValueError('stiffness', stiffness, 'positive numbers')
        if not 0.0 <= damping < math.inf:
            raise InvalidValueError('damping', damping, 'a number not below zero')
        self.posture = checked(model, 'posture', posture, model.nq).copy()
        base = floating_base(model)
        each: Vector = np.broadcast_to(spring, (model.nv,)).copy()
        if base is not None:
            each[base.v] = 0.0
        self.constants = SpringConstants(tuple(each.tolist()), damping)
        self.dyn = dyn
        self._rest = np.zeros(model.nv)
        self._lead: tuple[Vector, float, float] | None = None
        self._path = self._from(self.posture, 0.0, 1.0)

    def lead(self, q: Vector, begin: float, duration: float, rate: Vector | None = None) -> None:
        """
        Let the springs pull to where the robot is, and take them to the posture from there.

        Parameters
        ----------
        q : Vector
            Where it is (nq,).
        begin, duration : float
            When the springs set out, and how long they take to the posture [s].
        rate : Vector, optional
            How fast what they pull to moves at first (nv,), where configurations just add; zero
            if not given, and elsewhere.

        """
        self._lead = (q.copy(), begin, duration)
        self._path = self._from(q, begin, duration, rate)

    def _from(self, q: Vector, begin: float, duration: float, rate: Vector | None = None
              ) -> PiecewisePolynomial:
        """Return the way from a configuration to the posture, where configurations just add."""
        rates = rest = np.zeros((2, len(q)))
        if rate is not None and is_flat(self.dyn.model):
            rates = np.array((rate, self._rest))
        return trajectory((begin, begin + duration), (q, self.posture), rates, rest)

    def target_code(self) -> TimeCode | None:
        """
        Return machine code for ``target`` and its second rate, one behind the other (3 nv,).

        It is another one after ``lead``. None where configurations do not just add.
        """
        return self._path.time_code() if is_flat(self.dyn.model) else None

    def target(self, t: float) -> tuple[Vector, Vector]:
        """Return where the springs pull to at a time [s], and how fast that moves (nv,) each."""
        if self._lead is None:
            return self.posture, self._rest
        start, begin, duration = self._lead
        if t >= begin + duration:
            return self.posture, self._rest
        if is_flat(self.dyn.model):
            return self._path.at(t)[:2]
        s, rate, _ = quintic(t - begin, duration)
        way = displacement(self.dyn.model, start, self.posture)
        return displaced(self.dyn.model, start, s * way), rate * way

    def __call__(self, t: float, q: Vector, v: Vector, mass_matrix: Matrix, /) -> Vector:
        """Return the force (nv,) [N m or N]."""
        target, rate = self.target(t)
        weight: Vector = self.dyn.bias_forces(q, self._rest)
        way = displacement(self.dyn.model, q, target)
        return np.array(self.constants.force(
            weight.tolist(), way.tolist(), (rate - v).tolist(), mass_matrix.diagonal().tolist()))
