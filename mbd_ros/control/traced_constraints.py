"""
Constraints from one function: ``phi(q, t) = 0`` or ``psi(q, v, t) = 0``, written on scalars.

The function is recorded once on symbols and differentiated there, exactly; what the controller
calls is machine code for ``phi``, ``phi_dot``, ``A`` and ``b``. It may use ``+ - * /``, whole
powers, and ``sine``, ``cosine`` and ``root`` of ``mbd_ros.spatial``; a branch on a coordinate it
may not have, since it is not known while it is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from mbd_ros.errors import InvalidValueError, NotFiniteError
from mbd_ros.execution.differentiation import tangents
from mbd_ros.execution.trace import Operand, Symbol, Trace
from mbd_ros.execution.traced_function import machine_code_of
from mbd_ros.model import Model
from mbd_ros.model.state import curved_joints
from mbd_ros.simulation.manifold import Matrix, Vector
from mbd_ros.spatial import Scalar

Scalars: TypeAlias = Sequence[Scalar]


class TracedConstraint:
    """
    A constraint on configurations, ``phi(q, t) = 0``, with traced derivatives.

    ``A = d phi / dq`` along the velocities, ``b = -(phi_ddot at vdot = 0)``.

    Parameters
    ----------
    model : Model
        The robot.
    phi : callable
        ``(q, t)`` to a sequence of scalars, in which q is a list of nq scalars in the order of
        the model and t the time [s].

    Raises
    ------
    InvalidValueError
        If the function does what cannot be recorded, or returns nothing.

    Examples
    --------
    Two joints of a robot that turn against each other::

        TracedConstraint(model, lambda q, t: [q[1] + q[2] - 0.3 * sine(2.0 * t)])

    """

    def __init__(self, model: Model, phi: Callable[[Scalars, Scalar], Scalars]) -> None:
        nq, nv = model.nq, model.nv

        def record(trace: Trace, q: list[Symbol], v: list[Symbol], time: list[Symbol]
                   ) -> list[Operand]:
            values = recorded(phi, q, time[0])
            self._rows = len(values)
            moving = dict(zip(q, _configuration_rate(model, q, v)))
            rates = tangents(trace, values, {**moving, time[0]: 1.0})
            second = tangents(trace, rates, {**moving, time[0]: 1.0})
            columns = [tangents(trace, values, dict(zip(q, _configuration_rate(
                model, q, [float(k == j) for k in range(nv)])))) for j in range(nv)]
            return [*values, *rates, *(-entry for entry in second),
                    *(column[i] for i in range(len(values)) for column in columns)]

        self._function = machine_code_of(
            record, (nq, nv, 1), 'constraint', 'phi, phi_dot, b and A of a constraint')
        self._rest = np.zeros(nv)
        self._nv = nv

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return ``A`` (m, nv)."""
        return self._values(q, v, t)[3 * self._rows:].reshape(self._rows, self._nv)

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``b`` (m,)."""
        return self._values(q, v, t)[2 * self._rows:3 * self._rows]

    def violation(self, q: Vector, t: float) -> Vector:
        """Return ``phi`` (m,)."""
        return self._values(q, self._rest, t)[:self._rows]

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``phi_dot`` (m,)."""
        return self._values(q, v, t)[self._rows:2 * self._rows]

    def _values(self, q: Vector, v: Vector, t: float) -> Vector:
        return _checked(self._function(q, v, np.array((t,), np.float64)))


class TracedVelocityConstraint:
    """
    A constraint on velocities, ``psi(q, v, t) = 0``, with traced derivatives.

    ``A = d psi / dv``, ``b = -(d psi / dq) qdot - d psi / dt``; ``psi`` need not be linear in v.

    Parameters
    ----------
    model : Model
        The robot.
    psi : callable
        ``(q, v, t)`` to a sequence of scalars.

    Raises
    ------
    InvalidValueError
        If the function does what cannot be recorded, or returns nothing.

    """

    def __init__(self, model: Model, psi: Callable[[Scalars, Scalars, Scalar], Scalars]) -> None:
        nv = model.nv

        def record(trace: Trace, q: list[Symbol], v: list[Symbol], time: list[Symbol]
                   ) -> list[Operand]:
            values = recorded(psi, q, v, time[0])
            self._rows = len(values)
            drift = tangents(trace, values, {
                **dict(zip(q, _configuration_rate(model, q, v))), time[0]: 1.0})
            columns = [tangents(trace, values, {entry: 1.0}) for entry in v]
            return [*values, *(-entry for entry in drift),
                    *(column[i] for i in range(len(values)) for column in columns)]

        self._function = machine_code_of(
            record, (model.nq, nv, 1), 'velocity_constraint', 'psi, b and A of a constraint')
        self._nv = nv

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return ``A`` (m, nv)."""
        return self._values(q, v, t)[2 * self._rows:].reshape(self._rows, self._nv)

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``b`` (m,)."""
        return self._values(q, v, t)[self._rows:2 * self._rows]

    def violation(self, q: Vector, t: float) -> None:
        """Return None: configurations are free."""
        return None

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``psi`` (m,)."""
        return self._values(q, v, t)[:self._rows]

    def _values(self, q: Vector, v: Vector, t: float) -> Vector:
        return _checked(self._function(q, v, np.array((t,), np.float64)))


def recorded(function: Callable[..., Any], *arguments: Any) -> list[Operand]:
    """Return what a user's function makes of symbols."""
    allowed = ('a function of its scalars by + - * /, whole powers, and sine, cosine and root of '
               'mbd_ros.spatial, without branches')
    name = getattr(function, '__name__', repr(function))
    try:
        values = list(function(*arguments))
    except (TypeError, AttributeError) as error:
        raise InvalidValueError('constraint function', f'{name} ({error})', allowed) from error
    if not values or not all(isinstance(value, (Symbol, int, float)) for value in values):
        raise InvalidValueError('constraint function', f'{name}, returning {values!r}',
                                'one that returns a sequence of scalars, not empty')
    return [value if isinstance(value, Symbol) else float(value) for value in values]


def _checked(values: Vector) -> Vector:
    """Return values that are finite."""
    finite = np.isfinite(values)
    if not finite.all():
        raise NotFiniteError('constraint function', f'result {int(np.argmin(finite))}',
                             float(values[np.argmin(finite)]))
    return values


def _configuration_rate(model: Model, q: Scalars, v: Scalars) -> list[Scalar]:
    """Return ``qdot`` for velocities, on scalars; see ``model.state.configuration_rate``."""
    rate: list[Scalar] = [0.0] * model.nq
    for kind, start, first in zip(model.joint_types, model.q_offsets, model.v_offsets):
        if kind.is_simple:
            rate[start] = v[first]
    for joint in curved_joints(model):
        rate[joint.q] = joint.manifold.rate(tuple(q[joint.q]), tuple(v[joint.v]))
    return rate
