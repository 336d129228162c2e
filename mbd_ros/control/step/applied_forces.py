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
from mbd_ros.control.references.time_code import closed_form, TimeCode, unchanging
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.model.state import floating_base
from mbd_ros.simulation.manifold import checked, displaced, displacement, is_flat, Matrix, Vector
from mbd_ros.spatial import root, Scalar


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
        self._code: TimeCode | None = None

    def lead(self, q: Vector, begin: float, duration: float) -> None:
        """
        Let the springs pull to where the robot is, and take them to the posture from there.

        Parameters
        ----------
        q : Vector
            Where it is (nq,).
        begin, duration : float
            When the springs set out, and how long they take to the posture [s].

        """
        self._lead = (q.copy(), begin, duration)
        self._code = None

    def target_code(self) -> TimeCode | None:
        """
        Return machine code for ``target``, one behind the other (2 nv,).

        It is another one after ``lead``. None where configurations do not just add.
        """
        if self._code is None and is_flat(self.dyn.model):
            if self._lead is None:
                self._code = unchanging(np.concatenate((self.posture, self._rest)))
            else:
                start, begin, duration = self._lead
                self._code = closed_form(
                    _led, (begin, duration, *self.posture, *(self.posture - start)),
                    2 * len(self._rest))
        return self._code

    def target(self, t: float) -> tuple[Vector, Vector]:
        """Return where the springs pull to at a time [s], and how fast that moves (nv,) each."""
        if self._lead is None:
            return self.posture, self._rest
        start, begin, duration = self._lead
        if t >= begin + duration:
            return self.posture, self._rest
        code = self.target_code()
        if code is not None:
            values, n = code(t), len(self._rest)
            return values[:n], values[n:]
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


def _led(time: Scalar, data: Row) -> Row:
    """Return a posture less what is left of the way to it, and how fast that goes."""
    begin, duration, n = data[0], data[1], len(data) // 2 - 1
    s, rate, _ = quintic(time - begin, duration)
    posture, way = data[2:2 + n], data[2 + n:]
    return [*(x - (1.0 - s) * d for x, d in zip(posture, way)), *(rate * d for d in way)]
