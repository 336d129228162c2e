"""
Constraints on a robot's motion: what they demand and how far a state is from it.

A constraint is any object with the four functions of ``Constraint``; those of this room and those
a user writes are treated alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.link_point import LinkPoint
from mbd_ros.control.references import Path, PathPoint
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError
from mbd_ros.simulation.manifold import Matrix, Vector

AXES = 'xyz'


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


class ToolPosition:
    """
    Keep a point of a link on a path: ``phi = x(q) - x_d(t)`` in chosen world axes.

    ``A = J(q)``, ``phi_dot = J v - xd_dot``, ``b = xd_ddot - Jdot v`` (Lyu, Liu 2018, section 3).

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics, ``mbd_ros.compile(model)``.
    link : str
        Name of the link.
    path : Path
        Desired position of the point in world axes [m].
    axes : str, optional
        World axes that are prescribed, a selection of ``'xyz'``; the others stay free.
    point : array_like, optional
        (3,) in the link's axes [m]; its origin if not given.

    Raises
    ------
    UnknownNameError
        If the robot has no such link.
    InvalidValueError
        If the axes are not a selection of x, y and z.

    """

    def __init__(self, dyn: PreparedDynamics, link: str, path: Path, *, axes: str = AXES,
                 point: ArrayLike | None = None) -> None:
        self._point = LinkPoint(dyn, link, point)
        if not axes or len(set(axes)) < len(axes) or not set(axes) <= set(AXES):
            raise InvalidValueError('axes', axes, "each of 'x', 'y', 'z' at most once, e.g. 'xyz'")
        self.link = link
        self.path = path
        self.axes = axes
        self._latest = (0.0, path.at(0.0))
        self.at_origin = self._point.at_origin
        self._pick = slice(3) if axes == AXES else np.array([AXES.index(axis) for axis in axes])

    def position(self, q: Vector) -> Vector:
        """Return where the point is (3,) [m]."""
        return self._point.position(q)

    def target(self, t: float) -> PathPoint:
        """Return what the chosen axes should be at a time: (m,) each."""
        point = self._desired(t)
        if self.axes == AXES:
            return point
        return PathPoint(*(values[self._pick] for values in point))

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return the chosen linear rows of the Jacobian (m, nv)."""
        return self._point.jacobian(q)[self._pick]

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``xd_ddot - Jdot v`` (m,) [m/s^2]."""
        drift = self._point.drift(q, v)
        return self._desired(t).acceleration[self._pick] - drift[self._pick]

    def violation(self, q: Vector, t: float) -> Vector:
        """Return ``x - x_d`` (m,) [m]."""
        position = self.position(q)
        return position[self._pick] - self._desired(t).position[self._pick]

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``J v - xd_dot`` (m,) [m/s]."""
        rate: Vector = self.matrix(q, v, t).dot(v) - self._desired(t).velocity[self._pick]
        return rate

    def _desired(self, t: float) -> PathPoint:
        """Return the path at a time; several functions of a state ask for the same one."""
        time, point = self._latest
        if time != t:
            point = self.path.at(t)
            self._latest = (t, point)
        return point


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
        return np.asarray(self.A(q, v, t), np.float64)

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

    """

    constraint: Constraint
    alpha: float = 50.0
    beta: float = 400.0

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
