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

"""Simulation of a whole run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
import math
from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics import compile_model, PreparedDynamics
from mbd_ros.dynamics.functions.equations_of_motion import energy_of
from mbd_ros.dynamics.prepared.traced_derivatives import traced_derivatives
from mbd_ros.dynamics.quantities.flexible import warn_of_deflection
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.contact import NAME as GROUND
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.errors import InvalidValueError
from mbd_ros.model import Model
from mbd_ros.simulation.adaptive import Event, integrate, Run
from mbd_ros.simulation.audit import audited, Stages
from mbd_ros.simulation.change_points import change_points, warn_of_changes
from mbd_ros.simulation.coded_steps import CHUNK
from mbd_ros.simulation.contact_steps import ContactSteps, Feet, feet_at, suits, warn_of_contact
from mbd_ros.simulation.integrators import finite_step, rk4_step
from mbd_ros.simulation.loop_motion import (
    loop_health, LoopStabilization, require_closed, require_possible)
from mbd_ros.simulation.manifold import checked, positive_time, Vector
from mbd_ros.simulation.midpoint import MidpointRule
from mbd_ros.simulation.motion import Efforts, field_of, FreeMotion, Loads, Motion, Thrust
from mbd_ros.simulation.trajectory import by_parts, Trajectory

STEP, STEP_ON_GROUND = 1e-3, 5e-4
"""Fixed steps if none is given [s]: with the shorter one the audit of energy closes to 1e-6 where
feet land, whose forces jump within a step."""
WORTH_CODE = 1000
"""Steps from which machine code for them is worth its compilation, 0.05 to 0.2 s."""
MOST_STEPS = 1e10
"""Of a run: a day of them on a fast machine."""
FIXED_STEP = ('rk4', 'midpoint', 'contact')
ROUNDING = 1e-9
"""A run that is longer than a whole number of steps by this fraction of a step has no more."""


# What is not finite is told as such; a frame more for warnings.
@np.errstate(over='ignore', invalid='ignore')
def simulate(
    model: Model,
    q0: ArrayLike,
    v0: ArrayLike,
    duration: float,
    *,
    step: float | None = None,
    method: str | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    times: ArrayLike | None = None,
    events: Sequence[Event] = (),
    stabilization: str = 'projection',
    alpha: float = 5.0,
    beta: float = 5.0,
    dense: bool = False,
    tau: Efforts | None = None,
    external_forces: Loads | None = None,
    thrust: Thrust | None = None,
    gravity: ArrayLike | None = None,
    dissipation: bool = False,
    fluid: Fluid | None = DEFAULT,
    ground: Ground | None = None,
    motion: Motion | None = None,
    record_every: int = 1,
) -> Trajectory:
    """
    Return the motion from a state.

    Parameters
    ----------
    model : Model
        The robot.
    q0, v0 : array_like
        State at time 0: (nq,), (nv,).
    duration : float
        Length of the run [s].
    step : float, optional
        Longest step [s]: if fixed, the run is cut into equal steps; of 1 ms if not given, and of
        0.5 ms where points touch a ground.
    method : str, optional
        ``'rk4'`` with a fixed step, or one of SciPy's with variable step: ``'dop853'``, ``'rk45'``
        (explicit), ``'bdf'`` (implicit, of variable order, for stiff robots), ``'radau'``
        (implicit, of order 5, for vibrations with little damping); SciPy's capitals are the
        same. ``'midpoint'``, of order 2 with a fixed step, is for flexible links: their modes
        need not be resolved, and loops close by projection. ``'contact'``, of order 2 with a fixed
        step, is for rigid links on a ground: springs, dampers and friction of feet need not be
        resolved. If not given ``'rk4'``, or ``'contact'`` where feet are too stiff for the
        step; with flexible links ``'midpoint'``; instead of these two ``'radau'`` where something
        is given that needs a variable step, and with flexible links on a ground.
    rtol, atol : float, optional
        Tolerances of a variable step; 1e-8 and 1e-10 if not given.
    times : array_like, optional
        When to record [s], ascending, instead of at the ends of variable steps.
    events : sequence of callable, optional
        Each ``(t, q, v)`` to a number whose zeros are wanted, with variable steps; where its
        attribute ``terminal`` is true the run ends there.
    stabilization : str, optional
        How closed loops are kept closed: ``'projection'`` onto them after each step, the least in
        the metric of the mass matrix, ``'baumgarte'`` with alpha and beta, or ``'none'``.
    alpha, beta : float, optional
        Of Baumgarte's stabilization [1/s].
    dense : bool, optional
        Whether to keep what gives the state at any time, with variable steps.
    tau : array_like or callable, optional
        Joint efforts (nv,), or ``(t, q, v)`` to them; zero if not given [N m or N].
    external_forces : mapping or callable, optional
        As in ``forward_dynamics``, or ``(t, q, v)`` to that.
    thrust : array_like or callable, optional
        Wanted thrusts of ``model.thrusters`` (k,), or ``(t, q, v)`` to them, which fixed steps ask
        at their start and hold; zero if not given [N]. Thrusters follow after their curves
        and time constants (``mbd_ros.simulation.propulsion``).
    gravity : array_like, optional
        (3,) in world axes; that of the model if not given [m/s^2].
    dissipation : bool, optional
        Whether the joints' damping and dry friction act; dry friction rises smoothly over the
        first ``STICKING_SPEED`` (``mbd_ros.simulation.motion``).
    fluid, ground : Fluid or None, Ground, optional
        As in ``forward_dynamics``; a current that is a field is asked at the root link's origin
        at every time.
    motion : Motion, optional
        What is integrated instead of the free motion, for instance
        ``mbd_ros.control.ConstrainedMotion``; it brings its own forces and surroundings,
        so that ``tau``, ``external_forces`` and ``dissipation`` cannot be given with it. The
        audit's ``efforts`` are all that it takes in ``gravity``, ``fluid`` and ``ground``.
    record_every : int, optional
        Record every k-th step; the first and the last state are always recorded.

    Returns
    -------
    Trajectory
        Times, states, energy (with ``gravity``) and its ``energy.parts``, violation; it plots and
        saves itself, and ``print(run.audit())`` says where the energy went.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If an argument is not allowed.
    DivergedError
        If the motion stops being finite; says when.
    LoopOpenError
        If the state at the start does not satisfy the loops, or a motion tears them open.
    LoopConflictError
        If no acceleration at the start satisfies all loops.

    Warns
    -----
    ContactWarning
        If feet begin deep in the ground, steps of ``method='rk4'`` are long for their springs
        and dampers, or those of ``'contact'`` for friction where they land; of rigid links.
    LargeDeflectionWarning
        If links bend or turn more than their linear modes allow.
    RankChangeWarning
        If the motion passed change points; ``changes`` tells when.

    """
    q = checked(model, 'q0', q0, model.nq).copy()
    v = checked(model, 'v0', v0, model.nv).copy()
    for name, value in (('duration', duration), ('step', 1.0 if step is None else step)):
        positive_time(name, value)
    if not isinstance(record_every, Integral) or record_every < 1:
        raise InvalidValueError('record_every', record_every, 'a count, 1 or more')
    dyn = compile_model(model, gravity=gravity, fluid=fluid, ground=ground)
    field = field_of(fluid) if dyn.model.fluids else None
    if field is not None:
        dyn = copy(dyn)   # its world changes on the way
    free = None
    if motion is None:
        motion = free = FreeMotion(
            dyn, tau=tau, external_forces=external_forces, dissipation=dissipation,
            keeper=LoopStabilization(dyn, stabilization, alpha, beta), thrust=thrust, fluid=field)
        require_closed(dyn, q, v)
        q, v = motion.correct(0.0, q, v)
        require_possible(dyn, q, v, free.acceleration(0.0, q, v))
    elif not all(hasattr(motion, name) for name in ('acceleration', 'correct', 'violation')):
        raise InvalidValueError('motion', type(motion).__name__,
                                'what accelerates, such as ConstrainedMotion(dyn, constraint)')
    elif any(one is not None for one in (tau, external_forces, thrust)) or dissipation:
        raise InvalidValueError(
            'motion', type(motion).__name__,
            'without tau, external_forces, thrust and dissipation, which it brings')
    counted = free or UserMotion(dyn, motion, field)
    how = Integration(duration, step, method, rtol, atol, times, events, dense, record_every)
    feet = feet_at(dyn, q) if suits(dyn) else None
    bends = model.elastic is not None and free is not None and (
        not model.loops or stabilization == 'projection')
    kind = how.kind(dyn, free, feet, bends=bends)
    if feet is not None:
        warn_of_contact(dyn, feet, kind, how.step or STEP_ON_GROUND)
    how.check(kind, dyn, free, feet, bends=bends)
    if kind in FIXED_STEP:
        run = _fixed_steps(dyn, counted, q, v, how, kind, feet)
        return _with_changes(dyn, free, _recorded(dyn, counted, (q, v), *run), *run[:3])
    if callable(thrust):
        raise InvalidValueError('thrust', thrust,
                                "constant thrusts with variable steps; a function with 'rk4'")
    solved = _variable_steps(dyn, motion, counted, q, v, how, kind)
    record = _recorded(dyn, counted, (q, v), *how.kept(solved))
    return _with_changes(dyn, free, record._replace(crossings=solved.crossings,
                                                    dense=solved.dense), *solved[:3])


class Integration(NamedTuple):
    """How a run is integrated: the arguments of ``simulate`` of these names."""

    duration: float
    step: float | None
    method: str | None
    rtol: float | None
    atol: float | None
    times: ArrayLike | None
    events: Sequence[Event]
    dense: bool
    record_every: int

    def fixed_step(self, dyn: PreparedDynamics) -> float:
        """Return the longest step of methods with a fixed one [s]."""
        return self.step or (STEP_ON_GROUND if GROUND in dyn.world else STEP)

    def kind(self, dyn: PreparedDynamics, free: FreeMotion | None, feet: Feet | None, *,
             bends: bool) -> str:
        """Return the method, in small letters: the one asked for, else the one that suits."""
        variable = any(one is not None for one in (self.rtol, self.atol, self.times)) or len(
            self.events) > 0 or self.dense
        stiff = feet is not None and free is not None and (
            self.step or STEP_ON_GROUND) > feet.shortest[0]
        elastic = dyn.model.elastic is not None
        return str(self.method or (
            'rk4' if not elastic and not stiff else
            'radau' if variable or (elastic and (not bends or GROUND in dyn.world)) else
            'contact' if stiff else 'midpoint')).lower()

    def check(self, kind: str, dyn: PreparedDynamics, free: FreeMotion | None, feet: Feet | None,
              *, bends: bool) -> None:
        """Raise InvalidValueError where a method does not suit robot and arguments."""
        method = self.method or kind
        if kind == 'contact' and (feet is None or free is None):
            raise InvalidValueError('method', method, 'another one: this one is for rigid links '
                                    'with points on a ground')
        if kind == 'midpoint' and not bends:
            raise InvalidValueError('method', method, 'another one: this one is for flexible '
                                    "links, their loops closed by stabilization='projection', "
                                    'without a motion of its own')
        if kind not in FIXED_STEP:
            return
        if self.times is not None or len(self.events) or self.dense:
            raise InvalidValueError('method', method,
                                    'one with variable step, for times, events or dense')
        step = self.fixed_step(dyn)
        if not self.duration / step < MOST_STEPS:
            raise InvalidValueError('duration', self.duration,
                                    f'less than {MOST_STEPS:g} steps of {step:g} s')

    def kept(self, solved: Run) -> tuple[Vector, Vector, Vector, Vector]:
        """Return times, states and work of a run with variable step that are recorded."""
        if self.times is None:
            kept = np.unique(np.append(np.arange(0, len(solved.time), self.record_every),
                                       len(solved.time) - 1))
            return solved.time[kept], solved.q[kept], solved.v[kept], solved.work[kept]
        wanted = np.atleast_1d(np.asarray(self.times, dtype=np.float64))
        if wanted.ndim != 1 or not (np.diff(wanted) > 0.0).all() or not (
                wanted.size and wanted[0] >= 0.0 and wanted[-1] <= self.duration):
            raise InvalidValueError('times', self.times,
                                    f'ascending times within 0 ... {self.duration} s')
        wanted = wanted[wanted <= solved.time[-1]]
        assert solved.dense is not None
        states = [solved.dense.with_work(t) for t in wanted]
        q, v, work = (np.array(part) for part in zip(*states))
        return wanted, q, v, work


def _variable_steps(dyn: PreparedDynamics, motion: Motion, counted: FreeMotion | UserMotion,
                    q: Vector, v: Vector, how: Integration, kind: str) -> Run:
    """Return a run of one of SciPy's methods."""
    return integrate(
        dyn.model, motion, counted.acceleration_and_powers, q, v, how.duration, method=kind,
        rtol=1e-8 if how.rtol is None else how.rtol,
        atol=1e-10 if how.atol is None else how.atol, max_step=how.step or math.inf,
        events=how.events, dense=how.dense or how.times is not None, correct=counted.correct,
        jacobian=_jacobian(dyn, counted) if isinstance(counted, FreeMotion) else None)


def _fixed_steps(dyn: PreparedDynamics, counted: FreeMotion | UserMotion, q: Vector, v: Vector,
                 how: Integration, kind: str, feet: Feet | None
                 ) -> tuple[Vector, Vector, Vector, Vector]:
    """Return times, states and work of a run."""
    count = max(1, math.ceil(how.duration / how.fixed_step(dyn) - ROUNDING))
    h, free = how.duration / count, counted if isinstance(counted, FreeMotion) else None
    if kind == 'midpoint':
        assert free is not None
        return MidpointRule(dyn, free).run(q, v, h, count, how.record_every)
    contact = ContactSteps(dyn, free) if kind == 'contact' and free is not None else None
    if contact is not None and feet is not None:
        contact.mobility = feet.mobility
    return _one_by_one(dyn.model, counted, q, v, h, count, how.record_every, contact)


class UserMotion:
    """
    A motion that brings its own forces, and the account of their energy.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot in the surroundings that the energy is of.
    motion : Motion
        The motion.
    field : Fluid, optional
        As of ``FreeMotion``.

    """

    def __init__(self, dyn: PreparedDynamics, motion: Motion, field: Fluid | None) -> None:
        self._dyn, self._motion = dyn, motion
        self.acceleration, self.violation = motion.acceleration, motion.violation
        self.account = FreeMotion(dyn, fluid=field)
        self.account.propulsion = None   # what thrusters do is among the efforts
        self._open = PreparedDynamics(
            replace(dyn.model, loops=()), tuple(dyn.gravity.tolist()), dyn.executor)
        self._open.change_world(**dyn.world)
        self._times, self._injected = [0.0], [0.0]

    def acceleration_and_powers(self, t: float, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """
        Return ``vdot`` (nv,), and the power of what ``account.working`` names [W].

        Efforts are all that the motion takes in these surroundings; those of loops do no work.
        """
        vdot = self.acceleration(t, q, v)
        if self.account.in_field:
            self.account.update_current(t, q)
            self._open.change_world(**self._dyn.world)
        efforts = self._open.inverse_dynamics(q, v, vdot)
        return vdot, self.account.powers([efforts], q, v)

    def correct(self, t: float, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return the state that takes the place of the one a step ended with."""
        corrected = self._motion.correct(t, q, v)
        self._times.append(t * (1.0 - ROUNDING))   # it may come by other sums
        self._injected.append(self._injected[-1] + self._energy(t, *corrected)
                              - self._energy(t, q, v))
        return corrected

    def trajectory(self, start: tuple[Vector, Vector], time: Vector, q: Vector, v: Vector,
                   work: Vector) -> Trajectory:
        """Return a run with what the corrections put in, and what the motion says of itself."""
        injected = np.array(self._injected)[
            np.searchsorted(self._times, time, side='right') - 1]
        parts, balance = audited(self._dyn, self.account, (
            np.zeros(1), start[0][None], start[1][None]), (time, q, v), work)
        parts['corrections'] = injected
        record = Trajectory(
            time, q, v, by_parts(parts['kinetic'] + parts['potential'], parts),
            np.array([self.violation(t, place) for t, place in zip(time, q)]),
            balance=balance - injected, injected=injected, parts=parts)
        health = getattr(self._motion, 'health', None)
        if health is None:
            return record
        rate, rank, condition = zip(*(health(*state) for state in zip(time, q, v)))
        return record._replace(violation_rate=np.array(rate), rank=np.array(rank),
                               condition=np.array(condition))

    def _energy(self, t: float, q: Vector, v: Vector) -> float:
        """Return the energy of a state but for what a current has put in with its momentum."""
        self.account.update_current(t, q)
        parts = energy_of(self._dyn, q, v)
        carried = self.account.carried(q[None], v[None], np.array([parts.kinetic]))[0]
        return float(parts.kinetic + parts.potential - carried)


def _one_by_one(model: Model, counted: FreeMotion | UserMotion, q: Vector, v: Vector, h: float,
                count: int, record_every: int, contact: ContactSteps | None
                ) -> tuple[Vector, Vector, Vector, Vector]:
    """Return times, states and work of a run of RK4 or on a ground; work is one more state."""
    free = counted if isinstance(counted, FreeMotion) else None
    work = np.zeros(contact.works if contact is not None else len(
        counted.account.working if isinstance(counted, UserMotion) else counted.working))
    records = [(0.0, q, v, work)]
    stages = None if free is not None and not free.works else Stages(counted)
    scheme = None if contact is None else partial(contact.scheme, h)
    coded = free.coded(h, scheme) if free is not None and count >= WORTH_CODE else None
    done = 0
    while coded is not None and done < count:
        more = min(CHUNK, count - done)
        states = coded.chunk(done, q, v, work, more)
        records += [(h * k, a.copy(), b.copy(), c.copy())
                    for k, (a, b, c) in enumerate(states, done + 1)
                    if k % record_every == 0 or k == count]
        done += len(states)
        q, v, work = states[-1] if states else (q, v, work)
        if len(states) < more:
            break   # the step that failed is taken again below, which says why
    for index in range(done + 1, count + 1):
        t = h * index
        if free is not None:
            free.sample(t - h, q, v)
        if contact is not None:
            q_new, v_new = contact.advance(t - h, q, v, h)
            work = work + contact.work
        else:
            q_new, v_new = advance(model, stages or counted, t - h, q, v, h)
            work = work if stages is None else work + stages.work(h)
        q, v = q_new, v_new
        if index % record_every == 0 or index == count:
            records.append((t, q, v, work))
    times, configurations, velocities, works = map(np.array, zip(*records))
    return times, configurations, velocities, works


def _recorded(dyn: PreparedDynamics, free: FreeMotion | UserMotion, start: tuple[Vector, Vector],
              time: Vector, q: Vector, v: Vector, work: Vector) -> Trajectory:
    """Return a run from a start with all that is to be told of it."""
    model = dyn.model
    warn_of_deflection(model, q, v, stacklevel=5)
    if isinstance(free, UserMotion):
        return free.trajectory(start, time, q, v, work)
    parts, balance = audited(dyn, free, (np.zeros(1), start[0][None], start[1][None]),
                             (time, q, v), work)
    total = by_parts(parts['kinetic'] + parts['potential'], parts)
    if not model.loops:
        none = np.zeros(len(time))
        return Trajectory(time, q, v, total, none, none.copy(), balance, parts=parts)
    phi, rate, rank, condition = loop_health(dyn, q, v)
    return Trajectory(time, q, v, total, phi, rate, balance, rank, condition, parts=parts)


def _with_changes(dyn: PreparedDynamics, free: FreeMotion | None, record: Trajectory,
                  time: Vector, q: Vector, v: Vector) -> Trajectory:
    """Return a record with its robot and the change points of the run, and warn of them."""
    record = record._replace(model=dyn.model)
    if free is None or not dyn.model.loops:
        return record
    changes = change_points(dyn, free, time, q, v)
    warn_of_changes(changes)
    return record._replace(changes=changes)


def _jacobian(dyn: PreparedDynamics, free: FreeMotion
              ) -> Callable[[float, Vector, Vector], tuple[Vector, Vector]]:
    """Return the derivatives of vdot under efforts that are held, for implicit methods."""
    def jacobian(t: float, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        tau = free.forces(t, q, v)
        if dyn.model.elastic is not None:
            found = dyn.forward_dynamics_derivatives(q, v, tau)
            return found.dq, found.dv
        dq, dv, _ = traced_derivatives(dyn, 'forward_dynamics', q, v, tau)
        return dq, dv

    return jacobian


def advance(
    model: Model, motion: Motion, t: float, q: Vector, v: Vector, step: float,
) -> tuple[Vector, Vector]:
    """
    Return the state one step later, corrected.

    Parameters
    ----------
    model : Model
        The robot.
    motion : Motion
        What is integrated.
    t : float
        Time at the start of the step [s].
    q, v : Vector
        State (nq,), (nv,).
    step : float
        Length of the step [s].

    Returns
    -------
    tuple of Vector
        q (nq,) and v (nv,).

    Raises
    ------
    DivergedError
        If the step does not end at a finite state.

    """
    return finite_step(t, lambda: motion.correct(
        t + step, *rk4_step(model, motion.acceleration, t, q, v, step)))
