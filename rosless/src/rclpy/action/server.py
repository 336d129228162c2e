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

"""Action servers."""

from __future__ import annotations

from collections.abc import Callable
import threading
import traceback
from typing import Any

from action_msgs.msg import GoalInfo, GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal

from .cancellation import goals_to_cancel
from .channel import ActionChannel
from .goal_states import GoalEvent
from .responses import CancelResponse, GoalResponse
from .server_goal_handle import ServerGoalHandle
from ..absent import NoWaitSet
from ..callback_groups import CallbackGroup
from ..clock import Clock
from ..constants import S_TO_NS
from ..executors import await_or_execute
from ..qos import (
    qos_profile_action_status_default,
    qos_profile_services_default,
    QoSProfile,
)
from ..rcl_errors import RCLError
from ..service import RequestHeader
from ..service_introspection import ServiceIntrospectionState
from ..task import when_done
from ..waitable import NumberOfEntities

RESULT_TIMEOUT = 900  # s, as in ROS 2 Humble

__all__ = [
    'ActionServer',
    'CancelResponse',
    'GoalEvent',
    'GoalResponse',
    'ServerGoalHandle',
    'default_cancel_callback',
    'default_goal_callback',
    'default_handle_accepted_callback',
]


def default_handle_accepted_callback(goal_handle: ServerGoalHandle) -> None:
    """Execute the goal at once."""
    goal_handle.execute()


def default_goal_callback(goal_request: Any) -> GoalResponse:
    """Accept every goal."""
    return GoalResponse.ACCEPT


def default_cancel_callback(cancel_request: ServerGoalHandle) -> CancelResponse:
    """Refuse to cancel."""
    return CancelResponse.REJECT


class ActionServer(NoWaitSet):
    """
    Takes goals, executes them and hands out their results.

    Callbacks may be coroutines. Execution does not hold the callback group, so that requests are
    answered meanwhile if another thread spins or the coroutine awaits.

    Parameters
    ----------
    node : Node
        Its node.
    action_type : type
        Class of the action.
    action_name : str
        Name of the action.
    execute_callback : Callable
        Gets a goal handle, calls its `succeed`, `abort` or `canceled`, and returns a result
        message. A goal that has not ended then, or by an exception, is aborted.
    callback_group : CallbackGroup, optional
        Group of the callbacks; the node's default group if omitted.
    goal_callback : Callable
        Gets a goal message; returns a `GoalResponse`.
    handle_accepted_callback : Callable
        Gets the handle of a goal that has been accepted; calls its `execute`, now or later.
    cancel_callback : Callable
        Gets the handle of a goal that is to be cancelled; returns a `CancelResponse`.
    goal_service_qos_profile, result_service_qos_profile, cancel_service_qos_profile : QoSProfile
        Profiles of the services.
    feedback_pub_qos_profile, status_pub_qos_profile : QoSProfile
        Profiles of the topics.
    result_timeout : float
        How long a result is kept after its goal has ended [s]; for ever if negative.

    Raises
    ------
    TypeError
        If a callback is not callable.

    """

    def __init__(
        self,
        node: Any,
        action_type: Any,
        action_name: str,
        execute_callback: Callable[[ServerGoalHandle], Any],
        *,
        callback_group: CallbackGroup | None = None,
        goal_callback: Callable[[Any], Any] = default_goal_callback,
        handle_accepted_callback: Callable[
            [ServerGoalHandle], Any
        ] = default_handle_accepted_callback,
        cancel_callback: Callable[[ServerGoalHandle], Any] = default_cancel_callback,
        goal_service_qos_profile: QoSProfile = qos_profile_services_default,
        result_service_qos_profile: QoSProfile = qos_profile_services_default,
        cancel_service_qos_profile: QoSProfile = qos_profile_services_default,
        feedback_pub_qos_profile: QoSProfile = QoSProfile(depth=10),  # noqa: B008
        status_pub_qos_profile: QoSProfile = qos_profile_action_status_default,
        result_timeout: float = RESULT_TIMEOUT,
    ) -> None:
        self.callback_group = callback_group or node.default_callback_group
        self.register_handle_accepted_callback(handle_accepted_callback)
        self.register_goal_callback(goal_callback)
        self.register_cancel_callback(cancel_callback)
        self.register_execute_callback(execute_callback)
        self._node = node
        self._action_type = action_type
        self._timeout = int(result_timeout * S_TO_NS)
        self._lock = threading.RLock()
        self._goal_handles: dict[bytes, ServerGoalHandle] = {}
        self._logger = node.get_logger().get_child('action_server')
        self._clock = node.get_clock()
        channel = ActionChannel(node, action_type, action_name, self.callback_group)
        self._channel = channel
        impl = action_type.Impl
        with node._discovery.together():
            self._feedback = channel.publisher(
                impl.FeedbackMessage, 'feedback', feedback_pub_qos_profile
            )
            self._status = channel.publisher(
                impl.GoalStatusMessage, 'status', status_pub_qos_profile
            )
            self._goal_service = channel.service(
                impl.SendGoalService, 'send_goal', self._on_goal, goal_service_qos_profile
            )
            self._cancel_service = channel.service(
                impl.CancelGoalService, 'cancel_goal', self._on_cancel, cancel_service_qos_profile
            )
            self._result_service = channel.service(
                impl.GetResultService, 'get_result', self._on_result, result_service_qos_profile
            )
            self._expiry = channel.timer(self._expire, self._clock)
        node._waitables.append(self)
        node._changed()

    def get_num_entities(self) -> NumberOfEntities:
        """Return how many entities of each kind it has."""
        return self._channel.get_num_entities()

    @property
    def entities(self) -> list[Any]:
        """Return what an executor looks after."""
        return self._channel.entities

    @property
    def action_type(self) -> Any:
        """Class of the action."""
        return self._action_type

    def register_handle_accepted_callback(
        self, handle_accepted_callback: Callable[[ServerGoalHandle], Any] | None
    ) -> None:
        """Set what gets the goals that have been accepted; None for `execute` at once."""
        self._handle_accepted_callback = _callable(
            handle_accepted_callback or default_handle_accepted_callback,
            'handle_accepted_callback',
        )

    def register_goal_callback(self, goal_callback: Callable[[Any], Any] | None) -> None:
        """Set what decides on new goals; None accepts all."""
        self._goal_callback = _callable(goal_callback or default_goal_callback, 'goal_callback')

    def register_cancel_callback(
        self, cancel_callback: Callable[[ServerGoalHandle], Any] | None
    ) -> None:
        """Set what decides on requests to cancel; None refuses all."""
        self._cancel_callback = _callable(
            cancel_callback or default_cancel_callback, 'cancel_callback'
        )

    def register_execute_callback(
        self, execute_callback: Callable[[ServerGoalHandle], Any]
    ) -> None:
        """Set what executes goals, unless `ServerGoalHandle.execute` is given something else."""
        self._execute_callback = _callable(execute_callback, 'execute_callback')

    def notify_execute(
        self,
        goal_handle: ServerGoalHandle,
        execute_callback: Callable[[ServerGoalHandle], Any] | None,
    ) -> None:
        """Let the executor run a goal, or the one that the node is added to next."""
        callback = execute_callback or self._execute_callback
        self._node._run_soon(self._execute_goal, callback, goal_handle)

    def notify_goal_done(self, goal_handle: ServerGoalHandle) -> None:
        """Note that a goal has ended: its result is kept for a while from now on."""
        goal_handle._ended = self._clock.now().nanoseconds
        if self._timeout >= 0 and not self._expiry.destroyed and self._expiry.is_canceled():
            self._expire_in(self._timeout)

    def configure_introspection(
        self,
        clock: Clock,
        service_event_qos_profile: QoSProfile,
        introspection_state: ServiceIntrospectionState,
    ) -> None:
        """
        Tell of calls of the action's services on their ``_service_event`` topics, or no longer.

        Parameters
        ----------
        clock, service_event_qos_profile, introspection_state
            See `Client.configure_introspection`.

        """
        self._channel.configure_introspection(
            clock, service_event_qos_profile, introspection_state
        )

    def destroy(self) -> None:
        """Destroy the server; its goals become unknown."""
        if self not in self._node._waitables:
            return
        with self._lock:
            for goal_handle in self._goal_handles.values():
                goal_handle.destroy()
            self._goal_handles.clear()
        self._channel.destroy()
        self._node._waitables.remove(self)
        self._node._changed()

    async def _on_goal(self, request: Any, header: RequestHeader) -> None:
        response = self._action_type.Impl.SendGoalService.Response()
        goal_handle = None
        try:
            goal_handle = await self._accept(request)
        finally:
            if goal_handle is not None:
                response.accepted, response.stamp = True, goal_handle._info.stamp
            self._goal_service.respond(response, header)
        if goal_handle is not None:
            await await_or_execute(self._handle_accepted_callback, goal_handle)

    async def _accept(self, request: Any) -> ServerGoalHandle | None:
        key = bytes(request.goal_id.uuid)
        if key in self._goal_handles:
            return None
        answer = await await_or_execute(self._goal_callback, request.goal)
        if not isinstance(answer, GoalResponse):
            self._logger.warning(
                f'Goal request callback must return a GoalResponse, not {type(answer)}. '
                'Rejecting goal.'
            )
            return None
        if answer != GoalResponse.ACCEPT:
            return None
        info = GoalInfo(goal_id=request.goal_id, stamp=self._clock.now().to_msg())
        with self._lock:
            goal_handle = ServerGoalHandle(self, info, request.goal)
            self._goal_handles[key] = goal_handle
            if self._handle_accepted_callback is not default_handle_accepted_callback:
                self._publish_status()
        return goal_handle

    async def _on_cancel(self, request: Any, header: RequestHeader) -> None:
        response = CancelGoal.Response()
        try:
            with self._lock:
                response.return_code, goals = goals_to_cancel(request, self._goal_handles)
            code = response.return_code
            response.return_code = CancelGoal.Response.ERROR_REJECTED   # if the callback raises
            for goal_handle in goals:
                answer = await await_or_execute(self._cancel_callback, goal_handle)
                if answer == CancelResponse.ACCEPT and self._start_canceling(goal_handle):
                    response.goals_canceling.append(goal_handle._info)
            response.return_code = code
        finally:
            self._cancel_service.respond(response, header)

    def _start_canceling(self, goal_handle: ServerGoalHandle) -> bool:
        """Mark a goal; False if it has ended while the callback was deciding."""
        try:
            goal_handle._update_state(GoalEvent.CANCEL_GOAL)
        except RCLError as error:
            self._logger.debug(f'Failed to cancel goal: {error}')
            return False
        return not goal_handle._destroyed

    def _on_result(self, request: Any, header: RequestHeader) -> None:
        goal_handle = self._goal_handles.get(bytes(request.goal_id.uuid))
        if goal_handle is None:
            response = self._action_type.Impl.GetResultService.Response()
            response.status = GoalStatus.STATUS_UNKNOWN
            self._result_service.respond(response, header)
            return
        future = goal_handle._result
        when_done(future, lambda: self._result_service.respond(future.result(), header))

    async def _execute_goal(
        self, callback: Callable[[ServerGoalHandle], Any], goal_handle: ServerGoalHandle
    ) -> None:
        result_type = self._action_type.Result
        try:
            result = await await_or_execute(callback, goal_handle)
        except Exception as error:
            result = result_type()
            self._logger.error(f'Error raised in execute callback: {error}')
            traceback.print_exc()
        if goal_handle.is_active:
            self._logger.warning(
                f'Goal state not set, assuming aborted. Goal ID: {list(goal_handle._key)}'
            )
            goal_handle.abort()
        fits = isinstance(result, result_type)
        response = self._action_type.Impl.GetResultService.Response()
        response.status = goal_handle.status
        if fits:
            response.result = result
        goal_handle._result.set_result(response)
        if not fits:
            raise TypeError(
                f"the execute callback of action '{self._channel.name}' must return "
                f'{result_type}, not {type(result)}'
            )

    def _publish_feedback(self, goal_handle: ServerGoalHandle, feedback: Any) -> None:
        if not isinstance(feedback, self._action_type.Feedback):
            raise TypeError(f'Expected {self._action_type.Feedback}, got {type(feedback)}')
        message = self._action_type.Impl.FeedbackMessage()
        message.goal_id = goal_handle.goal_id
        message.feedback = feedback
        if not self._feedback.destroyed:
            self._feedback.publish(message)

    def _publish_status(self) -> None:
        if self._status.destroyed:
            return
        states = [goal_handle._state for goal_handle in self._goal_handles.values()]
        self._status.publish(GoalStatusArray(status_list=states))

    def _expire(self) -> None:
        """Forget goals that ended long ago, and come back when the next one is due."""
        now = self._clock.now().nanoseconds
        with self._lock:
            remaining = []
            for key, goal_handle in list(self._goal_handles.items()):
                if goal_handle._ended is None:
                    continue
                left = goal_handle._ended + self._timeout - now
                if left > 0:
                    remaining.append(left)
                else:
                    goal_handle.destroy()
                    del self._goal_handles[key]
            self._expiry.cancel()
            if remaining:
                self._expire_in(min(remaining))

    def _expire_in(self, nanoseconds: int) -> None:
        self._expiry.timer_period_ns = nanoseconds
        self._expiry.reset()


def _callable(callback: Any, what: str) -> Any:
    if not callable(callback):
        raise TypeError(f'{what} must be callable, not {callback!r}')
    return callback
