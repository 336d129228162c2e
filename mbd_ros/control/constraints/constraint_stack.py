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

"""Several constraints as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbd_ros.control.constraints.recorded import CompiledRows, Known, Quantity, Rows
from mbd_ros.control.constraints.servo_constraints import Constraint
from mbd_ros.control.references.arguments import CONSTRAINT, require
from mbd_ros.control.references.time_code import TimeCode
from mbd_ros.simulation.manifold import Matrix, Vector


class Stack:
    """
    Several constraints at once; rows may be redundant, within one and among them.

    Rows of constraints on configurations come first, then those on velocities, then those known
    only as accelerations, so that ``phi`` and ``phi_dot`` belong to the first rows of ``A``.

    Parameters
    ----------
    parts : sequence of Constraint
        The constraints; may be empty, then the robot is free. Those of a stack among them count
        as if they stood here, and a part may be a mixture itself.
    q, v : Vector
        Any state (nq,), (nv,): it tells which kind each part is.

    Raises
    ------
    InvalidValueError
        If a part is no constraint.

    """

    def __init__(self, parts: Sequence[Constraint], q: Vector, v: Vector) -> None:
        for part in parts:
            require('parts of a stack', part, CONSTRAINT, 'constraints')
        parts = [each for part in parts for each in parts_of(part)]
        phis = [part.violation(q, 0.0) for part in parts]
        rates = [part.violation_rate(q, v, 0.0) for part in parts]
        kinds = [0 if phi is not None else 1 if rate is not None else 2
                 for phi, rate in zip(phis, rates)]
        order = sorted(range(len(kinds)), key=kinds.__getitem__)
        self.parts = tuple(parts[k] for k in order)
        self._holonomic = self.parts[:kinds.count(0)]
        self._rated = self.parts[:kinds.count(0) + kinds.count(1)]
        self._nv = len(v)
        sizes = [(_count(phis[k]), _count(rates[k]), len(parts[k].right_side(q, v, 0.0)))
                 for k in order]
        self._rows = _kinds_in_turn([(held, rated - held, rows - rated)
                                     for held, rated, rows in sizes])
        self._rate_rows = _kinds_in_turn([(held, rated - held) for held, rated, _ in sizes])

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return all rows of ``A`` (m, nv)."""
        if not self.parts:
            return np.zeros((0, self._nv))
        return _ordered(np.concatenate([part.matrix(q, v, t) for part in self.parts]), self._rows)

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``b`` (m,)."""
        if not self.parts:
            return np.zeros(0)
        return _ordered(np.concatenate([part.right_side(q, v, t) for part in self.parts]),
                        self._rows)

    def violation(self, q: Vector, t: float) -> Vector | None:
        """Return ``phi`` of the first rows, None if no row has one."""
        values = [part.violation(q, t) for part in self._holonomic]
        return np.concatenate([value for value in values if value is not None]) if values else None

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector | None:
        """Return ``phi_dot`` (or ``psi``) of the first rows, None if no row has one."""
        values = [part.violation_rate(q, v, t) for part in self._rated]
        return _ordered(np.concatenate([value for value in values if value is not None]),
                        self._rate_rows) if values else None


def _count(values: Vector | None) -> int:
    """Return how many values there are."""
    return 0 if values is None else len(values)


def _kinds_in_turn(counts: Sequence[tuple[int, ...]]) -> list[int] | None:
    """Return the order of rows, of so many of each kind in each part, None as they are."""
    kinds = [kind for part in counts for kind, count in enumerate(part) for _ in range(count)]
    order = sorted(range(len(kinds)), key=kinds.__getitem__)
    return None if order == list(range(len(kinds))) else order


def _ordered(rows: Matrix, order: list[int] | None) -> Matrix:
    """Return rows in an order."""
    return rows if order is None else rows[order]


def parts_of(constraint: Constraint) -> tuple[Constraint, ...]:
    """Return the constraints that a stack is made of, in the order of its rows, or the one."""
    return constraint.parts if isinstance(constraint, Stack) else (constraint,)


def followed_by(constraint: Constraint) -> list[object]:
    """Return the paths and the turns in time that the parts of a constraint follow."""
    parts = parts_of(constraint)
    paths = [part.path for part in parts if hasattr(part, 'path')]
    turns = [part.orientation for part in parts if hasattr(part, 'orientation')]
    return [*paths, *(turn for turn in turns if getattr(turn, 'turns', True))]


class RecordedStack:
    """Constraints on scalars as one, in the order of a ``Stack``; see ``CompiledRows``."""

    def __init__(self, parts: Sequence[CompiledRows]) -> None:
        self._parts = tuple(parts)
        self.structure = tuple(part.structure for part in parts)
        held, rated, rows = (sum(part.counts[k] for part in parts) for k in range(3))
        self.counts = held, rated, rows
        self.quantities: tuple[Quantity, ...] = tuple(
            dict.fromkeys(quantity for part in parts for quantity in part.quantities))
        self.reference_sizes = tuple(size for part in parts for size in part.reference_sizes)

    def reference(self, t: float) -> tuple[Vector, ...]:
        """Return what changes with time [s], part by part."""
        return tuple(vector for part in self._parts for vector in part.reference(t))

    def time_codes(self) -> tuple[TimeCode, ...] | None:
        """Return machine code for the reference, part by part; None if one has none."""
        found = [part.time_codes() for part in self._parts]
        if any(codes is None for codes in found):
            return None
        return tuple(code for codes in found for code in codes or ())

    def rows(self, known: Known) -> Rows:
        """Return the rows at a state."""
        found, start = Rows([], [], [], []), 0
        for part in self._parts:
            end = start + len(part.reference_sizes)
            its = part.rows(known._replace(reference=known.reference[start:end]))
            found, start = Rows(*(mine + more for mine, more in zip(found, its))), end
        return found


def recorded_form(constraint: Constraint) -> RecordedStack | None:
    """Return a constraint, or a stack of them, on scalars; None where there is no such form."""
    given = parts_of(constraint)
    parts = [part for part in given if isinstance(part, CompiledRows)]
    return RecordedStack(parts) if 0 < len(parts) == len(given) else None
