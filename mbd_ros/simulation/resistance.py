"""What drag, the ground and dampers take from a motion, for the audit of its energy."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

from mbd_ros.dynamics import compile_model, PreparedDynamics
from mbd_ros.dynamics.api.functions import energy_of
from mbd_ros.environment.contact import NAME as GROUND
from mbd_ros.environment.immersion import DRAG
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
        undamped = replace(model, springs=tuple(
            replace(spring, damping=0.0) for spring in model.springs))
        alone: dict[str, tuple[str | None, Model]] = {}
        if any(spring.damping for spring in model.springs):
            alone[DAMPERS] = (None, in_vacuum(model.with_laws()))
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
        self.follow()

    @property
    def prepared(self) -> list[PreparedDynamics]:
        """The robot in a vacuum, and with each alone: what biases differ by is its own."""
        return [] if self._bare is None else [self._bare, *(one for _, one in self._alone)]

    def follow(self) -> None:
        """Take over what the laws read of the world by now."""
        for name, alone in self._alone:
            if name is not None:
                alone.change_world(**{name: self._dyn.world[name]})

    def powers(self, q: Vector, v: Vector) -> list[Vector]:
        """Return the power of each that acts, in the order of ``names``, at a state or N [W]."""
        if self._bare is None:
            return []
        bare = self._bare.bias_forces(q, v)
        return [((bare - alone.bias_forces(q, v)) * v).sum(axis=-1) for _, alone in self._alone]

    def powers_along(self, q: Vector, v: Vector, vdot: Vector, along: Vector) -> list[float]:
        """Return the same of what accelerations count in, at a velocity of its own [W]."""
        if self._bare is None:
            return []
        bare = self._bare.inverse_dynamics(q, v, vdot)
        return [float((bare - alone.inverse_dynamics(q, v, vdot)) @ along)
                for _, alone in self._alone]


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
