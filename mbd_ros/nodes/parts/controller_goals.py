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
from mbd_ros.control.references.shaping import impulses
from mbd_ros.control.references.splines import PiecewisePolynomial
from mbd_ros.control.step.fused_step import Step
from mbd_ros.control.tasks.approaching import Way
from mbd_ros.control.tasks.feasibility import check_joints
from mbd_ros.control.tasks.followed_tools import ToolPoints
from mbd_ros.control.tasks.goal_watch import JointTolerances, JointWatch, Outcome, PathWatch
from mbd_ros.control.tasks.rehearsal import rehearse_joints, rehearse_task
from mbd_ros.control.tasks.task import driven_joints
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.messages.states.joint_states import Measured
from mbd_ros.messages.trajectories import multi_dof_trajectories, path_goals, trajectories
from mbd_ros.messages.trajectories.way_points import GoalError, Reference
from mbd_ros.nodes.parts import qos
from mbd_ros.nodes.parts.aside import done_aside, Turns
from mbd_ros.nodes.parts.guard import GuardedNode, REFUSALS

REACHED = 'the goal was reached'
CANCELLED = 'cancelled'
EMPTY = 'an empty trajectory was received'
IDLE = 'nothing to follow'
ON_PURPOSE = (REACHED, CANCELLED, EMPTY, IDLE)
"""Why the robot holds where that was asked for."""
JointsPath = tuple[tuple[str, ...], PiecewisePolynomial | JointPaths]
"""Joints and the path that they follow."""


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
    """A goal that is carried out."""

    handle: Any
    watch: JointWatch | PathWatch
    done: Future


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
    turns : Turns
        For what they change.

    """

    def __init__(self, node: GuardedNode, owner: Owner, settings: SimpleNamespace,
                 patient: CallbackGroup, turns: Turns) -> None:
        self._owner = owner
        self._settings = settings
        self._turns = turns
        self._newest: object = None
        self._approaches: dict[int, Way] = {}   # id of an accepted goal -> its approach
        self._logger = node.get_logger()
        self._active: Active | None = None
        self._results: dict[bytes, Future] = {}
        self._joints = node.create_action_server(
            FollowJointTrajectory, '~/follow_joint_trajectory', self._result,
            decide=self._answer_joints, begin=self._follow_joints,
            result_of=trajectories.refused, group=patient)
        self._paths = node.create_action_server(
            FollowPath, '~/follow_path', self._result, decide=self._answer_path,
            begin=self._follow_path, result_of=path_goals.refused, group=patient)
        self._topic = node.create_subscription(
            JointTrajectory, '~/joint_trajectory', self._on_trajectory, qos.RELIABLE)
        self._query = node.create_service(
            QueryTrajectoryState, '~/query_state', self._on_query)

    def look(self, nanoseconds: int, measured: Measured, step: Step,
             tools: Sequence[ToolPoints], *, report: bool) -> None:
        """Tell the active goal what a control step has brought; it may end by that."""
        active, controlled = self._active, self._owner.controlled()
        if active is None or controlled is None:
            return
        tracker = controlled.tracker
        if active.handle.is_cancel_requested:
            self._stop(controlled, CANCELLED)
            self._end(Outcome.GOES_ON, 'the goal was cancelled; the robot holds')
            return
        if tracker.problem:
            self.drop(tracker.problem)
            return
        if isinstance(active.watch, JointWatch):
            outcome, why = active.watch.look(step, measured.q, measured.v)
        else:
            outcome, why = active.watch.look(step.nominal.time, tools)
        if outcome is not Outcome.GOES_ON:
            if (outcome is not Outcome.REACHED or isinstance(active.watch, JointWatch)
                    or active.watch.end < tracker.end):
                self._stop(controlled, why or REACHED)
            self._end(outcome, why)
        elif report:
            active.handle.publish_feedback(
                multi_dof_trajectories.feedback_of(nanoseconds, tracker.dyn.model, measured, step)
                if isinstance(active.watch, JointWatch)
                else path_goals.path_feedback(nanoseconds, active.watch, step, tools))

    def drop(self, why: str) -> None:
        """End the active goal, if there is one, because it cannot go on."""
        self._end(Outcome.GOES_ON, why)

    async def _answer_joints(self, goal: FollowJointTrajectory.Goal) -> GoalResponse:
        """Accept a trajectory of joints that can be followed."""
        def ask() -> Callable[[], None]:
            controlled = self._controlled()
            self._tolerances(controlled, goal)
            moved, path = self._path_of(controlled, goal.trajectory, goal.multi_dof_trajectory)
            place = controlled.tracker.reference(controlled.measured.q)[0]
            return partial(rehearse_joints, controlled.tracker.apart(), moved, path, place)
        await self._rehearsed(goal, ask)
        return GoalResponse.ACCEPT

    async def _answer_path(self, goal: FollowPath.Goal) -> GoalResponse:
        """Accept a path or constraints that can be followed."""
        def ask() -> Callable[[], Way]:
            controlled = self._controlled()
            task = path_goals.read_task(goal, controlled.task, controlled.commands)
            q, v = controlled.measured.q, controlled.measured.v
            return partial(rehearse_task, controlled.tracker.apart(), task, q, v,
                           path_goals.duration_of(goal))
        self._approaches[id(goal)] = await self._rehearsed(goal, ask)
        return GoalResponse.ACCEPT

    async def _rehearsed(self, goal: object, ask: Callable[[], Callable[[], Any]]) -> Any:
        """Return what the rehearsal of a goal does, unless a newer one came meanwhile."""
        self._newest = goal

        def require_newest() -> None:
            if self._newest is not goal:
                raise GoalError(FollowJointTrajectory.Result.INVALID_GOAL,
                                'another goal came while it was prepared')

        def rehearsed() -> Any:   # those that are outdated do not keep the newest waiting
            require_newest()
            return rehearse()
        rehearse = await self._turns.take(ask)
        found = await done_aside(rehearsed)
        require_newest()
        return found

    async def _follow_joints(self, handle: Any) -> None:
        """Begin a joint trajectory between two control steps."""
        await self._turns.take(lambda: self._begin_trajectory(handle))

    async def _follow_path(self, handle: Any) -> None:
        """Begin a path or constraints, likewise."""
        await self._turns.take(lambda: self._begin_path(handle))

    def _begin_trajectory(self, handle: Any) -> None:
        """Begin a joint trajectory."""
        controlled, goal = self._controlled(), handle.request
        tolerances = self._tolerances(controlled, goal)
        moved, path = self._path_of(controlled, goal.trajectory, goal.multi_dof_trajectory)
        self._begin_joints(controlled, moved, path)
        self._activate(handle, JointWatch(controlled.tracker.dyn.model, tolerances, path.duration))

    def _begin_path(self, handle: Any) -> None:
        """Begin a path or constraints."""
        goal = handle.request
        rehearsed = self._approaches.pop(id(goal))
        controlled = self._controlled()
        tracker = controlled.tracker
        task = path_goals.read_task(goal, controlled.task, controlled.commands)
        approach = tracker.follow(task, controlled.time, controlled.measured.q,
                                  controlled.measured.v, approach=rehearsed)
        self._owner.begun()
        self._activate(handle, path_goals.watch_for(
            goal, tracker, approach, path=self._settings.tool_path_tolerance,
            end=self._settings.tool_goal_tolerance, goal_time=self._settings.goal_time))

    def _activate(self, handle: Any, watch: JointWatch | PathWatch) -> None:
        """Let a goal that has begun be the active one."""
        self.drop('another goal has taken its place')
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
        if message.points:
            moved, path = self._path_of(controlled, message, MultiDOFJointTrajectory())
            self._check(controlled, moved, path)
            self._begin_joints(controlled, moved, path)
        else:
            self._stop(controlled, EMPTY)
        self.drop('a trajectory on the topic has taken its place')

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
        return replace(
            trajectories.read_tolerances(model, controlled.drives, goal, path=whole, end=end,
                                         goal_time=settings.goal_time),
            components=multi_dof_trajectories.read_component_tolerances(
                model, controlled.drives, goal, path=whole, end=end))

    def _path_of(self, controlled: Controlled, ordinary: JointTrajectory,
                 multi_dof: MultiDOFJointTrajectory) -> JointsPath:
        """Return the joints of a trajectory and their path, from the reference on."""
        tracker = controlled.tracker
        start = Reference(*tracker.reference(controlled.measured.q), controlled.nanoseconds)
        moved, path = multi_dof_trajectories.read_goal(
            tracker.dyn.model, controlled.drives, ordinary, multi_dof, start,
            partial=self._settings.allow_partial_joints_goal)
        by = self._settings.shaping
        if not by.frequencies:
            return moved, path
        found = multi_dof_trajectories.shaped_goal(tracker.dyn.model, moved, path, impulses(
            by.frequencies, by.damping_ratio, robust=by.robust))
        if found is None:
            self._logger.warning('a trajectory that begins in motion is not shaped',
                                 throttle_duration_sec=REFUSALS)
        return moved, found or path

    def _check(self, controlled: Controlled, moved: tuple[str, ...],
               path: PiecewisePolynomial | JointPaths) -> None:
        """Refuse a path of joints that cannot be followed."""
        tracker = controlled.tracker
        check_joints(tracker.dyn, moved, path, path.duration,
                     tracker.reference(controlled.measured.q)[0])

    def _begin_joints(self, controlled: Controlled, moved: tuple[str, ...],
                      path: PiecewisePolynomial | JointPaths) -> None:
        """Follow a path of joints."""
        controlled.tracker.follow_joints(path, controlled.time, controlled.measured.q,
                                         controlled.measured.v, joints=moved)
        self._owner.begun()

    def _stop(self, controlled: Controlled, why: str) -> None:
        controlled.tracker.stop(controlled.time, controlled.measured.q, controlled.measured.v,
                                why)

    def _end(self, outcome: Outcome, why: str) -> None:
        """Hand the result to who waits for it."""
        active = self._active
        if active is None:
            return
        self._active = None
        joints = isinstance(active.watch, JointWatch)
        result: Any = FollowJointTrajectory.Result() if joints else FollowPath.Result()
        codes = trajectories.CODES if joints else path_goals.CODES
        stopped = (FollowJointTrajectory.Result.PATH_TOLERANCE_VIOLATED if joints
                   else FollowPath.Result.STOPPED)
        result.error_code, result.error_string = codes.get(outcome, stopped), why
        if outcome is Outcome.REACHED:
            active.handle.succeed()
        elif active.handle.is_cancel_requested:
            result.error_code = 0
            active.handle.canceled()
        else:
            self._logger.warning(f'goal aborted: {why}')
            active.handle.abort()
        active.done.set_result(result)
