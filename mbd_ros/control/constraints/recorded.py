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
Constraints written on scalars: their rows become part of the machine code of a control step.

Such a constraint says which kernels of the robot it needs, what of it changes with time, and how
its rows follow from both. What is recorded is the mathematics of its four functions, once; called
from Python they are machine code of the recorded rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, cast, NamedTuple, TypeAlias

import numpy as np

from mbd_ros.control.references.scalars import Row
from mbd_ros.control.references.time_code import Coded, TimeCode
from mbd_ros.errors import NotFiniteError
from mbd_ros.execution.compiled_calls.traced_function import machine_code_of
from mbd_ros.execution.ir.differentiation import tangents
from mbd_ros.execution.ir.trace import Operand, Symbol, Trace
from mbd_ros.model import Model
from mbd_ros.model.caches import owned
from mbd_ros.simulation.manifold import Matrix, rate, Vector

Quantity: TypeAlias = tuple[str, str]
"""Function of prepared dynamics and a link: ``('jacobian', 'tool')``, ``('motion', 'tool')``."""


class Rows(NamedTuple):
    """
    Rows of a constraint at one state, on scalars.

    ``phi`` and ``phi_dot`` (or ``psi``) of the first rows, ``A`` and ``b``.
    """

    violation: Row
    rate: Row
    matrix: list[Row]
    right_side: Row


def differentiated(trace: Trace, values: Row, columns: list[dict[Symbol, Operand]],
                   moving: dict[Symbol, Operand], *, holonomic: bool) -> Rows:
    """
    Return the rows of a recorded ``phi``, or of a ``psi`` where not holonomic.

    ``columns`` are the rates of the variables for a unit of each velocity (of ``psi`` for a unit
    of each acceleration), ``moving`` their rates along the motion without acceleration.
    """
    rates = tangents(trace, values, moving) if holonomic else values
    slopes = [tangents(trace, values, column) for column in columns]
    return Rows(values if holonomic else [], rates, [list(row) for row in zip(*slopes)],
                [-entry for entry in tangents(trace, rates, moving)])


class Known(NamedTuple):
    """
    What rows are made of, on scalars.

    The state q (nq,), v (nv,); what the kernels of the robot gave, flat; what changes with time,
    as ``reference`` of the constraint returns it.
    """

    q: Row
    v: Row
    of_links: Mapping[Quantity, Row]
    reference: list[Row]


class Structure:
    """A constraint that equals all others of its structure."""

    def __init__(self, constraint: Any) -> None:
        self.constraint = constraint

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Structure)
                and bool(self.constraint.structure == other.constraint.structure))

    def __hash__(self) -> int:
        return hash(self.constraint.structure)


class CompiledRows(Coded):
    """
    A constraint whose ``rows`` are recorded; ``A``, ``b``, ``phi`` and its rate follow from them.

    ``counts``: numbers of rows with ``phi``, with ``phi_dot``, and of all; ``structure``: what the
    rows depend on beside the reference, so that constraints that differ in this alone share
    machine code; ``quantities``: which kernels of the robot are needed. Of the reference a
    subclass says the size and how it is made, or followed where a user's class gives it.
    """

    quantities: tuple[Quantity, ...] = ()
    reference_size = 0

    def __init__(self, model: Model, rows: int, *structure: Hashable, holonomic: bool = True
                 ) -> None:
        self.counts = (rows if holonomic else 0, rows, rows)
        self.structure: Hashable = (cast(Hashable, type(self)), model.nq, model.nv, *structure)
        self.state_sizes: tuple[int, ...] = (model.nq, model.nv)
        self._model, self._rest = model, np.zeros(model.nv)

    @property
    def reference_sizes(self) -> tuple[int, ...]:
        """Return the length of what changes with time, if anything does."""
        return (self.reference_size,) if self.reference_size else ()

    def reference(self, t: float) -> tuple[Vector, ...]:
        """Return what changes with time [s]."""
        if not self.reference_size:
            return ()
        code = self._code
        return (self._followed(t) if code is None else code(t),)

    def time_codes(self) -> tuple[TimeCode, ...] | None:
        """Return machine code for ``reference``, None where a user's class gives it."""
        if not self.reference_size:
            return ()
        code = self._code
        return None if code is None else (code,)

    def _followed(self, t: float) -> Vector:
        """Return the reference from a user's class."""
        raise NotImplementedError

    def rows(self, known: Known) -> Rows:
        """Return the rows at a state."""
        raise NotImplementedError

    def differentiated(self, known: Known, values: Row, changing: Mapping[Symbol, Operand]
                       ) -> Rows:
        """Return the rows of a ``phi`` of q or a ``psi`` of q and v, whose reference changes."""
        model, q, holonomic = self._model, known.q, bool(self.counts[0])
        place, pace = np.array(q, object), np.array(known.v, object)
        moving = {**dict(zip(q, rate(model, place, pace))), **changing}
        columns: list[dict[Symbol, Operand]] = [
            dict(zip(q, rate(model, place, unit))) if holonomic else {entry: 1.0}
            for unit, entry in zip(np.eye(model.nv), known.v)]
        return differentiated(q[0].trace, values, columns, moving, holonomic=holonomic)

    def record(self, _: Trace, *given: list[Symbol]) -> list[Operand]:
        """Return phi, its rate, b and A for ``state_sizes`` and the reference, on symbols."""
        q, v, *others = given
        rows = self.rows(Known(q, v, dict(zip(self.quantities, others)),
                               others[len(self.quantities):]))
        return [*rows.violation, *rows.rate, *rows.right_side,
                *(entry for row in rows.matrix for entry in row)]

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

    def _state(self, q: Vector, v: Vector) -> tuple[Vector, ...]:
        """Return the arguments before the reference, of ``state_sizes``."""
        return q, v

    def _where(self, state: tuple[Vector, ...], entry: int) -> tuple[str, str]:
        """Return what is not finite, and where, for an error."""
        return 'constraint function', f'result {entry}'

    def _values(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return what ``record`` does, at a state and time."""
        state = self._state(q, v)
        values: Vector = _compiled(self._model, Structure(self))(*state, *self.reference(t))
        finite = np.isfinite(values)
        if not finite.all():
            entry = int(np.argmin(finite))
            raise NotFiniteError(*self._where(state, entry), float(values[entry]))
        return values


@owned()
def _compiled(model: Model, structure: Structure) -> Callable[..., Any]:
    """Return machine code for ``record``; the same for all constraints of a structure."""
    constraint = structure.constraint
    assert isinstance(constraint, CompiledRows)
    return machine_code_of(constraint.record, (*constraint.state_sizes,
                                               *constraint.reference_sizes), 'constraint',
                           'phi, phi_dot, b and A of a constraint')
