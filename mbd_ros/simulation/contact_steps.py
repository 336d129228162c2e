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
Steps that the stiffness of feet does not rule, and which feet are stiff.

Linearly implicit Euler, extrapolated. In a step h of Euler's method the ground acts with the
forces at its end, as ``environment/contact.py`` foretells them; their derivatives by the
acceleration are an inertia of the links, so that the recursion for forward dynamics solves for
them. All else is explicit::

    (M + A_h) v' = Q(q, v) + f_h(q, v),    v+ = v + h v',    q+ = q + h q'(v+)

One such step and two of half the length have errors that begin with h and h/2, so that ``2 T_2 -
T_1`` is of order 2, whatever A_h is; springs, dampers and friction that are stiffer than the step
are at rest at its end (L-stable).

The work of a force in a step is ``P . (v + v+) / 2`` with P its impulse, ``2 P_2 - P_1``: as
``M (v+ - v)`` is the sum of all P, this is what it adds to the kinetic energy, but for how M and
the place change meanwhile. What inertia and weight take is told in the same way, and by what the
energy changes more than that it is the integrator that makes or takes it: of third order in h in
a step, of first where a point lands, see ``docs/theory_kane_underwater.md``.

References
----------
Deuflhard, Recent progress in extrapolation methods for ordinary differential equations, 1985;
Hairer, Wanner, Solving Ordinary Differential Equations II, 1996, section IV.9.

"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
import math
from typing import NamedTuple
import warnings

import numpy as np

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.algorithms import jourdain
from mbd_ros.dynamics.algorithms.stacked_kinematics import (
    columns_of, motion_of, origins_and_speeds, reaches)
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.environment.contact import Ahead, ImplicitGroundLaw
from mbd_ros.environment.contact import NAME as GROUND
from mbd_ros.errors import ContactWarning
from mbd_ros.execution.stacks.blocks import solve_definite
from mbd_ros.execution.stacks.stacks import apply, vector_stack, vectors
from mbd_ros.model import JointType
from mbd_ros.simulation.coded_steps import less_than_bare, Recorder, Scheme
from mbd_ros.simulation.dissipation_audit import Resistance
from mbd_ros.simulation.integrators import finite_step
from mbd_ros.simulation.manifold import normalized, Vector
from mbd_ros.simulation.manifold import rate as rate_of
from mbd_ros.simulation.motion import FreeMotion
from mbd_ros.spatial.rank_thresholds import IMPLIED_LOOP_ROWS

OF_SPRING = 0.2
"""
Of ``sqrt(m / k)``: thirty steps in a period of the spring. A damper takes steps below m / c, and
friction, which rises by mu N within v_s, below m v_s / (mu N).
"""
STOPPED = 100.0
"""Of m: with such ``k h^2 + c h`` the friction of a landing is up to twice what it should be."""
REST = 2.0
"""A spring with more than this times the energy that lifting the robot out takes throws it."""
RUNS = {1: -1.0, 2: 2.0}
"""How many steps of Euler's method each run has, and its weight."""


def suits(dyn: PreparedDynamics) -> bool:
    """Return whether points of a robot of rigid links touch a ground."""
    return GROUND in dyn.world and dyn.model.elastic is None


class ContactSteps:
    """
    Steps of a robot on its ground.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot; ``suits`` says of which kind.
    free : FreeMotion
        What else acts on it.

    Attributes
    ----------
    audits : bool
        Whether ``work`` is wanted.
    mobility : float
        Of its feet, see ``Feet``; 0 at first.
    work : Vector
        What ``free.working`` names has done in the last step, and where that is known what inertia
        and all that keeps energy have taken [J].

    """

    def __init__(self, dyn: PreparedDynamics, free: FreeMotion, audits: bool = True) -> None:
        self._dyn, self._free, self.audits = dyn, free, audits
        model = dyn.model.with_laws(*(
            ImplicitGroundLaw(world=Ahead(law.world)) if law.name == GROUND else law
            for law in dyn.model.laws))
        self._own = [PreparedDynamics(model, tuple(dyn.gravity.tolist()), dyn.executor,
                                      dyn.formulation) for _ in RUNS]
        self._keepers = [free.keeper.of(own) for own in self._own]
        self._resistances: list[Resistance] = []
        self.mobility, self._known = 0.0, np.zeros(0)
        self.work = np.zeros(self.works)

    @property
    def works(self) -> int:
        """Entries of ``work``."""
        return len(self._free.working) + (self._free.conservative_part is not None)

    def advance(self, t: float, q: Vector, v: Vector, step: float) -> tuple[Vector, Vector]:
        """Return the state a step later; see ``simulate.advance``."""
        return finite_step(t, lambda: self._extrapolated(t, q, v, step))

    def _extrapolated(self, t: float, q: Vector, v: Vector, step: float
                      ) -> tuple[Vector, Vector]:
        ends, nq = [], len(q)
        impulses: list[tuple[PreparedDynamics, Vector, Vector]] = []
        if self.audits and not self._resistances:
            self._resistances = [Resistance(own) for own in self._own]
        for run, (count, weight) in enumerate(RUNS.items()):
            h, place, speed = step / count, q, v
            for k in range(count):
                self._free.update_current(t + k * h, place)
                self._follow(step)
                applied = self._free.applied(t + k * h, place, speed)
                vdot = self._keepers[run].accelerations(
                    place, speed, sum(applied[1:], applied[0]))
                after = speed + h * vdot
                if self.audits:
                    impulses.append((self._own[run], place, weight * h * np.array(
                        [*applied, *self._taken(run, place, speed, vdot)])))
                place, speed = place + h * rate_of(self._dyn.model, place, after), after
            ends.append(np.concatenate([place, speed]))
        found = np.array([*RUNS.values()]) @ ends
        mean = 0.5 * (v + found[nq:])
        self.work = sum((one @ _along(own, place, mean) for own, place, one in impulses),
                        np.zeros(self.works))
        return self._keepers[-1].correct(normalized(self._dyn.model, found[:nq]), found[nq:])

    def _taken(self, run: int, q: Vector, v: Vector, vdot: Vector) -> list[Vector]:
        """Return the forces of what keeps no energy, and what all that does takes."""
        keeping = self._resistances[run].conservative_part
        return [*self._resistances[run].forces(q, v, vdot),
                *([] if keeping is None else [keeping.inverse_dynamics(q, v, vdot)])]

    def scheme(self, step: float) -> Scheme:
        """Return the same for machine code."""
        self._follow(step)
        self._resistances = [Resistance(own) for own in self._own]
        kernels = [kernel for own, resistance in zip(self._own, self._resistances) for kernel in (
            (own, 'forward_dynamics'),
            *((one, 'inverse_dynamics')
              for one in (*resistance.prepared, resistance.conservative_part)
              if one is not None))]
        times = sorted({k / count for count in RUNS for k in range(count)})
        resisting = len(self._resistances[0].prepared)
        return Scheme('contact', tuple(times), tuple(kernels), self.works,
                      partial(_recorded, times, resisting))

    def _follow(self, step: float) -> None:
        """Take over the surroundings, and the length of the step."""
        known = np.append(self._dyn.world_array, [step, self.mobility])
        if np.array_equal(known, self._known):
            return
        gravity = self._dyn.gravity
        weight = float(self._dyn.model.masses.sum() * np.linalg.norm(gravity))
        for count, own in zip(RUNS, self._own):
            own.change_gravity(gravity)
            own.change_world(**{**self._dyn.world, GROUND: Ahead(
                self._dyn.world[GROUND], step / count, self.mobility, weight)})
        for resistance in self._resistances:
            resistance.follow()
        self._known = known


def _along(dyn: PreparedDynamics, q: Vector, v: Vector) -> Vector:
    """Return the nearest velocity that closed loops allow, along which their forces do no work."""
    return v + dyn.velocity_correction(q, v) if dyn.model.loops else v


def _recorded(times: Sequence[float], resisting: int, to: Recorder) -> Vector:
    """
    Return q, v and work after a step.

    The first kernels after each robot's are of resistances.
    """
    model, more = to.model, len(to.addresses) // len(RUNS) - 1
    q, v, work = to.start
    ends, forces = [], []
    for run, (count, weight) in enumerate(RUNS.items()):
        h, place, speed, first = to.length / count, q, v, run * (1 + more)
        for k in range(count):
            tau = to.efforts(place, speed, times.index(k / count))
            vdot = to.call(first, place, speed, tau)
            forces.append((weight / count, tau, [
                to.call(first + 1 + n, place, speed, vdot) for n in range(more)]))
            speed = speed + h * vdot
            place = place + h * rate_of(model, place, speed)
        ends.append(np.concatenate((place, speed)))
    found = np.array([*RUNS.values()]) @ ends
    way = 0.5 * to.length * (v + found[model.nq:])
    for weight, tau, taken in forces:
        work = work + weight * np.array([
            tau.dot(way), *less_than_bare(taken[:resisting], way),
            *(one.dot(way) for one in taken[resisting:])])
    return np.concatenate((normalized(model, found[:model.nq]), found[model.nq:], work))


class Feet(NamedTuple):
    """
    The points of a robot that touch its ground, where it starts.

    Attributes
    ----------
    shortest : tuple of (float, str)
        The longest step of an explicit method [s] that is short enough for all, and the link of
        the point that asks for it.
    landing : tuple of (float, str)
        The same of ``ContactSteps``, for friction where points land.
    deepest : tuple of (float, str)
        How far a point is below the ground [m], 0 at least, and its link.
    energy : float
        In all springs [J].
    mobility : float
        1 / m, the mean of all points [1/kg].

    """

    shortest: tuple[float, str]
    landing: tuple[float, str]
    deepest: tuple[float, str]
    energy: float
    mobility: float


def feet_at(dyn: PreparedDynamics, q: Vector) -> Feet:
    """
    Return how points touch the ground.

    The mass m that a point moves along the normal n is ``1 / (n J M^-1 J^T n)`` at the start, and
    so along the ground where it is least; in closed loops as far as these let it. Points of a
    robot that floats carry its weight, each as much as others, if they are not pressed more.
    Nothing is compiled for it but the rows of closed loops.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot, of rigid links, on its ground.
    q : Vector
        Where it starts (nq,).

    """
    model, points = dyn.model, dyn.model.contacts
    at = q[None], np.zeros((1, model.nv))
    motion, robot = motion_of(model, *at), jourdain.Robot(model, *at, dyn.world_array, 1)
    origins, _ = origins_and_speeds(model, motion)
    bodies = [point.body for point in points]
    centers = origins[bodies, 0] + apply(
        motion.rotations[bodies, 0], np.array([point.frame.translation for point in points]))
    plane = dyn.world[GROUND].below(vectors(centers))
    normals = vector_stack(plane.normal, (len(points),))
    radii = np.array([point.radius for point in points])
    depths = plane.height - (normals * centers).sum(axis=1) + radii
    w, u = (one[:, 0] for one in columns_of(model, motion, origins))
    lowest = centers - normals * radii[:, None]
    J = (np.cross(w, lowest[:, None]) + u) * reaches(model)[bodies][..., None]   # (k, nv, 3)
    moved = np.nan_to_num(   # joints without mass: no NaN
        solve_definite(robot.mass_matrix()[0], np.hstack([*J])))
    if model.loops:
        A = dyn.loop_rows(q, at[1][0])[:, VALUES:]
        held = np.nan_to_num(solve_definite(robot.mass_matrix()[0], A.T))
        if np.isfinite(A @ held).all() and np.isfinite(A @ moved).all():   # not of no mass
            moved = moved - held @ np.linalg.lstsq(A @ held, A @ moved, IMPLIED_LOOP_ROWS)[0]
    eased = J.swapaxes(1, 2) @ moved.reshape(model.nv, -1, 3).swapaxes(0, 1)   # (k, 3, 3): 1 / m
    carried = 0.0
    if model.joint_types[0] is JointType.FLOATING:
        carried = float(np.linalg.norm(robot.efforts()[0, :3])) / len(points)
    energy, deepest, shortest, landing = 0.0, (0.0, ''), (math.inf, ''), (math.inf, '')
    mobilities = np.einsum('ki,kij,kj->k', normals, eased, normals).clip(0.0)   # but for rounding
    for point, normal, depth, compliance, mobility in zip(
            points, normals, depths.tolist(), eased, mobilities.tolist()):
        energy += 0.5 * point.stiffness * max(depth, 0.0) ** 2
        deepest = max(deepest, (depth, point.link))
        flat = np.eye(3) - np.outer(normal, normal)
        load = point.friction * max(point.stiffness * depth, carried)
        slowest = max(mobility * point.damping,
                      float(np.linalg.eigvalsh(flat @ compliance @ flat)[-1])
                      * load / point.slip_speed,
                      math.sqrt(mobility * point.stiffness) / OF_SPRING)
        if slowest > 0.0:   # else no joint moves it
            shortest = min(shortest, (1.0 / slowest, point.link))
        if mobility > 0.0 and point.friction:   # k h^2 + c h = STOPPED / mobility
            k, c = point.stiffness, point.damping
            landing = min(landing, (
                (math.sqrt(c * c + 4.0 * k * STOPPED / mobility) - c) / (2.0 * k), point.link))
    return Feet(shortest, landing, deepest, energy, float(mobilities.mean()))


def concerns(dyn: PreparedDynamics, feet: Feet, method: str, step: float) -> dict[str, str]:
    """
    Return where feet are so deep that they are thrown out, and where a step is too long for them.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    feet : Feet
        Its feet.
    method : str
        Of ``simulate``.
    step : float
        Of the method, if it is fixed [s].

    Returns
    -------
    dict of str to str
        A line each of ``'depth'``, of the deepest foot, and ``'step'``, of the shortest one that
        is needed; empty where all is well.

    """
    found, (depth, link) = {}, feet.deepest
    mass = float(dyn.model.masses.sum())
    if feet.energy > REST * mass * float(np.linalg.norm(dyn.gravity)) * depth:
        found['depth'] = (
            f"the contact of link '{link}' begins {depth:.3g} m below the ground, "
            f'whose springs hold {feet.energy:.3g} J: they throw the robot out; begin higher')
    for name, (longest, link), what, instead in (
            ('rk4', feet.shortest, '', ", or method='contact'"),
            ('contact', feet.landing, 'friction at landings of ', '')):
        if method == name and step > longest:
            found['step'] = (
                f"steps of {step:.3g} s are long for {what}the contact of link '{link}'; "
                f'allowed: up to {longest:.3g} s{instead}')
    return found


def warn_of_contact(dyn: PreparedDynamics, feet: Feet, method: str, step: float) -> None:
    """
    Warn of all ``concerns``, each by a ``ContactWarning``.

    Parameters
    ----------
    dyn, feet, method, step
        As of ``concerns``.

    """
    for line in concerns(dyn, feet, method, step).values():
        warnings.warn(line, ContactWarning, stacklevel=4)
