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
The joint-space mass matrix by the composite-rigid-body algorithm.

Inwards, the inertia I^c of each body with all that it carries, as one rigid body. Then, for each
axis s of each joint, the wrench ``f = I^c s`` of a unit acceleration along it is carried on
towards the ground, joint by joint: ``M_ij = s_i . f`` for the axes s_i of the joint that it
passes. On the diagonal comes the inertia of the rotor.

=================  =========================
here               Featherstone, table 6.2
=================  =========================
``inertia``        I^c
``wrench``         F
``joint.project``  S^T F
``armature``       inertia of the rotor, added to H_ii
=================  =========================

References
----------
Featherstone, Rigid Body Dynamics Algorithms, 2008, table 6.2.

"""

from __future__ import annotations

from typing import Any, NamedTuple

from mbd_ros.dynamics.algorithms.body_motion import BodyState, force_laws, ground_state
from mbd_ros.execution.program.sweeps import Body, Inward, Layout, Outward, Program, Step, Walk
from mbd_ros.model import Model
from mbd_ros.spatial import (
    ArticulatedInertia, Joint, Link, RigidInertia, Wrench, ZERO_TWIST)
from mbd_ros.spatial.inertia import NO_ARTICULATED_INERTIA, NO_INERTIA


class Composite(NamedTuple):
    """A body and all that it carries, as one body: rigid, but for what force laws add."""

    link: Link
    inertia: RigidInertia | ArticulatedInertia


def composite(body: Body, joint: Joint, children: RigidInertia) -> Step:
    """Inward: add the composite inertias of the children."""
    link = joint.link(body.placement)
    inertia = body.inertia + children
    return Step(hand=link.inertia_to_parent(inertia), keep=Composite(link, inertia))


def added_inertia(body: Body, joint: Joint, parent: BodyState) -> Step:
    """Outward: pose, and the inertia that force laws add."""
    step = force_laws(body, joint, parent)
    return step._replace(keep=step.keep.inertia)


def composite_with_added(body: Body, joint: Joint, children: ArticulatedInertia,
                         added: ArticulatedInertia) -> Step:
    """Inward: the same with the inertia that force laws add."""
    link = joint.link(body.placement)
    inertia = body.inertia.articulated() + added + children
    return Step(hand=link.articulated_to_parent(inertia), keep=Composite(link, inertia))


def start_column(body: Body, joint: Joint, *kept: Any) -> list[Step]:
    """Start of a walk: the wrench for a unit acceleration along each axis of the joint."""
    own: Composite = kept[-1]
    steps = []
    for k, axis in enumerate(joint.axes):
        wrench = own.inertia.apply(ZERO_TWIST.plus_along(axis, 1.0))
        row = list(joint.project(wrench))
        row[k] = row[k] + body.armature[k]
        steps.append(Step(hand=own.link.wrench_to_parent(wrench), out=tuple(row)))
    return steps


def continue_column(body: Body, joint: Joint, wrench: Wrench, *kept: Any) -> Step:
    """Walk: project the wrench onto the joint axes, and transform it to the parent."""
    own: Composite = kept[-1]
    return Step(hand=own.link.wrench_to_parent(wrench), out=joint.project(wrench))


MASS_MATRIX = Program('mass_matrix', ('q',), (
    Inward(composite, NO_INERTIA), Walk(start_column, continue_column)), Layout.SYMMETRIC)
LOADED_MASS_MATRIX = Program(
    'loaded_mass_matrix', ('q',), (
        Outward(added_inertia, ground_state), Inward(composite_with_added, NO_ARTICULATED_INERTIA),
        Walk(start_column, continue_column)),
    Layout.SYMMETRIC)
"""With the inertia that force laws add."""


def mass_matrix_of(model: Model) -> Program:
    """Return the program that suits a model."""
    return LOADED_MASS_MATRIX if model.laws else MASS_MATRIX
