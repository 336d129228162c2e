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

"""From a frozen model to the records that the sweeps see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mbd_ros.execution.program.records import (
    filled, floats, mapped, rotation_record, vector_record)
from mbd_ros.execution.program.sweeps import (
    ActingLaw, Body, CoordinateSpring, Program, Tree, World)
from mbd_ros.execution.program.ties import closing_slots, first_rows, rows_in_slots, ties_of
from mbd_ros.model import Model
from mbd_ros.model.caches import owned
from mbd_ros.spatial import Joint, Link, RigidInertia, Scalar, Symmetric3, ZERO3
from mbd_ros.spatial.joints import Coordinates
from mbd_ros.spatial.symmetric import UPPER


@owned()
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


def world_of(model: Model) -> World:
    """Return the world of a model: no gravity, and the values that its force laws bring."""
    return World(ZERO3, tuple(mapped(law.world, float) for law in model.laws))


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
        armature=tuple(floats(model.armature[first:first + count])), closes=closes,
        around=acting_laws(model, i), springs=coordinate_springs(model, i))


def coordinate_springs(model: Model, i: int) -> tuple[CoordinateSpring, ...]:
    """Return the springs along the coordinates of the joint that moves body i."""
    return tuple(CoordinateSpring(
        tuple(floats(one.stiffness)), tuple(floats(one.reference)),
        tuple(floats([one.slack] if one.slack else []))) for one in model.joint_springs
        if one.body == i)


def acting_laws(model: Model, i: int) -> tuple[ActingLaw, ...]:
    """Return the force laws that act on a body."""
    gravity, places = filled(world_of(model), lambda place: place)
    laws = zip(model.laws, places, (law.constants(model, i) for law in model.laws))
    return tuple(ActingLaw(law, mapped(constants, float), World(gravity, own))
                 for law, own, constants in laws if constants)


def result_shape(program: Program, model: Model) -> tuple[int, ...]:
    """Return the shape of the result of a program for a model."""
    return program.shape(model.nb, model.nv, first_rows(model.loops)[-1])


def sizes(model: Model, inputs: Sequence[str]) -> list[int]:
    """Return the number of entries of each input of a program."""
    special = {**dict.fromkeys(('q', 'q_m', 'q0', 'q1'), model.nq), 'step': 1,
               'rows': first_rows(model.loops)[-1] ** 2}
    return [name.size if isinstance(name, Sized) else special.get(name, model.nv)
            for name in inputs]


class Sized(str):
    """
    The name of an input that is no coordinate of the model.

    Parameters
    ----------
    name : str
        The name.
    size : int
        Its number of entries.

    """

    size: int

    def __new__(cls, name: str, size: int) -> Sized:
        """Return the name with the size."""
        found = super().__new__(cls, name)
        found.size = size
        return found

    def __getnewargs__(self) -> tuple[str, int]:  # type: ignore[override]
        """Return what makes it anew."""
        return str(self), self.size


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
