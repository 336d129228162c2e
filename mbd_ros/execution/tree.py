"""From a frozen model to the records that the sweeps see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
import functools

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.elimination import axis_ends, axis_parents
from mbd_ros.execution.species import BODY_SIZE, flatten
from mbd_ros.execution.sweeps import Body, Tree
from mbd_ros.model import Model
from mbd_ros.spatial import (
    Joint, Link, RigidInertia, Rotation, Scalar, Symmetric3, Vector3)
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
    return Tree(model.parents, tuple(_body(model, i) for i in range(model.nb)), model.v_offsets,
                model.nv)


def _body(model: Model, i: int) -> Body:
    first = model.v_offsets[i]
    count = model.joint_types[i].nv
    mass, center = float(model.masses[i]), np.asarray(model.mass_centers[i])
    rotational = model.inertias[i] + mass * (
        center @ center * np.eye(3) - np.outer(center, center))
    return Body(
        placement=Link(rotation_record(model.rotations[i]), vector_record(model.translations[i])),
        inertia=RigidInertia(mass, vector_record(mass * center),
                             Symmetric3(*(float(rotational[i, j]) for i, j in UPPER))),
        armature=tuple(_floats(model.armature[first:first + count])))


def rotation_record(matrix: np.ndarray) -> Rotation:
    """Return a rotation matrix (3, 3) as a record of floats."""
    return Rotation(*(vector_record(matrix[:, k]) for k in range(3)))


def vector_record(vector: np.ndarray) -> Vector3:
    """Return a vector (3,) as a record of floats."""
    return Vector3(*_floats(vector))


def rolled_tables(model: Model, joints: Sequence[type[Joint]]
                  ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """
    Return the constants and the topology of a model as rolled kernels read them.

    Parameters
    ----------
    model : Model
        The model.
    joints : sequence of type of Joint
        The joint types in the order in which the kernel counts them.

    Returns
    -------
    constants : array
        (nb, BODY_SIZE); see ``species.body_inputs`` for the order.
    topology : array
        (4 nb + 2 nv,): parents, joint types, first entries in q and in v; for each entry of v the
        next on the way to the ground and the end of those that it carries.

    """
    constants = np.zeros((model.nb, BODY_SIZE))
    for i, body in enumerate(tree_of(model).bodies):
        scalars = np.array(flatten(body))
        constants[i, :scalars.size] = scalars
    species = [joints.index(kind.pair) for kind in model.joint_types]
    axes = axis_parents(model.parents, model.v_offsets, model.nv)
    topology = [*model.parents, *species, *model.q_offsets, *model.v_offsets, *axes,
                *axis_ends(axes)]
    return constants, np.array(topology, dtype=np.int64)


def _floats(values: Iterable[float]) -> list[float]:
    """Return plain floats, with no negative zeros."""
    return [float(value) + 0.0 for value in values]


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
