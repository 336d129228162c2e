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
Kinematics of the bodies, from the base outwards.

All vectors are in the axes of their own body and at its origin; accelerations are classical
(second derivatives of positions). With w the angular velocity of the parent, p the position of the
child's origin and S the joint's axes, the acceleration of a child is::

    a_C = X a_P + c + S qdd
    c = (w_C x S_w v, R^T (w x (w x p)) + 2 w_C x S_v v + S_w v x S_v v)

where X carries the acceleration of a frame fixed to the parent and w_C is the parent's angular
velocity in the child's axes. The wrench a body needs is ``I a + (w x I w, w x (w x m c))``.

"""

from __future__ import annotations

from typing import NamedTuple

from mbd_ros.execution.program.sweeps import Body, Step, World
from mbd_ros.spatial import ArticulatedInertia, Joint, Link, Twist, Vector3, Wrench, ZERO3
from mbd_ros.spatial.inertia import NO_ARTICULATED_INERTIA


class Moving(NamedTuple):
    """
    What velocities alone say of a body: its link, c, the wrench p, and the inertia that is added.

    p is the gyroscopic wrench, with what force laws add to it; these add inertia, too.
    """

    link: Link
    coriolis: Twist
    wrench: Wrench
    added: ArticulatedInertia = NO_ARTICULATED_INERTIA


def base_acceleration(world: World) -> Twist:
    """Return the base acceleration -g, which accounts for gravity on all bodies."""
    return Twist(ZERO3, world.gravity * -1.0)


def no_rotation(world: World) -> Vector3:
    """Return the angular velocity of the ground."""
    return ZERO3


def turn(joint: Joint, link: Link, parent: Vector3) -> tuple[Vector3, Twist]:
    """Return the body's angular velocity and its acceleration c that comes from velocities."""
    velocity, coriolis = own_turn(joint, link, parent)
    return velocity, coriolis._replace(linear=link.centripetal(parent) + coriolis.linear)


def own_turn(joint: Joint, link: Link, parent: Vector3) -> tuple[Vector3, Twist]:
    """Return the same without the centripetal acceleration of the child's origin."""
    carried = link.rotation.apply_inverse(parent)
    relative = joint.span(joint.v)
    return carried + relative.angular, Twist(
        carried.cross(relative.angular),
        carried.cross(relative.linear) * 2.0 + relative.angular.cross(relative.linear))


def velocities(body: Body, joint: Joint, parent: Vector3) -> Step:
    """Outward: angular velocity and what follows from it."""
    link = joint.link(body.placement)
    velocity, coriolis = turn(joint, link, parent)
    return Step(hand=velocity, keep=Moving(link, coriolis, body.inertia.gyroscopic(velocity)))
