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

"""Joints with several coordinates as poses of one link in another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mbd_ros.model.caches import owned
from mbd_ros.model.joints.joint_manifold import Pose
from mbd_ros.model.model import Model
from mbd_ros.model.rigid_motion import inverse, of_matrix, product, Quaternion, rotate, Vector3
from mbd_ros.model.state import Array, curved_joints, CurvedJoint


class PosedJoint(NamedTuple):
    """
    A joint with several coordinates between two links of the description.

    Attributes
    ----------
    joint : CurvedJoint
        The joint.
    parent : str
        The link it hangs on; empty: the world, of a floating base.
    child : str
        The link it moves.
    placement : Pose
        Of the body in the parent link, the joint at zero.
    turn : Quaternion
        Of the child link in the body.

    """

    joint: CurvedJoint
    parent: str
    child: str
    placement: Pose
    turn: Quaternion

    def pose(self, q: Array) -> Pose:
        """Return the pose of the child in the parent link at a configuration (nq,)."""
        shift, turn = self.joint.manifold.pose(tuple(q[self.joint.q].tolist()))
        place, placed = self.placement
        return _sum(place, rotate(placed, shift)), product(product(placed, turn), self.turn)

    def coordinates(self, pose: Pose) -> tuple[float, ...]:
        """Return the coordinates of the joint at which the child is nearest to a pose."""
        (x, y, z), turn = pose
        place, placed = self.placement
        back = inverse(placed)
        shift = rotate(back, (x - place[0], y - place[1], z - place[2]))
        return self.joint.manifold.at(
            (shift, product(product(back, turn), inverse(self.turn))))


@owned()
def posed_joints(model: Model) -> tuple[PosedJoint, ...]:
    """
    Return the joints of a model that have several coordinates.

    Parameters
    ----------
    model : Model
        The robot.

    Returns
    -------
    tuple of PosedJoint
        In the order of the model.

    """
    parents = {joint.child: joint.parent for joint in model.mechanism.joints}
    found = []
    for joint in curved_joints(model):
        child = model.body_names[joint.number]
        parent = parents.get(child, '')
        rotation, place = model.rotations[joint.number], model.translations[joint.number]
        if parent:
            frame = model.links[parent]
            rotation = frame.rotation.T @ rotation
            place = frame.rotation.T @ (place - frame.translation)
        found.append(PosedJoint(
            joint, parent, child, (_vector(place), _quaternion(rotation)),
            _quaternion(model.links[child].rotation)))
    return tuple(found)


def _quaternion(rotation: Array) -> Quaternion:
    return of_matrix(np.asarray(rotation).tolist())


def _vector(values: Sequence[float]) -> Vector3:
    x, y, z = (float(value) for value in values)
    return x, y, z


def _sum(a: Vector3, b: Vector3) -> Vector3:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]
