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
What drag, the ground, dampers and a current do to a motion, for the audit of its energy.

A link in a current u takes the kinetic energy T of the fluid as who drifts with the current sees
it. In still water the fluid would keep its energy, and whatever its forces f are more than there
is work, so that a current puts in::

    T(u) - T(0) - (T(u) - T(0) at the start) + integral of (f(u) - f(0)) . v

f but for drag; accelerations do not count. In a uniform current the sum is ``-u . (P - P_0)``,
with P the momentum of the fluid around the robot, for ``T + u . P`` is what the ground sees.

"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any


from mbd_ros.dynamics import compile_model, PreparedDynamics
from mbd_ros.dynamics.functions.equations_of_motion import energy_of
from mbd_ros.environment.contact import NAME as GROUND
from mbd_ros.environment.fluid_law import DRAG, TERMS
from mbd_ros.environment.fluid_law import NAME as FLUID
from mbd_ros.environment.gravity_compensation import NAME as LIFT
from mbd_ros.environment.hydrodynamics import Water
from mbd_ros.environment.surroundings import in_vacuum, with_terms
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import Vector
from mbd_ros.spatial import ZERO3
from mbd_ros.spatial.rotation import Matrix3

CURRENT, DAMPERS = 'current', 'dampers'
NO_GRAVITY = (0.0, 0.0, 0.0)


class Resistance:
    """
    The powers of what keeps no energy: drag, the ground with its springs, dampers of springs.

    And of currents that are not uniform, see above.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot under its laws.

    Attributes
    ----------
    names : tuple of str
        ``'dampers'``, ``'drag'``, ``'ground'``, ``'current'``, those that act.

    """

    def __init__(self, dyn: PreparedDynamics) -> None:
        self._dyn = dyn
        model = dyn.model
        open_chain = replace(model, loops=())   # whose forces do no work
        undamped = replace(open_chain, springs=tuple(
            replace(spring, damping=0.0) for spring in model.springs))
        alone: dict[str, Model] = {}
        if any(spring.damping for spring in model.springs):
            alone[DAMPERS] = in_vacuum(open_chain.with_laws())
        for law in model.laws:
            if law.name == FLUID and DRAG in getattr(law, 'terms', TERMS):
                alone[DRAG] = _only(undamped.with_laws(law), DRAG)
            elif law.name == GROUND:
                alone[GROUND] = in_vacuum(undamped.with_laws(law))
        self._alone = {name: copy(compile_model(one, gravity=NO_GRAVITY))
                       for name, one in alone.items()}
        self._bare = (compile_model(in_vacuum(undamped.with_laws()), gravity=NO_GRAVITY)
                      if alone else None)
        self._keeping = self._of_kept(undamped)
        self._carried = copy(self._keeping) if flows_unevenly(model) else None
        self.names = (*alone, *(() if self._carried is None else (CURRENT,)))
        readers = [(self._alone.get(DRAG), FLUID, _as_it_is),
                   (self._alone.get(GROUND), GROUND, _as_it_is),
                   (self._keeping, FLUID, _as_it_is if self._carried is None else still),
                   (self._carried, FLUID, _as_it_is)]
        self._readers = [(dyn, name, of) for dyn, name, of in readers
                         if dyn is not None and name in dyn.world]
        self._taken: list[Any] = [None] * len(self._readers)
        self._elsewhere: PreparedDynamics | None = None
        self.follow()

    def _of_kept(self, undamped: Model) -> PreparedDynamics:
        """Return the robot with what keeps its energy alone."""
        around = [law for law in self._dyn.model.laws if law.name == FLUID]
        wet = undamped.with_laws(*around)
        return copy(compile_model(
            _only(wet, *(one for one in TERMS if one != DRAG)) if around else in_vacuum(wet)))

    @property
    def conservative_part(self) -> PreparedDynamics | None:
        """
        Return the robot with weight, springs, buoyancy and added mass, which keep its energy.

        What its motion takes, all other forces do. None under laws of which is not known whether
        they keep energy.
        """
        known = all(law.name in (FLUID, GROUND, LIFT) for law in self._dyn.model.laws)
        return self._keeping if known else None

    @property
    def prepared(self) -> list[PreparedDynamics]:
        """Return the robot in a vacuum, and with each alone: what biases differ by is its own."""
        return [] if self._bare is None else [self._bare, *self._alone.values()]

    def follow(self) -> None:
        """Take over what the laws read of the world by now."""
        world, gravity = self._dyn.world, self._dyn.gravity
        for k, (dyn, name, of) in enumerate(self._readers):
            value = of(world[name])
            if value != self._taken[k]:
                dyn.change_world(**{name: value})
                self._taken[k] = value
        for kept in (self._keeping, self._carried):
            if kept is not None:
                kept.change_gravity(gravity)

    def carried(self, q: Vector, v: Vector, kinetic: Vector) -> Vector:
        """
        Return what a current has put into robot and fluid but for its power, up to a constant.

        Parameters
        ----------
        q, v : Vector
            (K, nq), (K, nv).
        kinetic : Vector
            (K,) their kinetic energies T(u), each in the current of its time and place [J].

        Returns
        -------
        Vector
            (K,) ``T(u) - T(0)`` [J]; of uniform currents, which have no power in ``powers``,
            ``-u . P = (T(2 u) - T(0)) / 2``, as T is quadratic in u.

        """
        if self._elsewhere is None:
            self._elsewhere = copy(self._dyn)   # one for all times: it has its own machine code
        water, other = self._dyn.world[FLUID], self._elsewhere

        def kinetic_in(around: Water) -> Vector:
            other.change_world(**{FLUID: around})
            return energy_of(other, q, v).kinetic

        if self._carried is not None:
            return kinetic - kinetic_in(still(water))
        doubled = kinetic_in(water._replace(velocity=water.velocity * 2.0))
        return 0.5 * (doubled - kinetic_in(still(water)))

    def powers(self, q: Vector, v: Vector) -> list[Vector]:
        """Return the power of each that acts, in the order of ``names``, at a state or N [W]."""
        return [(one * v).sum(axis=-1) for one in self._each(lambda dyn: dyn.bias_forces(q, v))]

    def forces(self, q: Vector, v: Vector, vdot: Vector) -> list[Vector]:
        """Return each as a generalized force (nv,); accelerations count in."""
        return self._each(lambda dyn: dyn.inverse_dynamics(q, v, vdot))

    def _each(self, efforts: Callable[[PreparedDynamics], Vector]) -> list[Vector]:
        """Return what efforts of a motion are less with each that acts than without."""
        if self._bare is None:
            return []
        bare = efforts(self._bare)
        found = [bare - efforts(alone) for alone in self._alone.values()]
        if self._carried is not None:
            found.append(efforts(self._keeping) - efforts(self._carried))
        return found


def _only(model: Model, *terms: str) -> Model:
    """Return a robot on which of what its fluid does only some acts."""
    acting = [term for law in model.laws for term in getattr(law, 'terms', ())]
    return with_terms(model, *(term for term in terms if term in acting))


def _as_it_is(value: Any) -> Any:
    """Return what a law reads of the world."""
    return value


def flows_unevenly(model: Model) -> bool:
    """Return whether a robot is in a current that varies in space or time."""
    return any(getattr(law, 'varies', False) for law in model.laws)


def still(water: Water) -> Water:
    """Return a fluid without its current."""
    return water._replace(velocity=ZERO3, rate=ZERO3, gradient=Matrix3(ZERO3, ZERO3, ZERO3))
