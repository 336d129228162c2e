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

"""The fluid around a robot: what users say of it, and the force law that it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.environment.hydrodynamics import (
    buoyancy, center_of_buoyancy, drag, energies, kirchhoff, meet, Meeting, NO_SURFACE, Submerged,
    submerged, Water)
from mbd_ros.environment.law import Law, Motion
from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.program.records import vector_record
from mbd_ros.execution.program.sweeps import World
from mbd_ros.model import Model
from mbd_ros.spatial import ArticulatedInertia, Scalar, Symmetric3, Wrench, ZERO_WRENCH
from mbd_ros.spatial.inertia import NO_ARTICULATED_INERTIA
from mbd_ros.spatial.rotation import Matrix3

Array = NDArray[np.float64]
Field: TypeAlias = Callable[[Array, float], tuple[ArrayLike, ArrayLike, ArrayLike]]
"""
``(point, t) -> (velocity, gradient, acceleration)`` of the fluid at a point (3,) of the world [m]:
(3,) [m/s], (3, 3) rows of d u_i / d x_j [1/s], and d u / d t at that point (3,) [m/s^2].
"""

NAME = 'fluid'
BUOYANCY, DRAG, ADDED_MASS = 'buoyancy', 'drag', 'added_mass'
TERMS = (BUOYANCY, DRAG, ADDED_MASS)
"""What a fluid does to bodies, as answers name it; the Froude-Krylov force counts as buoyancy."""


@dataclass(frozen=True)
class FluidLaw(Law):
    """
    The force law of a fluid; its numbers are those of ``Water``.

    Attributes
    ----------
    varies : bool
        Whether the current varies in space or time.
    surface : bool
        Whether there is a free surface.
    terms : tuple of str
        Which of ``TERMS`` act.

    """

    varies: bool = False
    surface: bool = False
    terms: tuple[str, ...] = TERMS
    name: str = NAME
    world: Water = Water()

    def constants(self, model: Model, i: int) -> tuple[Submerged, ...]:
        """Return the links of body i that are in the fluid."""
        return tuple(submerged(link) for link in model.fluids if link.body == i)

    def load(self, constants: tuple[Submerged, ...], motion: Motion, world: World) -> Wrench:
        """Return the wrench of the fluid on a body, less that of its own acceleration."""
        total = ZERO_WRENCH
        for link in constants:
            at = self._meet(link, motion, world)
            if BUOYANCY in self.terms:
                total = total + buoyancy(link, at, world.own.density)
            if DRAG in self.terms:
                total = total + drag(link, at)
            if ADDED_MASS in self.terms:
                total = total + kirchhoff(link, at, motion.velocity)
        return total

    def inertia(self, constants: tuple[Submerged, ...], motion: Motion, world: World
                ) -> ArticulatedInertia | None:
        """Return the added mass about the body's origin, of what is under water."""
        if ADDED_MASS not in self.terms:
            return None
        return reduce(add, (scaled(link.added, self._meet(link, motion, world).wet.fraction)
                            for link in constants), NO_ARTICULATED_INERTIA)

    def energy(self, constants: tuple[Submerged, ...], motion: Motion, world: World
               ) -> tuple[Scalar, Scalar]:
        """Return the kinetic and the potential energy of the fluid [J]."""
        kinetic, potential = 0.0, 0.0
        for link in constants:
            moved, displaced = energies(
                link, self._meet(link, motion, world), center_of_buoyancy(link, motion.pose),
                world.gravity, world.own.density)
            kinetic = kinetic + (moved if ADDED_MASS in self.terms else 0.0)
            potential = potential + (displaced if BUOYANCY in self.terms else 0.0)
        return kinetic, potential

    def _meet(self, link: Submerged, motion: Motion, world: World) -> Meeting:
        return meet(link, motion.pose, motion.velocity, world.gravity, world.own,
                    varies=self.varies, surface=self.surface)


def scaled(inertia: ArticulatedInertia, factor: Scalar) -> ArticulatedInertia:
    """Return an inertia times a factor."""
    rotational, coupling, linear = inertia
    return ArticulatedInertia(Symmetric3(*(x * factor for x in rotational)),
                              Matrix3(*(row * factor for row in coupling)),
                              Symmetric3(*(x * factor for x in linear)))


def _number(name: str, value: Any, above: float | None = None) -> float:
    allowed = 'a finite number' if above is None else f'a finite number above {above:g}'
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidValueError(f'{name} of the fluid', value, allowed) from None
    if not np.isfinite(number) or (above is not None and not number > above):
        raise InvalidValueError(f'{name} of the fluid', value, allowed)
    return number


def _numbers(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != shape or not np.isfinite(array).all():
        raise InvalidValueError(f'{name} of the fluid', value, f'{shape} finite numbers')
    return array


@dataclass(frozen=True)
class Tangent:
    """A current that is linear in space, as the law takes it."""

    water: Water

    def __call__(self, point: Array, time: float) -> tuple[Array, Array, Array]:
        """Return velocity, gradient and acceleration, see ``Field``."""
        gradient: Array = np.array(self.water.gradient)
        velocity = np.array(self.water.velocity) + gradient @ point
        return velocity, gradient, np.array(self.water.rate)


@dataclass(frozen=True)
class Fluid:
    """
    The fluid around a robot.

    Drag and added mass are as the description has them, for the fluid that it was made for;
    buoyancy goes with the density.

    Attributes
    ----------
    density : float
        [kg/m^3].
    current : (3,) sequence of float, or callable
        Velocity of the fluid in world axes [m/s]; or ``(point, t)`` to velocity, gradient and
        acceleration, see ``Field``. It is asked at the base of the robot and continued by the
        gradient.
    surface : float, optional
        Height of the free surface, z in world axes [m]; there is none if left out.

    Raises
    ------
    InvalidValueError
        If a value is not as above.

    """

    density: float = 1000.0
    current: Any = (0.0, 0.0, 0.0)
    surface: float | None = None

    def __post_init__(self) -> None:
        """Check the values."""
        object.__setattr__(self, 'density', _number('density', self.density, 0.0))
        if self.surface is not None:
            object.__setattr__(self, 'surface', _number('surface', self.surface))
        if not callable(self.current):
            velocity = _numbers('current', self.current, (3,))
            object.__setattr__(self, 'current', tuple(velocity.tolist()))

    @property
    def law(self) -> FluidLaw:
        """Return the force law that it is; fluids of one law differ by numbers only."""
        return FluidLaw(self.varies, self.surface is not None)

    @property
    def varies(self) -> bool:
        """Whether the current differs from place to place or in time."""
        return callable(self.current)

    @property
    def is_field(self) -> bool:
        """Whether the current has to be asked at places and times."""
        return callable(self.current) and not isinstance(self.current, Tangent)

    def at(self, point: ArrayLike, time: float = 0.0) -> Fluid:
        """Return the fluid with its current as it is at a point and time, and its gradient."""
        return replace(self, current=Tangent(self.water(point, time))) if self.is_field else self

    def water(self, point: ArrayLike = (0.0, 0.0, 0.0), time: float = 0.0) -> Water:
        """
        Return the numbers of the law, exact at a point.

        Parameters
        ----------
        point : (3,) array_like
            In the world [m].
        time : float
            [s].

        Returns
        -------
        Water
            Where the current is a field, its tangent at the point.

        Raises
        ------
        InvalidValueError
            If the field does not return three, nine and three finite numbers.

        """
        height = NO_SURFACE if self.surface is None else self.surface
        if not self.varies:
            return Water(self.density, vector_record(np.array(self.current)), surface=height)
        if isinstance(self.current, Tangent):
            return self.current.water
        place = np.asarray(point, dtype=np.float64)
        told = self.current(place.copy(), time)
        if not isinstance(told, (tuple, list)) or len(told) != 3:
            raise InvalidValueError('current(point, t)', told,
                                    'velocity, gradient and acceleration')
        velocity, gradient, rate = (
            _numbers(f'{name} of current(point, t)', value, shape) for name, value, shape in zip(
                ('velocity', 'gradient', 'acceleration'), told, ((3,), (3, 3), (3,))))
        return Water(self.density, vector_record(velocity - gradient @ place), vector_record(rate),
                     Matrix3(*(vector_record(row) for row in gradient)), height)
