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

"""Real-time simulation: steps beside a clock with efforts that arrive meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import partial
import math

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics import compile_model
from mbd_ros.dynamics.functions.elastic import static_deflection
from mbd_ros.dynamics.loops.closure import close_loops, leading_joints
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.errors import DivergedError, InvalidValueError
from mbd_ros.model import Model
from mbd_ros.simulation.audit import Audit
from mbd_ros.simulation.contact_steps import concerns, ContactSteps, feet_at, suits
from mbd_ros.simulation.manifold import checked, positive_time, Vector
from mbd_ros.simulation.midpoint import MidpointRule
from mbd_ros.simulation.motion import field_of, FreeMotion, Loads
from mbd_ros.simulation.propulsion import limits
from mbd_ros.simulation.pushes import Push, Pushes
from mbd_ros.simulation.simulate import advance, ROUNDING


class Stepper:
    """
    A robot that moves by as much time as it is told to.

    Parameters
    ----------
    model : Model
        The robot.
    q, v : array_like
        State at the start (nq,), (nv,); v is zero if not given.
    step : float, optional
        Longest step [s] of RK4; where feet are too stiff for it of ``method='contact'`` of
        ``simulate``, with flexible links of the implicit midpoint rule.
    time : float, optional
        Time at the start [s].
    gravity : array_like, optional
        (3,) in world axes; that of the model if not given [m/s^2].
    external_forces : mapping or callable, optional
        As in ``simulate``.
    dissipation : bool, optional
        Whether the joints' damping and dry friction act.
    fluid, ground : Fluid or None, Ground, optional
        As in ``simulate``.
    fastest : float, optional
        Velocity beyond which a motion counts as diverged [rad/s or m/s].

    Attributes
    ----------
    rest : Vector
        The commands of ``advance`` that are zero.
    concerns : dict of str to str
        Of ``simulate``'s warnings of contact with the ground those that hold where the robot was
        put last, a line each by what it is about: ``'depth'``, ``'step'``.
    audits : bool
        Whether ``energies`` are wanted; False at first. Steps take about twice as long with them.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If an argument is not allowed.

    """

    def __init__(
        self,
        model: Model,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        step: float = 1e-3,
        time: float = 0.0,
        gravity: ArrayLike | None = None,
        external_forces: Loads | None = None,
        dissipation: bool = False,
        fluid: Fluid | None = DEFAULT,
        ground: Ground | None = None,
        fastest: float = math.inf,
    ) -> None:
        self.model = model
        self.fastest = fastest
        self.step = positive_time('step', step)
        # Its own, because its current may change.
        self._dynamics = copy(compile_model(model, gravity=gravity, fluid=fluid, ground=ground))
        field = field_of(fluid) if self._dynamics.model.fluids else None
        self._motion = FreeMotion(self._dynamics, external_forces=external_forces,
                                  dissipation=dissipation, fluid=field)
        self._lower, self._upper = limits(model)
        self.rest = np.zeros(model.nv + len(model.thrusters))
        self._bending = (None if model.elastic is None
                         else MidpointRule(self._dynamics, self._motion))
        self._contact = (ContactSteps(self._dynamics, self._motion, audits=False)
                         if suits(self._dynamics) else None)
        self._loads, self._pushes = external_forces, Pushes(self._dynamics, external_forces)
        self.audits = False
        self._audit: Audit | None = None
        self.set_state(q, v, time=time)

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self._time

    @property
    def q(self) -> Vector:
        """Return the configuration (nq,); an array that is not changed later."""
        return self._q

    @property
    def v(self) -> Vector:
        """Velocity (nv,); an array that is not changed later."""
        return self._v

    @property
    def violation(self) -> float:
        """How far closed loops are open, the norm of their equations [m or 1]; 0 without any."""
        return self._motion.violation(self._time, self._q)

    def set_state(self, q: ArrayLike, v: ArrayLike | None = None, *, time: float = 0.0) -> None:
        """
        Begin anew from a state; if it is refused, the old one stays.

        Closed loops are closed first: the robot begins at the nearest state that satisfies them,
        and its thrusters at rest.

        Parameters
        ----------
        q, v, time
            As in the constructor.

        Raises
        ------
        ShapeError, NotFiniteError, InvalidValueError
            If it is not a state of the robot.
        LoopOpenError
            If its loops cannot be closed.

        """
        new_q = checked(self.model, 'q', q, self.model.nq).copy()
        new_v = (np.zeros(self.model.nv) if v is None
                 else checked(self.model, 'v', v, self.model.nv).copy())
        new_q, new_v = close_loops(self.model, new_q, new_v)
        self._stiff, self.concerns = self._met(new_q)
        if self._motion.propulsion is not None:
            self._motion.propulsion.stop(time)
        self._time: float = time
        self._q: Vector = new_q
        self._v: Vector = new_v
        self._audit = None

    @property
    def energies(self) -> dict[str, float]:
        """
        Return the audit of energy [J] since ``audits``, the state or the surroundings were set.

        ``kinetic`` and ``potential``, what was put in by each of the ``parts`` of a
        ``Trajectory``, and the ``balance`` that remains; empty where there is no audit.
        """
        return {} if self._audit is None else self._audit.parts(self._time, self._q, self._v)

    def change_gravity(self, gravity: ArrayLike) -> None:
        """
        Go on under another gravity, (3,) in world axes [m/s^2].

        Raises
        ------
        InvalidValueError
            If it is not three finite numbers.

        """
        before = self._dynamics.gravity
        self._dynamics.change_gravity(gravity)
        if not np.array_equal(before, self._dynamics.gravity):
            self._stiff, self.concerns = self._met(self._q)
        self._audit = None

    def push(self, push: Push) -> None:
        """
        Let a force act on a link from now on, in place of an earlier push on that link.

        It adds to the ``external_forces`` given at first.

        Raises
        ------
        UnknownNameError, InvalidValueError
            If it is not one on this robot.

        """
        self._pushes.add(push.check(self.model), self._time)

    def change_current(self, velocity: Sequence[float]) -> None:
        """
        Go on in another uniform current.

        Parameters
        ----------
        velocity : sequence of float
            (3,) in world axes [m/s].

        Raises
        ------
        InvalidValueError
            If it is not three finite numbers, or no fluid acts on the robot.

        """
        current = Fluid(current=velocity).water().velocity
        if 'fluid' not in self._dynamics.world:
            raise InvalidValueError('current', list(velocity), 'none: no fluid acts on the robot')
        self._dynamics.change_world(fluid={'velocity': current})
        self._motion.follow()
        self._audit = None

    def within_limits(self, commands: Vector) -> Vector:
        """Return commands that drives can give: the same array, or a clipped copy."""
        given = commands.clip(self._lower, self._upper)
        return commands if np.array_equal(given, commands) else given

    @np.errstate(over='ignore')   # a motion that is not finite is told as such
    def advance(self, commands: ArrayLike, dt: float) -> None:
        """
        Move on under commands that are held.

        Parameters
        ----------
        commands : array_like
            Joint efforts (nv,) [N m or N], then the wanted thrusts of thrusters (k,) [N].
        dt : float
            Time to move on [s]; it is cut into equal steps not longer than ``step``.

        Raises
        ------
        ShapeError, NotFiniteError, InvalidValueError
            If the commands are not so many finite numbers or the time is negative; nothing moves.
        DivergedError
            If the motion stops being finite, or a joint becomes faster than ``fastest``; the
            state stays the last one that was neither.

        """
        if not 0.0 <= dt < math.inf:
            raise InvalidValueError('dt', dt, 'a time that is not negative [s]')
        drives = checked(self.model, 'commands', commands, len(self.rest))
        self._motion.hold(drives[:self.model.nv])
        if self._motion.propulsion is not None:
            self._motion.propulsion.command(drives[self.model.nv:], self._time)
        count, audit = math.ceil(dt / self.step - ROUNDING), self._audited()
        own = self._contact if self._stiff else self._bending
        if own is not None:
            own.audits, step = audit is not None, own.advance
        else:
            step = partial(advance, self.model, self._motion if audit is None else audit.stages)
        for _ in range(count):
            self._motion.load(self._pushes if self._pushes.at(self._time) else self._loads)
            q, v = step(self._time, self._q, self._v, dt / count)
            if np.abs(v).max(initial=0.0) > self.fastest:
                raise DivergedError(
                    self._time, f'a joint would be faster than {self.fastest:g} rad/s or m/s')
            self._q, self._v = q, v
            self._time += dt / count
            if audit is not None:
                audit.add(audit.stages.work(dt / count) if own is None else own.work)

    def _met(self, q: Vector) -> tuple[bool, dict[str, str]]:
        """Return whether feet are too stiff for RK4, which steps take, and what is of concern."""
        if self._contact is None:
            return False, {}
        feet = feet_at(self._dynamics, q)
        self._contact.mobility = feet.mobility
        stiff = self.step > feet.shortest[0]
        return stiff, concerns(self._dynamics, feet, 'contact' if stiff else 'rk4', self.step)

    def _audited(self) -> Audit | None:
        """Return the audit that the next steps are part of, None where there is none."""
        if not self.audits:
            self._audit = None
        elif self._audit is None:
            self._audit = Audit(
                self._dynamics, self._motion, self._time, self._q, self._v,
                self._contact.works if self._stiff and self._contact is not None else None)
        return self._audit


def bent_by_weight(model: Model, q: Vector, gravity: ArrayLike) -> Vector:
    """
    Return a configuration (nq,) with flexible links as they rest; of others the same.

    Joints are held; in closed loops as many as lead the others, which rest where links bend.
    """
    if model.elastic is None:
        return q
    closed, _ = close_loops(model, q)
    held = leading_joints(model, closed) if model.loops else model.joint_names
    rigid = closed[:model.nq - len(model.elastic_names)]
    bent = np.concatenate([rigid, static_deflection(model, closed, gravity=gravity, held=held)])
    return close_loops(model, bent, known=held)[0]


def whole_steps(rate: float, publish_rate: float) -> tuple[int, int]:
    """
    Return the integration step [ns], and how many lie between two published states.

    Parameters
    ----------
    rate : float
        Integration steps per second at least [Hz].
    publish_rate : float
        Published states per second [Hz]; a control step answers each, so there are neither more
        nor fewer.

    """
    steps = math.ceil(rate / publish_rate - 1e-9)   # the quotient of multiples may round upwards
    return round(1e9 / (publish_rate * steps)), steps
