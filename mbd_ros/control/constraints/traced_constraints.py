"""
Constraints from one function: ``phi(q, t) = 0`` or ``psi(q, v, t) = 0``, written on scalars.

The function is recorded once on symbols and differentiated there, exactly; what the controller
calls is machine code for ``phi``, ``phi_dot``, ``A`` and ``b``. What it may use is said in
``user_functions.ALLOWED``; a branch on a coordinate it may not have, since that is not known while
it is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import functools
from typing import TypeAlias

import numpy as np

from mbd_ros.control.constraints.recorded import Known, Quantity, Rows
from mbd_ros.control.references.arguments import require_model
from mbd_ros.control.references.scalar_manifold import configuration_rate
from mbd_ros.control.references.time_code import closed_form, TimeCode
from mbd_ros.control.references.user_functions import UserFunction
from mbd_ros.errors import NotFiniteError
from mbd_ros.execution.calls.traced_function import machine_code_of
from mbd_ros.execution.ir.differentiation import tangents
from mbd_ros.execution.ir.trace import Operand, Symbol, Trace
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import Matrix, Vector
from mbd_ros.spatial import Scalar

Scalars: TypeAlias = Sequence[Scalar]


class _Traced:
    """
    What both kinds of traced constraints share: their functions of q, v and t in one vector.

    Parameters
    ----------
    model : Model
        The robot.
    function : UserFunction
        ``phi(q, t)`` or ``psi(q, v, t)``, the time as a list of one.

    """

    def __init__(self, model: Model, function: UserFunction) -> None:
        self._model, self._function = model, function
        self.structure = (type(self), function.text)
        self.quantities: tuple[Quantity, ...] = ()
        self.reference_sizes = (1,)

        def record(_: Trace, q: list[Symbol], v: list[Symbol], time: list[Symbol]
                   ) -> list[Operand]:
            rows = self.rows(Known(q, v, {}, [time]))
            self.counts = len(rows.violation), len(rows.rate), len(rows.right_side)
            return [*rows.violation, *rows.rate, *rows.right_side,
                    *(entry for row in rows.matrix for entry in row)]

        self._compiled = machine_code_of(
            record, (model.nq, model.nv, 1), 'constraint', 'phi, phi_dot, b and A of a constraint')
        self._rest = np.zeros(model.nv)

    def rows(self, known: Known) -> Rows:
        """Return the rows at a state."""
        raise NotImplementedError

    def reference(self, t: float) -> tuple[Vector, ...]:
        """Return the time [s]."""
        return (np.array((t,), np.float64),)

    def time_codes(self) -> tuple[TimeCode, ...]:
        """Return machine code for the time."""
        return (_time(),)

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return ``A`` (m, nv)."""
        return self._values(q, v, t)[sum(self.counts):].reshape(self.counts[2], -1)

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``b`` (m,)."""
        held, rated, m = self.counts
        return self._values(q, v, t)[held + rated:held + rated + m]

    def violation(self, q: Vector, t: float) -> Vector | None:
        """Return ``phi`` (m,), None for a constraint on velocities."""
        held = self.counts[0]
        return self._values(q, self._rest, t)[:held] if held else None

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``phi_dot`` or ``psi`` (m,)."""
        held, rated, _ = self.counts
        return self._values(q, v, t)[held:held + rated]

    def _values(self, q: Vector, v: Vector, t: float) -> Vector:
        values: Vector = self._compiled(q, v, *self.reference(t))
        finite = np.isfinite(values)
        if not finite.all():
            raise NotFiniteError('constraint function', f'result {int(np.argmin(finite))}',
                                 float(values[np.argmin(finite)]))
        return values

    def _moving(self, known: Known) -> dict[Symbol, Operand]:
        """Return the rates of q and t."""
        return {**dict(zip(known.q, configuration_rate(self._model, known.q, known.v))),
                known.reference[0][0]: 1.0}


@functools.cache
def _time() -> TimeCode:
    return closed_form(_time_itself, (), 1)


def _time_itself(time: Scalar, _: Scalars) -> Scalars:
    return [time]


class TracedConstraint(_Traced):
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
        require_model(model)
        super().__init__(model, UserFunction(
            phi, lambda phi, q, time: phi(q, time[0]), (model.nq, 1)))

    def rows(self, known: Known) -> Rows:
        """Return the rows at a state."""
        q, model, trace = known.q, self._model, known.q[0].trace
        values = self._function(q, known.reference[0])
        moving = self._moving(known)
        rates = tangents(trace, values, moving)
        columns = [tangents(trace, values, dict(zip(q, configuration_rate(
            model, q, [float(k == j) for k in range(model.nv)])))) for j in range(model.nv)]
        return Rows(values, rates, [list(row) for row in zip(*columns)],
                    [-entry for entry in tangents(trace, rates, moving)])


class TracedVelocityConstraint(_Traced):
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
        require_model(model)
        super().__init__(model, UserFunction(
            psi, lambda psi, q, v, time: psi(q, v, time[0]), (model.nq, model.nv, 1)))

    def rows(self, known: Known) -> Rows:
        """Return the rows at a state."""
        trace = known.q[0].trace
        values = self._function(known.q, known.v, known.reference[0])
        columns = [tangents(trace, values, {entry: 1.0}) for entry in known.v]
        return Rows([], values, [list(row) for row in zip(*columns)],
                    [-entry for entry in tangents(trace, values, self._moving(known))])
