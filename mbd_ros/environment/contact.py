r"""
Contact of points and spheres with level or sloping ground: springs, dampers, smooth friction.

With n the normal of the ground, p the lowest point of a sphere of radius r and v its velocity::

    d = h - n . p          depth of penetration
    N = max(0, k d - c n . v)                   where d > 0, else 0: the ground never pulls
    f = N n - mu N tanh(|v_t| / v_s) v_t / |v_t|,    v_t = v - (n . v) n

References
----------
Xu, Yang, Ge and Wang, Modelling of underwater self-reconfigurable robots based on Kane dynamics
and path matrix, Journal of Ship Mechanics 2018 (1): feet as springs and dampers.

"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Any, NamedTuple

import numpy as np

from mbd_ros.environment.law import Law, Motion
from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.program.records import vector_record
from mbd_ros.execution.program.sweeps import World
from mbd_ros.model import ContactPoint, Model
from mbd_ros.spatial import (
    positive_part, root, Scalar, step, tanh, Vector3, Wrench, ZERO_WRENCH)

NAME = 'ground'
STILL = 1e-9
"""Speed beside which none counts, so that the direction of no motion has a derivative [m/s]."""


class Touching(NamedTuple):
    """
    The constants of a point that touches the ground.

    Attributes
    ----------
    place : Vector3
        Centre of the sphere, in body axes [m].
    radius, stiffness, damping, friction, slip_speed : float
        r [m], k [N/m], c [N s/m], mu, v_s [m/s].

    """

    place: Vector3
    radius: Scalar
    stiffness: Scalar
    damping: Scalar
    friction: Scalar
    slip_speed: Scalar


class Plane(NamedTuple):
    """The ground: its normal in world axes, and the height h of its surface along it [m]."""

    normal: Vector3 = Vector3(0.0, 0.0, 1.0)
    height: Scalar = 0.0


class Touch(NamedTuple):
    """Lowest point and normal in body axes, depth of penetration [m], and the force there [N]."""

    point: Vector3
    normal: Vector3
    depth: Scalar
    force: Vector3


def touch(foot: Touching, motion: Motion, plane: Plane) -> Touch:
    """
    Return how a point meets the ground.

    Parameters
    ----------
    foot : Touching
        The point.
    motion : Motion
        Of its body.
    plane : Plane
        The ground.

    Returns
    -------
    Touch
        The force is that on the body.

    """
    normal = motion.pose.rotation.apply_inverse(plane.normal)
    point = foot.place - normal * foot.radius
    p_W = motion.pose.translation + motion.pose.rotation.apply(point)
    velocity = motion.velocity.linear + motion.velocity.angular.cross(point)
    depth, rising = plane.height - plane.normal.dot(p_W), normal.dot(velocity)
    load = step(depth) * positive_part(depth * foot.stiffness - rising * foot.damping)
    along = velocity - normal * rising
    speed = root(along.dot(along) + STILL * STILL)
    rubbing = load * foot.friction * tanh(speed * (1.0 / foot.slip_speed)) * (1.0 / speed)
    return Touch(point, normal, depth, normal * load - along * rubbing)


def touching(point: ContactPoint) -> Touching:
    """Return the constants of a point of a model."""
    return Touching(vector_record(point.frame.translation), *map(float, (
        point.radius, point.stiffness, point.damping, point.friction, point.slip_speed)))


@dataclass(frozen=True)
class GroundLaw(Law):
    """
    The force law of the ground; its numbers are those of ``Plane``.

    It has no energy: what the ground does is work, also that of its springs.
    """

    name: str = NAME
    world: Plane = Plane()

    def constants(self, model: Model, i: int) -> tuple[Touching, ...]:
        """Return the points of body i that touch the ground."""
        return tuple(touching(point) for point in model.contacts if point.body == i)

    def load(self, constants: tuple[Touching, ...], motion: Motion, world: World) -> Wrench:
        """Return the wrench of the ground on a body."""
        total = ZERO_WRENCH
        for foot in constants:
            found = touch(foot, motion, world.own)
            total = total + Wrench(found.point.cross(found.force), found.force)
        return total


@dataclass(frozen=True)
class Ground:
    """
    A plane that ``<mbd:contact>`` points of a robot touch.

    Attributes
    ----------
    height : float
        Of its surface along the normal, from the world's origin [m].
    normal : (3,) sequence of float
        Away from the ground, in world axes, of any length.

    Raises
    ------
    InvalidValueError
        If a value is not finite, or the normal zero.

    """

    height: float = 0.0
    normal: Any = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        """Check the values."""
        try:
            height = float(self.height)
        except (TypeError, ValueError, OverflowError):
            height = math.nan
        try:
            normal = np.asarray(self.normal, dtype=np.float64)
        except (TypeError, ValueError):
            normal = np.zeros(3)
        if not math.isfinite(height):
            raise InvalidValueError('height of the ground', self.height, 'a finite number [m]')
        length = float(np.linalg.norm(normal)) if normal.shape == (3,) else 0.0
        if not 0.0 < length < math.inf:
            raise InvalidValueError('normal of the ground', self.normal,
                                    'three finite numbers, not all zero')
        object.__setattr__(self, 'height', height)
        object.__setattr__(self, 'normal', tuple((normal / length).tolist()))

    @property
    def plane(self) -> Plane:
        """The numbers of the law."""
        return Plane(vector_record(np.array(self.normal)), self.height)
