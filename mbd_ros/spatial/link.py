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

"""The transform between a body and its parent."""

from __future__ import annotations

from typing import NamedTuple

from mbd_ros.spatial.inertia import ArticulatedInertia, MomentsOfFlow, RigidInertia
from mbd_ros.spatial.motion import acceleration_tensor, Twist, Wrench
from mbd_ros.spatial.rotation import Matrix3, Rotation, Successive
from mbd_ros.spatial.symmetric import Symmetric3, UPPER
from mbd_ros.spatial.vector import Vector3


class Link(NamedTuple):
    """
    Pose of a child frame C in its parent frame P: ``R_PC`` and ``p_PC`` [m].

    Twists, wrenches and inertias are those of frame origins, in the axes of their own frame.
    """

    rotation: Rotation | Successive
    translation: Vector3

    def compose(self, other: Link) -> Link:
        """Return the pose of a frame given in C, in P."""
        return Link(self.rotation.compose(other.rotation),
                    self.translation + self.rotation.apply(other.translation))

    def seen_from(self, other: Link) -> Link:
        """Return this pose in another frame; both are given in the same one."""
        turn = other.rotation
        return Link(Rotation(*(turn.apply_inverse(self.rotation.axis(k)) for k in range(3))),
                    turn.apply_inverse(self.translation - other.translation))

    def twist_to_child(self, twist: Twist) -> Twist:
        """Return the twist of C when it is fixed to P."""
        return Twist(
            self.rotation.apply_inverse(twist.angular),
            self.rotation.apply_inverse(twist.linear + twist.angular.cross(self.translation)))

    def centripetal(self, angular_velocity: Vector3) -> Vector3:
        """Return the acceleration of C's origin due to the steady turn of P [m/s^2], in C."""
        return self.rotation.apply_inverse(
            acceleration_tensor(angular_velocity).apply(self.translation))

    def acceleration_to_child(self, velocity: Vector3, acceleration: Twist) -> Twist:
        """Return the acceleration of C when it is fixed to P, which turns with a velocity."""
        return Twist(self.rotation.apply_inverse(acceleration.angular),
                     self.rotation.apply_inverse(acceleration.linear + acceleration_tensor(
                         velocity, acceleration.angular).apply(self.translation)))

    def wrench_to_parent(self, wrench: Wrench) -> Wrench:
        """Return the same wrench about the origin of P."""
        force = self.rotation.apply(wrench.force)
        return Wrench(self.rotation.apply(wrench.moment) + self.translation.cross(force), force)

    def inertia_to_parent(self, inertia: RigidInertia) -> RigidInertia:
        """Return the same inertia about the origin of P (Steiner's theorem twice)."""
        p = self.translation
        turned = self.rotation.apply(inertia.first_moment)
        moved = turned + p * inertia.mass
        trace = p.dot(turned) + p.dot(moved)
        shift = Symmetric3(*((trace if i == j else 0.0) - (turned[i] * p[j] + p[i] * moved[j])
                             for i, j in UPPER))
        return RigidInertia(inertia.mass, moved,
                            inertia.rotational.rotated(self.rotation) + shift)

    def flow_to_parent(self, flow: MomentsOfFlow) -> MomentsOfFlow:
        """Return the moments of the same flow about the origin of P."""
        momentum, dyad = self.rotation.apply(flow.momentum), self.rotation.block(flow.dyad)
        return MomentsOfFlow(momentum, Matrix3(*(
            row + self.translation * entry for row, entry in zip(dyad, momentum))))

    def articulated_to_parent(self, inertia: ArticulatedInertia) -> ArticulatedInertia:
        """
        Return the same articulated inertia about the origin of P.

        With p the translation: ``H' = H + [p]x M`` and ``I' = I + [p]x H^T - H' [p]x``.
        """
        p = self.translation
        linear = inertia.linear.rotated(self.rotation)
        turned = self.rotation.block(inertia.coupling)
        lifted = [p.cross(linear.column(j)) for j in range(3)]
        coupling = turned + Matrix3(
            *(Vector3(lifted[0][i], lifted[1][i], lifted[2][i]) for i in range(3)))
        before = [p.cross(row) for row in turned]
        after = [p.cross(row) for row in coupling]
        shift = Symmetric3(*(before[j][i] + after[i][j] for i, j in UPPER))
        return ArticulatedInertia(inertia.rotational.rotated(self.rotation) + shift, coupling,
                                  linear)
