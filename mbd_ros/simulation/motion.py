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

"""Interface of what is integrated: accelerations, and corrections after each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.prepared.external_forces import external_efforts
from mbd_ros.dynamics.quantities.joint_friction import dry_friction_sign, viscous_friction
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.model import Model
from mbd_ros.simulation.coded_steps import can_be_coded, CodedSteps, LinearEfforts, rk4, Scheme
from mbd_ros.simulation.dissipation_audit import flows_unevenly, Resistance
from mbd_ros.simulation.loop_motion import LoopStabilization
from mbd_ros.simulation.manifold import checked, Vector
from mbd_ros.simulation.propulsion import propelled, Propulsion

Efforts: TypeAlias = ArrayLike | Callable[[float, Vector, Vector], ArrayLike]
"""
Joint efforts (nv,), constant or as a function of ``(t, q, v)``. One with a method ``linear``, of
times (K,) to ``LinearEfforts``, is asked by that alone where steps run in machine code.
"""

Loads: TypeAlias = (Mapping[str, ArrayLike]
                    | Callable[[float, Vector, Vector], Mapping[str, ArrayLike]])
"""Forces on links as in ``forward_dynamics``, constant or as a function of ``(t, q, v)``."""

Thrust: TypeAlias = ArrayLike | Callable[[float, Vector, Vector], ArrayLike]
"""Wanted thrusts (k,) [N], constant or as a function of ``(t, q, v)``."""

EFFORTS, THRUSTERS, INTEGRATOR = 'efforts', 'thrusters', 'integrator'
"""Names of the power of joint efforts, forces on links and friction together; of thrusters; of
the energy that steps themselves make or take."""


def field_of(fluid: Any) -> Fluid | None:
    """Return a fluid whose current has to be asked at places and times, else None."""
    return fluid if isinstance(fluid, Fluid) and fluid.is_field else None


class Motion(Protocol):
    """The motion of a robot as ``simulate`` integrates it."""

    def acceleration(self, t: float, q: Vector, v: Vector) -> Vector:
        """Return ``vdot`` (nv,) at a state."""
        ...

    def correct(self, t: float, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return the state that takes the place of the one a step ended with."""
        ...

    def violation(self, t: float, q: Vector) -> float:
        """Return how far a state is from the constraints of the motion; 0 without any."""
        ...


class FreeMotion:
    """
    The motion under joint efforts, gravity and forces on links.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics with their gravity.
    tau : array_like or callable, optional
        Joint efforts (nv,), or ``(t, q, v)`` to them; zero if not given [N m or N].
    external_forces : mapping or callable, optional
        For each link acted on its force and moment (6,), or ``(t, q, v)`` to that.
    dissipation : bool, optional
        Whether the joints' damping and dry friction act.
    keeper : LoopStabilization, optional
        How closed loops stay closed; by projection if not given.
    thrust : array_like or callable, optional
        Wanted thrusts (k,) of thrusters, or ``(t, q, v)`` to them, which ``sample`` asks; none if
        not given [N].
    fluid : Fluid, optional
        Whose current is a field: it is asked at the root link's origin at every time, and put into
        the prepared dynamics, which must be an instance of one's own.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If constant efforts are not (nv,) finite numbers.

    """

    def __init__(
        self, dyn: PreparedDynamics, *, tau: Efforts | None = None,
        external_forces: Loads | None = None, dissipation: bool = False,
        keeper: LoopStabilization | None = None, thrust: Thrust | None = None,
        fluid: Fluid | None = None,
    ) -> None:
        model = dyn.model
        self._dyn = dyn
        self._field = fluid
        self._keeper = LoopStabilization(dyn) if keeper is None else keeper
        self._loads = external_forces
        self._dissipation = dissipation
        self._damping = _modal_damping(model)
        self._resistance = Resistance(dyn)
        self.propulsion = Propulsion(model.thrusters) if model.thrusters or (
            thrust is not None) else None
        self._commands = thrust if callable(thrust) else None
        if self.propulsion is not None and thrust is not None and not callable(thrust):
            self.propulsion.command(thrust, 0.0)
        self.works = bool(any(one is not None for one in (
            tau, self.propulsion, external_forces, self._damping))
            or dissipation or self._resistance.names)
        self._law = tau if callable(tau) else None
        self._tau = np.zeros(model.nv) if tau is None or callable(tau) else checked(
            model, 'tau', tau, model.nv).copy()

    def update_current(self, t: float, q: Vector) -> None:
        """Take the current of a field as it is at a time and place; nothing without a field."""
        if self._field is not None:
            point = self._dyn.pose(q, self._dyn.model.root)[:3, 3]
            self._dyn.change_world(fluid=self._field.water(point, t))
            self.follow()

    def follow(self) -> None:
        """Tell the audit of energy that the world of the prepared dynamics has changed."""
        self._resistance.follow()

    @property
    def in_field(self) -> bool:
        """Whether it moves in a current that has to be asked at places and times."""
        return self._field is not None

    @property
    def in_current(self) -> bool:
        """Whether a current acts on it."""
        water = self._dyn.world.get('fluid')
        return water is not None and (any(water.velocity) or flows_unevenly(self._dyn.model))

    def carried(self, q: Vector, v: Vector, kinetic: Vector) -> Vector:
        """Return ``Resistance.carried`` where a current acts, else zeros."""
        return self._resistance.carried(q, v, kinetic) if self.in_current else np.zeros(len(q))

    def sample(self, t: float, q: Vector, v: Vector) -> None:
        """Ask the function of thrusts, if there is one: drives hold their commands."""
        if self._commands is not None and self.propulsion is not None:
            self.propulsion.command(self._commands(t, q, v), t)

    def hold(self, tau: Vector) -> None:
        """Take other constant efforts (nv,), checked by the caller [N m or N]."""
        self._tau = tau

    def load(self, loads: Loads | None) -> None:
        """Take other forces on links; None for none."""
        self._loads = loads

    @property
    def held(self) -> Vector | None:
        """Efforts (nv,) that depend on nothing; None where they do."""
        depend = (self._law is not None or self._loads is not None or self._dissipation
                  or self.propulsion is not None)
        return None if depend else self._tau

    @property
    def keeper(self) -> LoopStabilization:
        """How closed loops stay closed."""
        return self._keeper

    @property
    def linear_efforts(self) -> Callable[[Vector], LinearEfforts] | None:
        """How efforts, if nothing else acts, are told for many times; None: they are asked for."""
        told = getattr(self._law, 'linear', None)
        more = self._loads is not None or self._dissipation or self.propulsion is not None
        return told if callable(told) and not more else None

    def coded(self, step: float, scheme: Callable[[], Scheme] | None = None) -> CodedSteps | None:
        """Return a scheme, RK4 if not given, in machine code; None where it cannot be."""
        dyn, told = self._dyn, self.linear_efforts
        if flows_unevenly(dyn.model) or (self.held is None and told is None) or (
                not can_be_coded(dyn)):
            return None
        return CodedSteps(dyn.model, rk4(dyn, self._resistance) if scheme is None else scheme(),
                          told or self._constant, step)

    def _constant(self, times: Vector) -> LinearEfforts:
        """Return efforts that depend on nothing."""
        none = np.zeros(len(self._tau))
        return LinearEfforts(np.tile(self._tau, (len(times), 1)), none, none)

    def efforts(self, t: float, q: Vector, v: Vector) -> Vector:
        """Return efforts, forces on links and friction in joints as generalized forces (nv,)."""
        model = self._dyn.model
        tau = self._tau
        if self._law is not None:
            tau = checked(model, 'tau', self._law(t, q, v), model.nv)
        if self._loads is not None:
            loads = self._loads(t, q, v) if callable(self._loads) else self._loads
            tau = tau + external_efforts(self._dyn, q, loads)
        if self._dissipation:
            tau = tau - viscous_friction(model, v) - model.friction * dry_friction_sign(v)
        return tau

    def applied(self, t: float, q: Vector, v: Vector) -> list[Vector]:
        """Return what efforts do, and thrusters where there are some, each (nv,)."""
        efforts = self.efforts(t, q, v)
        return [efforts] if self.propulsion is None else [
            efforts, propelled(self._dyn, q, self.propulsion.thrust(t))]

    def forces(self, t: float, q: Vector, v: Vector) -> Vector:
        """Return what efforts and thrusters do, as one generalized force (nv,)."""
        efforts, *pushes = self.applied(t, q, v)
        return sum(pushes, efforts)

    def acceleration(self, t: float, q: Vector, v: Vector) -> Vector:
        """Return ``vdot`` (nv,) at a state."""
        self.update_current(t, q)
        return self._keeper.accelerations(q, v, self.forces(t, q, v))

    @property
    def working(self) -> tuple[str, ...]:
        """Names of powers: efforts, then what of thrusters and those of ``Resistance`` acts."""
        pushed = () if self.propulsion is None else (THRUSTERS,)
        return (EFFORTS, *pushed, *self._resistance.names)

    @property
    def conservative_part(self) -> PreparedDynamics | None:
        """Return the robot with what keeps its energy alone, where that is known."""
        return self._resistance.conservative_part

    def acceleration_and_powers(self, t: float, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """
        Return ``vdot`` (nv,), and the power of what ``working`` names [W].

        That is the power of efforts and thrusters, and of each law that keeps no energy.
        """
        self.update_current(t, q)
        efforts, *pushes = self.applied(t, q, v)
        return (self._keeper.accelerations(q, v, sum(pushes, efforts)),
                self.powers([efforts, *pushes], q, v))

    def powers(self, applied: Sequence[Vector], q: Vector, v: Vector) -> Vector:
        """Return the power of what ``working`` names, ``applied`` given, (p,) or (N, p) [W]."""
        efforts, *pushes = applied
        return np.stack([self.power(efforts, v), *((one * v).sum(axis=-1) for one in pushes),
                         *self._resistance.powers(q, v)], axis=-1)

    def power(self, efforts: Vector, v: Vector) -> Vector:
        """Return the power of efforts and modal damping, of one state or each of many [W]."""
        power = np.asarray((efforts * v).sum(axis=-1))
        if self._damping is not None:
            rates = v[..., -len(self._damping):]
            power = power - ((rates @ self._damping) * rates).sum(axis=-1)
        return power

    def correct(self, t: float, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return the state with its loops closed."""
        return self._keeper.correct(q, v)

    def violation(self, t: float, q: Vector) -> float:
        """Return the norm of what the loops are open by; zero for a tree."""
        return self._keeper.violation(q)


def _modal_damping(model: Model) -> Vector | None:
    """Return the damping matrix of all elastic coordinates; None where nothing is damped."""
    if model.elastic is None:
        return None
    result = np.zeros((len(model.elastic_names),) * 2)
    for body in model.elastic.bodies:
        part = slice(body.first, body.first + body.count)
        result[part, part] = body.damping
    return result if result.any() else None
