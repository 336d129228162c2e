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
What a force law is, and what formulations ask of those that act on a body.

The wrench of the surroundings on a body is ``load - A (a - g)``, with a the classical acceleration
of the body's origin in the body's axes, and A the 6 x 6 inertia that the law adds: that of the
fluid around, say. An inertia has weight, then, as that of bodies has, whose sweeps take the
accelerations ``a - g``, see ``dynamics/algorithms/body_motion.py``; a law whose inertia has
none, such as water, takes ``A g`` off its load. All other terms, Coriolis terms of A among them,
are in ``load``.

"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from mbd_ros.execution.program.sweeps import Body, World
from mbd_ros.model import Model
from mbd_ros.spatial import ArticulatedInertia, Link, Scalar, Twist, Wrench, ZERO_WRENCH
from mbd_ros.spatial.inertia import NO_ARTICULATED_INERTIA


class Motion(NamedTuple):
    """Pose of a body in the world; velocity of its axes and origin in its own axes."""

    pose: Link
    velocity: Twist


class Law(ABC):
    """
    What surroundings do to bodies: a frozen dataclass, so that it can be hashed and pickled.

    ``load``, ``inertia`` and ``energy`` are steps: pure functions of scalars without branches on
    their values, by the operators of ``mbd_ros.spatial``.

    Attributes
    ----------
    name : str
        Identifies the law among those of a robot.
    world : NamedTuple
        What it reads of the world, floats: their values until others are set. Nothing in the axes
        of a body, so that they mean the same for this robot with links that bend; ``constants``
        has what is.

    """

    name: str
    world: Any

    @abstractmethod
    def constants(self, model: Model, i: int) -> tuple[Any, ...]:
        """Return what it reads of body i: NamedTuples of floats; ``()`` where it does nothing."""

    @abstractmethod
    def load(self, constants: Any, motion: Motion, world: World) -> Wrench:
        """Return the wrench on a body about its origin, in its axes, less ``-A (a - g)``."""

    def inertia(self, constants: Any, motion: Motion, world: World) -> ArticulatedInertia | None:
        """Return the inertia A that is added about the origin; it depends on no velocity."""
        return None

    def energy(self, constants: Any, motion: Motion, world: World) -> tuple[Scalar, Scalar]:
        """Return kinetic and potential energy [J] of what the law adds to a body."""
        return 0.0, 0.0


class Surroundings(NamedTuple):
    """What surroundings add to the wrench ``p`` and to the inertia of ``f = I (a - g) + p``."""

    bias: Wrench
    inertia: ArticulatedInertia


def surroundings(body: Body, motion: Motion) -> Surroundings:
    """Return what all laws at a body add; nothing is added, and no operation, without laws."""
    total = Surroundings(ZERO_WRENCH, NO_ARTICULATED_INERTIA)
    for law, constants, world in body.around:
        bias = total.bias + law.load(constants, motion, world) * -1.0
        inertia = law.inertia(constants, motion, world)
        total = Surroundings(
            bias, total.inertia if inertia is None else total.inertia + inertia)
    return total


def energy_around(body: Body, motion: Motion) -> tuple[Scalar, Scalar]:
    """Return the kinetic and potential energy that all laws add to a body [J]."""
    kinetic, potential = 0.0, 0.0
    for law, constants, world in body.around:
        more = law.energy(constants, motion, world)
        kinetic, potential = kinetic + more[0], potential + more[1]
    return kinetic, potential
