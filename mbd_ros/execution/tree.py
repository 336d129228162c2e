"""From a frozen model to the records that the sweeps see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import functools
from typing import cast

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.elimination import axis_ends, axis_parents
from mbd_ros.execution.records import floats, rotation_record, vector_record
from mbd_ros.execution.rolled_ties import Shape, TIE_SIZE
from mbd_ros.execution.species import BODY_SIZE, Fixed, flatten, Kind
from mbd_ros.execution.sweeps import Body, Inward, Outward, Program, Tie, Ties, Tree
from mbd_ros.execution.ties import closing_slots, first_rows, rows_in_slots, ties_of
from mbd_ros.model import Model
from mbd_ros.spatial import Joint, Link, RigidInertia, Scalar, Symmetric3
from mbd_ros.spatial.joints import Coordinates
from mbd_ros.spatial.symmetric import UPPER

SHARED = 0.75
"""Part of their constants that the bodies of each species must share for code of one robot."""


@functools.lru_cache(maxsize=64)
def tree_of(model: Model) -> Tree:
    """
    Return the bodies of a model as records of Python floats.

    Parameters
    ----------
    model : Model
        The model.

    Returns
    -------
    Tree
        One ``Body`` for each body of the model; inertias about the body's origin.

    """
    ties = ties_of(model)
    slots = 1 + max((slot for tie in ties for slot in tie.slots), default=-1)
    bodies = tuple(_body(model, i, closes) for i, closes in enumerate(closing_slots(model, ties)))
    return Tree(model.parents, bodies, model.v_offsets, model.nv, ties, slots,
                rows_in_slots(model, ties, slots), first_rows(model.loops)[-1])


def _body(model: Model, i: int, closes: tuple[int, ...]) -> Body:
    first = model.v_offsets[i]
    count = model.joint_types[i].nv
    mass, center = float(model.masses[i]), np.asarray(model.mass_centers[i])
    rotational = model.inertias[i] + mass * (
        center @ center * np.eye(3) - np.outer(center, center))
    return Body(
        placement=Link(rotation_record(model.rotations[i]), vector_record(model.translations[i])),
        inertia=RigidInertia(mass, vector_record(mass * center),
                             Symmetric3(*(float(rotational[i, j]) for i, j in UPPER))),
        armature=tuple(floats(model.armature[first:first + count])), closes=closes)


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
        ``rolled_ties.py``.

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


def result_shape(program: Program, model: Model) -> tuple[int, ...]:
    """Return the shape of the result of a program for a model."""
    return program.shape(model.nb, model.nv, first_rows(model.loops)[-1])


def sizes(model: Model, inputs: Sequence[str]) -> list[int]:
    """Return the number of entries of each input of a program."""
    return [model.nq if name == 'q' else model.nv for name in inputs]


def joints_of(model: Model, coordinates: Mapping[str, Sequence[Scalar]]) -> list[Joint]:
    """
    Return the joints of a model at given coordinates.

    Parameters
    ----------
    model : Model
        The model.
    coordinates : mapping
        Entries of ``'q'`` (nq,), ``'v'``, ``'qdd'`` and ``'tau'`` (nv,); zeros where absent.

    Returns
    -------
    list of Joint
        In the order of the bodies.

    """
    joints = []
    for kind, first_q, first_v in zip(model.joint_types, model.q_offsets, model.v_offsets):
        joint = kind.pair

        def part(name: str, first: int, count: int) -> tuple[Scalar, ...]:
            values = coordinates.get(name)
            return (0.0,) * count if values is None else tuple(values[first:first + count])

        joints.append(joint(Coordinates(
            part('q', first_q, joint.nq), part('v', first_v, joint.nv),
            part('qdd', first_v, joint.nv), part('tau', first_v, joint.nv))))
    return joints
