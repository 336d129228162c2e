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
Branches of closed loops: their rows on the way inwards, and the elimination of axes and rows.

A branch hands inwards its articulated inertia and, for each row r of a loop that it carries, the
equation that the row has become in the acceleration a of the body::

    Phi_r . a + rest_r + sum_s G_rs lambda_s = 0      f = I a + p - sum_r Phi_r lambda_r

An axis of a joint is a pivot: with d its inertia and f_r the part of Phi_r along it, ``G_rs +=
f_r f_s / d``. Where the branches of a loop meet, all is known that its rows need: a row is a pivot
of the same elimination, ``lambda_r = -(Phi_r . a + rest_r + ...) / G_rr``, and is handed on no
further. G is the inverse inertia of the cut, ``A M^-1 A^T``. A row whose G_rr is nothing but
rounding beside what it was made of depends on others; it takes no force. Where rounding and a
small number cannot be told apart, the result is NaN: ``rank.py`` decides then.

References
----------
As in ``recursive.py``.

"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mbd_ros.spatial import (
    ArticulatedInertia, or_infinite, or_nan, Scalar, Twist, Wrench, ZERO_WRENCH)

INDEPENDENT = 1e-6
"""
Part of the size of a row's G_rr from which on the row is independent beyond doubt: an angle of
1e-3. A smaller pivot would amplify the rounding of other rows until they seemed independent.
"""
CANCELLED, ROUNDING = 1e-12, 1e-20
"""
Parts below which G_rr is rounding: of what it was before other rows were eliminated at the body,
where 1e-15 is left, on long chains 1e-13; and of its size, where the square of that is.
"""
Couplings = tuple[tuple[Scalar, ...], ...]
"""The lower triangle of G."""


class CutRow(NamedTuple):
    """
    A row of a loop on its way inwards.

    Attributes
    ----------
    wrench : Wrench
        Phi_r, what a unit multiplier does to the body and all it carries.
    rest : Scalar
        What does not depend on the body's acceleration.
    size : Scalar
        What G_rr would be if all moments or forces of the row acted along the joints.
    length : Scalar
        1 of a row that is the distance of two points along an axis, else 0.

    """

    wrench: Wrench
    rest: Scalar
    size: Scalar
    length: Scalar = 0.0

    def __add__(self, other: CutRow) -> CutRow:  # type: ignore[override]
        """Return the row of two branches."""
        return CutRow(self.wrench + other.wrench, self.rest + other.rest, self.size + other.size,
                      self.length + other.length)


NO_ROW = CutRow(ZERO_WRENCH, 0.0, 0.0)


class Branch(NamedTuple):
    """The articulated-body equations of the subtree from a body outwards."""

    inertia: ArticulatedInertia
    wrench: Wrench
    rows: tuple[CutRow, ...]
    couplings: Couplings

    def __add__(self, other: Branch) -> Branch:  # type: ignore[override]
        """Return two subtrees on the same parent as one."""
        return Branch(self.inertia + other.inertia, self.wrench + other.wrench,
                      added(self.rows, other.rows), tuple(
                          tuple(a + b for a, b in zip(*pair))
                          for pair in zip(self.couplings, other.couplings)))

    def in_slots(self, order: Sequence[int]) -> Branch:
        """Return this with slot ``order[k]`` as slot k, none where it is negative."""
        return self._replace(rows=reordered(self.rows, order), couplings=tuple(
            tuple(self.coupling(r, s) if min(r, s) >= 0 else 0.0 for s in order[:k + 1])
            for k, r in enumerate(order)))

    def coupling(self, r: int, s: int) -> Scalar:
        """Return an entry of G."""
        return self.couplings[max(r, s)][min(r, s)]


class Pivot(NamedTuple):
    """One axis of a joint, eliminated: qdd = drive - column . a + sum_r pulls_r lambda_r."""

    axis: int
    column: Wrench
    drive: Scalar
    pulls: tuple[Scalar, ...]


class Closed(NamedTuple):
    """A row, eliminated: lambda = -(wrench . a + rest + couplings . lambda) inverse."""

    wrench: Wrench
    rest: Scalar
    couplings: tuple[Scalar, ...]
    inverse: Scalar
    independence: Scalar


class Reaction(NamedTuple):
    """What a body hands outwards: its acceleration and the multipliers."""

    acceleration: Twist
    multipliers: tuple[Scalar, ...]

    def in_slots(self, order: Sequence[int]) -> Reaction:
        """Return this with slot ``order[k]`` as slot k, none where it is negative."""
        return self._replace(multipliers=tuple(
            self.multipliers[slot] if slot >= 0 else 0.0 for slot in order))


def added(rows: tuple[CutRow, ...], others: tuple[CutRow, ...]) -> tuple[CutRow, ...]:
    """Return the sums of rows."""
    return tuple(row + other for row, other in zip(rows, others))


def reordered(rows: tuple[CutRow, ...], order: Sequence[int]) -> tuple[CutRow, ...]:
    """Return the rows that the slots of an order name, none where they are negative."""
    return tuple(rows[slot] if slot >= 0 else NO_ROW for slot in order)


def close_all(branch: Branch, closing: Sequence[int]) -> tuple[Branch, tuple[Closed, ...]]:
    """Eliminate the rows of loops at the body where their branches meet."""
    whole = [branch.coupling(slot, slot) for slot in range(len(branch.rows))]
    # Rows of points are compared with the sum of their sizes, which does not depend on the axes in
    # which the points are written: a row along a bar moves no joint and is small by itself.
    lengths: Scalar = 0.0
    for slot in closing:
        lengths = lengths + branch.rows[slot].size * branch.rows[slot].length
    closed = []
    for slot in closing:
        row = branch.rows[slot]
        size = row.size + (lengths - row.size) * row.length
        branch, done = close(branch, slot, whole[slot], size)
        closed.append(done)
    return branch, tuple(closed)


def close(branch: Branch, slot: int, whole: Scalar, size: Scalar) -> tuple[Branch, Closed]:
    """
    Eliminate a row.

    Parameters
    ----------
    branch : Branch
        All that the body carries.
    slot : int
        The row.
    whole, size : Scalar
        Its entry of G before others were eliminated at the body, and what it is compared with.

    """
    row, slots = branch.rows[slot], range(len(branch.rows))
    own = branch.coupling(slot, slot)
    pivot = or_nan(or_infinite(own, size * ROUNDING + whole * CANCELLED), size * INDEPENDENT)
    inverse = 1.0 / pivot
    couplings = tuple(branch.coupling(slot, s) if s != slot else 0.0 for s in slots)
    scaled = [coupling * inverse for coupling in couplings]
    rows = tuple(NO_ROW if s == slot else CutRow(
        other.wrench + row.wrench * -scaled[s], other.rest - row.rest * scaled[s], other.size,
        other.length)
        for s, other in enumerate(branch.rows))
    left = tuple(tuple(0.0 if slot in (r, s) else branch.coupling(r, s) - scaled[r] * couplings[s]
                       for s in range(r + 1)) for r in slots)
    closed = Closed(row.wrench, row.rest, couplings, inverse, own * inverse)
    return Branch(branch.inertia.minus_square(row.wrench, -inverse),
                  branch.wrench + row.wrench * (row.rest * inverse), rows, left), closed


def yield_to(branch: Branch, axis: int, effort: Scalar, rotor: Scalar,
             own: tuple[Scalar, ...]) -> tuple[Branch, Pivot]:
    """
    Project out one axis of the joint that carries a branch (articulated-inertia update).

    Rows have efforts of their own on it. A joint of several axes is a chain of massless joints.
    """
    column = branch.inertia.column(axis)
    compliance = 1.0 / (column.along(axis) + rotor)
    drive = (effort - branch.wrench.along(axis)) * compliance
    along = [row.wrench.along(axis) + part for row, part in zip(branch.rows, own)]
    pulls = tuple(part * compliance for part in along)
    rows = tuple(CutRow(row.wrench + column * -pull, row.rest + part * drive,
                        row.size + _square_across(row.wrench, axis) * compliance + part * pull,
                        row.length)
                 for row, part, pull in zip(branch.rows, along, pulls))
    couplings = tuple(tuple(entry + along[r] * pulls[s] for s, entry in enumerate(line))
                      for r, line in enumerate(branch.couplings))
    freed = Branch(branch.inertia.minus_square(column, compliance), branch.wrench + column * drive,
                   rows, couplings)
    return freed, Pivot(axis, column * compliance, drive, pulls)


def _square_across(wrench: Wrench, axis: int) -> Scalar:
    """Return the square of the moment across an axis of rotation, of the force across a slide."""
    part = list(wrench.moment if axis < 3 else wrench.force)
    del part[axis % 3]
    return part[0] * part[0] + part[1] * part[1]


def react(closed: Closed, acceleration: Twist, multipliers: tuple[Scalar, ...]) -> Scalar:
    """Return the multiplier of a row where the acceleration of its junction is known."""
    total = closed.wrench.dot(acceleration) + closed.rest
    for coupling, multiplier in zip(closed.couplings, multipliers):
        total = total + coupling * multiplier
    return total * closed.inverse * -1.0
