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

"""A rigid body that a link carries: its weight and inertia, changed without compiling."""

from dataclasses import dataclass
from typing import NamedTuple

from mbd_ros.environment.law import Law, Motion
from mbd_ros.execution.program.records import rotation_record, vector_record
from mbd_ros.execution.program.sweeps import World
from mbd_ros.model import Model
from mbd_ros.spatial import ArticulatedInertia, Link, RigidInertia, Scalar, Wrench
from mbd_ros.spatial.inertia import NO_INERTIA

NAME = 'payload'


class LoadInertia(NamedTuple):
    """What is carried: its inertia about the origin of the link that it is fixed to, and along."""

    inertia: RigidInertia


class LoadFrame(NamedTuple):
    """Where the link is in the body that carries."""

    frame: Link


@dataclass(frozen=True)
class LoadLaw(Law):
    """The load of a link, which may be none."""

    link: str
    world: LoadInertia = LoadInertia(NO_INERTIA)
    name: str = NAME

    def constants(self, model: Model, i: int) -> tuple[LoadFrame, ...]:
        """Return where the link is in its body."""
        frame = model.links[self.link]
        return (LoadFrame(Link(rotation_record(frame.rotation), vector_record(frame.translation))),
                ) if frame.body == i else ()

    def load(self, constants: tuple[LoadFrame, ...], motion: Motion, world: World) -> Wrench:
        """Return gyroscopic terms, ``-(w x I w, w x (w x m c))``; the weight is its inertia's."""
        return _carried(constants, world).gyroscopic(motion.velocity.angular) * -1.0

    def inertia(self, constants: tuple[LoadFrame, ...], motion: Motion, world: World
                ) -> ArticulatedInertia:
        """Return that of the load."""
        return _carried(constants, world).articulated()

    def energy(self, constants: tuple[LoadFrame, ...], motion: Motion, world: World
               ) -> tuple[Scalar, Scalar]:
        """Return ``V I V / 2`` and ``-m g . p``."""
        inertia = _carried(constants, world)
        moment = (motion.pose.rotation.apply(inertia.first_moment)
                  + motion.pose.translation * inertia.mass)
        return inertia.kinetic_energy(motion.velocity), -world.gravity.dot(moment)


def _carried(constants: tuple[LoadFrame, ...], world: World) -> RigidInertia:
    """Return the inertia of the load about the origin of the body, along its axes."""
    own: RigidInertia = world.own.inertia
    return constants[0].frame.inertia_to_parent(own)
