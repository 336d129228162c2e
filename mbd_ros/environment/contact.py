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

r"""
Contact of points and spheres with the ground: springs, dampers, smooth friction.

With n the normal of the ground, p the lowest point of a sphere of radius r and v its velocity::

    d = h - n . p          depth of penetration
    N = max(0, k d - c n . v)                   where d > 0, else 0: the ground never pulls
    f = N n - mu N tanh(|v_t| / v_s) v_t / |v_t|,    v_t = v - (n . v) n

Ground that is no plane is one for each point: that below the centre of its sphere
(``terrain.py``).

A step h of an integrator is not ruled by k, c and mu N / v_s if the force is that at its end,
with p and v as the acceleration a of the point lets expect (linearly implicit Euler)::

    N = k (d - h n . v) - c n . v - (k h^2 + c h) n . a
    f = N n - R (v_t + h a_t),          R = mu N' tanh(|v_t| / v_s) / |v_t|

What a multiplies is an inertia that the ground adds to the body at p (``ImplicitGroundLaw``). N'
is known before a: what N for a = 0 has above the spring's ``k d`` and the weight G of the robot
counts as far as one step can use it, with w = 1 / m how much a force moves a point along the
normal (the mean of all)::

    N' = N_0 - (N_0 - max(k d, G))^+ X / (1 + X),    X = (k h^2 + c h) w

So it is the load of a point that lands, ``m s / h`` on stiff springs, and of one that rests.

References
----------
Xu, Yang, Ge and Wang, Modelling of underwater self-reconfigurable robots based on Kane dynamics
and path matrix, Journal of Ship Mechanics 2018 (1): feet as springs and dampers. Hairer, Wanner,
Solving Ordinary Differential Equations II, 1996, section IV.9.

"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.environment.law import Law, Motion
from mbd_ros.environment.terrain import LARGEST, Plane, Relief, relief
from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.program.records import vector_record
from mbd_ros.execution.program.sweeps import World
from mbd_ros.model import ContactPoint, Model
from mbd_ros.spatial import (
    ArticulatedInertia, IDENTITY, Link, positive_part, root, Scalar, step, Symmetric3, tanh,
    Vector3, Wrench, ZERO_WRENCH)
from mbd_ros.spatial.inertia import NO_ARTICULATED_INERTIA
from mbd_ros.spatial.motion import acceleration_tensor

NAME = 'ground'
FARTHEST = 1e9
"""Numbers of a ground are not larger [m]."""
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


class Touch(NamedTuple):
    """
    How a point meets the ground; vectors in body axes.

    Attributes
    ----------
    point, normal : Vector3
        The lowest point [m], and away from the ground.
    depth : float
        Of penetration [m].
    force : Vector3
        On the body [N].
    load, rubbing : float
        N [N], and friction over the speed along the ground, R [N s/m].

    """

    point: Vector3
    normal: Vector3
    depth: Scalar
    force: Vector3
    load: Scalar
    rubbing: Scalar


def touch(foot: Touching, motion: Motion, ground: Plane | Relief, ahead: Scalar | None = None,
          mobility: Scalar = 0.0, weight: Scalar = 0.0) -> Touch:
    """
    Return how a point meets the ground.

    Parameters
    ----------
    foot : Touching
        The point.
    motion : Motion
        Of its body.
    ground : Plane or Relief
        The ground.
    ahead : float, optional
        Time for which the depth is foreseen from the velocity [s].
    mobility : float, optional
        How much a force on the point accelerates it along the normal [1/kg].
    weight : float, optional
        Of the robot [N].

    Returns
    -------
    Touch
        The point and its force.

    """
    plane = ground.below(motion.pose.translation + motion.pose.rotation.apply(foot.place))
    normal = motion.pose.rotation.apply_inverse(plane.normal)
    point = foot.place - normal * foot.radius
    p_W = motion.pose.translation + motion.pose.rotation.apply(point)
    velocity = motion.velocity.linear + motion.velocity.angular.cross(point)
    depth, rising = plane.height - plane.normal.dot(p_W), normal.dot(velocity)
    held = weight + positive_part(depth * foot.stiffness - weight)   # the larger
    if ahead is not None:
        depth = depth - rising * ahead
    load = step(depth) * positive_part(depth * foot.stiffness - rising * foot.damping)
    pressing = load
    if ahead is not None:
        stopped = _along(foot, ahead) * mobility
        pressing = load - positive_part(load - held) * stopped * (1.0 / (stopped + 1.0))
    along = velocity - normal * rising
    speed = root(along.dot(along) + STILL * STILL)
    rubbing = pressing * foot.friction * tanh(speed * (1.0 / foot.slip_speed)) * (1.0 / speed)
    return Touch(point, normal, depth, normal * load - along * rubbing, load, rubbing)


def touching(point: ContactPoint) -> Touching:
    """Return the constants of a point of a model."""
    return Touching(vector_record(point.frame.translation), *map(float, (
        point.radius, point.stiffness, point.damping, point.friction, point.slip_speed)))


@dataclass(frozen=True)
class _OfPoints(Law):
    """What laws of a ground have in common."""

    name: str = NAME

    def constants(self, model: Model, i: int) -> tuple[Touching, ...]:
        """Return the points of body i that touch the ground."""
        return tuple(touching(point) for point in model.contacts if point.body == i)


@dataclass(frozen=True)
class GroundLaw(_OfPoints):
    """
    The force law of the ground; its numbers are those of ``Plane`` or ``Relief``.

    It has no energy: what the ground does is work, also that of its springs.
    """

    world: Plane | Relief = Plane()

    def load(self, constants: tuple[Touching, ...], motion: Motion, world: World) -> Wrench:
        """Return the wrench of the ground on a body."""
        total = ZERO_WRENCH
        for foot in constants:
            found = touch(foot, motion, world.own)
            total = total + Wrench(found.point.cross(found.force), found.force)
        return total


class Ahead(NamedTuple):
    """A ground, the step at whose end its forces are asked [s], w [1/kg] and G [N]."""

    surface: Plane | Relief = Plane()
    step: Scalar = 0.0
    mobility: Scalar = 0.0
    weight: Scalar = 0.0


@dataclass(frozen=True)
class ImplicitGroundLaw(_OfPoints):
    """The ground as a step of linearly implicit Euler sees it; with a step of 0 as it is."""

    world: Ahead = Ahead()

    def load(self, constants: tuple[Touching, ...], motion: Motion, world: World) -> Wrench:
        """Return the wrench of the ground but for what the acceleration takes off it."""
        total, turning = ZERO_WRENCH, acceleration_tensor(motion.velocity.angular)
        weight = motion.pose.rotation.apply_inverse(world.gravity)   # ``load - A (a - g)``
        for foot in constants:
            found = touch(foot, motion, *world.own)
            force = found.force - _resisting(foot, found, world.own.step).apply(
                turning.apply(foot.place) + weight)
            total = total + Wrench(found.point.cross(force), force)
        return total

    def inertia(self, constants: tuple[Touching, ...], motion: Motion, world: World
                ) -> ArticulatedInertia:
        """Return that of the points."""
        total = NO_ARTICULATED_INERTIA
        for foot in constants:
            found = touch(foot, motion, *world.own)
            total = total + Link(IDENTITY, found.point).articulated_to_parent(
                NO_ARTICULATED_INERTIA._replace(
                    linear=_resisting(foot, found, world.own.step)))
        return total


def _resisting(foot: Touching, found: Touch, h: Scalar) -> Symmetric3:
    """Return the inertia at a point: ``k h^2 + c h`` along the normal, ``R h`` across [kg]."""
    across = found.rubbing * h
    along = _along(foot, h) * step(found.load)
    return Symmetric3.scaled_identity(across).minus_square(found.normal, across - along)


def _along(foot: Touching, h: Scalar) -> Scalar:
    """Return ``k h^2 + c h`` [kg]."""
    return (h * foot.stiffness + foot.damping) * h


@dataclass(frozen=True)
class Ground:
    """
    What ``<mbd:contact>`` points of a robot touch: a plane, or heights on a grid.

    Attributes
    ----------
    height : float
        Of its surface along the normal, from the world's origin; with ``heights`` added to them
        [m].
    normal : (3,) sequence of float
        Away from the ground, in world axes, of any length; with ``heights`` along z.
    heights : (nx, ny) array_like, optional
        Of the surface at points of a grid, 2 by 2 to ``LARGEST`` in all [m]: bilinear between
        them, as at the edge beyond. Normals are interpolated too, so that they do not jump.
    spacing : float or (2,) sequence of float
        Between the points, along x and y [m].
    origin : (2,) sequence of float
        x and y of the first point [m].

    Raises
    ------
    InvalidValueError
        If a value is not as above.

    """

    height: float = 0.0
    normal: Any = (0.0, 0.0, 1.0)
    heights: Any = None
    spacing: Any = 1.0
    origin: Any = (0.0, 0.0)

    def __post_init__(self) -> None:
        """Check the values."""
        normal, z = _numbers(self.normal), _numbers(self.heights)
        grid = [_numbers(self.spacing), _numbers(self.origin)]
        grid[0] = np.repeat(grid[0], 2) if grid[0].ndim == 0 else grid[0]
        height, length = _numbers(self.height), float(np.linalg.norm(normal))
        spacing, origin = grid
        if height.shape != ():
            raise InvalidValueError('height of the ground', self.height, 'a finite number [m]')
        if normal.shape != (3,) or not length > 0.0:
            raise InvalidValueError('normal of the ground', self.normal,
                                    'three finite numbers, not all zero')
        if spacing.shape != (2,) or not (spacing >= 1.0 / FARTHEST).all():
            raise InvalidValueError('spacing of the ground', self.spacing,
                                    'one or two positive finite numbers [m]')
        if origin.shape != (2,):
            raise InvalidValueError('origin of the ground', self.origin, 'two finite numbers [m]')
        kept = None
        if self.heights is not None:
            if z.ndim != 2 or min(z.shape) < 2 or z.size > LARGEST:
                raise InvalidValueError(
                    'heights of the ground', f'of shape {np.shape(self.heights)}'
                    if z.size else self.heights,
                    f'(nx, ny) finite numbers [m], 2 by 2 to {LARGEST} in all')
            if normal[2] < length:
                raise InvalidValueError('normal of the ground', self.normal,
                                        '(0, 0, 1) where heights are given')
            kept = tuple(map(tuple, z.tolist()))
        for name, value in (('height', float(height)), ('heights', kept),
                            ('normal', tuple((normal / length).tolist())),
                            ('spacing', tuple(spacing.tolist())),
                            ('origin', tuple(origin.tolist()))):
            object.__setattr__(self, name, value)

    @property
    def surface(self) -> Plane | Relief:
        """Return the numbers of the law."""
        if self.heights is None:
            return Plane(vector_record(np.array(self.normal)), self.height)
        return relief(np.array(self.heights) + self.height, self.spacing, self.origin)

    @property
    def law(self) -> GroundLaw:
        """Return the force law; the same for all planes, and for all grids of a shape."""
        if self.heights is None:
            return GroundLaw()
        return GroundLaw(world=relief(np.zeros(np.shape(self.heights)), (1.0, 1.0), (0.0, 0.0)))


def _numbers(value: Any) -> NDArray[np.float64]:
    """Return an array of finite numbers, an empty one where there are others."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.dtype.kind not in 'fiu' or not (np.abs(array) <= FARTHEST).all():
        return np.empty(0)
    return array.astype(np.float64)
