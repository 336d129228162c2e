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
What a controller of rigid links does about their bending.

Links that bend move a tool away from where rigid ones would hold it. As long as a motion is slow
against their vibrations they bend as their load asks for, with no motion of their own,

    K a + (what joints, weight and velocities do to the modal rows at q, v, vdot) = 0,

which is solved by the stiffness K of the modes, again and again with a as it is by then. The
nominal model keeps its rigid links. Where it is at q_n, joints go to ``q_n + s`` instead, with the
least s that brings what the task prescribes of the bent robot to where it is of the rigid one, and
are told to exert what the bent robot needs more than the rigid one.

That has no internal motion that could grow: efforts follow from the joints alone. What it leaves
is the links' own swinging.
"""

from __future__ import annotations

import copy
from dataclasses import replace
import functools

import numpy as np

from mbd_ros.control.constraints.servo_constraints import Constraint
from mbd_ros.control.step.fused_step import Step
from mbd_ros.control.tracking.law import TrackingEffort, TrackingLaw
from mbd_ros.control.tracking.nominal_state import NominalState
from mbd_ros.control.udwadia_kalaba.actuation import Actuation
from mbd_ros.description.records.mechanism import Vector3
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.environment.load import Carried
from mbd_ros.environment.load import NAME as LOAD
from mbd_ros.errors import InvalidValueError, UnsupportedError
from mbd_ros.model import Model
from mbd_ros.model.attachments.payload import with_seat
from mbd_ros.model.lock import rebuilt
from mbd_ros.model.state import neutral
from mbd_ros.simulation.manifold import displaced, Vector
from mbd_ros.spatial import IDENTITY, Link, ZERO3

SETTLED = 1e-8
"""Of an iteration against the deflection: 0.1 nm of a centimetre. Each iteration leaves the part
by which load changes stiffness, some percent."""
DAMPING = 0.05
"""Of steps to the joints of a bent robot [m], so that none is long near singular postures; with an
arm of 0.5 m it costs 1 % of what is new in a step."""
LEAST_STIFFNESS = 1e-9
"""Of a combination of modes against its parts, as exact as files of stiffness are: what is less
is none."""


class RigidLinks:
    """
    Links that do not bend: control steps as they are.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.

    Attributes
    ----------
    dyn : PreparedDynamics
        The robot as its tools are seen.
    elastic_names : tuple of str
        Names of elastic coordinates, of which measured ones may be given.
    measured : Vector or None
        These, as they are now.

    """

    elastic_names: tuple[str, ...] = ()
    measured: Vector | None = None

    def __init__(self, dyn: PreparedDynamics) -> None:
        self.dyn = dyn

    def use(self, dyn: PreparedDynamics) -> None:
        """Go on with the same robot under another payload or gravity."""
        self.dyn = dyn

    def following(self, rigid: Constraint | None = None, seen: Constraint | None = None
                  ) -> RigidLinks:
        """Return what follows a constraint, given for the nominal model and ``dyn``, or joints."""
        return self

    def answer(self, step: Step, law: TrackingLaw, q: Vector, v: Vector) -> Step:
        """Return the control step in place of one that was made for rigid links."""
        return step

    def step(self, nominal: NominalState, law: TrackingLaw, q: Vector, v: Vector) -> Step:
        """Return the control step of a nominal model at a measured state (nv,), (nv,)."""
        return Step.of(nominal, law.efforts(nominal, q, v))

    def carrying(self, efforts: TrackingEffort, law: TrackingLaw, q: Vector) -> TrackingEffort:
        """Return efforts that carry the weight of a robot at rest at q."""
        return efforts

    def state(self, nominal: NominalState) -> NominalState:
        """Return the nominal model of a step, as a state of ``dyn``."""
        return nominal

    def seen(self, q: Vector) -> Vector:
        """Return a measured configuration, as one of ``dyn``."""
        return q


class BendingLinks(RigidLinks):
    """
    Links that bend, of a robot whose nominal model has rigid ones.

    Parameters
    ----------
    dyn : PreparedDynamics
        The rigid robot, a tree; its base may float.
    actuation : Actuation, optional
        Which joints have an actuator; all if not given. The others, and a base that floats, yield:
        they are not shifted, and efforts leave them what the bent robot does to them.

    Raises
    ------
    UnsupportedError
        If the robot has closed loops.

    """

    def __init__(self, dyn: PreparedDynamics, actuation: Actuation | None = None) -> None:
        self._passive = np.zeros(0, np.intp) if actuation is None else actuation.passive
        self._both: tuple[Constraint, Constraint] | None = None
        self._shift = self._rate = np.zeros(dyn.model.nv)
        self._time = -np.inf
        self.use(dyn)
        self.elastic_names = self.dyn.model.elastic_names
        self._nominal = self._own = np.zeros(len(self.elastic_names))
        rest = np.zeros(self.dyn.model.nv)
        self.dyn.inverse_dynamics(neutral(self.dyn.model), rest, rest)   # compiles it

    def use(self, dyn: PreparedDynamics) -> None:
        """
        Go on with the same robot under another payload or gravity.

        Raises
        ------
        UnsupportedError
            If a link has no stiffness.
        DescriptionError
            If the payload is where a link that bends by mass points has none.

        """
        twin, world = bent(dyn), dict(dyn.world)
        law = next((one for one in dyn.model.laws if one.name == LOAD), None)
        if law is not None and law.link in {body.link for body in dyn.model.mechanism.flexibles}:
            own = world[LOAD].inertia
            center = own.first_moment * (1.0 / own.mass) if own.mass else ZERO3
            twin = bent(dyn, law.link, (center.x, center.y, center.z))
            world[LOAD] = Carried(Link(IDENTITY, center * -1.0).inertia_to_parent(own))
        softness = softness_of(twin.model)
        twin.change_gravity(dyn.gravity)
        twin.change_world(**world)
        self._rigid, self.dyn, self._softness = dyn, twin, softness

    def following(self, rigid: Constraint | None = None, seen: Constraint | None = None
                  ) -> RigidLinks:
        """
        Return what follows a constraint, given for the nominal model and ``dyn``, or joints.

        Where that begins or ends joints are off by the shift, which the law forgets.
        """
        found = copy.copy(self)   # in another thread, perhaps, while steps go on
        found._both = None if rigid is None or seen is None else (rigid, seen)
        found._shift = found._rate = np.zeros_like(self._shift)
        found._time = -np.inf
        return found

    def answer(self, step: Step, law: TrackingLaw, q: Vector, v: Vector) -> Step:
        """Return the control step in place of one that was made for rigid links."""
        return self.step(step.nominal, law, q, v)

    def step(self, nominal: NominalState, law: TrackingLaw, q: Vector, v: Vector) -> Step:
        """Return the control step of a nominal model at a measured state (nv,), (nv,)."""
        shift, rate = self._shifted(nominal)
        moved = nominal._replace(q=displaced(self._rigid.model, nominal.q, shift),
                                 v=nominal.v + rate)
        found = law.with_more(law.efforts(moved, q, v),
                              self._more_effort(q, v, nominal.accelerations))
        return Step.of(moved._replace(effort=found.nominal), found)

    def carrying(self, efforts: TrackingEffort, law: TrackingLaw, q: Vector) -> TrackingEffort:
        """Return efforts that carry the weight of a robot at rest at q."""
        rest = np.zeros(self._rigid.model.nv)
        more = self._more_effort(q, rest, rest)
        self._nominal = self._own
        return law.with_more(efforts, more)

    def state(self, nominal: NominalState) -> NominalState:
        """Return the nominal model of a step, as a state of ``dyn``."""
        return nominal._replace(q=np.append(nominal.q, self._nominal),
                                v=np.append(nominal.v, np.zeros_like(self._nominal)))

    def seen(self, q: Vector) -> Vector:
        """Return a measured configuration, as one of ``dyn``; measured elastic ones or not."""
        return np.append(q, self._own if self.measured is None else self.measured)

    def _deflection(self, q: Vector, v: Vector, vdot: Vector, first: Vector) -> Vector:
        """
        Return elastic coordinates that rest while joints move so, each (nv,), from a first guess.

        Raises
        ------
        InvalidValueError
            If links would buckle.

        """
        n = len(v)
        a, still = first.copy(), np.zeros_like(first)
        velocity, acceleration = np.append(v, still), np.append(vdot, still)
        size, before = np.inf, np.inf
        while size <= before:   # as links do that do not buckle
            step = self._softness @ self.dyn.inverse_dynamics(
                np.append(q, a), velocity, acceleration)[n:]
            a -= step
            size, before = float(np.abs(step).max()), size
            if size <= SETTLED * np.abs(a).max(initial=SETTLED):
                return a
        raise InvalidValueError('deflection', float(np.abs(a).max()), (
            f'what settles; at q = {q.tolist()} the load changes stiffness by more than there is: '
            'the links buckle. Stiffer ones, or flexible=False'))

    def _more_effort(self, q: Vector, v: Vector, vdot: Vector) -> Vector:
        """Return what joints (nv,) have to exert for the bent robot more than for the rigid."""
        self._own = a = self._deflection(q, v, vdot, self._own)
        still = np.zeros_like(a)
        whole: Vector = self.dyn.inverse_dynamics(
            np.append(q, a), np.append(v, still), np.append(vdot, still))[:len(v)]
        more: Vector = whole - self._rigid.inverse_dynamics(q, v, vdot)
        passive = self._passive
        if len(passive):   # what nothing drives gives way
            inertia = self._rigid.mass_matrix(q)
            yielding = np.linalg.solve(inertia[np.ix_(passive, passive)], more[passive])
            more = more - inertia[:, passive] @ yielding
            more[passive] = 0.0
        return more

    def _shifted(self, nominal: NominalState) -> tuple[Vector, Vector]:
        """Return the shift of the joints and its rate, from one step to the next."""
        q, v, vdot = nominal.q, nominal.v, nominal.accelerations
        if self._both is None:
            self._nominal = self._deflection(q, v, vdot, self._nominal)
            return np.zeros_like(v), np.zeros_like(v)
        rigid, seen = self._both
        now, place = self._shift, displaced(self._rigid.model, q, self._shift)
        self._nominal = self._deflection(place, v, vdot, self._nominal)
        aim = rigid.violation(q, nominal.time)
        found = seen.violation(np.append(place, self._nominal), nominal.time)
        if aim is not None and found is not None:   # not of velocities alone
            A = rigid.matrix(place, v, nominal.time)[:len(aim)].copy()
            A[:, self._passive] = 0.0
            now = now - A.T @ np.linalg.solve(
                A @ A.T + DAMPING**2 * np.eye(len(A)), found - aim)
        passed = nominal.time - self._time   # at first without end: it has no rate
        if passed > 0.0:   # the same step again has the same
            self._shift, self._rate = now, (now - self._shift) / passed
            self._time = nominal.time
        return self._shift, self._rate


@functools.lru_cache(maxsize=8)
def bent(dyn: PreparedDynamics, link: str = '', center: Vector3 = (0.0, 0.0, 0.0)
         ) -> PreparedDynamics:
    """
    Return the dynamics, of its own, of a robot whose links bend as its description says.

    ``link``: one that bends and carries the payload, at ``center`` (3,); it moves with that place.

    Raises
    ------
    UnsupportedError
        If the robot has closed loops.

    """
    model = dyn.model
    if model.loops:
        raise UnsupportedError(f"control that knows how links bend of '{model.name}', which has "
                               'closed loops,', 'take flexible=False')
    mechanism, seat = with_seat(model.mechanism, link, center) if link else (model.mechanism, '')
    twin = rebuilt(model, mechanism, flexible=True)
    if link:
        twin = twin.with_laws(*(replace(law, link=seat) if law.name == LOAD else law
                                for law in twin.laws))
    return PreparedDynamics(twin, tuple(dyn.gravity.tolist()))


def softness_of(model: Model) -> Vector:
    """
    Return by how much elastic coordinates give way to loads along them: the inverse of K.

    Raises
    ------
    UnsupportedError
        If a link has modes that no stiffness holds.

    """
    assert model.elastic is not None
    softness = np.zeros((len(model.elastic_names),) * 2)
    for body in model.elastic.bodies:
        own = slice(body.first, body.first + body.count)
        scale = np.sqrt(np.diag(body.stiffness))
        scaled = body.stiffness / np.where(outer := np.outer(scale, scale), outer, 1.0)
        if np.linalg.eigvalsh(scaled)[0] < LEAST_STIFFNESS:
            raise UnsupportedError(
                f"control that knows how link '{body.link}' of '{model.name}' bends, whose "
                'stiffness does not hold each of its modes,',
                'give it a positive definite <stiffness>, or take flexible=False')
        softness[own, own] = np.linalg.inv(scaled) / outer
    return softness


def bends(dyn: PreparedDynamics) -> bool:
    """Tell whether links or joints of a robot that is taken as rigid would bend."""
    mechanism = dyn.model.mechanism
    return bool(mechanism.flexibles) or any(
        joint.dynamics.series_stiffness for joint in mechanism.joints)
