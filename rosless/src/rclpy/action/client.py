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

"""Action clients."""

from __future__ import annotations

from collections.abc import Callable
import threading
import time
from typing import Any
import uuid
import weakref

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from unique_identifier_msgs.msg import UUID

from .channel import ActionChannel, ResultClient, StatusSubscription
from .client_goal_handle import ClientGoalHandle
from .goal_states import ACTIVE
from ..absent import NoWaitSet
from ..callback_groups import CallbackGroup
from ..client import Client, POLL_PERIOD
from ..clock import Clock
from ..executors import await_or_execute
from ..handle import DESTROYED
from ..qos import (
    qos_profile_action_status_default,
    qos_profile_services_default,
    QoSProfile,
)
from ..rcl_errors import InvalidHandle, RCLError
from ..service_introspection import ServiceIntrospectionState
from ..subscription import Subscription
from ..task import Future, when_done
from ..waitable import NumberOfEntities

__all__ = ['ActionClient', 'ClientGoalHandle']


class ActionClient(NoWaitSet):
    """
    Sends goals to an action server.

    Parameters
    ----------
    node : Node
        Its node.
    action_type : type
        Class of the action.
    action_name : str
        Name of the action.
    callback_group : CallbackGroup, optional
        Group in which answers and feedback are handled; the node's default group if omitted.
    goal_service_qos_profile, result_service_qos_profile, cancel_service_qos_profile : QoSProfile
        Profiles of the services.
    feedback_sub_qos_profile, status_sub_qos_profile : QoSProfile
        Profiles of the topics.

    """

    def __init__(
        self,
        node: Any,
        action_type: Any,
        action_name: str,
        *,
        callback_group: CallbackGroup | None = None,
        goal_service_qos_profile: QoSProfile = qos_profile_services_default,
        result_service_qos_profile: QoSProfile = qos_profile_services_default,
        cancel_service_qos_profile: QoSProfile = qos_profile_services_default,
        feedback_sub_qos_profile: QoSProfile = QoSProfile(depth=10),  # noqa: B008
        status_sub_qos_profile: QoSProfile = qos_profile_action_status_default,
    ) -> None:
        self.callback_group = callback_group or node.default_callback_group
        self._node = node
        self._context = node.context
        self._action_type = action_type
        self._lock = threading.Lock()
        self._goal_handles: weakref.WeakValueDictionary[bytes, ClientGoalHandle] = (
            weakref.WeakValueDictionary()
        )
        self._feedback_callbacks: dict[bytes, Callable[[Any], Any]] = {}
        self._statuses: dict[bytes, int] = {}
        channel = ActionChannel(node, action_type, action_name, self.callback_group)
        self._channel = channel
        impl = action_type.Impl
        with node._discovery.together():
            # subscriptions first: a server that knows the client's readers of answers, for which
            # it waits, then knows these as well, and the first feedback is not lost
            self._feedback: Subscription = channel.subscription(
                impl.FeedbackMessage, 'feedback', self._on_feedback, feedback_sub_qos_profile
            )
            self._status: StatusSubscription = channel.subscription(
                impl.GoalStatusMessage,
                'status',
                self._on_status,
                status_sub_qos_profile,
                StatusSubscription,
            )
            self._goal_client: Client = channel.client(
                impl.SendGoalService, 'send_goal', goal_service_qos_profile
            )
            self._cancel_client: Client = channel.client(
                impl.CancelGoalService, 'cancel_goal', cancel_service_qos_profile
            )
            self._result_client: ResultClient = channel.client(
                impl.GetResultService, 'get_result', result_service_qos_profile, ResultClient
            )
            self._result_client.feedback = self._status.feedback = self._feedback
        node._waitables.append(self)
        node._changed()

    def get_num_entities(self) -> NumberOfEntities:
        """Return how many entities of each kind it has."""
        return self._channel.get_num_entities()

    @property
    def entities(self) -> list[Any]:
        """Return what an executor looks after."""
        return self._channel.entities

    def send_goal(
        self,
        goal: Any,
        feedback_callback: Callable[[Any], Any] | None = None,
        goal_uuid: Any = None,
    ) -> Any:
        """
        Send a goal and wait for its result; somebody else must spin.

        Parameters
        ----------
        goal, feedback_callback, goal_uuid
            See `send_goal_async`.

        Returns
        -------
        GetResultService.Response
            With the fields `status` and `result`; the status is unknown if the server rejects the
            goal.

        Raises
        ------
        TypeError
            If the goal is not the goal message of the action.
        RCLError
            If the context is shut down while waiting.

        """
        future = self.send_goal_async(goal, feedback_callback, goal_uuid)
        return self._wait(future, 'the answer to a goal').get_result()

    def send_goal_async(
        self,
        goal: Any,
        feedback_callback: Callable[[Any], Any] | None = None,
        goal_uuid: Any = None,
    ) -> Future:
        """
        Send a goal; the future gets a `ClientGoalHandle` when the server has answered.

        Parameters
        ----------
        goal : message
            The goal.
        feedback_callback : Callable, optional
            Gets feedback messages, with the fields `goal_id` and `feedback`.
        goal_uuid : unique_identifier_msgs.msg.UUID, optional
            Id of the goal; random if omitted.

        Raises
        ------
        TypeError
            If the goal is not the goal message of the action.
        RCLError
            If a goal with that id is known already.

        """
        if not isinstance(goal, self._action_type.Goal):
            raise TypeError(f'Expected {self._action_type.Goal}, got {type(goal)}')
        request = self._action_type.Impl.SendGoalService.Request()
        request.goal_id = goal_uuid or UUID(uuid=list(uuid.uuid4().bytes))
        request.goal = goal
        key = bytes(request.goal_id.uuid)
        if key in self._goal_handles:
            raise RCLError(f'a goal with the id {key.hex()} has been sent already')
        if feedback_callback is not None:
            self._feedback_callbacks[key] = feedback_callback

        def answered(response: Any) -> ClientGoalHandle:
            goal_handle = ClientGoalHandle(self, request.goal_id, response)
            if goal_handle.accepted:
                goal_handle._status = self._statuses.get(key, GoalStatus.STATUS_UNKNOWN)
                self._goal_handles[key] = goal_handle
            else:
                self._feedback_callbacks.pop(key, None)
            return goal_handle

        return self._call(self._goal_client, request, answered)

    def server_is_ready(self) -> bool:
        """Tell whether a server of the action is there."""
        if self not in self._node._waitables:
            raise InvalidHandle(DESTROYED)
        clients = (self._goal_client, self._cancel_client, self._result_client)
        return (
            all(client.service_is_ready() for client in clients)
            and self._feedback.get_publisher_count() > 0
            and self._status.get_publisher_count() > 0
        )

    def wait_for_server(self, timeout_sec: float | None = None) -> bool:
        """
        Wait until a server of the action is there.

        Parameters
        ----------
        timeout_sec : float, optional
            How long [s]; for ever if omitted.

        Returns
        -------
        bool
            Whether it is there.

        """
        limit = None if timeout_sec is None or timeout_sec < 0 else time.monotonic() + timeout_sec
        while self._context.ok() and not self.server_is_ready():
            if limit is not None and time.monotonic() >= limit:
                return False
            time.sleep(POLL_PERIOD)
        return self._context.ok() and self.server_is_ready()

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
        """Destroy the client; its futures stay as they are."""
        if self not in self._node._waitables:
            return
        self._channel.destroy()
        self._feedback_callbacks.clear()
        self._node._waitables.remove(self)
        self._node._changed()

    def _cancel_goal_async(self, goal_handle: ClientGoalHandle) -> Future:
        self._check(goal_handle)
        request = CancelGoal.Request()
        request.goal_info.goal_id = goal_handle.goal_id
        return self._call(self._cancel_client, request, lambda response: response)

    def _get_result_async(self, goal_handle: ClientGoalHandle) -> Future:
        self._check(goal_handle)
        request = self._action_type.Impl.GetResultService.Request()
        request.goal_id = goal_handle.goal_id

        def answered(response: Any) -> Any:
            goal_handle._status = response.status
            self._feedback_callbacks.pop(goal_handle._key, None)
            return response

        return self._call(self._result_client, request, answered)

    def _call(self, client: Client, request: Any, convert: Callable[[Any], Any]) -> Future:
        """Call a service; the future gets what `convert` makes of the answer."""
        inner = client.call_async(request)
        outer = Future(executor=self._node.executor)

        def finish() -> None:
            if outer.done():
                return
            outer._executor = inner._executor
            error = inner.exception()
            if error is not None:
                outer.set_exception(error)
            else:
                outer.set_result(convert(inner.result()))

        when_done(inner, finish)
        when_done(outer, lambda: client.remove_pending_request(inner))
        return outer

    def _wait(self, future: Future, what: str) -> Any:
        """Wait for a future in a thread that does not spin."""
        done = threading.Event()
        forget = when_done(future, done.set)
        with self._context.interrupting(done):
            done.wait()
        if not future.done():
            forget()
            future.cancel()
            raise RCLError(
                f'the context was shut down while waiting for {what} of action '
                f"'{self._channel.name}'"
            )
        return future.result()

    def _check(self, goal_handle: ClientGoalHandle) -> None:
        if not isinstance(goal_handle, ClientGoalHandle):
            raise TypeError(f'Expected a ClientGoalHandle, got {type(goal_handle)}')

    async def _on_feedback(self, message: Any) -> None:
        callback = self._feedback_callbacks.get(bytes(message.goal_id.uuid))
        if callback is not None:
            await await_or_execute(callback, message)

    def _on_status(self, message: Any) -> None:
        self._statuses = {
            bytes(item.goal_info.goal_id.uuid): item.status for item in message.status_list
        }
        for key, status in self._statuses.items():
            goal_handle = self._goal_handles.get(key)
            if goal_handle is None:
                if status not in ACTIVE:
                    self._feedback_callbacks.pop(key, None)
            elif goal_handle._status in (GoalStatus.STATUS_UNKNOWN, *ACTIVE):
                goal_handle._status = status
