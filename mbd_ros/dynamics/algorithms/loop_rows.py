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

"""What loop joints and springs do to their bodies: rows of constraints, and pulls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mbd_ros.dynamics.algorithms.aba_loops import CutRow, LoopLoads, NO_ROW
from mbd_ros.dynamics.algorithms.body_motion import base_acceleration, HasBodyState
from mbd_ros.dynamics.algorithms.constraint_rows import (
    in_body, in_own_axes, is_trivial_row, Row, rows_of, side)
from mbd_ros.dynamics.algorithms.springs import pull
from mbd_ros.execution.program.sweeps import Tie, World
from mbd_ros.model.loops import ROWS
from mbd_ros.spatial import Scalar, ZERO3, ZERO_WRENCH

Balance = Callable[[World, Tie, Row, Any, Any], Scalar]
"""What the motion of a row's two bodies must balance."""


def baumgarte(alpha: float, beta: float, world: World, tie: Tie, row: Row, first: HasBodyState,
              second: HasBodyState) -> Scalar:
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


def phi_of(world: World, tie: Tie, row: Row, first: HasBodyState, second: HasBodyState) -> Scalar:
    """Return how far a row is from zero: what a displacement must balance."""
    return row.phi


def rate_of(world: World, tie: Tie, row: Row, first: HasBodyState, second: HasBodyState) -> Scalar:
    """Return the rate of a row: what a change of velocity must balance."""
    return (in_body(first, row.first).dot(first.velocity)
            + in_body(second, row.second).dot(second.velocity) + row.rate)


def apply_tie(slots: int, balance: Balance, springs: bool, own: bool, tie: Tie, world: World,
              first: HasBodyState, second: HasBodyState) -> tuple[LoopLoads, LoopLoads, tuple[()]]:
    """
    Return what a tie does to its two bodies.

    The rows are those of the world's axes; or those of the tie's ``own``, in their order, so that
    of a planar loop the last of a point is the one along its normal.
    """
    if tie.kind == 'spring':
        one, other = side(first, tie.frame1), side(second, tie.frame2)
        none = (NO_ROW,) * slots, (0.0,) * slots
        force = pull(tie, one, other) if springs else ZERO3
        return (LoopLoads(in_body(first, one.push(force)), *none),
                LoopLoads(in_body(second, other.push(force * -1.0)), *none), ())
    rows, others = [NO_ROW] * slots, [NO_ROW] * slots
    efforts: tuple[list[Scalar], list[Scalar]] = [0.0] * slots, [0.0] * slots
    if own:
        first, second = in_own_axes(tie, first, second)
    names = ROWS.get(tie.kind, ())  # type: ignore[call-overload]
    places = () if not slots else sorted(tie.slots) if own else tie.slots
    for k, (slot, row) in enumerate(zip(places, rows_of(
            tie, side(first, tie.frame1), side(second, tie.frame2)))):
        if is_trivial_row(tie, own, k):
            continue
        # What does not depend on the bodies travels with the end that is not on the ground.
        rest = balance(world, tie, row, first, second)
        here, there = (0.0, rest) if tie.first < 0 else (rest, 0.0)
        length = float(len(names[k]) == 1) if k < len(names) else 0.0
        near, far = (0.0, length) if tie.first < 0 else (length, 0.0)
        rows[slot] = CutRow(in_body(first, row.first), here, 0.0, near)
        others[slot] = CutRow(in_body(second, row.second), there, 0.0, far)
        efforts[0][slot], efforts[1][slot] = row.efforts
    return (LoopLoads(ZERO_WRENCH, tuple(rows), tuple(efforts[0])),
            LoopLoads(ZERO_WRENCH, tuple(others), tuple(efforts[1])), ())
