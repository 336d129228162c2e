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
The rows of all loops as they stand: ``phi``, its rate, the bias of ``phi''``, and the Jacobian A.

``phi' = A v`` and ``phi'' = A vdot + bias``. The wrenches of a row go from the two bodies inwards
to where the branches meet; on its way each joint's share is an entry of A.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import NamedTuple

from mbd_ros.dynamics.algorithms.body_motion import coordinate
from mbd_ros.dynamics.algorithms.constraint_rows import (
    in_body, in_own_axes, is_trivial_row, rows_of, side)
from mbd_ros.dynamics.quantities.kinematics import AT_REST, Travel, travel
from mbd_ros.execution.program.sweeps import (
    Body, Inward, Layout, Outward, Program, Step, Tie, Ties, World)
from mbd_ros.spatial import Joint, Link, Scalar, Twist, Wrench, ZERO_WRENCH

VALUES = 3
"""Numbers of a row before its Jacobian: phi, its rate, the bias."""


class Wrenches(NamedTuple):
    """What unit multipliers of the rows do to a body, and along its own joint."""

    rows: tuple[Wrench, ...]
    efforts: tuple[Scalar, ...]

    def __add__(self, other: Wrenches) -> Wrenches:  # type: ignore[override]
        """Return the sum."""
        return Wrenches(tuple(a + b for a, b in zip(self.rows, other.rows)),
                        tuple(a + b for a, b in zip(self.efforts, other.efforts)))


class BodyMotion(NamedTuple):
    """How a body moves (``Travel``), with coordinate and rate of its joint (``BodyState``)."""

    pose: Link
    velocity: Twist
    acceleration: Twist
    place: Scalar
    rate: Scalar


def kinematics_pass(body: Body, joint: Joint, parent: BodyMotion) -> Step:
    """Outward: pose, velocity, and the acceleration that comes from velocities."""
    own = travel(body, joint, Travel(*parent[:3]))
    return Step(hand=BodyMotion(*own, *coordinate(joint)), keep=joint.link(body.placement))


def at_rest(world: World) -> BodyMotion:
    """Return how the ground moves."""
    return BodyMotion(*AT_REST, 0.0, 0.0)


def loop_row_values(slots: int, own: bool, tie: Tie, world: World, first: BodyMotion,
                    second: BodyMotion) -> tuple[Wrenches, Wrenches, tuple[Scalar, ...]]:
    """Return the wrenches of a tie's rows, and for each row phi, its rate and its bias."""
    here, there, values = [ZERO_WRENCH] * slots, [ZERO_WRENCH] * slots, []
    efforts: tuple[list[Scalar], list[Scalar]] = [0.0] * slots, [0.0] * slots
    if tie.kind != 'spring':
        seen = in_own_axes(tie, first, second) if own else (first, second)
        rows = rows_of(tie, side(seen[0], tie.frame1), side(seen[1], tie.frame2))
        for k, (slot, row) in enumerate(zip(tie.slots, rows)):
            if own and is_trivial_row(tie, own, k):
                values += [0.0] * VALUES
                continue
            one, other = in_body(seen[0], row.first), in_body(seen[1], row.second)
            here[slot], there[slot] = one, other
            efforts[0][slot], efforts[1][slot] = row.efforts
            values += [row.phi, one.dot(first.velocity) + other.dot(second.velocity) + row.rate,
                       row.bias + one.dot(first.acceleration) + other.dot(second.acceleration)]
    return (Wrenches(tuple(here), tuple(efforts[0])), Wrenches(tuple(there), tuple(efforts[1])),
            tuple(values))


def row_wrenches_pass(body: Body, joint: Joint, children: Wrenches, link: Link, held: Wrenches
                      ) -> Step:
    """Inward: what the rows ask of the joint; a row ends where its branches meet."""
    rows = [ZERO_WRENCH if slot in body.closes else row
            for slot, row in enumerate((children + held).rows)]
    return Step(hand=Wrenches(tuple(link.wrench_to_parent(row) for row in rows),
                              (0.0,) * len(rows)),
                out=tuple(share + own for row, own in zip(rows, held.efforts)
                          for share in joint.project(row)))


@lru_cache(maxsize=64)
def loop_rows(slots: int, own: bool = False) -> Program:
    """
    Return the program that gives (m, 3 + nv): for each row phi, rate, bias, entries of A.

    Of points that coincide along the axes of the world, or along the ``own`` of each tie.
    """
    nothing = Wrenches((ZERO_WRENCH,) * slots, (0.0,) * slots)
    name = 'own_loop_rows' if own else 'loop_rows'
    return Program(f'{name} of {slots} slots', ('q', 'v'), (
        Outward(kinematics_pass, at_rest), Ties(partial(loop_row_values, slots, own), nothing),
        Inward(row_wrenches_pass, nothing)), Layout.ROWS, (VALUES,))
