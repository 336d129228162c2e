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

from mbd_ros.control.constraints.compiled_rows import CompiledRows
from mbd_ros.control.constraints.recorded import Known, Rows
from mbd_ros.control.references.arguments import require_model
from mbd_ros.control.references.scalar_manifold import configuration_rate
from mbd_ros.control.references.time_code import closed_form, TimeCode
from mbd_ros.control.references.user_functions import UserFunction
from mbd_ros.execution.ir.differentiation import tangents
from mbd_ros.execution.ir.trace import Operand, Symbol
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import Vector
from mbd_ros.spatial import Scalar

Scalars: TypeAlias = Sequence[Scalar]


class _Traced(CompiledRows):
    """
    What both kinds of traced constraints share.

    The function is ``phi(q, t)`` where holonomic, else ``psi(q, v, t)``, the time as a list of
    one.
    """

    reference_sizes = (1,)

    def __init__(self, model: Model, function: UserFunction, *, holonomic: bool) -> None:
        self._model, self._function = model, function
        m = function.size
        super().__init__(model, (m if holonomic else 0, m, m), model, function.text)

    def reference(self, t: float) -> tuple[Vector, ...]:
        """Return the time [s]."""
        return (np.array((t,), np.float64),)

    def time_codes(self) -> tuple[TimeCode, ...]:
        """Return machine code for the time."""
        return (_time(),)

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
            phi, lambda phi, q, time: phi(q, time[0]), (model.nq, 1)), holonomic=True)

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
            psi, lambda psi, q, v, time: psi(q, v, time[0]), (model.nq, model.nv, 1)),
            holonomic=False)

    def rows(self, known: Known) -> Rows:
        """Return the rows at a state."""
        trace = known.q[0].trace
        values = self._function(known.q, known.v, known.reference[0])
        columns = [tangents(trace, values, {entry: 1.0}) for entry in known.v]
        return Rows([], values, [list(row) for row in zip(*columns)],
                    [-entry for entry in tangents(trace, values, self._moving(known))])
