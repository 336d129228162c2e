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
Forward dynamics of closed loops by articulated bodies, O(n): trees are loops with no rows.

Each loop is cut at a joint. On the way inwards a subtree hands on, besides its articulated inertia
(``aba.py``), for each row r of a loop that it carries, the equation that the row has become in the
acceleration a of the body::

    Phi_r . a + rest_r + sum_s G_rs lambda_s = 0      f = I a + p - sum_r Phi_r lambda_r

An axis of a joint is a pivot: with d its inertia and f_r the part of Phi_r along it, ``G_rs +=
f_r f_s / d``. Where the two ends of a loop meet, all is known that its rows need: a row is a pivot
of the same elimination, ``lambda_r = -(Phi_r . a + rest_r + ...) / G_rr``, and is handed on no
further. Outwards, accelerations and multipliers follow. G is the inverse inertia of the cut, ``A
M^-1 A^T``. A row whose G_rr is nothing but rounding beside what it was made of depends on others;
it takes no force. Where rounding and a small number cannot be told apart, the result is NaN:
``rank.py`` decides then.

References
----------
Bae, Haug, A recursive formulation for constrained mechanical system dynamics, 1987; Malczyk,
Fraczek, Dynamic analysis of complex closed loop kinematic chains. Here ``M qdd = Q + A^T
lambda``, as there lambda has the other sign.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from mbd_ros.dynamics.algorithms.aba import (
    along_axis, ArticulatedBody, eliminate_axis, joint_accelerations, Pivot)
from mbd_ros.dynamics.algorithms.body_motion import base_acceleration, VelocityTerms
from mbd_ros.dynamics.algorithms.joint_springs import driving
from mbd_ros.execution.program.sweeps import Body, Step, World
from mbd_ros.spatial import (
    ArticulatedInertia, Joint, or_infinite, or_nan, Scalar, Twist, Wrench, ZERO_WRENCH)
from mbd_ros.spatial.inertia import NO_ARTICULATED_INERTIA
from mbd_ros.spatial.rank_thresholds import CANCELLED_PIVOT, INDEPENDENT_PIVOT, ROUNDED_PIVOT

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
        """Return the row of two subtrees."""
        return CutRow(self.wrench + other.wrench, self.rest + other.rest, self.size + other.size,
                      self.length + other.length)


NO_ROW = CutRow(ZERO_WRENCH, 0.0, 0.0)


class LoopSubtree(NamedTuple):
    """The equations of a body with the subtree that it carries, and with the rows of loops."""

    inertia: ArticulatedInertia
    wrench: Wrench
    rows: tuple[CutRow, ...]
    couplings: Couplings

    def __add__(self, other: LoopSubtree) -> LoopSubtree:  # type: ignore[override]
        """Return two subtrees on the same parent as one."""
        return LoopSubtree(
            self.inertia + other.inertia, self.wrench + other.wrench,
            added(self.rows, other.rows), tuple(
                tuple(a + b for a, b in zip(*pair))
                for pair in zip(self.couplings, other.couplings)))

    @property
    def body(self) -> ArticulatedBody:
        """Return the equation without rows."""
        return ArticulatedBody(self.inertia, self.wrench)

    def in_slots(self, order: Sequence[int]) -> LoopSubtree:
        """Return this with slot ``order[k]`` as slot k, none where it is negative."""
        return self._replace(rows=reordered(self.rows, order), couplings=tuple(
            tuple(self.coupling(r, s) if min(r, s) >= 0 else 0.0 for s in order[:k + 1])
            for k, r in enumerate(order)))

    def coupling(self, r: int, s: int) -> Scalar:
        """Return an entry of G."""
        return self.couplings[max(r, s)][min(r, s)]


class JointPivot(NamedTuple):
    """An axis of a joint, eliminated, and what a unit multiplier of each row adds to its qdd."""

    pivot: Pivot
    pulls: tuple[Scalar, ...]


class RowPivot(NamedTuple):
    """A row, eliminated: lambda = -(wrench . a + rest + couplings . lambda) inverse."""

    wrench: Wrench
    rest: Scalar
    couplings: tuple[Scalar, ...]
    inverse: Scalar
    independence: Scalar


Eliminated = tuple[tuple[JointPivot, ...], tuple[RowPivot, ...]]
"""What a body keeps of its joint's axes and of the rows closed there."""


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


class LoopLoads(NamedTuple):
    """
    What loop joints and springs do to a body.

    Attributes
    ----------
    load : Wrench
        Of springs.
    rows : tuple of CutRow
        Of loop joints.
    efforts : tuple of Scalar
        What unit multipliers of the rows do along the body's own joint.

    """

    load: Wrench
    rows: tuple[CutRow, ...]
    efforts: tuple[Scalar, ...]

    def __add__(self, other: LoopLoads) -> LoopLoads:  # type: ignore[override]
        """Return what both do."""
        return LoopLoads(self.load + other.load, added(self.rows, other.rows),
                         tuple(a + b for a, b in zip(self.efforts, other.efforts)))

    def in_slots(self, order: Sequence[int]) -> LoopLoads:
        """Return this with slot ``order[k]`` as slot k, none where it is negative."""
        if not self.rows:  # springs alone
            return self
        return self._replace(rows=reordered(self.rows, order), efforts=tuple(
            self.efforts[slot] if slot >= 0 else 0.0 for slot in order))


def no_loop_loads(slots: int) -> LoopLoads:
    """Return what a body without loop joints and springs is loaded by, with slots for rows."""
    return LoopLoads(ZERO_WRENCH, (NO_ROW,) * slots, (0.0,) * slots)


def eliminate_rows(subtree: LoopSubtree, closing: Sequence[int]
                   ) -> tuple[LoopSubtree, tuple[RowPivot, ...]]:
    """Eliminate the rows of loops at the body where their ends meet."""
    whole = [subtree.coupling(slot, slot) for slot in range(len(subtree.rows))]
    # Rows of points are compared with the sum of their sizes, which does not depend on the axes in
    # which the points are written: a row along a bar moves no joint and is small by itself.
    lengths: Scalar = 0.0
    for slot in closing:
        lengths = lengths + subtree.rows[slot].size * subtree.rows[slot].length
    eliminated = []
    for slot in closing:
        row = subtree.rows[slot]
        size = row.size + (lengths - row.size) * row.length
        subtree, done = eliminate_row(subtree, slot, whole[slot], size)
        eliminated.append(done)
    return subtree, tuple(eliminated)


def eliminate_row(subtree: LoopSubtree, slot: int, whole: Scalar, size: Scalar
                  ) -> tuple[LoopSubtree, RowPivot]:
    """
    Eliminate a row.

    Parameters
    ----------
    subtree : LoopSubtree
        All that the body carries.
    slot : int
        The row.
    whole, size : Scalar
        Its entry of G before others were eliminated at the body, and what it is compared with.

    """
    row, slots = subtree.rows[slot], range(len(subtree.rows))
    own = subtree.coupling(slot, slot)
    rounding = size * ROUNDED_PIVOT + whole * CANCELLED_PIVOT
    pivot = or_nan(or_infinite(own, rounding), size * INDEPENDENT_PIVOT)
    inverse = 1.0 / pivot
    couplings = tuple(subtree.coupling(slot, s) if s != slot else 0.0 for s in slots)
    scaled = [coupling * inverse for coupling in couplings]
    rows = tuple(NO_ROW if s == slot else CutRow(
        other.wrench + row.wrench * -scaled[s], other.rest - row.rest * scaled[s], other.size,
        other.length)
        for s, other in enumerate(subtree.rows))
    left = tuple(tuple(0.0 if slot in (r, s) else subtree.coupling(r, s) - scaled[r] * couplings[s]
                       for s in range(r + 1)) for r in slots)
    closed = RowPivot(row.wrench, row.rest, couplings, inverse, own * inverse)
    return LoopSubtree(subtree.inertia.minus_square(row.wrench, -inverse),
                       subtree.wrench + row.wrench * (row.rest * inverse), rows, left), closed


def eliminate_joint_axis(subtree: LoopSubtree, axis: int, effort: Scalar, rotor: Scalar,
                         own: tuple[Scalar, ...]) -> tuple[LoopSubtree, JointPivot]:
    """Eliminate an axis of the joint that carries a subtree; rows may have efforts on it."""
    column, compliance = along_axis(subtree.inertia, axis, rotor)
    beyond, pivot = eliminate_axis(subtree.body, axis, effort, column, compliance)
    along = [row.wrench.along(axis) + part for row, part in zip(subtree.rows, own)]
    pulls = tuple(part * compliance for part in along)
    rows = tuple(CutRow(row.wrench + column * -pull, row.rest + part * pivot.drive,
                        row.size + _square_across(row.wrench, axis) * compliance + part * pull,
                        row.length)
                 for row, part, pull in zip(subtree.rows, along, pulls))
    couplings = tuple(tuple(entry + along[r] * pulls[s] for s, entry in enumerate(line))
                      for r, line in enumerate(subtree.couplings))
    return LoopSubtree(*beyond, rows, couplings), JointPivot(pivot, pulls)


def _square_across(wrench: Wrench, axis: int) -> Scalar:
    """Return the square of the moment across an axis of rotation, of the force across a slide."""
    part = list(wrench.moment if axis < 3 else wrench.force)
    del part[axis % 3]
    return part[0] * part[0] + part[1] * part[1]


def row_multiplier(row: RowPivot, acceleration: Twist, multipliers: tuple[Scalar, ...]) -> Scalar:
    """Return the multiplier of a row where the acceleration of its junction is known."""
    total = row.wrench.dot(acceleration) + row.rest
    for coupling, multiplier in zip(row.couplings, multipliers):
        total = total + coupling * multiplier
    return total * row.inverse * -1.0


def carried_nothing(slots: int) -> LoopSubtree:
    """Return the equations of no body, with slots for rows."""
    return LoopSubtree(NO_ARTICULATED_INERTIA, ZERO_WRENCH, (NO_ROW,) * slots,
                       tuple((0.0,) * (r + 1) for r in range(slots)))


def articulate(body: Body, joint: Joint, children: LoopSubtree, terms: VelocityTerms,
               loads: LoopLoads) -> Step:
    """Inward: eliminate the loops whose ends meet here, then the axes of the joint."""
    subtree = LoopSubtree(
        body.inertia.articulated() + terms.added + children.inertia,
        terms.wrench + children.wrench + loads.load * -1.0, added(children.rows, loads.rows),
        children.couplings)
    subtree, closed = eliminate_rows(subtree, body.closes if subtree.rows else ())
    subtree = subtree._replace(
        wrench=subtree.wrench + subtree.inertia.apply(terms.coriolis),
        rows=tuple(row._replace(rest=row.rest + row.wrench.dot(terms.coriolis))
                   for row in subtree.rows))
    pivots = []
    for axis, effort, rotor in zip(joint.axes, driving(body, joint), body.armature):
        subtree, pivot = eliminate_joint_axis(subtree, axis, effort, rotor, loads.efforts)
        pivots.append(pivot)
    link = terms.link
    return Step(hand=LoopSubtree(link.articulated_to_parent(subtree.inertia),
                                 link.wrench_to_parent(subtree.wrench),
                                 tuple(row._replace(wrench=link.wrench_to_parent(row.wrench))
                                       for row in subtree.rows), subtree.couplings),
                keep=(tuple(pivots), closed))


def close_at_ground(slots: int, reports: bool, base: Callable[[World], Twist], world: World,
                    subtree: LoopSubtree) -> Step:
    """Eliminate the loops that meet at the ground, whose acceleration accounts for gravity."""
    _, closed = eliminate_rows(subtree, range(slots))
    return _with_multipliers(slots, reports, Reaction(base(world), (0.0,) * slots),
                             tuple(zip(range(slots), closed)), ())


def base_reaction(world: World) -> Reaction:
    """Return what the base hands outwards where no loops meet at it."""
    return Reaction(base_acceleration(world), ())


def accelerate(reports: bool, body: Body, joint: Joint, parent: Reaction, terms: VelocityTerms,
               *kept: Any) -> Step:
    """Outward: the joint's accelerations, then the multipliers of the loops that meet here."""
    eliminated: Eliminated = kept[-1]
    pivots, closed = eliminated
    drives = []
    for pivot, pulls in pivots:
        drive = pivot.drive
        for pull, multiplier in zip(pulls, parent.multipliers):
            drive = drive + pull * multiplier
        drives.append(drive)
    rates, acceleration = joint_accelerations(
        [pivot for pivot, _ in pivots], drives, terms.link.twist_to_child(parent.acceleration))
    reaction = Reaction(acceleration + terms.coriolis, parent.multipliers)
    return _with_multipliers(len(parent.multipliers), reports, reaction,
                             tuple(zip(body.closes, closed)), rates)


def _with_multipliers(slots: int, reports: bool, reaction: Reaction,
                      closed: tuple[tuple[int, RowPivot], ...], rates: tuple[Scalar, ...]
                      ) -> Step:
    """Return the step of a body once the multipliers of the rows closed there are known."""
    multipliers, report = list(reaction.multipliers), [0.0] * (2 * slots)
    for slot, _ in closed:
        multipliers[slot] = 0.0
    for slot, row in reversed(closed):
        multipliers[slot] = row_multiplier(row, reaction.acceleration, tuple(multipliers))
        report[2 * slot:2 * slot + 2] = multipliers[slot], row.independence
    return Step(hand=reaction._replace(multipliers=tuple(multipliers)),
                out=(*rates, *report) if reports else rates)
