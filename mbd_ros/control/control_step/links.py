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

That has no internal motion that could grow: efforts follow from the joints alone. Of a tree whose
joints all have an actuator, a twin whose links swing goes on from there: its joints go to
``q_n + s`` and damp the swinging (``swinging.py``), and the real ones are led to where it is.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.control.constraints.servo_constraints import Constraint
from mbd_ros.control.control_step.fused_step import Step
from mbd_ros.control.control_step.swinging import Asked, SwingingTwin
from mbd_ros.control.tracking.law import TrackingEffort, TrackingLaw
from mbd_ros.control.tracking.nominal_state import NominalState
from mbd_ros.control.udwadia_kalaba.actuation import Actuation
from mbd_ros.control.udwadia_kalaba.drives import aside, driven, is_under_actuated
from mbd_ros.description.records.mechanism import Vector3
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.loops.efforts import free_motions
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.environment.load import LoadInertia
from mbd_ros.environment.load import NAME as LOAD
from mbd_ros.errors import InvalidValueError, UnsupportedError
from mbd_ros.model import Model
from mbd_ros.model.attachments.payload import with_seat
from mbd_ros.model.caches import owned
from mbd_ros.model.lock import rebuilt
from mbd_ros.model.state import neutral
from mbd_ros.simulation.manifold import displaced, displacement, Vector
from mbd_ros.spatial import IDENTITY, Link, ZERO3
from mbd_ros.spatial.rank_thresholds import UNDRIVEN

SETTLED = 1e-8
"""Of an iteration against the deflection: 0.1 nm of a centimetre. Each iteration leaves the part
by which load changes stiffness, some percent."""
DAMPING = 0.05
"""Of steps to the joints of a bent robot [m], so that none is long near singular postures; with an
arm of 0.5 m it costs 1 % of what is new in a step."""
DEPENDENT = 1e-7
"""Of rows of loops against the largest: what is less depends on others, but for rounding."""
BEGINNING = 5
"""Steps to the joints of a bent robot where a motion begins: each leaves some percent."""
LONGEST_STEP = 0.1
"""A twin that is further behind begins anew where the robot is [s]."""
LEAST_STIFFNESS = 1e-9
"""Of a combination of modes against its parts, as exact as files of stiffness are: what is less
is none."""


class Resting(NamedTuple):
    """
    What rests under a motion of the joints.

    Attributes
    ----------
    q, a : Vector
        Configuration of the joints (nq,), those that loops lead where they are led to, and
        elastic coordinates.
    efforts : Vector
        Of the joints (nv,), none at those that loops lead.
    ways : Vector
        How far the joints that loops lead go with each joint (led, nv).

    """

    q: Vector
    a: Vector
    efforts: Vector
    ways: Vector


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

    def more_effort(self, q: Vector, v: Vector, vdot: Vector) -> Vector:
        """Return what joints (nv,) have to exert because links bend."""
        return np.zeros_like(v)

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
        The rigid robot; its base may float.
    actuation : Actuation, optional
        Which joints have an actuator; all if not given. Of the others, those in closed loops are
        led by them. What is left of them, and a base that floats, yield: they are not shifted, and
        efforts leave them what the bent robot does to them.

    """

    def __init__(self, dyn: PreparedDynamics, actuation: Actuation | None = None) -> None:
        self._actuation = actuation
        self._leads, self._led = leads(dyn, actuation)
        self._yields = actuation is not None and is_under_actuated(dyn, actuation)
        self._both: tuple[Constraint, Constraint] | None = None
        self._shift = self._rate = np.zeros(dyn.model.nv)
        self._time = self._begun = -np.inf
        self._twin: SwingingTwin | None = None
        # Accelerations and deflection of the step before; none of the second where both jump.
        self._before: tuple[Vector, Vector | None] = np.zeros(dyn.model.nv), None
        self.use(dyn)
        self.elastic_names = self.dyn.model.elastic_names
        self._nominal = self._own = np.zeros(len(self.elastic_names))
        self._swings = not (len(self._led) or dyn.model.loops)
        self._asked: Asked | None = None   # of the twin, in the step that has begun
        self._span = 0.0
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
            world[LOAD] = LoadInertia(Link(IDENTITY, center * -1.0).inertia_to_parent(own))
        softness = softness_of(twin.model)
        twin.change_gravity(dyn.gravity)
        twin.change_world(**world)
        self._rigid, self.dyn, self._softness = dyn, twin, softness
        if self._twin is not None:
            self._twin = SwingingTwin(twin, self._twin.q, self._twin.v)
        self._before = self._before[0], None

    def following(self, rigid: Constraint | None = None, seen: Constraint | None = None
                  ) -> RigidLinks:
        """
        Return what follows a constraint, given for the nominal model and ``dyn``, or joints.

        Where that begins or ends joints are off by the shift, to which the twin goes by itself.
        """
        found = copy.copy(self)   # in another thread, perhaps, while steps go on
        found._both = None if rigid is None or seen is None else (rigid, seen)
        found._shift = found._rate = np.zeros_like(self._shift)
        found._time = found._begun = -np.inf
        found._twin, found._before = copy.copy(self._twin), (self._before[0], None)
        return found

    def answer(self, step: Step, law: TrackingLaw, q: Vector, v: Vector) -> Step:
        """Return the control step in place of one that was made for rigid links."""
        return self.step(step.nominal, law, q, v)

    def step(self, nominal: NominalState, law: TrackingLaw, q: Vector, v: Vector) -> Step:
        """Return the control step of a nominal model at a measured state (nv,), (nv,)."""
        shift, rate = self._shifted(nominal)
        moved = nominal._replace(q=displaced(self._rigid.model, nominal.q, shift),
                                 v=nominal.v + rate)
        if self._swings:
            moved, more = self._swung(moved, law, q, v)
        else:
            more = self.more_effort(q, v, nominal.accelerations)
        found = law.with_more(law.efforts(moved, q, v), more)
        return Step.of(moved._replace(effort=found.nominal), found)

    def _swung(self, aim: NominalState, law: TrackingLaw, q: Vector, v: Vector
               ) -> tuple[NominalState, Vector]:
        """
        Return the twin as a nominal model, and the efforts (nv,) that its bending needs.

        Its joints follow an aim as the law would lead real ones there, from where the real ones
        are (nq,), (nv,) when it begins.
        """
        n, nq = len(v), self._rigid.model.nq
        passed = aim.time - self._begun if np.isfinite(self._begun) else self._span
        if self._twin is None or self._asked is None or not 0.0 <= passed <= LONGEST_STEP:
            bent_now = self._deflection(q, v, np.zeros(n), self._own).a
            self._twin = SwingingTwin(self.dyn, np.append(q, bent_now),
                                      np.append(v, np.zeros_like(bent_now)))
            self._span, self._asked = 0.0, None
            self._before = aim.accelerations, self._nominal
        twin = self._twin
        if self._asked is None or passed > 0.0:   # else the same step again
            if self._asked is not None:
                twin.advance(self._asked, passed)
                self._span = passed
            before, rest = self._before
            ahead = aim.accelerations   # those of the middle of the step, as the last one tells
            if rest is not None:
                ahead = ahead + 0.5 * (ahead - before)
            error = displacement(self._rigid.model, twin.q[:nq], aim.q)
            wanted, _ = law.wanted(
                (error - law.turns(error)).tolist(), (aim.v - twin.v[:n]).tolist(),
                ahead.tolist(), law.gains.tolist())
            self._asked = Asked(np.array(wanted), np.zeros_like(self._nominal) if (
                rest is None or not self._span) else (self._nominal - rest) / self._span)
            self._before = aim.accelerations, self._nominal
        self._begun = aim.time
        middle = twin.middle(self._asked, self._span)
        effort = self._rigid.inverse_dynamics(twin.q[:nq], twin.v[:n], middle.vdot[:n])
        return aim._replace(q=twin.q[:nq], v=twin.v[:n], accelerations=middle.vdot[:n],
                            effort=effort), self.dyn.inverse_dynamics(*middle)[:n] - effort

    def carrying(self, efforts: TrackingEffort, law: TrackingLaw, q: Vector) -> TrackingEffort:
        """Return efforts that carry the weight of a robot at rest at q."""
        rest = np.zeros(self._rigid.model.nv)
        more = self.more_effort(q, rest, rest)
        self._nominal, self._twin = self._own, None
        return law.with_more(efforts, more)

    def state(self, nominal: NominalState) -> NominalState:
        """Return the nominal model of a step, as a state of ``dyn``."""
        bending = self._nominal, np.zeros_like(self._nominal)
        if self._twin is not None:
            bending = self._twin.bending
        return nominal._replace(q=np.append(nominal.q, bending[0]),
                                v=np.append(nominal.v, bending[1]))

    def seen(self, q: Vector) -> Vector:
        """Return a measured configuration, as one of ``dyn``; measured elastic ones or not."""
        foreseen = self._own if self._twin is None else self._twin.bending[0]
        return np.append(q, foreseen if self.measured is None else self.measured)

    def _deflection(self, q: Vector, v: Vector, vdot: Vector, first: Vector) -> Resting:
        """
        Return elastic coordinates that rest while joints move so, each (nv,), from a first guess.

        Joints that closed loops lead go where these and their forces, ``h = tau + A^T lambda``,
        leave them; what neither an actuator nor a loop holds stays as it is given.

        Raises
        ------
        InvalidValueError
            If links would buckle.

        """
        n, place, a, still = len(v), q, first, np.zeros_like(first)
        velocity, acceleration = np.append(v, still), np.append(vdot, still)
        led, ways = self._led, np.zeros((0, n))
        size, before = np.inf, np.inf
        while size <= before:   # as links do that do not buckle
            bent_place = np.append(place, a)
            forces = self.dyn.inverse_dynamics(bent_place, velocity, acceleration)
            if self.dyn.model.loops:
                rows = self.dyn.loop_rows(bent_place, velocity)
                phi, A = rows[:, 0], rows[:, VALUES:]
                left, sizes, right = np.linalg.svd(A[:, led])
                rank = int((sizes > DEPENDENT * sizes.max(initial=0.0)).sum())
                inverse = right[:rank].T @ (left[:, :rank] / sizes[:rank]).T
                ways = -inverse @ A
                held_by = left[:, rank:]   # rows that bending alone closes
                forces = forces - A.T @ (inverse.T @ forces[led])
                closing = held_by.T @ A[:, n:]
                compliant = _pseudo_inverse(
                    closing @ self._softness @ closing.T,
                    np.abs(A[:, n:] @ self._softness @ A[:, n:].T).max(initial=0.0))
                forces = forces - A.T @ (held_by @ (compliant @ (
                    closing @ self._softness @ forces[n:] - held_by.T @ phi)))
            step = -self._softness @ forces[n:]
            a = a + step
            size, before = float(np.abs(step).max()), size
            if self.dyn.model.loops:
                follow = np.zeros(n)
                follow[led] = ways[:, n:] @ step - inverse @ phi
                place = displaced(self._rigid.model, place, follow)
                size = max(size, float(np.abs(follow).max()))
            if size <= SETTLED * np.abs(a).max(initial=SETTLED):
                return Resting(place, a, forces[:n], ways[:, :n])
        raise InvalidValueError('deflection', float(np.abs(a).max()), (
            f'what settles; at q = {q.tolist()} the load changes stiffness by more than there is: '
            'the links buckle. Stiffer ones, or flexible=False'))

    def more_effort(self, q: Vector, v: Vector, vdot: Vector) -> Vector:
        """Return what joints (nv,) have to exert for the bent robot more than for the rigid."""
        found, rigid = self._deflection(q, v, vdot, self._own), self._rigid
        self._own = found.a
        # What nothing drives yields; else these are efforts of drives, and no others bend it so.
        efforts = driven(rigid, q, found.efforts, self._actuation) if (
            self._yields) else found.efforts
        more: Vector = efforts - driven(
            rigid, q, rigid.inverse_dynamics(q, v, vdot), self._actuation)
        return more

    def _shifted(self, nominal: NominalState) -> tuple[Vector, Vector]:
        """Return the shift of the joints and its rate, from one step to the next."""
        q, v, vdot = nominal.q, nominal.v, nominal.accelerations
        rigid, seen = self._both or (None, None)
        aim = None if rigid is None else rigid.violation(q, nominal.time)
        now = self._shift
        for _ in range(1 if np.isfinite(self._time) else BEGINNING):
            found = self._deflection(
                displaced(self._rigid.model, q, now), v, vdot, self._nominal)
            self._nominal, place = found.a, found.q
            now = displacement(self._rigid.model, q, place)
            if rigid is None or seen is None or aim is None:
                break
            off = seen.violation(np.append(place, found.a), nominal.time)
            if off is None:   # of velocities alone
                break
            A = rigid.matrix(place, v, nominal.time)[:len(aim)]
            moving = np.zeros_like(A)
            moving[:, self._leads] = A[:, self._leads]
            if self._rigid.model.loops:
                moving[:, self._leads] += A[:, self._led] @ found.ways[:, self._leads]
            now = now - moving.T @ np.linalg.solve(
                moving @ moving.T + DAMPING**2 * np.eye(len(A)), off - aim)
        passed = nominal.time - self._time   # at first without end: it has no rate
        if passed > 0.0:   # the same step again has the same
            self._shift, self._rate = now, (now - self._shift) / passed
            self._time = nominal.time
        return self._shift, self._rate


@owned(most=8)
def bent(dyn: PreparedDynamics, link: str = '', center: Vector3 = (0.0, 0.0, 0.0)
         ) -> PreparedDynamics:
    """
    Return the dynamics, of its own, of a robot whose links bend as its description says.

    ``link``: one that bends and carries the payload, at ``center`` (3,); it moves with that place.
    """
    model = dyn.model
    mechanism, seat = with_seat(model.mechanism, link, center) if link else (model.mechanism, '')
    twin = rebuilt(model, mechanism, flexible=True)
    if link:
        twin = twin.with_laws(*(replace(law, link=seat) if law.name == LOAD else law
                                for law in twin.laws))
    return PreparedDynamics(twin, tuple(dyn.gravity.tolist()))


def leads(dyn: PreparedDynamics, actuation: Actuation | None
          ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """
    Return the entries of v (nv,) that are driven where they are told, and all others.

    In closed loops the first are as many driven ones as the loops leave motions, those that tell
    them best at a configuration in general position; drives beyond them are led like the rest.
    """
    n = dyn.model.nv
    driven_ones = np.arange(n) if actuation is None else actuation.active
    if dyn.model.loops:
        motions = free_motions(dyn, aside(dyn))[driven_ones]
        rank = int((np.linalg.svd(motions, compute_uv=False) > UNDRIVEN).sum())
        chosen = []
        for _ in range(rank):   # the one of which most is new beside those before
            k = int(np.argmax((motions**2).sum(1)))
            chosen.append(driven_ones[k])
            way = motions[k] / np.linalg.norm(motions[k])
            motions = motions - np.outer(motions @ way, way)
        driven_ones = np.sort(np.array(chosen, np.intp))
    return driven_ones, np.setdiff1d(np.arange(n), driven_ones)


def _pseudo_inverse(matrix: Vector, scale: float) -> Vector:
    """Return that of a symmetric matrix (m, m), where parts below a scale are rounding."""
    values, vectors = np.linalg.eigh(matrix)
    kept = values > DEPENDENT**2 * scale
    inverse: Vector = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    return inverse


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
