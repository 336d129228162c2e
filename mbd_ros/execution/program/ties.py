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
What acts between two bodies, as the sweeps see it, and where the rows of loops are carried.

The rows of a loop travel from the two bodies that it ties together to its junction. Loops whose
ways share no body share *slots*, so that the number of slots, and with it the work at a body, does
not grow with the number of loops along a chain.

"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbd_ros.execution.program.records import floats, rotation_record, vector_record
from mbd_ros.execution.program.sweeps import POINT, Tie
from mbd_ros.model import LinkFrame, Loop, Model
from mbd_ros.model.joints.joint_type import JointType
from mbd_ros.model.loops import branches
from mbd_ros.model.planar_loops import Plane, plane_of
from mbd_ros.spatial import Link
from mbd_ros.spatial.rank_thresholds import PLANAR_LOOP

LEANING, ALONG = 0.14, 0.99
"""
Sine up to which joints leave a plane, and cosine from which on it lies across an axis, so that the
pivots along others are large.
"""


def first_rows(loops: Sequence[Loop]) -> list[int]:
    """Return where the rows of each loop begin among those of all loops, and their number."""
    return [0, *np.cumsum([len(loop.rows) for loop in loops]).tolist()]


def carriers(model: Model, loop: Loop) -> list[int]:
    """Return the bodies that the rows of a loop travel along, its junction last."""
    first, second = branches(loop, model.parents)
    return [*first, *second, loop.junction]


def slots_of(model: Model) -> list[tuple[int, ...]]:
    """
    Return the slots in which the rows of each loop are carried.

    Parameters
    ----------
    model : Model
        The robot.

    Returns
    -------
    list of tuple of int
        As many as the loop has rows; loops with a body in common, the ground included, have
        none in common.

    """
    taken: dict[int, set[int]] = {}
    found = []
    for loop, plane in zip(model.loops, _planes(model)):
        bodies = carriers(model, loop)
        used = set().union(*(taken.get(body, set()) for body in bodies))
        free = [slot for slot in range(len(used) + len(loop.rows)) if slot not in used]
        slots = dict(zip(_order(loop, plane), free))
        for body in bodies:
            taken.setdefault(body, set()).update(slots.values())
        found.append(tuple(slots[row] for row in range(len(loop.rows))))
    return found


def _order(loop: Loop, plane: Plane | None) -> list[int]:
    """
    Return the rows of a loop in the order in which they are eliminated along axes of the world.

    Of a planar loop on the ground whose normal is nearly such an axis, as with ``rpy="1.5708 0
    0"``, the row along it is last: what little of it lies in the plane depends on the two others,
    and before them it would be a pivot too small to tell from rounding.
    """
    rows = list(range(len(loop.rows)))
    if plane is None or loop.junction >= 0 or np.abs(plane.normal).max() < ALONG:
        return rows
    along = int(np.argmax(np.abs(plane.normal)))
    return [*(k for k in range(3) if k != along), along, *rows[3:]]


def _axes(model: Model, loop: Loop, plane: Plane | None) -> int:
    """
    Return in whose axes the rows of a loop are eliminated, as ``Tie`` says.

    Of a planar loop in those of a body that turns in its plane: z is the normal then, and the row
    along it, which is the last of the point's, is zero, however the loop lies in the world.
    Where only a slide ends it, the normal is across its z axis, along x or y for most robots.
    """
    if plane is None:
        return -1
    bodies = loop.body1, loop.body2
    inside = [k for k in range(2) if bodies[k] != loop.junction]
    return next((k for k in inside if _turns(model, bodies[k])), inside[0])


def _idle(model: Model, loop: Loop, plane: Plane | None) -> tuple[int, ...]:
    """Return the rows across the plane of a loop that lies in one, see ``Tie``."""
    if plane is None or plane.lean > PLANAR_LOOP:
        return ()
    z_is_normal = _turns(model, (loop.body1, loop.body2)[_axes(model, loop, plane)])
    axis_is_normal = loop.kind == 'revolute' and plane.cut <= PLANAR_LOOP
    return (*((POINT - 1,) if z_is_normal else ()),
            *(range(POINT, len(loop.rows)) if axis_is_normal else ()))


def _turns(model: Model, body: int) -> bool:
    return model.joint_types[body] is JointType.REVOLUTE


def _planes(model: Model) -> list[Plane | None]:
    """Return the planes of the loops whose points coincide, None for what is not nearly planar."""
    planes = (plane_of(model, loop) if loop.rows[:POINT] == ('x', 'y', 'z') else None
              for loop in model.loops)
    return [plane if plane and plane.lean < LEANING else None for plane in planes]


def ties_of(model: Model) -> tuple[Tie, ...]:
    """Return the loop joints and springs of a model."""
    joints = [tie._replace(slots=slots, axes=_axes(model, loop, plane),
                           idle=_idle(model, loop, plane))
              for tie, loop, slots, plane in zip(
                  loop_ties(model), model.loops, slots_of(model), _planes(model))]
    return (*joints, *spring_ties(model))


def loop_ties(model: Model) -> tuple[Tie, ...]:
    """Return the loop joints of a model, their rows in world axes and in no slots."""
    return tuple(Tie(loop.kind, loop.body1, loop.body2, frame_record(loop.frame1),
                     frame_record(loop.frame2), tuple(floats(
                         loop.coupling if loop.kind == 'mimic' else (loop.distance,))), row=row)
                 for loop, row in zip(model.loops, first_rows(model.loops)))


def spring_ties(model: Model) -> tuple[Tie, ...]:
    """Return the springs of a model."""
    return tuple(Tie('spring', spring.frame1.body, spring.frame2.body,
                     frame_record(spring.frame1), frame_record(spring.frame2),
                     tuple(floats((spring.stiffness, spring.damping, spring.length,
                                   *([spring.slack] if spring.slack else [])))))
                 for spring in model.springs)


def frame_record(frame: LinkFrame) -> Link:
    """Return a frame on a body as a record of floats."""
    return Link(rotation_record(frame.rotation), vector_record(frame.translation))


def closing_slots(model: Model, ties: Sequence[Tie]) -> list[tuple[int, ...]]:
    """Return the slots that end at each body: there the branches of a loop meet."""
    found: list[tuple[int, ...]] = [()] * model.nb
    for loop, tie in zip(model.loops, ties):
        if loop.junction >= 0:
            found[loop.junction] = (*found[loop.junction], *sorted(tie.slots))
    return found


def rows_in_slots(model: Model, ties: Sequence[Tie], count: int) -> tuple[tuple[int, ...], ...]:
    """Return for the ground and each body which row each slot carries there; -1 for none."""
    found = [[-1] * count for _ in range(model.nb + 1)]
    for loop, tie in zip(model.loops, ties):
        for body in carriers(model, loop):
            for k, slot in enumerate(tie.slots):
                found[body + 1][slot] = tie.row + k
    return tuple(tuple(rows) for rows in found)
