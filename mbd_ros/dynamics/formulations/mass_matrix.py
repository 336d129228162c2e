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
The joint-space mass matrix by composite rigid bodies, walking from each body to the ground.

References
----------
Featherstone, Rigid Body Dynamics Algorithms, 2008, table 6.2.

"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.formulations.rows import Seen
from mbd_ros.dynamics.formulations.steps import look, on_ground
from mbd_ros.execution import Interpreted
from mbd_ros.execution.program.records import flatten
from mbd_ros.execution.program.sweeps import Body, Inward, Layout, Outward, Program, Step, Walk
from mbd_ros.execution.program.tree import world_of
from mbd_ros.model import Model
from mbd_ros.spatial import (
    ArticulatedInertia, Joint, Link, RigidInertia, Wrench, ZERO_TWIST)
from mbd_ros.spatial.inertia import NO_ARTICULATED_INERTIA, NO_INERTIA


class Composite(NamedTuple):
    """A body and all that it carries, as one body: rigid, but for what force laws add."""

    link: Link
    inertia: RigidInertia | ArticulatedInertia


def carry(body: Body, joint: Joint, children: RigidInertia) -> Step:
    """Inward: add the composite inertias of the children."""
    link = joint.link(body.placement)
    inertia = body.inertia + children
    return Step(hand=link.inertia_to_parent(inertia), keep=Composite(link, inertia))


def look_still(body: Body, joint: Joint, parent: Seen) -> Step:
    """Outward: pose, and the inertia that force laws add."""
    step = look(body, joint, parent)
    return step._replace(keep=step.keep.inertia)


def carry_added(body: Body, joint: Joint, children: ArticulatedInertia, added: ArticulatedInertia
                ) -> Step:
    """Inward: the same with the inertia that force laws add."""
    link = joint.link(body.placement)
    inertia = body.inertia.articulated() + added + children
    return Step(hand=link.articulated_to_parent(inertia), keep=Composite(link, inertia))


def push(body: Body, joint: Joint, *kept: Any) -> list[Step]:
    """Start of a walk: the wrench for a unit acceleration along each axis of the joint."""
    own: Composite = kept[-1]
    steps = []
    for k, axis in enumerate(joint.axes):
        wrench = own.inertia.apply(ZERO_TWIST.plus_along(axis, 1.0))
        row = list(joint.project(wrench))
        row[k] = row[k] + body.armature[k]
        steps.append(Step(hand=own.link.wrench_to_parent(wrench), out=tuple(row)))
    return steps


def bear(body: Body, joint: Joint, wrench: Wrench, *kept: Any) -> Step:
    """Walk: project the wrench onto the joint axes, and transform it to the parent."""
    own: Composite = kept[-1]
    return Step(hand=own.link.wrench_to_parent(wrench), out=joint.project(wrench))


MASS_MATRIX = Program('mass_matrix', ('q',), (Inward(carry, NO_INERTIA), Walk(push, bear)),
                      Layout.SYMMETRIC)
LOADED_MASS_MATRIX = Program(
    'loaded_mass_matrix', ('q',), (
        Outward(look_still, on_ground), Inward(carry_added, NO_ARTICULATED_INERTIA),
        Walk(push, bear)),
    Layout.SYMMETRIC)
"""With the inertia that force laws add."""


def mass_matrix_of(model: Model) -> Program:
    """Return the program that suits a model."""
    return LOADED_MASS_MATRIX if model.laws else MASS_MATRIX


def joint_without_inertia(model: Model, q: NDArray[np.float64]) -> str | None:
    """
    Return the joint that a singular mass matrix leaves without inertia.

    Parameters
    ----------
    model : Model
        The model.
    q : array
        (nq,) configuration.

    Returns
    -------
    str or None
        Name of the joint with the largest part in the direction of least inertia; None where the
        mass matrix is regular. Of robots with flexible links None: ``load`` has refused modes
        without mass.

    """
    if model.elastic is not None:
        return None
    kernel = Interpreted().kernel(mass_matrix_of(model), model)
    matrix = np.empty((1, model.nv, model.nv))
    kernel.run([q.reshape(1, -1)], np.array(flatten(world_of(model))), matrix)
    return joint_of_no_inertia(model, matrix[0])


def joint_of_no_inertia(model: Model, matrix: NDArray[np.float64]) -> str | None:
    """Return the joint that a mass matrix (nv, nv) leaves without inertia, if there is one."""
    if not np.isfinite(matrix).all():   # so much inertia that products of it overflow
        return None
    least = np.diag(matrix).min(initial=np.inf)
    scale = np.sqrt(np.maximum(np.diag(matrix), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    # A unit-diagonal matrix of order n carries rounding errors of about n times machine epsilon.
    if values[0] > 16 * model.nv * np.finfo(float).eps and least > 0.0:
        return None
    entry = int(np.argmin(np.diag(matrix))) if least <= 0.0 else int(
        np.argmax(np.abs(vectors[:, 0])))
    return model.joint_names[int(np.searchsorted(model.v_offsets, entry, side='right')) - 1]
