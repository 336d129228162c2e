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

"""Kinetic and potential energy."""

from __future__ import annotations

from typing import NamedTuple

from mbd_ros.dynamics.algorithms.joint_springs import energy_of
from mbd_ros.dynamics.quantities.kinematics import AT_REST, Travel, travel
from mbd_ros.environment.law import energy_around, Motion
from mbd_ros.execution.program.sweeps import Body, Layout, Outward, Program, Step, World
from mbd_ros.spatial import Joint, Vector3


class Falling(NamedTuple):
    """The motion of a body, and gravity [m/s^2] in world axes."""

    travel: Travel
    gravity: Vector3


def work(body: Body, joint: Joint, parent: Falling) -> Step:
    """Outward: kinetic energy with rotors, and potential energy against the world's origin."""
    own = travel(body, joint, parent.travel)
    kinetic = body.inertia.kinetic_energy(own.velocity)
    for rotor, rate in zip(body.armature, joint.v):
        kinetic = kinetic + rate * rate * rotor * 0.5
    moment = (own.pose.translation * body.inertia.mass
              + own.pose.rotation.apply(body.inertia.first_moment))
    around = energy_around(body, Motion(own.pose, own.velocity))
    potential = parent.gravity.dot(moment) * -1.0 + around[1]
    if body.springs:
        potential = potential + energy_of(body, joint)
    return Step(hand=Falling(own, parent.gravity), out=(kinetic + around[0], potential))


def _ground(world: World) -> Falling:
    return Falling(AT_REST, world.gravity)


ENERGIES = Program('energies', ('q', 'v'), (Outward(work, _ground),), Layout.BODIES, (2,))
