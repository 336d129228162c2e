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
An equivalent robot with minimum inertial parameters, for straight-line code.

What lies on the axis of a revolute joint moves with the parent as well as with the body. So its
mass, the part of its mass centre along the axis and as much rotational inertia across the axis may
be counted with the parent: accelerations and generalized forces stay the same, and four of ten
parameters of the body become zeros, which fold. (Wrenches between bodies and energies of single
bodies do not stay the same.)

A rotation that keeps one axis of the coordinates is a turn about z between two exchanges of axes.
Applied one after the other, such turns take less than their product, a third where inertias are
turned; the multiplied matrix serves where the rotation is a general one.

References
----------
Khalil and Dombre, Modeling, Identification and Control of Robots, 2002, section 9.4 (minimum
inertial parameters of revolute joints).

"""

from __future__ import annotations

from collections.abc import Sequence
import dataclasses

import numpy as np

from mbd_ros.execution.program.records import rotation_record
from mbd_ros.execution.program.sweeps import Body, Layout, Program, Tree
from mbd_ros.spatial import Joint, Revolute, RigidInertia, Rotation, Symmetric3, Vector3
from mbd_ros.spatial.rotation import AboutZ, Successive

LARGEST = 40
"""Bodies up to which masses are moved: along a chain they add up, and rounding with them."""
_EXCHANGES = tuple(np.roll(np.eye(3), k, axis=0) for k in range(3))  # axis j becomes axis j + k
_OF_JOINTS = (Layout.JOINTS, Layout.SYMMETRIC, Layout.SQUARES)


def equivalent(program: Program, tree: Tree, joints: Sequence[Joint]) -> Tree:
    """
    Return a tree for which a program gives the same results with fewer operations.

    Parameters
    ----------
    program : Program
        The program; masses are moved if it gives accelerations or forces of joints alone.
    tree : Tree
        The bodies, with constants of Python floats.
    joints : sequence of Joint
        Their joints.

    Returns
    -------
    Tree
        The same with other inertias, and rotations that may be ``Successive``.

    """
    bodies = list(tree.bodies)
    revolute = [isinstance(joint, Revolute) for joint in joints]
    if program.layout in _OF_JOINTS and not program.ties and len(bodies) <= LARGEST:
        _move_masses(bodies, tree.parents, revolute)
    for i, body in enumerate(bodies):
        if revolute[i]:
            bodies[i] = body._replace(placement=body.placement._replace(
                rotation=in_turns(body.placement.rotation)))
    return dataclasses.replace(tree, bodies=tuple(bodies))


def _move_masses(bodies: list[Body], parents: Sequence[int], revolute: Sequence[bool]) -> None:
    """Count with the parents what lies on the axes of revolute joints."""
    for i in reversed(range(len(bodies))):
        if not revolute[i]:
            continue
        mass, moment, own = bodies[i].inertia
        across = own.yy
        bodies[i] = bodies[i]._replace(inertia=RigidInertia(
            0.0, Vector3(moment.x, moment.y, 0.0),
            own - Symmetric3(across, 0.0, 0.0, across, 0.0, 0.0)))
        if parents[i] >= 0:
            parent = bodies[parents[i]]
            bodies[parents[i]] = parent._replace(
                inertia=parent.inertia + bodies[i].placement.inertia_to_parent(RigidInertia(
                    mass, Vector3(0.0, 0.0, moment.z),
                    Symmetric3(across, 0.0, 0.0, across, 0.0, 0.0))))


def in_turns(rotation: Rotation | Successive) -> Rotation | Successive:
    """Return a rotation as turns, if it keeps an axis of the coordinates; else as it is."""
    matrix = np.array([rotation.axis(k) for k in range(3)]).T
    filled = matrix != 0.0   # an entry that was rounded to 1 has small ones beside it
    alone = (filled.sum(axis=0) == 1) & (filled.sum(axis=1) == 1)[:, None]
    kept = np.argwhere(alone & (np.abs(matrix) == 1.0))
    if not len(kept):
        return rotation
    of, to = max((int(j), int(i)) for i, j in kept)
    inner, outer = _EXCHANGES[2 - of], _EXCHANGES[(to + 1) % 3]
    if matrix[to, of] < 0.0:
        outer = outer * (1.0, -1.0, -1.0)
    turn = outer.T @ matrix @ inner.T
    return Successive(rotation_record(outer), Successive(
        AboutZ(float(turn[1, 0]), float(turn[0, 0])), rotation_record(inner)))


def alike(bodies: Sequence[Body]) -> list[Body]:
    """Return bodies for lanes: rotations as one matrix each, unless they differ by a turn only."""
    exchanges = {_exchanges(body) for body in bodies}
    if len(exchanges) == 1 and None not in exchanges:
        return list(bodies)
    return [body if not isinstance(rotation, Successive) else body._replace(
        placement=body.placement._replace(rotation=rotation.multiplied()))
        for body in bodies for rotation in (body.placement.rotation,)]


def _exchanges(body: Body) -> object:
    """Return what of a rotation in turns is exact; None if it is a matrix."""
    rotation = body.placement.rotation
    if isinstance(rotation, Successive) and isinstance(rotation.inner, Successive):
        return rotation.outer, rotation.inner.inner
    return None
