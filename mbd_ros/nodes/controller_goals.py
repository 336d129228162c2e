"""What users ask a controller for while it runs: trajectories, paths, and what it would do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol

from control_msgs.action import FollowJointTrajectory
from control_msgs.srv import QueryTrajectoryState
from mbd_msgs.action import FollowPath
from rclpy.action import ActionServer, CancelResponse
from rclpy.node import Node
from rclpy.task import Future
from trajectory_msgs.msg import JointTrajectory

from mbd_ros.control import Task
from mbd_ros.control.goal_watch import JointWatch, Outcome, PathWatch
from mbd_ros.control.tracker import Step, ToolPoints, Tracker
from mbd_ros.errors import InvalidValueError, MbdError
from mbd_ros.messages import path_goals, trajectories
from mbd_ros.messages.efforts import EffortCommands
from mbd_ros.messages.joint_states import Measured
from mbd_ros.messages.trajectories import GoalError, Reference
from mbd_ros.nodes import qos


class Controlled(NamedTuple):
    """What a goal begins from: the tracker and the newest measured state."""

    tracker: Tracker
    commands: EffortCommands
    task: Task
    measured: Measured
    nanoseconds: int
    time: float


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
    node : Node
        The controller.
    owner : Owner
        The same, for what is controlled.
    settings : SimpleNamespace
        Its parameters.

    """

    def __init__(self, node: Node, owner: Owner, settings: SimpleNamespace) -> None:
        self._owner = owner
        self._settings = settings
        self._logger = node.get_logger()
        self._active: Active | None = None
        self._joints = ActionServer(
            node, FollowJointTrajectory, '~/follow_joint_trajectory', self._follow_joints,
            cancel_callback=accept_cancel)
        self._paths = ActionServer(
            node, FollowPath, '~/follow_path', self._follow_path, cancel_callback=accept_cancel)
        self._topic = node.create_subscription(
            JointTrajectory, '~/joint_trajectory', self._on_trajectory, qos.RELIABLE)
        self._query = node.create_service(
            QueryTrajectoryState, '~/query_state', self._on_query)

    def look(self, nanoseconds: int, measured: Measured, step: Step, tool: ToolPoints, *,
             report: bool) -> None:
        """Tell the active goal what a control step has brought; it may end by that."""
        active, controlled = self._active, self._owner.controlled()
        if active is None or controlled is None:
            return
        tracker = controlled.tracker
        if active.handle.is_cancel_requested:
            self._stop(controlled, 'cancelled')
            self._end(Outcome.GOES_ON, 'the goal was cancelled; the robot holds')
            return
        if tracker.problem:
            self.drop(tracker.problem)
            return
        if isinstance(active.watch, JointWatch):
            outcome, why = active.watch.look(step)
        else:
            outcome, why = active.watch.look(step.nominal.time, tool)
        if outcome is not Outcome.GOES_ON:
            if (outcome is not Outcome.REACHED or isinstance(active.watch, JointWatch)
                    or active.watch.end < tracker.end):
                self._stop(controlled, why or 'the goal was reached')
            self._end(outcome, why)
        elif report:
            active.handle.publish_feedback(
                trajectories.feedback_of(nanoseconds, tracker.dyn.model, measured, step)
                if isinstance(active.watch, JointWatch)
                else path_goals.path_feedback(nanoseconds, active.watch, step, tool))

    def drop(self, why: str) -> None:
        """End the active goal, if there is one, because it cannot go on."""
        self._end(Outcome.GOES_ON, why)

    async def _follow_joints(self, handle: Any) -> FollowJointTrajectory.Result:
        """Carry out a joint trajectory."""
        goal = handle.request
        try:
            if goal.multi_dof_trajectory.points:
                raise GoalError(FollowJointTrajectory.Result.INVALID_GOAL,
                                'the trajectory has points of joints with several coordinates')
            if goal.component_path_tolerance or goal.component_goal_tolerance:
                raise GoalError(FollowJointTrajectory.Result.INVALID_GOAL,
                                'tolerances of components of joints are not supported')
            controlled = self._controlled()
            tolerances = trajectories.read_tolerances(
                controlled.tracker.dyn.model, controlled.commands.joints, goal,
                path=self._settings.path_tolerance, end=self._settings.goal_tolerance,
                goal_time=self._settings.goal_time)
            end = self._begin_joints(controlled, goal.trajectory)
        except (GoalError, MbdError) as error:
            self._logger.warning(f'trajectory refused: {error}')
            handle.abort()
            return FollowJointTrajectory.Result(
                error_code=getattr(error, 'code', FollowJointTrajectory.Result.INVALID_GOAL),
                error_string=str(error))
        names = controlled.tracker.dyn.model.joint_names
        return await self._activate(handle, JointWatch(names, tolerances, end))

    async def _follow_path(self, handle: Any) -> FollowPath.Result:
        """Carry out a path or constraints."""
        goal, result = handle.request, FollowPath.Result
        try:
            controlled = self._controlled()
            tracker = controlled.tracker
            task = path_goals.read_task(goal, controlled.task, controlled.commands)
            approach = tracker.follow(task, controlled.time, controlled.measured.q,
                                      controlled.measured.v)
        except MbdError as error:
            self._logger.warning(f'path refused: {error}')
            handle.abort()
            unreachable = isinstance(error, InvalidValueError) and error.argument == 'start'
            return result(error_string=str(error), error_code=(
                result.OUT_OF_REACH if unreachable else result.INVALID_GOAL))
        except GoalError as error:
            handle.abort()
            return result(error_code=result.INVALID_GOAL, error_string=str(error))
        self._owner.begun()
        return await self._activate(handle, path_goals.watch_for(
            goal, tracker, approach, path=self._settings.tool_path_tolerance,
            end=self._settings.tool_goal_tolerance, goal_time=self._settings.goal_time))

    async def _activate(self, handle: Any, watch: JointWatch | PathWatch) -> Any:
        """Let a goal that has begun be the active one, and wait for its result."""
        self.drop('another goal has taken its place')
        self._active = Active(handle, watch, Future())
        return await self._active.done

    def _on_trajectory(self, message: JointTrajectory) -> None:
        """Follow a trajectory that nobody waits for; one without points stops the robot."""
        try:
            controlled = self._controlled()
            if message.points:
                self._begin_joints(controlled, message)
            else:
                self._stop(controlled, 'an empty trajectory was received')
        except (GoalError, MbdError) as error:
            self._logger.error(f'trajectory not followed: {error}')
            return
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

    def _begin_joints(self, controlled: Controlled, message: JointTrajectory) -> float:
        """Follow a trajectory from the reference on and return when it ends."""
        tracker = controlled.tracker
        start = Reference(*tracker.reference(controlled.measured.q), controlled.nanoseconds)
        path = trajectories.read_trajectory(
            tracker.dyn.model, controlled.commands.joints, message, start,
            partial=self._settings.allow_partial_joints_goal)
        tracker.follow_joints(path, controlled.time)
        self._owner.begun()
        return path.duration

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


def accept_cancel(handle: object) -> CancelResponse:
    """Accept every request to cancel."""
    return CancelResponse.ACCEPT
