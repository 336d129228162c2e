"""What drag and the ground take from a motion, for the audit of its energy."""

from __future__ import annotations

from copy import copy

import numpy as np

from mbd_ros.dynamics import compile_model, PreparedDynamics
from mbd_ros.dynamics.api.functions import energy_of
from mbd_ros.environment.contact import NAME as GROUND
from mbd_ros.environment.immersion import DRAG
from mbd_ros.environment.immersion import NAME as FLUID
from mbd_ros.environment.surroundings import in_vacuum, with_terms
from mbd_ros.simulation.manifold import Vector
from mbd_ros.spatial import ZERO3

NO_GRAVITY = (0.0, 0.0, 0.0)


class Resistance:
    """
    The powers of force laws that keep no energy: drag, and the ground with its springs.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot under its laws.

    Attributes
    ----------
    names : tuple of str
        ``'drag'``, ``'ground'``, those that act.

    """

    def __init__(self, dyn: PreparedDynamics) -> None:
        self._dyn, self._bare = dyn, None
        self._alone: list[tuple[str, PreparedDynamics]] = []
        names = []
        for law in dyn.model.laws:
            if law.name not in (FLUID, GROUND):
                continue
            alone = dyn.model.with_laws(law)
            one = with_terms(alone, DRAG) if law.name == FLUID else in_vacuum(alone)
            self._alone.append((law.name, copy(compile_model(one, gravity=NO_GRAVITY))))
            names.append(DRAG if law.name == FLUID else GROUND)
        self.names = tuple(names)
        if names:
            self._bare = compile_model(in_vacuum(dyn.model.with_laws()), gravity=NO_GRAVITY)
            self.follow()

    @property
    def prepared(self) -> list[PreparedDynamics]:
        """The robot in a vacuum and under each law alone: what biases differ by is the law's."""
        return [] if self._bare is None else [self._bare, *(one for _, one in self._alone)]

    def follow(self) -> None:
        """Take over what the laws read of the world by now."""
        for name, alone in self._alone:
            alone.change_world(**{name: self._dyn.world[name]})

    def powers(self, q: Vector, v: Vector) -> list[float]:
        """Return the power of each that acts, in the order of ``names`` [W]."""
        if self._bare is None:
            return []
        bare = self._bare.bias_forces(q, v)
        return [float((bare - alone.bias_forces(q, v)) @ v) for _, alone in self._alone]


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
