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
Weight that is taken off links: ``gravcomp`` of MJCF, links of Gazebo that no gravity acts on.

A force ``-m g`` at the mass centre, m being the share of the link's mass; its potential energy is
``m g . p``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mbd_ros.environment.law import Law, Motion
from mbd_ros.execution.program.records import vector_record
from mbd_ros.execution.program.sweeps import World
from mbd_ros.model import Model
from mbd_ros.spatial import Scalar, Vector3, Wrench

NAME = 'gravity_compensation'


class TakenOff(NamedTuple):
    """The mass without weight [kg], and its first moment in body axes [kg m]."""

    mass: Scalar
    moment: Vector3


@dataclass(frozen=True)
class GravityCompensation(Law):
    """Acts on the ``lifted`` links of a robot."""

    name: str = NAME
    world: tuple[()] = ()

    def constants(self, model: Model, i: int) -> tuple[Any, ...]:
        """Return what is taken off the weight of body i."""
        own = [one for one in model.lifted if one.body == i]
        if not own:
            return ()
        moment = np.sum([one.mass * np.array(one.center) for one in own], axis=0)
        return (TakenOff(float(sum(one.mass for one in own)), vector_record(moment)),)

    def load(self, constants: Any, motion: Motion, world: World) -> Wrench:
        """Return the force against gravity, and its moment about the body's origin."""
        (off,) = constants
        up = motion.pose.rotation.apply_inverse(world.gravity) * -1.0
        return Wrench(off.moment.cross(up), up * off.mass)

    def energy(self, constants: Any, motion: Motion, world: World) -> tuple[Scalar, Scalar]:
        """Return no kinetic, and the potential energy [J]."""
        (off,) = constants
        moment = motion.pose.translation * off.mass + motion.pose.rotation.apply(off.moment)
        return 0.0, world.gravity.dot(moment)
