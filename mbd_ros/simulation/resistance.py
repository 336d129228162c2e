"""What drag, the ground and dampers take from a motion, for the audit of its energy."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

from mbd_ros.dynamics import compile_model, PreparedDynamics
from mbd_ros.dynamics.api.functions import energy_of
from mbd_ros.environment.contact import NAME as GROUND
from mbd_ros.environment.immersion import DRAG, TERMS
from mbd_ros.environment.immersion import NAME as FLUID
from mbd_ros.environment.surroundings import in_vacuum, with_terms
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import Vector
from mbd_ros.spatial import ZERO3

DAMPERS = 'dampers'
NO_GRAVITY = (0.0, 0.0, 0.0)


class Resistance:
    """
    The powers of what keeps no energy: drag, the ground with its springs, dampers of springs.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot under its laws.

    Attributes
    ----------
    names : tuple of str
        ``'dampers'``, ``'drag'``, ``'ground'``, those that act.

    """

    def __init__(self, dyn: PreparedDynamics) -> None:
        self._dyn = dyn
        model = dyn.model
        open_chain = replace(model, loops=())   # whose forces do no work
        undamped = replace(open_chain, springs=tuple(
            replace(spring, damping=0.0) for spring in model.springs))
        alone: dict[str, tuple[str | None, Model]] = {}
        if any(spring.damping for spring in model.springs):
            alone[DAMPERS] = (None, in_vacuum(open_chain.with_laws()))
        for law in model.laws:
            if law.name == FLUID:
                alone[DRAG] = (FLUID, with_terms(undamped.with_laws(law), DRAG))
            elif law.name == GROUND:
                alone[GROUND] = (GROUND, in_vacuum(undamped.with_laws(law)))
        self.names = tuple(alone)
        self._alone = [(name, copy(compile_model(one, gravity=NO_GRAVITY)))
                       for name, one in alone.values()]
        self._bare = (compile_model(in_vacuum(undamped.with_laws()), gravity=NO_GRAVITY)
                      if alone else None)
        self._keeping = self._of_kept(undamped)
        self.follow()

    def _of_kept(self, undamped: Model) -> PreparedDynamics | None:
        """Return the robot with what keeps its energy alone."""
        laws = {law.name: law for law in self._dyn.model.laws}
        if not laws.keys() <= {FLUID, GROUND}:
            return None   # what others do may be either
        around = [laws[FLUID]] if FLUID in laws else []
        wet = with_terms(undamped.with_laws(*around), *(one for one in TERMS if one != DRAG))
        return copy(compile_model(wet if around else in_vacuum(wet)))

    @property
    def keeping(self) -> PreparedDynamics | None:
        """
        The robot with weight, springs, buoyancy and added mass, which keep its energy.

        What its motion takes, all other forces do. None under laws of which is not known whether
        they keep energy, and in currents whose work is not told.
        """
        if self._keeping is None or FLUID not in self._dyn.world:
            return self._keeping
        moving = any(self._dyn.world[FLUID].velocity)
        untold = any(getattr(law, 'varies', False) or (getattr(law, 'surface', False) and moving)
                     for law in self._dyn.model.laws)
        return None if untold else self._keeping

    @property
    def prepared(self) -> list[PreparedDynamics]:
        """The robot in a vacuum, and with each alone: what biases differ by is its own."""
        return [] if self._bare is None else [self._bare, *(one for _, one in self._alone)]

    def follow(self) -> None:
        """Take over what the laws read of the world by now."""
        for name, alone in self._alone:
            if name is not None:
                alone.change_world(**{name: self._dyn.world[name]})
        if self._keeping is not None:
            self._keeping.change_gravity(self._dyn.gravity)
            if FLUID in self._dyn.world:
                self._keeping.change_world(**{FLUID: self._dyn.world[FLUID]})

    def powers(self, q: Vector, v: Vector) -> list[Vector]:
        """Return the power of each that acts, in the order of ``names``, at a state or N [W]."""
        if self._bare is None:
            return []
        bare = self._bare.bias_forces(q, v)
        return [((bare - alone.bias_forces(q, v)) * v).sum(axis=-1) for _, alone in self._alone]

    def forces(self, q: Vector, v: Vector, vdot: Vector) -> list[Vector]:
        """Return each as a generalized force (nv,); accelerations count in."""
        if self._bare is None:
            return []
        bare = self._bare.inverse_dynamics(q, v, vdot)
        return [bare - alone.inverse_dynamics(q, v, vdot) for _, alone in self._alone]


def of_current(dyn: PreparedDynamics, q: Vector, v: Vector) -> Vector:
    """
    Return what a uniform current has put into robot and fluid, up to a constant [J].

    The kinetic energy T of the fluid is that seen by who drifts with the current u; the ground
    sees ``T + u . P`` with P the momentum of the fluid around the robot, so that the current does
    the work ``-u . (P - P_0)``. As T is quadratic in u, ``-u . P = (T(2 u) - T(0)) / 2``.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot under its laws.
    q, v : Vector
        (K, nq), (K, nv).

    Returns
    -------
    Vector
        (K,), zero without a current.

    """
    water = dyn.world.get(FLUID)
    if water is None or not any(water.velocity):
        return np.zeros(len(q))
    other, found = copy(dyn), []
    for velocity in (water.velocity * 2.0, ZERO3):
        other.change_world(**{FLUID: water._replace(velocity=velocity)})
        found.append(energy_of(other, q, v).kinetic)
    half: Vector = 0.5 * (found[0] - found[1])
    return half
