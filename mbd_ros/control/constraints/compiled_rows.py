"""The functions of a constraint, called from Python, as machine code of its recorded rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable
import functools
from typing import Any

import numpy as np

from mbd_ros.control.constraints.recorded import Known, Quantity, Rows, Structure
from mbd_ros.control.references.time_code import TimeCode
from mbd_ros.errors import NotFiniteError
from mbd_ros.execution.calls.traced_function import machine_code_of
from mbd_ros.execution.ir.trace import Operand, Symbol, Trace
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import Matrix, Vector


class CompiledRows:
    """
    A constraint whose ``rows`` are recorded; ``A``, ``b``, ``phi`` and its rate follow from them.

    ``counts`` and ``structure`` as in ``Recorded``: what the rows depend on beside the reference.
    """

    quantities: tuple[Quantity, ...] = ()
    reference_sizes: tuple[int, ...] = ()

    def __init__(self, model: Model, counts: tuple[int, int, int], *structure: Hashable) -> None:
        self.counts = counts
        self.structure = (type(self), *structure)
        self.state_sizes: tuple[int, ...] = (model.nq, model.nv)
        self._rest = np.zeros(model.nv)

    def reference(self, t: float) -> tuple[Vector, ...]:
        """Return what changes with time [s]."""
        raise NotImplementedError

    def time_codes(self) -> tuple[TimeCode, ...] | None:
        """Return machine code for the reference, None where a user's class gives it."""
        raise NotImplementedError

    def rows(self, known: Known) -> Rows:
        """Return the rows at a state."""
        raise NotImplementedError

    def record(self, _: Trace, *given: list[Symbol]) -> list[Operand]:
        """Return phi, its rate, b and A for ``state_sizes`` and the reference, on symbols."""
        q, v, *reference = given
        rows = self.rows(Known(q, v, {}, reference))
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
        values: Vector = _compiled(Structure(self))(*state, *self.reference(t))
        finite = np.isfinite(values)
        if not finite.all():
            entry = int(np.argmin(finite))
            raise NotFiniteError(*self._where(state, entry), float(values[entry]))
        return values


@functools.lru_cache(maxsize=64)
def _compiled(structure: Structure) -> Callable[..., Any]:
    """Return machine code for ``record``; the same for all constraints of a structure."""
    constraint = structure.constraint
    assert isinstance(constraint, CompiledRows)
    return machine_code_of(constraint.record, (*constraint.state_sizes,
                                               *constraint.reference_sizes), 'constraint',
                           'phi, phi_dot, b and A of a constraint')
