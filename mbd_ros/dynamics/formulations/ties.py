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

"""What ties do to their bodies: the rows of joints that close loops, and the pull of springs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from mbd_ros.dynamics.formulations.branches import added, CutRow, NO_ROW, reordered
from mbd_ros.dynamics.formulations.motion import base_acceleration
from mbd_ros.dynamics.formulations.rows import (
    in_body, in_own_axes, Row, rows_of, says_nothing, side, Visible)
from mbd_ros.dynamics.formulations.springs import pull
from mbd_ros.execution.program.sweeps import Tie, World
from mbd_ros.model.loops import ROWS
from mbd_ros.spatial import Scalar, Wrench, ZERO3, ZERO_WRENCH

Balance = Callable[[World, Tie, Row, Any, Any], Scalar]
"""What the motion of a row's two bodies must balance."""


class Held(NamedTuple):
    """What ties do to a body: a load, rows of loop joints, what these do along its own joint."""

    load: Wrench
    rows: tuple[CutRow, ...]
    efforts: tuple[Scalar, ...]

    def __add__(self, other: Held) -> Held:  # type: ignore[override]
        """Return what both do."""
        return Held(self.load + other.load, added(self.rows, other.rows),
                    tuple(a + b for a, b in zip(self.efforts, other.efforts)))

    def in_slots(self, order: Sequence[int]) -> Held:
        """Return this with slot ``order[k]`` as slot k, none where it is negative."""
        if not self.rows:  # springs alone
            return self
        return self._replace(rows=reordered(self.rows, order), efforts=tuple(
            self.efforts[slot] if slot >= 0 else 0.0 for slot in order))


def required(alpha: float, beta: float, world: World, tie: Tie, row: Row, first: Visible,
             second: Visible) -> Scalar:
    """
    Return what the accelerations of a row's bodies must balance.

    That is ``phi'' + 2 alpha phi' + beta^2 phi``: the second derivative alone where alpha and beta
    are zero, else Baumgarte's stabilization.
    """
    rest = row.bias + row.phi * (beta * beta)
    if alpha:
        rest = rest + rate_of(world, tie, row, first, second) * (2.0 * alpha)
    for body, seen, wrench in ((tie.first, first, row.first), (tie.second, second, row.second)):
        if body < 0:
            rest = rest + in_body(seen, wrench).dot(base_acceleration(world))
    return rest


def phi_of(world: World, tie: Tie, row: Row, first: Visible, second: Visible) -> Scalar:
    """Return how far a row is from zero: what a displacement must balance."""
    return row.phi


def rate_of(world: World, tie: Tie, row: Row, first: Visible, second: Visible) -> Scalar:
    """Return the rate of a row: what a change of velocity must balance."""
    return (in_body(first, row.first).dot(first.velocity)
            + in_body(second, row.second).dot(second.velocity) + row.rate)


def tie_down(slots: int, balance: Balance, springs: bool, own: bool, tie: Tie, world: World,
             first: Visible, second: Visible) -> tuple[Held, Held, tuple[()]]:
    """
    Return what a tie does to its two bodies.

    The rows are those of the world's axes; or those of the tie's ``own``, in their order, so that
    of a planar loop the last of a point is the one along its normal.
    """
    if tie.kind == 'spring':
        one, other = side(first, tie.frame1), side(second, tie.frame2)
        none = (NO_ROW,) * slots, (0.0,) * slots
        force = pull(tie, one, other) if springs else ZERO3
        return (Held(in_body(first, one.push(force)), *none),
                Held(in_body(second, other.push(force * -1.0)), *none), ())
    rows, others = [NO_ROW] * slots, [NO_ROW] * slots
    efforts: tuple[list[Scalar], list[Scalar]] = [0.0] * slots, [0.0] * slots
    if own:
        first, second = in_own_axes(tie, first, second)
    names = ROWS.get(tie.kind, ())  # type: ignore[call-overload]
    places = () if not slots else sorted(tie.slots) if own else tie.slots
    for k, (slot, row) in enumerate(zip(places, rows_of(
            tie, side(first, tie.frame1), side(second, tie.frame2)))):
        if says_nothing(tie, own, k):
            continue
        # What does not depend on the bodies travels with the end that is not on the ground.
        rest = balance(world, tie, row, first, second)
        here, there = (0.0, rest) if tie.first < 0 else (rest, 0.0)
        length = float(len(names[k]) == 1) if k < len(names) else 0.0
        near, far = (0.0, length) if tie.first < 0 else (length, 0.0)
        rows[slot] = CutRow(in_body(first, row.first), here, 0.0, near)
        others[slot] = CutRow(in_body(second, row.second), there, 0.0, far)
        efforts[0][slot], efforts[1][slot] = row.efforts
    return (Held(ZERO_WRENCH, tuple(rows), tuple(efforts[0])),
            Held(ZERO_WRENCH, tuple(others), tuple(efforts[1])), ())
