"""From a frozen model to the records that the sweeps see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import functools

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.elimination import axis_ends, axis_parents
from mbd_ros.execution.records import floats, rotation_record, vector_record
from mbd_ros.execution.rolled_ties import Shape, TIE_SIZE
from mbd_ros.execution.species import BODY_SIZE, flatten, Kind
from mbd_ros.execution.sweeps import Body, Program, Ties, Tree
from mbd_ros.execution.ties import closing_slots, first_rows, rows_in_slots, ties_of
from mbd_ros.model import Model
from mbd_ros.spatial import Joint, Link, RigidInertia, Scalar, Symmetric3
from mbd_ros.spatial.joints import Coordinates
from mbd_ros.spatial.symmetric import UPPER


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


def rolled_kinds(model: Model, program: Program
                 ) -> tuple[tuple[Kind, ...], list[int], tuple[Shape, ...], list[int]]:
    """
    Return the species and the shapes of ties that rolled code is made for.

    Parameters
    ----------
    model : Model
        The model.
    program : Program
        Only one with ties tells bodies apart by their ties.

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
    of_ties = [Shape(tie.kind, tie.slots, ends[tie.first], ends[tie.second]) for tie in ties]
    shapes = sorted(set(of_ties))
    return tuple(kinds), species, tuple(shapes), [shapes.index(shape) for shape in of_ties]


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
    for i, body in enumerate(tree.bodies):
        scalars = np.array(flatten(body[:3]))
        bodies[i, :scalars.size] = scalars
    for place, tie in zip(constants[model.nb * BODY_SIZE:].reshape(-1, TIE_SIZE), ties):
        scalars = np.array(flatten((tie.frame1, tie.frame2, tie.constants)))
        place[:scalars.size] = scalars
    axes = axis_parents(model.parents, model.v_offsets, model.nv)
    topology = [*model.parents, *species, *model.q_offsets, *model.v_offsets, *axes,
                *axis_ends(axes), len(ties), *(tie.first for tie in ties),
                *(tie.second for tie in ties), *shapes, *(tie.row for tie in ties), tree.count,
                *(row for rows in tree.rows for row in rows)]
    return constants, np.array(topology, dtype=np.int64)


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
