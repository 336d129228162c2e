"""
What acts between two bodies, as the sweeps see it, and where the rows of loops are carried.

The rows of a loop travel from the two bodies that it ties together to its junction. Loops whose
ways share no body share *slots*, so that the number of slots, and with it the work at a body, does
not grow with the number of loops along a chain.

"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.records import rotation_record, vector_record
from mbd_ros.execution.sweeps import Tie
from mbd_ros.model import LinkFrame, Loop, Model
from mbd_ros.model.joint_type import JointType
from mbd_ros.model.loops import branches
from mbd_ros.spatial import Link

NEARLY = 0.99
"""Cosine from which on two axes are nearly parallel: the pivots along others are large."""
TURN = JointType.REVOLUTE


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
    for loop in model.loops:
        bodies = carriers(model, loop)
        used = set().union(*(taken.get(body, set()) for body in bodies))
        free = [slot for slot in range(len(used) + len(loop.rows)) if slot not in used]
        slots = dict(zip(_order(model, loop), free))
        for body in bodies:
            taken.setdefault(body, set()).update(slots.values())
        found.append(tuple(slots[row] for row in range(len(loop.rows))))
    return found


def _order(model: Model, loop: Loop) -> list[int]:
    """
    Return the rows of a loop in the order in which they are eliminated along axes of the world.

    Of a planar loop on the ground whose normal is nearly such an axis, as with ``rpy="1.5708 0
    0"``, the row along it is last: what little of it lies in the plane depends on the two others,
    and before them it would be a pivot too small to tell from rounding.
    """
    rows, normal = list(range(len(loop.rows))), _normal(model, loop)
    if normal is None or loop.junction >= 0 or np.abs(normal).max() < NEARLY:
        return rows
    along = int(np.argmax(np.abs(normal)))
    return [*(k for k in range(3) if k != along), along, *rows[3:]]


def _axes(model: Model, loop: Loop) -> int:
    """
    Return in whose axes the rows of a loop are eliminated, as ``Tie`` says.

    Of a planar loop in those of a body that turns in its plane: z is the normal then, and the row
    along it, which is the last of the point's, says nothing, however the loop lies in the world.
    """
    if _normal(model, loop) is None:
        return -1
    inside = [k for k, body in enumerate((loop.body1, loop.body2)) if body != loop.junction]
    turning = [k for k in inside if model.joint_types[(loop.body1, loop.body2)[k]] is TURN]
    return (*turning, *inside)[0]


def _normal(model: Model, loop: Loop) -> NDArray[np.float64] | None:
    """
    Return the normal of a planar loop whose points coincide, (3,) in the axes of its junction.

    Planar are loops whose joints nearly turn about parallel axes and slide across these; None for
    others.
    """
    normal, slides = None, []
    for way in branches(loop, model.parents) if loop.rows[:3] == ('x', 'y', 'z') else ():
        axes = np.eye(3)
        for body in reversed(way):
            axes = axes @ model.rotations[body]
            if model.joint_types[body] is JointType.PRISMATIC:
                slides.append(axes[:, 2])
            elif model.joint_types[body] is not TURN:
                return None
            elif normal is None:
                normal = axes[:, 2]
            elif abs(normal @ axes[:, 2]) < NEARLY:
                return None
    if normal is None or any(1.0 - (normal @ slide)**2 < NEARLY**2 for slide in slides):
        return None
    return normal


def ties_of(model: Model) -> tuple[Tie, ...]:
    """Return the loop joints and springs of a model."""
    joints = [Tie(loop.kind, loop.body1, loop.body2, frame_record(loop.frame1),
                  frame_record(loop.frame2), loop.coupling if loop.kind == 'mimic' else (
                      loop.distance,), slots, row, _axes(model, loop))
              for loop, slots, row in zip(model.loops, slots_of(model), first_rows(model.loops))]
    springs = [Tie('spring', spring.frame1.body, spring.frame2.body, frame_record(spring.frame1),
                   frame_record(spring.frame2),
                   (spring.stiffness, spring.damping, spring.length)) for spring in model.springs]
    return (*joints, *springs)


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
