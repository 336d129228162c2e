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
Modes of a controller from step to step: follow a task or joints, stop, hold, gravity only.

One tracker serves one robot for as long as it is controlled. It goes from one thing to the next
from where the nominal model is, not from where the measured robot is, so that its reference never
jumps; only from rest and from weightlessness it begins at the measured state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import contextlib
import copy
from dataclasses import replace
from enum import Enum
from functools import partial
import math

import numpy as np
import scipy.interpolate  # now: not for the first time amid a control step
import scipy.linalg  # noqa: F401 - likewise

from mbd_ros.control.constraints.surfaces import Drawn
from mbd_ros.control.control_step.applied_forces import same_spring
from mbd_ros.control.control_step.fused_step import fused_step, FusedStep, Step
from mbd_ros.control.control_step.joint_reference import JointReference
from mbd_ros.control.control_step.nominal_model import NominalModel
from mbd_ros.control.references.pacing import Clock
from mbd_ros.control.references.paths import end_of, Path, PathPoint
from mbd_ros.control.tasks.approaching import (
    approach_duration, approached, CHECKED_EVERY, DIRECT, draw_to, go_through, joints_way, Way)
from mbd_ros.control.tasks.followed_tools import (
    end_of_paths, followed_tools, FollowedTool, free_tool, surfaces_of, ToolPoints)
from mbd_ros.control.tasks.joint_motion import coming_to_rest, following, JointMotion
from mbd_ros.control.tasks.task import (
    bending_for, constraint_for, drawn_to, law_for, motion_for, Task, with_timing)
from mbd_ros.control.tracking.effort_needs import as_needs, friction_of
from mbd_ros.control.tracking.law import TrackingLaw
from mbd_ros.control.tracking.limits import Limits
from mbd_ros.control.tracking.nominal_state import NominalState
from mbd_ros.control.udwadia_kalaba.drives import driven
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError, MbdError
from mbd_ros.execution.compiled_calls.fused import Fused
from mbd_ros.simulation.manifold import Vector

LONGEST_GAP = 0.1
"""A nominal model that is further behind begins anew at the measured state [s]."""

SHORT = 1e-3
"""Length of a step that is taken for its machine code [s]."""


class Mode(Enum):
    """What a tracker does."""

    WEIGHTLESS = 'weightless'
    FOLLOWING = 'following'
    HOLDING = 'holding'


class Tracker:
    """
    Carries out tasks with one robot.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics, ``mbd_ros.compile(model)``.
    task : Task
        What to do first, with the settings of the tracking law; a task without constraints:
        nothing, the robot is weightless.
    q, v : Vector
        The first measured state (nq,), (nv,).
    time : float, optional
        Its time [s].

    Raises
    ------
    MbdError
        If the task does not fit the robot.

    """

    def __init__(self, dyn: PreparedDynamics, task: Task, q: Vector, v: Vector, *,
                 time: float = 0.0) -> None:
        self.task = task
        self.law, self.bending = law_for(dyn, task), bending_for(dyn, task)
        self.mode, self.problem = Mode.WEIGHTLESS, ''
        self._limits = self._own_limits = Limits(dyn.model)
        self._source: NominalModel | JointReference | None = None
        self._fused: FusedStep | None = None
        self._joints: JointMotion | None = None
        self._leading, self._start = False, q   # whether joints lead to the task; where from
        self._tools: tuple[FollowedTool, ...] = ()
        self._begin = self._now = time
        self._end = math.inf
        self.surfaces: tuple[Drawn, ...] = ()
        if task.path or task.constraints:
            self.follow(task, time, q, v)
        self._prepare_stop(dyn, self.law.machine_code(), q, v)

    def _prepare_stop(self, dyn: PreparedDynamics, law: Fused | None, q: Vector, v: Vector
                      ) -> None:
        """Compile what a stop needs, so that none waits for it; it may come at any time."""
        with contextlib.suppress(MbdError):   # a stop will say why it is not possible
            source = coming_to_rest(dyn, self.task, q, v).nominal(dyn, self.task, q, v, 0.0)
            source.advance_to(SHORT)
            fused_step(source, self.law, law)

    @property
    def dyn(self) -> PreparedDynamics:
        """Return the robot as the law knows it."""
        return self.law.dyn

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the paths that tools follow, in the order of ``tools``."""
        return tuple(tool.constraint.path for tool in self._tools)

    @property
    def links(self) -> tuple[str, ...]:
        """Return the links of these tools."""
        return tuple(tool.constraint.link for tool in self._tools)

    @property
    def rows(self) -> int:
        """Return the number of constraint equations."""
        if self._source is None:
            return 0
        if isinstance(self._source, JointReference):
            return self.dyn.model.nv
        return max(len(self._source.state.multipliers), self._source.state.rank)

    def follow(self, task: Task, time: float, q: Vector, v: Vector, *,
               approach: Way = DIRECT) -> float:
        """
        Begin a task.

        Parameters
        ----------
        task : Task
            What to do; the settings of the law stay those of the first task.
        time : float
            Now [s].
        q, v : Vector
            Measured state (nq,), (nv,).
        approach : Way, optional
            How a planned approach is made, see ``plan_task``.

        Returns
        -------
        float
            Duration of the planned approach [s]; the time of the task's paths is zero at its end.

        Raises
        ------
        MbdError
            If the task does not fit the robot or is out of reach; what it did before goes on.

        """
        task = with_timing(self.dyn, task, q)
        start, duration, acceleration, leading = task.start, 0.0, None, False
        if start == 'approach' and self._source is not None:
            _, q, v, acceleration = self._source.state[:4]
            time = self._now   # to which that state belongs
        motion = moving = motion_for(self.dyn, task, q)
        if start == 'approach':
            start = 'as_given'
            speed = task.approach_speed
            duration = approach_duration(motion, q, v, 0.0, speed=speed,
                                         at_least=approach.duration) / approach.pace
            speed *= approach.pace
            leading = approach.by_joints and duration > 0.0
            moving = motion if leading else approached(
                motion, q, v, -duration, duration, speed=speed, acceleration=acceleration)
        source = (JointReference(self.dyn, joints_way(
            motion, q, v, duration, step=task.step, acceleration=acceleration), time=-duration)
            if leading else
            NominalModel(moving, q, v, time=-duration, step=task.step, start=start))
        if moving.under_actuated and source.state.conflicting:
            assert moving.actuation is not None
            raise InvalidValueError(
                'actuated', list(moving.actuation.joint_names), 'joints that can do it: they '
                f'satisfy {source.state.rank} of {len(source.state.multipliers)} equations, and '
                'the others move as they are driven')
        self._use(source)
        self._start, self._limits = q, self._own_limits.around(q, v)
        self._begin, self.task = time + duration, task
        self.mode, self.problem, self._joints, self._leading = Mode.FOLLOWING, '', None, leading
        seen = motion.constraint if self.bending.dyn is self.dyn else constraint_for(
            self.bending.dyn, task)
        self.bending = self.bending.following(motion.constraint, seen)
        self._tools = followed_tools(seen, motion.loop_rows, self.bending.state(source.state))
        self._end = end_of_paths(motion.constraint)
        self.surfaces = surfaces_of(motion.constraint)
        return duration

    def check_ahead(self, duration: float, path: float, *, effort: bool = True) -> None:
        """
        Go through an approach that has just begun, then the path [s each]: ``go_through``.

        With ``effort`` it also raises TooMuchEffortError if a joint would need more effort than
        it has. Not of tasks that start ``as_given``: the nominal model may leap then, as in the
        paper, and the law bounds how fast it is followed.
        """
        effort = effort and self.task.start != 'as_given'
        for what, begin, span in (('approach', -duration, duration), ('path', 0.0, path)):
            assert self._source is not None
            needs: list[tuple[float, Vector, Vector]] = []
            go_through(self._source, self._limits, what, begin, span,
                       note=partial(self._note, needs) if effort else None)
            if needs:
                as_needs(needs).require_within(self.dyn.model, self.law.effort_limits, what)
            if what == 'approach' and self._leading:
                self._arrive()

    def _note(self, needs: list[tuple[float, Vector, Vector]], time: float) -> None:
        needs.append((time, *self.needed()))

    @property
    def source(self) -> NominalModel | JointReference | None:
        """Return what moves the nominal model, None while there is none."""
        return self._source

    def needed(self) -> tuple[Vector, Vector]:
        """
        Return the efforts (nv,) that the nominal model needs where it is; those of slow motion.

        The second are what it would need there if it moved the same way very slowly. Both overcome
        the friction of the description.
        """
        assert self._source is not None
        _, q, v, vdot, effort = self._source.state[:5]
        dyn, rest, drives = self.dyn, np.zeros_like(v), self.law.actuation
        viscous, dry = friction_of(dyn.model, v)
        moving = driven(dyn, q, viscous + dry, drives)
        slow = driven(dyn, q, dyn.bias_forces(q, rest) + dry, drives)
        return (effort + moving + self.bending.more_effort(q, v, vdot),
                slow + self.bending.more_effort(q, rest, rest))

    def _arrive(self) -> None:
        """Begin the task where joints were led to."""
        assert self._source is not None
        state, self._now = self._source.advance_to(0.0), self._begin
        self.follow(self.task, self._now, state.q, state.v)

    def follow_joints(self, path: Path, time: float, q: Vector, v: Vector, *,
                      joints: Sequence[str] = (), begin: float = 0.0) -> None:
        """
        Let joints follow a path; the loops, or the dynamics, move the others with them.

        Parameters
        ----------
        path : Path
            One entry for each of ``joints``; the caller lets it begin where ``reference`` is.
        time : float
            Time at which the path is at ``begin`` [s]; that of the last step, where there was one.
        q, v : Vector
            Measured state (nq,), (nv,).
        joints : sequence of str, optional
            The joints, in the order of the path's entries; all of the model if not given.
        begin : float, optional
            Where on the path it begins [s].

        Raises
        ------
        UnknownNameError, UnsupportedError, InvalidValueError, ShapeError
            If the path does not fit the robot.

        """
        if self._source is not None:
            time = self._now
            q, v = self._source.state.q, self._source.state.v
        self._move_joints(following(self.dyn, path, joints), q, v, begin)
        self._begin, self.mode, self.problem = time - begin, Mode.FOLLOWING, ''

    def stop(self, time: float, q: Vector, v: Vector, why: str = '') -> None:
        """
        Come to rest and hold.

        Parameters
        ----------
        time : float
            Now [s].
        q, v : Vector
            Measured state (nq,), (nv,); the reference is taken if there is one, unless it is
            faster than the limits of its joints.
        why : str, optional
            Kept as ``problem``.

        """
        if self._source is not None:
            time = self._now
            if not self._limits.too_fast(self._source.state.v):
                _, q, v = self._source.state[:3]
        self._move_joints(coming_to_rest(self.dyn, self.task, q, v), q, v, 0.0)
        self._begin, self.mode, self.problem = time, Mode.HOLDING, why

    def _move_joints(self, motion: JointMotion, q: Vector, v: Vector, begin: float) -> None:
        """Let joints follow a path from now on."""
        self._use(motion.nominal(self.dyn, self.task, q, v, begin))
        self._leading, self._limits = False, self._own_limits.around(q, v)
        self._joints, self._tools, self.surfaces = motion, (), ()
        self.bending = self.bending.following()

    def _use(self, source: NominalModel | JointReference) -> None:
        """Take a nominal model, and what goes on with it and the law in machine code."""
        self._source = source
        self._fused = fused_step(source, self.law, self.law.machine_code())

    def release(self) -> None:
        """Carry the weight of the robot and nothing else."""
        self.mode, self.problem = Mode.WEIGHTLESS, ''
        self._source = self._joints = self._fused = None
        self._leading = False
        self._tools, self.surfaces = (), ()

    def copy_for_planning(self) -> Tracker:
        """
        Return a tracker of the same law that begins where this one is, and does not change it.

        What it does in another thread while steps go on is compiled for this one, too. It may
        begin what it is given, but takes no steps: these would teach the law.

        """
        return copy.copy(self)

    @property
    def follows_task(self) -> bool:
        """Whether the constraints of a task are followed, or approached."""
        return (self.mode is Mode.FOLLOWING and self._joints is None
                and self._source is not None)

    @property
    def clock(self) -> Clock:
        """Where on its path the task is at a time of ``path_time``."""
        return self.task.clock or Clock.plain()

    @property
    def approaches(self) -> bool:
        """Whether a task is approached."""
        return self.follows_task and self.path_time < 0.0

    @property
    def stands(self) -> bool:
        """Whether a stop, or a path of joints, has come to its end."""
        return self._joints is not None and self.path_time >= end_of(self._joints.path)

    def later(self) -> Callable[[float], Tracker | None]:
        """
        Return what finds this tracker as it will be after a time [s], in another thread.

        While it follows its task, or joints their path; else it stays as it is. None where that
        cannot be computed, or takes too long.
        """
        other, begin, joints = self.copy_for_planning(), self.path_time, self._joints
        if self._source is None:
            return lambda span: other
        state = self._source.state

        def joints_after(span: float) -> NominalModel | JointReference:
            assert joints is not None
            source = joints.nominal(other.dyn, other.task, state.q, state.v, begin)
            source.advance_to(begin + span)
            return source

        def task_after(span: float) -> NominalModel | None:
            task, speed = other.task, other.task.approach_speed
            motion = motion_for(other.dyn, task, other._start)
            if begin < 0.0:
                motion = approached(motion, state.q, state.v, begin, -begin, speed=speed,
                                    acceleration=state.accelerations)
            source = NominalModel(motion, state.q, state.v, time=begin, step=task.step)
            go_through(source, None, 'path', begin, span)
            if source.time < begin + span - 2.0 * CHECKED_EVERY:
                return None
            source.advance_to(begin + span)
            return source

        def after(span: float) -> Tracker | None:
            try:
                source = (task_after if joints is None else joints_after)(span)
            except MbdError:
                return None
            if source is None:
                return None
            other._use(source)
            other._now, other._leading = other._begin + begin + span, False
            return other
        return after

    def prepare(self, dyn: PreparedDynamics, q: Vector, v: Vector) -> None:
        """
        Compile what ``set_dynamics`` will need, in another thread while steps go on.

        ``dyn`` is the same robot under another payload; q, v (nq,), (nv,) any state.
        """
        law = self.law.machine_code(dyn)
        bending_for(dyn, self.task)
        dyn.energies(q, v)
        dyn.bias_forces(q, v)
        task, joints = self.task, self._joints
        if task.link in dyn.model.links:
            dyn.pose(q, task.link)
        self._prepare_stop(dyn, law, q, v)
        if joints is not None:
            source = joints.nominal(dyn, task, q, v, 0.0)
        elif task.path or task.constraints:
            source = NominalModel(motion_for(dyn, task, q), q, v, step=task.step)
        else:
            return
        source.advance_to(SHORT)
        fused_step(source, self.law, law)

    def set_dynamics(self, dyn: PreparedDynamics) -> None:
        """Go on with the same robot under another payload or gravity."""
        self.law.dyn = dyn
        self.bending.use(dyn)
        if isinstance(self._source, NominalModel):
            self._source.motion.set_dynamics(dyn)
            self._source.refresh()
        elif self._source is not None:
            self._source.dyn = dyn
        if self._source is not None:
            self._use(self._source)

    def change_gains(self, task: Task) -> TrackingLaw | None:
        """
        Take the gains of a task from now on, see ``TrackingLaw.change_gains``.

        Returns
        -------
        TrackingLaw or None
            Where the law has no robust term, or does not learn, and should from now on: one that
            does, for ``prepare_law`` and ``use_law``; no gain was changed then.

        Raises
        ------
        MbdError
            If the robot is none that can be learned about.

        """
        if self.law.needs_new_terms(task.robust_rate, task.adaptation_rate):
            rate = task.robust_rate or float(self.law.robust)   # none that it has gets lost
            return law_for(self.dyn, replace(task, robust_rate=rate))
        self.law.change_gains(
            bandwidth=task.bandwidth, approach_speed=task.approach_speed,
            robust_rate=task.robust_rate, adaptation_rate=task.adaptation_rate)
        return None

    def prepare_law(self, law: TrackingLaw, q: Vector, v: Vector) -> None:
        """Compile what ``use_law`` will need, as ``prepare`` does for other dynamics."""
        other = self.copy_for_planning()
        other.law = law
        other.prepare(law.dyn, q, v)

    def can_use(self, law: TrackingLaw, task: Task) -> bool:
        """Tell whether a prepared law is for the present robot and has all terms for a task."""
        return (law.dyn is self.dyn and law.robust >= self.law.robust
                and not law.needs_new_terms(task.robust_rate, task.adaptation_rate))

    def use_law(self, law: TrackingLaw) -> None:
        """Go on with another law for the same robot, from the gains that there are."""
        law.take_over(self.law)
        self.law = law
        if self._source is not None:
            self._use(self._source)

    def set_posture_spring(self, prepared: Tracker | None = None) -> bool:
        """
        Draw what is left free to the posture of ``task``, as strongly, see ``draw_to``.

        Returns False, and changes nothing, with springs where there were none, or the reverse,
        unless a ``copy_for_planning`` of the same task and motion has ``prepared`` it.
        """
        source, task = self._source, self.task
        compiled = prepared is not None and all(
            getattr(prepared, name) is getattr(self, name) for name in ('task', 'dyn', '_source'))
        if not isinstance(source, NominalModel) or self._joints is not None:
            return True
        spring = source.motion.applied
        wanted = drawn_to(source.motion, task, self._start, source.state.time)
        if not compiled and getattr(spring, 'rooms', None) != getattr(wanted, 'rooms', None):
            return False
        if not same_spring(spring, wanted):
            draw_to(source, wanted, task.approach_speed)
            self._use(source)
        return True

    def weight(self, q: Vector) -> Vector:
        """Return the efforts (nv,) that carry the robot at rest, within their limits."""
        return self.law.gravity_compensation(q, np.zeros(self.dyn.model.nv)).effort

    def overloaded(self, q: Vector) -> tuple[str, ...]:
        """Return the joints whose effort limit is less than what carries the robot at rest."""
        return self.law.gravity_compensation(q, np.zeros(self.dyn.model.nv)).saturated

    def energy(self, q: Vector, v: Vector) -> float:
        """Return the kinetic and potential energy of the robot [J]."""
        return float(self.dyn.energies(q, v).sum())

    @property
    def end(self) -> float:
        """Time at which every path that is followed rests at its end [s]; infinite for some."""
        return self._end if self._joints is None else end_of(self._joints.path)

    @property
    def running(self) -> tuple[JointMotion, float] | None:
        """Return joints with their path and the time on it [s], None where they have no path."""
        return self._joints and (self._joints, self.path_time)

    @property
    def path_time(self) -> float:
        """Time on the path at the last step [s]; below zero during an approach."""
        return self._now - self._begin

    def preview(self, time: float) -> tuple[tuple[str, ...], PathPoint] | None:
        """Return joints and their reference at a time [s], None where joints have no path."""
        return self._joints and (
            self._joints.names, self._joints.path.at(time - self._begin))

    def reference(self, q: Vector) -> tuple[Vector, Vector, Vector]:
        """Return q, v and vdot from which a new path should begin, for a measured q."""
        if self._source is None:
            rest = np.zeros(self.dyn.model.nv)
            return q, rest, rest
        return self._source.state.q, self._source.state.v, self._source.state.accelerations

    def step(self, time: float, q: Vector, v: Vector) -> Step:
        """
        Advance the nominal model to the time of a measured state and return the efforts.

        A limit that the nominal model or the robot exceeds ends what is being followed:
        ``problem`` says which, and the robot is stopped and held.

        Parameters
        ----------
        time : float
            Time of the measured state [s].
        q, v : Vector
            Measured state (nq,), (nv,).

        Returns
        -------
        Step
            Nominal model and efforts; raises MbdError if they cannot go on, ``stop`` can.

        """
        self.law.ramp_gains(time - self._now)
        if self._leading and time >= self._begin:
            self._arrive()
        self._now = time
        if self._source is None:
            return self._weightless(time, q, v)
        path_time = time - self._begin
        if self._fused is not None:
            quick = self._fused.step(path_time, q, v, limited=self.mode is Mode.FOLLOWING)
            if quick is not None:
                return self.bending.answer(quick, self.law, q, v)
        if (isinstance(self._source, NominalModel)
                and path_time - self._source.state.time > LONGEST_GAP):
            self._rejoin(path_time, q, v)
        nominal = self._source.advance_to(path_time)
        if isinstance(self._source, NominalModel) and self._source.motion.under_actuated:
            nominal = self._source.observe(q, v)
        if self.mode is Mode.FOLLOWING:
            why, whose = self._limits.exceeded(q, v, measured=True, moving=True), 'the robot: '
            excess = self._limits.exceeded(nominal.q, nominal.v, moving=True)
            why, whose = (excess, 'the nominal model: ') if excess else (why, whose)
            if why:
                self.stop(time, q, v, whose + why)
                assert self._source is not None
                nominal = self._source.advance_to(time - self._begin)
        return self.bending.step(nominal, self.law, q, v)

    def tools(self, step: Step, q: Vector) -> tuple[ToolPoints, ...]:
        """
        Return where each tool should be, is in the nominal model and is, and its force.

        For a step and its measured q (nq,): each point on a path, that of the task's ``path``
        first; where there is none the task's link, which should be where the nominal model is.
        """
        nominal, q = self.bending.state(step.nominal), self.bending.seen(q)
        if not self._tools:
            return (free_tool(self.bending.dyn, self.task.link, nominal, q),)
        return tuple(tool.points(nominal, q) for tool in self._tools)

    def tool_points(self, step: Step, q: Vector) -> ToolPoints:
        """Return the first of ``tools``."""
        return self.tools(step, q)[0]

    def _rejoin(self, path_time: float, q: Vector, v: Vector) -> None:
        """Go on after a gap, from the measured state to where the path is by now."""
        assert isinstance(self._source, NominalModel)
        if self.task.start != 'approach' or self._joints is not None:
            self._source.restart(q, v, time=path_time, start='as_given')
            return
        motion = motion_for(self.dyn, self.task, self._start)
        speed = self.task.approach_speed
        duration = approach_duration(motion, q, v, path_time, speed=speed)
        moving = approached(motion, q, v, path_time, duration, speed=speed)
        self._use(NominalModel(moving, q, v, time=path_time, step=self.task.step))

    def _weightless(self, time: float, q: Vector, v: Vector) -> Step:
        """Return the efforts that carry the robot's weight, and damp what moves a little."""
        self.problem = self._limits.beyond(q)
        efforts = self.bending.carrying(self.law.gravity_compensation(q, v), self.law, q)
        return Step.of(NominalState.resting(time - self._begin, q, v, efforts.nominal), efforts)
