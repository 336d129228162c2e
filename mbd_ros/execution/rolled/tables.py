"""A model as the tables that rolled code reads: species, constants, topology."""

from __future__ import annotations

from collections.abc import Sequence
import functools
from typing import cast

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.program.elimination import axis_ends, axis_parents
from mbd_ros.execution.program.records import flatten
from mbd_ros.execution.program.sweeps import Inward, Outward, Program, Tie, Ties
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.execution.rolled.species import BODY_SIZE, Fixed, Kind
from mbd_ros.execution.rolled.ties import Shape, TIE_SIZE
from mbd_ros.model import Model

SHARED = 0.75
"""Part of their constants that the bodies of each species must share for code of one robot."""


def rolled_kinds(model: Model, program: Program, folded: bool = False
                 ) -> tuple[tuple[Kind, ...], list[int], tuple[Shape, ...], list[int]]:
    """
    Return the species and the shapes of ties that rolled code is made for.

    Parameters
    ----------
    model : Model
        The model.
    program : Program
        Only one with ties tells bodies apart by their ties.
    folded : bool
        Whether they know the constants that their bodies share.

    Returns
    -------
    kinds : tuple of Kind
        In a fixed order.
    species : list of int
        Which of them each body is.
    shapes : tuple of Shape
        In a fixed order.
    of_ties : list of int
        Which of them each tie has.

    """
    own = [Kind(kind.pair) for kind in model.joint_types]
    tree = tree_of(model)
    ties = tree.ties if any(isinstance(sweep, Ties) for sweep in program.sweeps) else ()
    tied = {body for tie in ties for body in (tie.first, tie.second)}
    if ties:
        own = [Kind(kind.joint, body.closes, i in tied)
               for i, (kind, body) in enumerate(zip(own, tree.bodies))]
    kinds = sorted(set(own), key=lambda kind: (kind.joint.__name__, *kind[1:]))
    species = [kinds.index(kind) for kind in own]
    ends = [*species, -1]  # the ground is body -1
    of_ties = [Shape(tie.kind, tie.slots, ends[tie.first], ends[tie.second], tie.axes, tie.idle)
               for tie in ties]
    shapes = sorted(set(of_ties))
    numbers = [shapes.index(shape) for shape in of_ties]
    if folded:
        of_bodies = [_read(body[:3], BODY_SIZE) for body in tree.bodies]
        kinds = [kind._replace(fixed=_fixed(k, species, of_bodies))
                 for k, kind in enumerate(kinds)]
        constants = [_read(_tie_record(tie), TIE_SIZE) for tie in ties]
        shapes = [shape._replace(fixed=_fixed(k, numbers, constants))
                  for k, shape in enumerate(shapes)]
    return tuple(kinds), species, tuple(shapes), numbers


def kinds_between(model: Model, bodies: Sequence[int], folded: bool
                  ) -> tuple[list[Kind], list[int]]:
    """Return the species of some bodies, at none of which ties matter, and which each one is."""
    joints = sorted({model.joint_types[i].pair for i in bodies}, key=lambda joint: joint.__name__)
    species = [joints.index(model.joint_types[i].pair) for i in bodies]
    constants = [_read(tree_of(model).bodies[i][:3], BODY_SIZE) for i in bodies]
    return [Kind(joint, fixed=_fixed(k, species, constants) if folded else ())
            for k, joint in enumerate(joints)], species


def _read(record: tuple[object, ...], size: int) -> list[float]:
    """Return so many constants as rolled code reads them, zeros at the end."""
    scalars = cast('list[float]', flatten(record))
    return [*scalars, *[0.0] * (size - len(scalars))]


def _tie_record(tie: Tie) -> tuple[object, ...]:
    return tie.frame1, tie.frame2, tie.constants


def _fixed(number: int, numbers: Sequence[int], constants: Sequence[list[float]]) -> Fixed:
    """Return the constants that all of one species or shape share, None for the others."""
    own = [values for one, values in zip(numbers, constants) if one == number]
    return tuple(values[0] if len(set(values)) == 1 else None for values in zip(*own))


@functools.lru_cache(maxsize=256)
def folds(program: Program, model: Model) -> bool:
    """Return whether rolled code of this one robot is worth it: bodies share most constants."""
    if not program.ties or not all(isinstance(sweep, (Outward, Inward, Ties))
                                   for sweep in program.sweeps):
        return False
    kinds, species, _, _ = rolled_kinds(model, program, folded=True)
    known = sum(number is not None for i in species for number in kinds[i].fixed)
    return known >= SHARED * BODY_SIZE * model.nb


def rolled_tables(model: Model, species: Sequence[int], shapes: Sequence[int]
                  ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """
    Return the constants and the topology of a model as rolled kernels read them.

    Parameters
    ----------
    model : Model
        The model.
    species, shapes : sequence of int
        Of the bodies and the ties, as from ``rolled_kinds``.

    Returns
    -------
    constants : array
        BODY_SIZE for each body, see ``species.body_inputs`` for the order; TIE_SIZE for each tie.
    topology : array
        (4 nb + 2 nv + ...,): parents, species, first entries in q and in v; for each entry of v
        the next on the way to the ground and the end of those that it carries; for ties see
        ``rolled/ties.py``.

    """
    tree = tree_of(model)
    ties = tree.ties if shapes else ()
    constants = np.zeros(model.nb * BODY_SIZE + len(ties) * TIE_SIZE)
    bodies = constants[:model.nb * BODY_SIZE].reshape(-1, BODY_SIZE)
    for place, body in zip(bodies, tree.bodies):
        place[:] = _read(body[:3], BODY_SIZE)
    for place, tie in zip(constants[model.nb * BODY_SIZE:].reshape(-1, TIE_SIZE), ties):
        place[:] = _read(_tie_record(tie), TIE_SIZE)
    axes = axis_parents(model.parents, model.v_offsets, model.nv)
    topology = [*model.parents, *species, *model.q_offsets, *model.v_offsets, *axes,
                *axis_ends(axes), len(ties), *(tie.first for tie in ties),
                *(tie.second for tie in ties), *shapes, *(tie.row for tie in ties), tree.count,
                *(row for rows in tree.rows for row in rows)]
    return constants, np.array(topology, dtype=np.int64)


def slot_rows(model: Model, bodies: Sequence[int]) -> list[int]:
    """Return nv and the rows of loops in the slots of the ground and of some bodies."""
    rows = tree_of(model).rows
    return [model.nv, *rows[0], *(row for i in bodies for row in rows[i + 1])]
