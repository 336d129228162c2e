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

"""Goals and services of the controller: trajectories, paths, and queries of its state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol

from control_msgs.action import FollowJointTrajectory
from control_msgs.srv import QueryTrajectoryState
from mbd_msgs.action import FollowPath
from rclpy.action import GoalResponse
from rclpy.callback_groups import CallbackGroup
from rclpy.task import Future
from trajectory_msgs.msg import JointTrajectory, MultiDOFJointTrajectory

from mbd_ros.control import Task
from mbd_ros.control.constraints.joint_paths import JointPaths
from mbd_ros.control.control_step.fused_step import Step
from mbd_ros.control.references.paths import end_of, Path
from mbd_ros.control.references.shaping import impulses
from mbd_ros.control.references.splines import PiecewisePolynomial
from mbd_ros.control.references.streaming import Smoothing, Stream
from mbd_ros.control.tasks.approaching import DIRECT, Way
from mbd_ros.control.tasks.feasibility import check_joints
from mbd_ros.control.tasks.feed_forward import FeedForward
from mbd_ros.control.tasks.followed_tools import ToolPoints
from mbd_ros.control.tasks.goal_check import fitting_pace, plan_joint_path, plan_task
from mbd_ros.control.tasks.goal_watch import JointTolerances, JointWatch, Outcome, PathWatch
from mbd_ros.control.tasks.paced_motion import Followed, PacedMotion, prepare_pace, Stretchable
from mbd_ros.control.tasks.task import driven_joints, with_paths, with_timing
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.description.records.budget import unhurriedly
from mbd_ros.errors import MbdError, TooMuchEffortError
from mbd_ros.messages.fields.times import SECOND, to_nanoseconds
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.messages.states.joint_states import Measured
from mbd_ros.messages.trajectories import multi_dof_trajectories, path_goals, trajectories
from mbd_ros.messages.trajectories.speed_scaling import read_factor, SpeedScaling
from mbd_ros.messages.trajectories.streams import is_target, read_target, timed
from mbd_ros.messages.trajectories.way_points import (
    continues, FEW, GoalError, read_ahead, Reference, Rules, Running, wait_of)
from mbd_ros.model.names import simple_joints
from mbd_ros.nodes.controlling.background_work import DefaultGroupQueue, run_in_thread
from mbd_ros.nodes.controlling.joint_constraints import JointConstraints
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.guard import GuardedNode, REFUSALS
from mbd_ros.simulation.manifold import Vector

NEVER = float('inf')
REACHED = 'the goal was reached'
CANCELLED = 'cancelled'
PREEMPTED = 'Current goal preempted by new incoming action.'
"""In the words of joint_trajectory_controller."""
SHORT_TEXT = 1000
"""Characters of a task that a control step has time to read."""
SAID = 1.0
"""A trajectory that begins later than this is told [s]."""
TAKEN = 'a trajectory on the topic has taken its place'
EMPTY = 'an empty trajectory was received'
IDLE = 'nothing to follow'
ON_PURPOSE = (REACHED, CANCELLED, EMPTY, IDLE)
"""Why the robot holds where that was asked for."""
JointsPath = tuple[tuple[str, ...], Stretchable]
"""Joints and the path that they follow, at a part of its speed."""
PATIENCE = 0.02
"""Processor time in which efforts of a trajectory on the topic are found by integration [s]."""
MANY = 500
"""Points of a trajectory beyond which its path is made beside the control steps."""
AHEAD = 5e-5
"""It begins so much later for each point [s]: its path is made from where the robot will be."""
TRIES = 6
"""On a busy machine it is made anew, for twice as much later, so many times in all."""


class Controlled(NamedTuple):
    """What a goal begins from: the tracker and the newest measured state."""

    tracker: Tracker
    commands: EffortCommands
    task: Task
    measured: Measured
    nanoseconds: int
    time: float

    @property
    def drives(self) -> tuple[str, ...]:
        """Return the joints that are driven and whose efforts are sent."""
        driven = driven_joints(self.tracker.dyn.model, self.task)
        return tuple(name for name in self.commands.joints if name in driven)


class Owner(Protocol):
    """The controller that goals are given to."""

    def controlled(self) -> Controlled | None:
        """Return what is controlled, None before the first joint state."""

    def begun(self) -> None:
        """Note that the tracker follows something else from now on."""


class Active(NamedTuple):
    """A goal that is carried out; a trajectory from the topic has neither handle nor future."""

    handle: Any
    watch: JointWatch | PathWatch
    done: Future | None


class Made(NamedTuple):
    """The path of a trajectory from where the robot will be, and the efforts it brings along."""

    path: JointsPath
    efforts: tuple[Vector, Vector] | None


class Waiting(NamedTuple):
    """
    A trajectory of joints, and at which time [ns] it takes the place of what is followed.

    ``made`` is what was made of it beside the control steps, None if it is made then; ``known``
    is why the robot held already when it came.
    """

    begin: int
    goal: FollowJointTrajectory.Goal
    pace: float
    made: Made | None = None
    known: str = ''


class Held(NamedTuple):
    """A task whose approach was interrupted, to go on with at another pace; and its approach."""

    task: Task
    approach: Way


class ControllerGoals:
    """
    Offers the two actions, the topic of trajectories and the query for the reference.

    One goal at a time: a new one, of either action or from the topic, takes the place of the old.

    Parameters
    ----------
    node : GuardedNode
        The controller.
    owner : Owner
        The same, for what is controlled.
    settings : SimpleNamespace
        Its parameters.
    patient : CallbackGroup
        Of the actions, which wait for a compiler.
    default_group : DefaultGroupQueue
        For what they change.

    """

    def __init__(self, node: GuardedNode, owner: Owner, settings: SimpleNamespace,
                 patient: CallbackGroup, default_group: DefaultGroupQueue) -> None:
        self._owner = owner
        self._settings = settings
        self._default_group = default_group
        self._newest: object = None
        self._coming: object = None   # a trajectory of many points, until another begins
        # id of an accepted goal -> its approach, its data if its text was long, the task of the
        # controller, and its own
        self._approaches: dict[int, tuple[Way, Any, Task, Task]] = {}
        self._paces: dict[int, float] = {}      # and at which part of its speed it has to be
        self._node, self._logger = node, node.get_logger()
        self._active: Active | None = None
        self._held: Held | None = None
        self._planned = Held(Task(), DIRECT)   # the approach of the task that is followed
        self._waiting: Waiting | None = None   # a trajectory that takes the place of what is
        self._closing: Path | None = None   # of a goal that was reached, and goes on to its end
        self._feed: FeedForward | None = None
        self._stream = Stream()
        self._wrong: dict[int, tuple[Any, MbdError]] = {}   # accepted, to be aborted; by id
        self._constraints = JointConstraints(node)
        scaling = settings.speed_scaling
        self._pace = PacedMotion(scaling.initial_scaling_factor, scaling.ramp)
        self._wanted = self._pace.factor
        node.create_subscription(
            SpeedScaling, '~/speed_scaling_input', self._on_factor, qos.LATCHED)
        self._results: dict[bytes, Future] = {}
        self._joints = node.create_action_server(
            FollowJointTrajectory, '~/follow_joint_trajectory', self._result,
            decide=self._or_accepted(self._answer_joints), begin=self._follow_joints,
            result_of=trajectories.refused, group=patient)
        self._paths = node.create_action_server(
            FollowPath, '~/follow_path', self._result, decide=self._or_accepted(self._answer_path),
            begin=self._follow_path, result_of=path_goals.refused, group=patient)
        self._topic = node.create_subscription(
            JointTrajectory, '~/joint_trajectory', self._on_trajectory, qos.RELIABLE,
            prepare=read_ahead)
        self._query = node.create_service(
            QueryTrajectoryState, '~/query_state', self._on_query)

    def look(self, nanoseconds: int, measured: Measured, step: Step,
             tools: Sequence[ToolPoints], *, report: bool) -> None:
        """Tell the active goal what a control step has brought; it may end by that."""
        active, controlled = self._active, self._owner.controlled()
        if controlled is None:
            return
        tracker = controlled.tracker
        self._constraints.use(simple_joints(tracker.dyn.model))
        self._close(controlled)
        if self._change_pace(controlled) or active is None:
            return   # the step is one of before
        if active.handle is not None and active.handle.is_cancel_requested:
            self._stop(controlled, CANCELLED)
            self._end(Outcome.GOES_ON, 'the goal was cancelled; the robot holds')
            return
        if tracker.problem and (
                self._waiting is None or tracker.problem != self._waiting.known):
            self._end(Outcome.GOES_ON, tracker.problem, fault=True)
            return
        if self._held is not None:
            return
        if self._waiting is not None:
            self._join(controlled, active, self._waiting)
            return
        if isinstance(active.watch, JointWatch):
            outcome, why = active.watch.look(step, measured.q, measured.v)
        else:
            outcome, why = active.watch.look(step.nominal.time, tools)
        if outcome is not Outcome.GOES_ON:
            running = tracker.running
            if (outcome is Outcome.REACHED and isinstance(active.watch, JointWatch)
                    and running is not None and active.watch.end < end_of(running[0].path)):
                self._closing = running[0].path
            elif (outcome is not Outcome.REACHED or isinstance(active.watch, JointWatch)
                    or active.watch.end < tracker.end):
                self._stop(controlled, why or REACHED)
            self._end(outcome, why, fault=True)
        elif report and active.handle is not None:
            active.handle.publish_feedback(
                multi_dof_trajectories.feedback_of(nanoseconds, tracker.dyn.model, measured, step)
                if isinstance(active.watch, JointWatch)
                else path_goals.path_feedback(nanoseconds, active.watch, step, tools))

    def fed(self, step: Step) -> Step:
        """Return a control step with the efforts that the trajectory brings along."""
        controlled, feed = self._owner.controlled(), self._feed
        if feed is None or controlled is None:
            return step
        if not feed.counts(controlled.tracker):
            self._feed = None
            return step
        return feed.added(step, step.nominal.time)

    def _close(self, controlled: Controlled) -> None:
        """Hold the robot once what follows a goal that was reached has ended, too."""
        running = controlled.tracker.running
        if self._closing is None:
            return
        if running is None or running[0].path is not self._closing:
            self._closing = None
        elif running[1] >= end_of(self._closing):
            self._closing = None
            self._stop(controlled, REACHED)

    @property
    def pace(self) -> float:
        """Factor of the time of what is followed, or soon will be."""
        return self._pace.factor

    def _on_factor(self, message: SpeedScaling) -> None:
        """Go on at another pace from the next control step on, once it is compiled."""
        factor = self._wanted = read_factor(message)
        controlled = self._owner.controlled()

        def use(_: object = None) -> None:
            if factor == self._wanted != self._pace.factor:
                self._logger.info(f'speed factor: {factor:g}')
                self._pace.factor = factor
        if controlled is None or not controlled.tracker.task.path or (
                controlled.tracker.running is not None):
            use()
            return
        run_in_thread(partial(
            prepare_pace, controlled.tracker.copy_for_planning(), controlled.tracker.task,
            controlled.measured.q, controlled.measured.v)).add_done_callback(
                lambda _: self._default_group.take(use))

    def _change_pace(self, controlled: Controlled) -> bool:
        """Bring what is followed to the pace that is wanted; tell whether it was another."""
        if self._held is not None:
            return self._resume(controlled, self._held)
        if controlled.tracker.approaches and self._interrupt(controlled):
            return False
        before = controlled.tracker.running
        changed = self._pace.look(controlled.tracker, controlled.time, controlled.measured.q,
                                  controlled.measured.v)
        if changed is None:
            return False
        if changed.problem:
            self._logger.warning(f'the speed factor does not act: {changed.problem}',
                                 throttle_duration_sec=REFUSALS)
        watch = None if self._active is None else self._active.watch
        if isinstance(watch, PathWatch):
            watch.clock = self._pace.clock
        if changed.path is None or before is None:
            return not changed.problem
        if isinstance(watch, JointWatch):
            watch.end = changed.path.arrives
        if self._closing is before[0].path:
            self._closing = changed.path
        if self._feed is not None:
            self._feed.use(changed.path, self._pace.clock)
        return True

    def _interrupt(self, controlled: Controlled) -> bool:
        """Stop an approach that was planned at another pace; it goes on from rest at the new."""
        task = controlled.tracker.task
        planned = self._planned if self._planned.task is task else Held(task, DIRECT)
        if planned.approach.pace == self._pace.factor:
            return False
        self._stop(controlled, '')
        self._held = planned
        return True

    def _resume(self, controlled: Controlled, held: Held) -> bool:
        """Go on with an approach from rest, unless it is paused; tell whether it does."""
        tracker, pace = controlled.tracker, self._pace.factor
        if pace == 0.0 or not tracker.stands:
            return False
        self._held = None
        duration = self._approach(controlled, held.task, held.approach)
        if self._active is not None and isinstance(self._active.watch, PathWatch):
            self._active.watch.approach = duration
            self._active.watch.clock = tracker.clock
        self._owner.begun()
        return True

    def _approach(self, controlled: Controlled, task: Task, approach: Way) -> float:
        """Begin a task at the pace that is wanted; return how long its approach takes [s]."""
        tracker, way = controlled.tracker, approach._replace(pace=self._pace.factor)
        duration = tracker.follow(
            self._pace.slowed(tracker, replace(task, clock=None)), controlled.time,
            controlled.measured.q, controlled.measured.v, approach=way)
        self._planned = Held(tracker.task, way)
        return duration

    def drop(self, why: str) -> None:
        """End the active goal, if there is one, because it cannot go on."""
        self._coming = None
        self._end(Outcome.GOES_ON, why)

    def _or_accepted(self, decide: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return what decides on a goal; wrong ones may be accepted, to be aborted."""
        async def answer(goal: Any) -> GoalResponse:
            try:
                response: GoalResponse = await decide(goal)
            except MbdError as error:
                if not self._settings.abort_wrong_goals:
                    raise
                self._wrong[id(goal)] = goal, error   # kept, so that no other has this id
                return GoalResponse.ACCEPT
            return response
        return answer

    def _require_right(self, handle: Any) -> None:
        """Raise what was wrong with a goal that was accepted all the same."""
        wrong = self._wrong.pop(id(handle.request), None)
        if wrong is not None:
            raise wrong[1]

    async def _answer_joints(self, goal: FollowJointTrajectory.Goal) -> GoalResponse:
        """Accept a trajectory of joints that can be followed."""
        multi_dof_trajectories.require_few(goal.multi_dof_trajectory)
        self._newest = goal
        if len(goal.trajectory.points) > FEW:
            await self._aside(goal, lambda: read_ahead(goal.trajectory))

        def ask() -> Callable[[], float]:
            controlled = self._controlled()
            self._tolerances(controlled, goal)
            if count_of(goal) > MANY or self._waits(controlled, goal.trajectory):
                wait = wait_of(goal.trajectory, controlled.nanoseconds) if self._waits(
                    controlled, goal.trajectory) else 0.0
                return partial(self._plan_later, controlled, goal,
                               controlled.tracker.later(), wait)
            self._feed_forward(controlled, goal.trajectory)
            tracker = controlled.tracker.copy_for_planning()
            moved, path_at = self._path_of(
                controlled, goal.trajectory, goal.multi_dof_trajectory)
            place = controlled.tracker.reference(controlled.measured.q)[0]
            return partial(self._plan_joint_path, tracker, moved, path_at, place)
        self._paces[id(goal)] = await self._plan_aside(goal, ask)
        return GoalResponse.ACCEPT

    def _plan_joint_path(self, tracker: Tracker, moved: tuple[str, ...], path_at: Stretchable,
                         place: Vector) -> float:
        """Return the part of its speed at which a trajectory can be followed."""
        pace: float = self._with_effort(lambda: plan_joint_path(
            tracker, moved, path_at, place, stretch=self._too_much_effort == 'stretch'), 1.0)
        return pace

    def _plan_later(self, controlled: Controlled, goal: FollowJointTrajectory.Goal,
                    later: Callable[[float], Tracker | None], wait: float) -> float:
        """Do the same where the robot will be after a time [s]."""
        tracker = later(wait)
        if tracker is None:   # too late for it to be known
            return 1.0
        there = controlled._replace(
            tracker=tracker, nanoseconds=controlled.nanoseconds + round(wait * SECOND))
        self._feed_forward(there, goal.trajectory)
        moved, path_at = self._path_of(there, goal.trajectory, goal.multi_dof_trajectory)
        return self._plan_joint_path(
            tracker, moved, path_at, tracker.reference(controlled.measured.q)[0])

    @property
    def _too_much_effort(self) -> str:
        """Return what is done with motions that need more effort than joints have."""
        wish: str = self._settings.too_much_effort
        if wish == 'auto':
            wish = 'refuse' if self._settings.command_interface == 'effort' else 'warn'
        return wish

    def _with_effort(self, plan: Callable[[], Any], otherwise: Any) -> Any:
        """Return what planning gives; where it fails by efforts something else, or raise."""
        try:
            return plan()
        except TooMuchEffortError as error:
            wish = self._too_much_effort
            if wish == 'refuse' and error.what == 'trajectory':
                raise error.with_more('try later points, or the parameter too_much_effort: '
                                      'stretch') from None
            if wish != 'warn':
                raise
            self._logger.warning(f'followed all the same: {error}')
            return otherwise() if callable(otherwise) else otherwise

    async def _answer_path(self, goal: FollowPath.Goal) -> GoalResponse:
        """Accept a path or constraints that can be followed."""
        data: Any = None
        self._newest = goal
        if len(goal.task) > SHORT_TEXT:
            data = await self._aside(goal, partial(self._read_text, goal))
        read: list[Task] = []

        def ask() -> Callable[[], Way]:
            controlled = self._controlled()
            read[:] = controlled.task, path_goals.read_task(
                goal, controlled.task, controlled.commands, data)
            tracker, q, v = controlled.tracker, controlled.measured.q, controlled.measured.v
            one = tracker.copy_for_planning()
            other = None if self._wanted == 1.0 else tracker.copy_for_planning()

            def plan() -> Way:
                read[1] = task = with_paths(with_timing(one.dyn, read[1], q))
                at_all = partial(plan_task, one, task, q, v, path_goals.duration_of(goal))
                way: Way = self._with_effort(at_all, partial(at_all, effort=False))
                if other is not None:
                    prepare_pace(other, task, q, v)
                return way
            return plan
        way = await self._plan_aside(goal, ask)
        self._approaches[id(goal)] = way, data, read[0], read[1]
        return GoalResponse.ACCEPT

    @staticmethod
    def _read_text(goal: FollowPath.Goal) -> Any:
        """Read the text of a goal beside the control steps, in slices."""
        with unhurriedly():
            return path_goals.read_text(goal)

    async def _plan_aside(self, goal: object, ask: Callable[[], Callable[[], Any]]) -> Any:
        """Return what the planning of a goal does, unless a newer one came meanwhile."""
        self._require_newest(goal)
        plan = await self._default_group.take(ask)
        return await self._aside(goal, plan)

    async def _aside(self, goal: object, work: Callable[[], Any]) -> Any:
        """Do something for a goal, while control steps go on; not where a newer one came."""
        def needed() -> Any:   # those that are outdated do not keep the newest waiting
            self._require_newest(goal)
            return work()
        found = await run_in_thread(needed)
        self._require_newest(goal)
        return found

    def _require_newest(self, goal: object) -> None:
        if self._newest is not goal:
            raise GoalError(FollowJointTrajectory.Result.INVALID_GOAL,
                            'another goal came while it was prepared')

    async def _follow_joints(self, handle: Any) -> None:
        """Begin a joint trajectory between two control steps."""
        self._require_right(handle)
        if count_of(handle.request) > MANY:
            self._coming = handle.request
            await self._begin_later(handle.request, handle)
        else:
            await self._default_group.take(lambda: self._begin_trajectory(handle))

    async def _begin_later(self, goal: FollowJointTrajectory.Goal, handle: Any = None) -> None:
        """
        Begin a trajectory of many points a little later, from where the robot will be then.

        Its path is made beside the control steps, which would wait for it for too long. ``handle``
        is None for a trajectory of the topic.
        """
        pace = None if handle is None else self._paces.pop(id(goal), 1.0)
        wait = AHEAD * count_of(goal)
        for turn in range(TRIES):
            make = await self._default_group.take(
                partial(self._plan, goal, pace, wait * 2.0 ** turn))
            waiting = await run_in_thread(make)
            if await self._default_group.take(partial(self._let_wait, waiting, handle)):
                return
        raise GoalError(FollowJointTrajectory.Result.INVALID_GOAL, (
            f'the path of {count_of(goal)} points is not made in time; try fewer'))

    def _plan(self, goal: FollowJointTrajectory.Goal, pace: float | None, wait: float
              ) -> Callable[[], Waiting]:
        """Return what makes the path of a trajectory that begins after a time [s]."""
        controlled = self._controlled()
        self._require_coming(goal)
        if controlled.tracker.source is None:   # nothing is followed that would be known later
            self._stop(controlled, '')
        later, now = controlled.tracker.later(), controlled.nanoseconds
        if self._waits(controlled, goal.trajectory):
            wait = max(wait, wait_of(goal.trajectory, now))

        def make() -> Waiting:
            self._require_coming(goal)
            tracker, begin = later(wait), now + round(wait * SECOND)
            if tracker is None:
                raise GoalError(FollowJointTrajectory.Result.INVALID_GOAL, (
                    f'where the robot will be in {wait:.3f} s, when its path is made, cannot be '
                    'computed'))
            there = controlled._replace(
                tracker=tracker, nanoseconds=begin, time=controlled.time + wait)
            efforts = self._feed_forward(there, goal.trajectory)
            moved, path_at = self._path_of(there, goal.trajectory, goal.multi_dof_trajectory)
            part = self._fitting(there, moved, path_at) if pace is None else pace
            tracker.copy_for_planning().follow_joints(   # which compiles what it needs
                path_at(part), there.time, there.measured.q, there.measured.v, joints=moved)
            return Waiting(begin, goal, part, Made((moved, path_at), efforts))
        return make

    def _let_wait(self, waiting: Waiting, handle: Any) -> bool:
        """Let a trajectory begin at its time; tell whether that is still to come."""
        controlled, goal = self._controlled(), waiting.goal
        self._require_coming(goal)
        if controlled.nanoseconds > waiting.begin:
            return False
        self._activate_later(controlled, goal, handle)
        self._waiting = waiting._replace(known=controlled.tracker.problem)
        return True

    def _activate_later(self, controlled: Controlled, goal: FollowJointTrajectory.Goal,
                        handle: Any) -> None:
        """Let a trajectory that begins later be the active goal."""
        watch = JointWatch(controlled.tracker.dyn.model, self._tolerances(controlled, goal), NEVER)
        if handle is not None:
            self._activate(handle, watch)
        else:
            self.drop(TAKEN)
            self._active = Active(None, watch, None)

    def _require_coming(self, goal: object) -> None:
        if self._coming is not goal:
            raise GoalError(FollowJointTrajectory.Result.INVALID_GOAL,
                            'something else began while its path was made')

    def _require_close(self, controlled: Controlled, path: Followed, moved: tuple[str, ...],
                       since: float) -> None:
        """Raise if the robot follows something else than what a path was made to begin from."""
        if not continues(controlled.tracker.dyn.model, moved, path, since,
                         self._start(controlled)):
            raise GoalError(FollowJointTrajectory.Result.INVALID_GOAL,
                            'what the robot follows was changed while its path was made')

    def _waits(self, controlled: Controlled, message: JointTrajectory) -> bool:
        """Tell whether a trajectory begins later, and the path of a tool goes on until then."""
        return bool(message.points and self._settings.allow_trajectory_replacement
                    and controlled.tracker.follows_task
                    and to_nanoseconds(message.header.stamp) > controlled.nanoseconds)

    def _join(self, controlled: Controlled, active: Active, waiting: Waiting) -> None:
        """Begin a trajectory once its time has come, from where the path of a tool is then."""
        if controlled.nanoseconds < waiting.begin:
            return
        self._waiting = None
        try:
            if waiting.made is not None:
                followed = self._begin_made(controlled, waiting, waiting.made)
            else:
                moved, path_at = self._path_of(
                    controlled, waiting.goal.trajectory, waiting.goal.multi_dof_trajectory)
                if active.handle is None:   # of the topic: not planned
                    waiting = waiting._replace(pace=self._fitting(controlled, moved, path_at))
                followed = self._begin_joints(
                    controlled, moved, path_at, waiting.goal.trajectory, waiting.pace)
        except MbdError as error:
            self._stop(controlled, str(error))
            self._end(Outcome.GOES_ON, str(error), fault=True)
            return
        if active.handle is None:
            self._active = None
            self._watch_topic(controlled, followed)
        else:
            assert isinstance(active.watch, JointWatch)
            active.watch.end = followed.arrives

    def _begin_made(self, controlled: Controlled, waiting: Waiting, made: Made) -> Followed:
        """Begin a trajectory whose path was made; return it at the pace at which it goes on."""
        (moved, path_at), since = made.path, (controlled.nanoseconds - waiting.begin) / SECOND
        self._require_close(controlled, path_at(waiting.pace), moved, since)
        return self._begin_joints(controlled, moved, path_at, waiting.goal.trajectory,
                                  waiting.pace, efforts=made.efforts, since=since)

    async def _follow_path(self, handle: Any) -> None:
        """Begin a path or constraints, likewise."""
        self._require_right(handle)
        await self._default_group.take(lambda: self._begin_path(handle))

    def _begin_trajectory(self, handle: Any) -> None:
        """Begin a joint trajectory."""
        controlled, goal = self._controlled(), handle.request
        tolerances = self._tolerances(controlled, goal)
        if self._waits(controlled, goal.trajectory):
            self._activate_later(controlled, goal, handle)
            self._wait(controlled, goal, self._paces.pop(id(goal), 1.0))
            return
        moved, path_at = self._path_of(controlled, goal.trajectory, goal.multi_dof_trajectory)
        followed = self._begin_joints(controlled, moved, path_at, goal.trajectory,
                                      self._paces.pop(id(goal), 1.0))
        self._activate(handle, JointWatch(
            controlled.tracker.dyn.model, tolerances, followed.arrives))

    def _wait(self, controlled: Controlled, goal: FollowJointTrajectory.Goal, pace: float = 1.0
              ) -> None:
        """Let a trajectory take the place of a tool's path when its time has come."""
        self._waiting = Waiting(to_nanoseconds(goal.trajectory.header.stamp), goal, pace)
        self._tell(wait_of(goal.trajectory, controlled.nanoseconds))

    def _tell(self, wait: float) -> None:
        if wait > SAID:
            self._logger.info(f'the trajectory begins in {wait:.3f} s')

    def _begin_path(self, handle: Any) -> None:
        """Begin a path or constraints."""
        goal = handle.request
        planned, data, base, task = self._approaches.pop(id(goal))
        controlled = self._controlled()
        tracker = controlled.tracker
        if controlled.task is not base:   # gains were changed, or the robot
            again = path_goals.read_task(goal, controlled.task, controlled.commands, data)
            task = replace(
                again, path=task.path, constraints=task.constraints, timing=task.timing)
        paused = self._pace.factor == 0.0
        if paused:
            approach = tracker.follow(task, controlled.time, controlled.measured.q,
                                      controlled.measured.v, approach=planned)
            self._stop(controlled, '')
        else:
            approach = self._approach(controlled, task, planned)
            self._owner.begun()
        watch = path_goals.watch_for(
            goal, tracker, approach, path=self._settings.tool_path_tolerance,
            end=self._settings.tool_goal_tolerance, goal_time=self._settings.goal_time)
        self._activate(handle, watch)
        if paused:
            self._held = Held(tracker.task, planned)

    def _activate(self, handle: Any, watch: JointWatch | PathWatch) -> None:
        """Let a goal that has begun be the active one."""
        self.drop(PREEMPTED)
        self._active = Active(handle, watch, self._execute(handle))

    def _execute(self, handle: Any) -> Future:
        """Say that a goal is carried out; the future takes its result."""
        done = self._results[bytes(handle.goal_id.uuid)] = Future()
        handle.execute()
        return done

    async def _result(self, handle: Any) -> Any:
        """Wait for the result of a goal, beside the control steps: it changes nothing."""
        return await self._results.pop(bytes(handle.goal_id.uuid))

    def _on_trajectory(self, message: JointTrajectory) -> None:
        """Follow a trajectory that nobody waits for; one without points stops the robot."""
        controlled = self._controlled()
        message = timed(message, self._settings.positions_upsampling.policy_frequency)
        self._coming = None
        if len(message.points) > MANY:
            self._coming = goal = goal_of(message)
            self._node.executor.create_task(self._node.guard.wrap(
                '~/joint_trajectory not used', self._begin_later), goal)
            return
        if self._waits(controlled, message):
            goal = goal_of(message)
            self._activate_later(controlled, goal, None)
            self._wait(controlled, goal)
            return
        if message.points and is_target(message, controlled.nanoseconds):
            followed = self._begin_joints(controlled, *self._target(controlled, message), message)
        elif message.points:
            moved, path_at = self._path_of(controlled, message, MultiDOFJointTrajectory())
            followed = self._begin_joints(controlled, moved, path_at, message,
                                          self._fitting(controlled, moved, path_at))
        else:
            self._stop(controlled, EMPTY)
        self.drop(TAKEN)
        if message.points:
            self._watch_topic(controlled, followed)

    def _fitting(self, controlled: Controlled, moved: tuple[str, ...], path_at: Stretchable
                 ) -> float:
        """Return the part of its speed at which a trajectory of the topic can be followed."""
        pace: float = self._with_effort(partial(
            fitting_pace, controlled.tracker.copy_for_planning(), moved, path_at,
            controlled.tracker.reference(controlled.measured.q)[0],
            stretch=self._too_much_effort == 'stretch', patience=PATIENCE), 1.0)
        return pace

    def _target(self, controlled: Controlled, message: JointTrajectory) -> JointsPath:
        """Return the path to and beyond a target of a stream."""
        tracker = controlled.tracker
        moved, path = read_target(
            tracker.dyn.model, controlled.drives, message, self._start(controlled), self._stream,
            self._rules(), Smoothing(self._settings.stream_horizon, self._settings.stream_timeout))
        if tracker.dyn.model.loops:   # else it is within the limits
            check_joints(tracker.dyn, moved, path, path.duration,
                         tracker.reference(controlled.measured.q)[0])
        return moved, Stretchable(path)

    def _watch_topic(self, controlled: Controlled, path: PiecewisePolynomial | JointPaths
                     ) -> None:
        """Hold a trajectory of the topic against the default tolerances of the way."""
        found = self._tolerances(controlled, FollowJointTrajectory.Goal()).of_the_way()
        if found is not None:
            self._active = Active(None, JointWatch(
                controlled.tracker.dyn.model, found, path.arrives), None)

    def _on_query(self, request: QueryTrajectoryState.Request,
                  response: QueryTrajectoryState.Response) -> QueryTrajectoryState.Response:
        """Answer what the reference is at a time."""
        controlled = self._owner.controlled()
        if controlled is None:
            return trajectories.answer_query(request, response, None, 0, 0.0)
        return trajectories.answer_query(request, response, controlled.tracker,
                                         controlled.nanoseconds, controlled.time)

    def _controlled(self) -> Controlled:
        controlled = self._owner.controlled()
        if controlled is None:
            raise GoalError(FollowJointTrajectory.Result.INVALID_GOAL,
                            'the controller has no robot or no joint states yet')
        return controlled

    def _tolerances(self, controlled: Controlled, goal: FollowJointTrajectory.Goal
                    ) -> JointTolerances:
        """Return the tolerances of a goal; raises GoalError for what is wrong with them."""
        model, settings = controlled.tracker.dyn.model, self._settings
        whole, end = settings.path_tolerance, settings.goal_tolerance
        given = trajectories.read_tolerances(
            model, controlled.drives, goal, path=whole, end=end,
            goal_time=self._constraints.goal_time or settings.goal_time,
            stopped=self._constraints.stopped, own=self._constraints.own())
        return replace(
            given, goal_time=min(given.goal_time, settings.goal_timeout or given.goal_time),
            components=multi_dof_trajectories.read_component_tolerances(
                model, controlled.drives, goal, path=whole, end=end))

    def _path_of(self, controlled: Controlled, ordinary: JointTrajectory,
                 multi_dof: MultiDOFJointTrajectory) -> JointsPath:
        """Return the joints of a trajectory and their path, from the reference on."""
        tracker = controlled.tracker
        moved, path = multi_dof_trajectories.read_goal(
            tracker.dyn.model, controlled.drives, ordinary, multi_dof, self._start(controlled),
            rules=self._rules())
        return moved, Stretchable(path, wait_of(ordinary, controlled.nanoseconds),
                                  self._pace.ramp, partial(self._shaped, controlled, moved))

    def _shaped(self, controlled: Controlled, moved: tuple[str, ...], path: Followed) -> Followed:
        """Return a path that excites no vibration of the frequencies in the parameters."""
        by = self._settings.shaping
        if not by.frequencies:
            return path
        found: Followed | None = multi_dof_trajectories.shaped_goal(
            controlled.tracker.dyn.model, moved, path,
            impulses(by.frequencies, by.damping_ratio, robust=by.robust))
        if found is None:
            self._logger.warning('a trajectory that begins in motion is not shaped',
                                 throttle_duration_sec=REFUSALS)
        return found or path

    def _start(self, controlled: Controlled) -> Reference:
        """Return where trajectories begin, and what they take the place of."""
        tracker = controlled.tracker
        running = self._pace.running(tracker)
        going_on = None
        if running is not None:
            motion, time = running
            going_on = Running(motion.path.parts if isinstance(motion.path, JointPaths)
                               else [(motion.names, motion.path)], time)
        return Reference(*self._pace.reference(tracker, controlled.measured.q),
                         controlled.nanoseconds, going_on)

    def _rules(self) -> Rules:
        """Return what the parameters allow of trajectories."""
        given = self._settings
        return Rules(
            given.allow_partial_joints_goal, given.allow_nonzero_velocity_at_trajectory_end,
            given.allow_integration_in_goal_trajectories, given.allow_trajectory_replacement,
            given.wrap_continuous_joints, given.longest_wait)

    def _feed_forward(self, controlled: Controlled, message: JointTrajectory
                      ) -> tuple[Vector, Vector] | None:
        """Return the efforts that a trajectory brings along, None if it has none."""
        found = trajectories.read_feed_forward(message, self._start(controlled))
        if found is not None and self._settings.command_interface != 'effort':
            raise GoalError(FollowJointTrajectory.Result.INVALID_GOAL, (
                'the points have efforts that are not zero; allowed: with command_interface '
                f"'effort', and it is '{self._settings.command_interface}'"))
        return found

    def _begin_joints(self, controlled: Controlled, moved: tuple[str, ...], path_at: Stretchable,
                      message: JointTrajectory, pace: float = 1.0, *,
                      efforts: tuple[Vector, Vector] | None = None, since: float | None = None
                      ) -> Followed:
        """
        Follow a path of joints; return it at the pace at which it is followed.

        Of one that was made before, ``efforts`` were read with it, and it began ``since`` [s].
        """
        if since is None:
            efforts = self._feed_forward(controlled, message)
        path = path_at(pace)
        if path_at.told(pace):
            self._logger.info(path_at.told(pace))
        controlled.tracker.follow_joints(
            path, controlled.time, controlled.measured.q, controlled.measured.v, joints=moved,
            begin=since or 0.0)
        self._feed = None if efforts is None else FeedForward(
            controlled.tracker.dyn.model, message.joint_names,
            path_at.times(pace, efforts[0]), efforts[1], path)
        self._tell(path_at.wait)
        self._change_pace(controlled)
        self._owner.begun()
        running = controlled.tracker.running
        assert running is not None
        followed = running[0].path
        assert isinstance(followed, PiecewisePolynomial | JointPaths)
        return followed

    def _stop(self, controlled: Controlled, why: str) -> None:
        controlled.tracker.stop(controlled.time, controlled.measured.q, controlled.measured.v,
                                why)

    def _end(self, outcome: Outcome, why: str, *, fault: bool = False) -> None:
        """Hand the result to who waits for it; ``fault``: the robot left what it followed."""
        active, self._waiting, self._held = self._active, None, None
        if active is None:
            return
        self._active = None
        joints = isinstance(active.watch, JointWatch)
        result: Any = FollowJointTrajectory.Result() if joints else FollowPath.Result()
        if outcome is Outcome.REACHED:
            result.error_code = result.SUCCESSFUL
        elif joints:
            result.error_code, why = trajectories.ended(outcome, why, fault=bool(fault))
        else:
            result.error_code = path_goals.CODES.get(outcome, FollowPath.Result.STOPPED)
        result.error_string = why
        if active.handle is None or active.done is None:
            if outcome is not Outcome.REACHED and fault:
                self._logger.warning(f'trajectory of the topic ended: {why}')
            return
        if outcome is Outcome.REACHED:
            active.handle.succeed()
        elif active.handle.is_cancel_requested:
            result.error_code = 0
            active.handle.canceled()
        else:
            self._logger.warning(f'goal aborted: {why}')
            active.handle.abort()
        active.done.set_result(result)


def goal_of(message: JointTrajectory) -> FollowJointTrajectory.Goal:
    """Return a trajectory as a goal."""
    return FollowJointTrajectory.Goal(trajectory=message)


def count_of(goal: FollowJointTrajectory.Goal) -> int:
    """Return how many points the trajectories of a goal have."""
    return max(len(goal.trajectory.points), len(goal.multi_dof_trajectory.points))
