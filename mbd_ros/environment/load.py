"""A rigid body that a link carries: its weight and inertia, changed without compiling."""

from dataclasses import dataclass
from typing import NamedTuple

from mbd_ros.environment.law import Law, Motion
from mbd_ros.execution.program.sweeps import World
from mbd_ros.model import Model
from mbd_ros.spatial import ArticulatedInertia, RigidInertia, Scalar, Wrench
from mbd_ros.spatial.inertia import NO_INERTIA

NAME = 'payload'


class Carried(NamedTuple):
    """What is carried: its inertia about the origin of the body that it is fixed to."""

    inertia: RigidInertia


class Here(NamedTuple):
    """The body that carries."""


@dataclass(frozen=True)
class LoadLaw(Law):
    """The load of a link, which may be none."""

    link: str
    world: Carried = Carried(NO_INERTIA)
    name: str = NAME

    def constants(self, model: Model, i: int) -> tuple[Here, ...]:
        """Return that the body of the link is the one."""
        return (Here(),) if model.links[self.link].body == i else ()

    def load(self, constants: tuple[Here, ...], motion: Motion, world: World) -> Wrench:
        """Return gyroscopic terms, ``-(w x I w, w x (w x m c))``; the weight is its inertia's."""
        inertia: RigidInertia = world.own.inertia
        return inertia.gyroscopic(motion.velocity.angular) * -1.0

    def inertia(self, constants: tuple[Here, ...], motion: Motion, world: World
                ) -> ArticulatedInertia:
        """Return that of the load."""
        inertia: RigidInertia = world.own.inertia
        return inertia.articulated()

    def energy(self, constants: tuple[Here, ...], motion: Motion, world: World
               ) -> tuple[Scalar, Scalar]:
        """Return ``V I V / 2`` and ``-m g . p``."""
        inertia: RigidInertia = world.own.inertia
        moment = (motion.pose.rotation.apply(inertia.first_moment)
                  + motion.pose.translation * inertia.mass)
        return inertia.kinetic_energy(motion.velocity), -world.gravity.dot(moment)
