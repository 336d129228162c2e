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
Lifecycle of every node: configured, active, inactive, and what that means, in one place.

What a node makes in ``configure`` goes through a gate here. While the node is not active nothing
it publishes leaves, timers and messages do nothing, requests are answered by an error that says
so, and goals are rejected; only a robot description is taken, so that the node is ready.
"""

from __future__ import annotations

from collections.abc import Callable
import functools
import inspect
import threading
import time
from typing import Any

from rclpy.clock import Clock as LibraryClock, ClockType
from rclpy.executors import ExternalShutdownException
from rclpy.lifecycle import (
    LifecycleNodeMixin, LifecyclePublisher, LifecycleState, TransitionCallbackReturn)
from rclpy.qos import DurabilityPolicy
from rosgraph_msgs.msg import Clock

from mbd_ros.errors import InactiveError, InvalidValueError, MbdError
from mbd_ros.messages.fields.frames import add_prefix, places, remove_prefix
from mbd_ros.nodes.every_node.guard import GuardedNode
from mbd_ros.nodes.every_node.health import Health, HealthPublisher
from mbd_ros.nodes.every_node.parameters import declare_parameters, read_again

KINDS = (('publishers', 'destroy_publisher'), ('subscriptions', 'destroy_subscription'),
         ('services', 'destroy_service'), ('clients', 'destroy_client'),
         ('timers', 'destroy_timer'), ('guards', 'destroy_guard_condition'))
"""Entities of a node by kind, and what destroys one."""
TIME_TO_ANSWER = 0.05
"""Time that the executor gets to send an answer that a callback has just returned [s]."""
ACTIVE = LifecycleState('active', 3)
"""State of ``lifecycle_msgs/msg/State``, for publishers that are made in it."""


class _Ended(BaseException):
    """The end came amid a start; the client library is to make no transition of it."""


class ManagedPublisher(LifecyclePublisher):
    """
    A publisher of a managed node; what is latched waits until the node is active.

    Attributes
    ----------
    prefix : str
        Text in front of the names of all frames in messages.

    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._kept: Any = None
        self.prefix = ''
        self._gate = threading.RLock()   # nothing is sent or kept amid a transition
        super().__init__(*arguments, **options)

    def publish(self, msg: Any) -> None:
        """Publish a message while the node is active; keep one that is latched for then."""
        with self._gate:
            if self.is_activated:
                self._kept = None   # this one is newer
                undo = add_prefix(msg, self.prefix) if self.prefix else None
                try:
                    super().publish(msg)
                finally:
                    if undo is not None:   # some messages are sent again
                        undo()
            elif self.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL:
                self._kept = msg

    def send_kept(self) -> None:
        """Send what was kept, unless something newer was sent."""
        with self._gate:
            if self._kept is not None:
                self.publish(self._kept)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let messages out from now on; what was kept waits until the node is active."""
        with self._gate:
            return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let no messages out from now on."""
        with self._gate:
            return super().on_deactivate(state)


class ManagedNode(LifecycleNodeMixin, GuardedNode):
    """
    A node that others configure, activate, deactivate, clean up and shut down.

    A node of this package sets its initial values in ``reset_state``, makes what it offers in
    ``configure``, begins and ends to act in ``activate`` and ``deactivate``, and stops threads and
    servers in ``close``. A transition that fails leaves it in the state before.

    Attributes
    ----------
    NAME : str
        Name of the node, and first part of the name of the file that declares its parameters.
    num_threads : int
        Threads of the executor that it needs.
    configured, active : bool
        Its state; what is active is configured, too.

    """

    NAME = ''
    num_threads = 1
    _source: Any = None   # of robots, where a node has one
    _health: HealthPublisher | None = None

    def __init__(self) -> None:
        self._managing = self.configured = self.active = self._starting = False
        self._busy, self._lock = 0, threading.Lock()
        self._hindrance: Exception | None = None
        self._ended: Callable[[], object] = lambda: None
        self._permanent: set[int] = set()
        GuardedNode.__init__(self, self.NAME)
        LifecycleNodeMixin.__init__(self)
        self._settings = declare_parameters(self, self.NAME, self._take_settings,
                                            fixed=lambda: self.configured)
        self.reset_state()
        self._permanent = {id(entity) for kind in (*(kind for kind, _ in KINDS), 'waitables')
                           for entity in getattr(self, kind)}
        self._managing = True

    @property
    def generation(self) -> int:
        """Return the number of the model in use, for answers; 0 without one."""
        return 0 if self._source is None else int(self._source.generation)

    def reset_state(self) -> None:
        """Know as little as a node that was not configured yet."""

    def configure(self) -> None:
        """Make what the node offers; what it makes acts once the node is active."""

    def activate(self) -> None:
        """Begin to act."""

    def deactivate(self) -> None:
        """End to act; what is published here is still sent."""

    def close(self) -> None:
        """Stop threads and servers; there may be none."""

    def use_settings(self) -> None:
        """Go on with parameters that were changed while the node is configured."""

    def start(self, ended: Callable[[], object] = lambda: None) -> None:
        """
        Configure and activate the node, unless the parameter ``autostart`` says otherwise.

        Parameters
        ----------
        ended : callable, optional
            Called when the node was shut down by a transition.

        Raises
        ------
        Exception
            Whatever hinders it.

        """
        self._ended = ended
        if not self._settings.autostart:
            self.get_logger().info('waits to be configured: ros2 lifecycle set '
                                   f'{self.get_fully_qualified_name()} configure')
            return
        self._starting = True
        try:
            for trigger in (self.trigger_configure, self.trigger_activate):
                if trigger() != TransitionCallbackReturn.SUCCESS:
                    raise self._hindrance or InactiveError(self.get_fully_qualified_name())
        except _Ended:
            raise ExternalShutdownException from None
        finally:
            self._starting = False

    def require_active(self) -> None:
        """
        Refuse what only an active node does.

        Raises
        ------
        InactiveError
            If the node is not active.

        """
        if not self.active:
            raise InactiveError(self.get_fully_qualified_name())

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Make what the node offers, with the parameters as they are now."""
        self.configured = True
        if self._done('configure', self.configure):
            return super().on_configure(state)
        if self.context.ok():
            self._clean()
        return TransitionCallbackReturn.FAILURE

    def say_how_it_is(self, health: Health) -> None:
        """Publish its health now, for what keeps it from doing so once a second."""
        if self._health is not None:
            self._health.say(health)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let the node act."""
        super().on_activate(state)
        for publisher in self._managed_publishers():
            publisher.on_activate(state)
        self.active = True
        if self._done('activate', self.activate):
            for publisher in self._managed_publishers():
                publisher.send_kept()
            return TransitionCallbackReturn.SUCCESS
        self._stop(state)
        return TransitionCallbackReturn.FAILURE

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let the node act no more; its diagnostics end by saying so."""
        self._done('deactivate', self.deactivate)
        if self._health is not None:
            self._done('deactivate', self._health.end)
        self._stop(state)
        return TransitionCallbackReturn.SUCCESS

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Remove what was configured, once every request has its answer."""
        return (TransitionCallbackReturn.SUCCESS if self._done('cleanup', self._clean_answered)
                else TransitionCallbackReturn.FAILURE)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """
        Let the node act no more, and its process end if it was the last one there.

        Threads and servers stop at once; goals and requests that are still being answered, such
        as those that were just ended, have a turn before the rest is removed.
        """
        if self.active:
            self.on_deactivate(state)
        self._done('shutdown', self._clean_at_last)
        self._ended()
        return TransitionCallbackReturn.SUCCESS

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin anew."""
        self._stop(state)
        self._clean()
        return TransitionCallbackReturn.SUCCESS

    def create_publisher(self, msg_type: Any, topic: str, qos_profile: Any,
                         **options: Any) -> Any:
        """Make a publisher that sends while the node is active."""
        if not self._managing:
            return super().create_publisher(msg_type, topic, qos_profile, **options)
        publisher: Any = super().create_publisher(
            msg_type, topic, qos_profile, publisher_class=ManagedPublisher, **options)
        publisher.prefix = self._prefix(msg_type)
        if self.active:
            publisher.on_activate(ACTIVE)
        return publisher

    def create_subscription(self, msg_type: Any, topic: str, callback: Callable[..., Any],
                            *arguments: Any, while_inactive: bool = False,
                            **options: Any) -> Any:
        """Make a subscription; messages are passed over while the node is not active."""
        if not self._managing or while_inactive:
            return super().create_subscription(msg_type, topic, callback, *arguments, **options)
        made = super().create_subscription(
            msg_type, topic, callback if msg_type is Clock else self._if_active(
                self._of_our_frames(msg_type, callback)),
            *arguments, **options)
        if msg_type is Clock:   # of the client library, for use_sim_time
            self._permanent.add(id(made))
        return made

    def destroy_subscription(self, subscription: Any) -> bool:
        """Destroy a subscription; another object may have its identity from now on."""
        self._permanent.discard(id(subscription))
        return bool(super().destroy_subscription(subscription))

    def create_timer(self, timer_period_sec: float, callback: Any,
                     *arguments: Any, **options: Any) -> Any:
        """Make a timer that does nothing while the node is not active."""
        return super().create_timer(
            timer_period_sec, self._if_active(callback), *arguments, **options)

    def create_service(self, srv_type: Any, srv_name: str, callback: Callable[..., Any],
                       *arguments: Any, **options: Any) -> Any:
        """Make a service; a node that is not active answers that it is not."""
        if self._managing:
            callback = self._counted(self._answers_of_our_frames(srv_type, callback), gate=True)
        return super().create_service(srv_type, srv_name, callback, *arguments, **options)

    def create_action_server(
        self, action_type: Any, name: str, execute: Callable[..., Any], *,
        decide: Callable[..., Any], begin: Callable[..., Any],
        result_of: Callable[[MbdError], Any], group: Any,
    ) -> Any:
        """Make an action server; a node that is not active rejects goals."""
        return super().create_action_server(
            action_type, name, self._counted(execute), decide=self._counted(decide, gate=True),
            begin=self._counted(begin), result_of=result_of, group=group)

    def _take_settings(self) -> None:
        if self.configured:
            self.use_settings()

    def _done(self, name: str, work: Callable[[], None]) -> bool:
        """Do the work of a transition; tell whether it is done, and log or keep why not."""
        def kept() -> bool:
            self._hindrance = None
            try:
                work()
            except Exception as error:
                if not self._starting:
                    raise
                self._hindrance = error   # raised by start
            if self._starting and not self.context.ok():
                raise _Ended
            return self._hindrance is None
        return bool(self.guard.wrap(f'cannot {name}', kept, interval=0.0)())

    def _stop(self, state: LifecycleState) -> None:
        self.active = False
        for publisher in self._managed_publishers():
            publisher.on_deactivate(state)
        super().on_deactivate(state)

    def _managed_publishers(self) -> list[ManagedPublisher]:
        return [one for one in self.publishers if isinstance(one, ManagedPublisher)]

    def _clean_at_last(self) -> None:
        """Remove what was configured, at once or when every request has its answer."""
        if not self._busy:
            self._clean_answered()
            return
        idle = 0

        def look() -> None:
            nonlocal idle
            idle = 0 if self._busy else idle + 1
            if idle == 2:   # the answer of the last one had a period to be sent
                self._clean()
        super().create_timer(   # goes with the rest
            TIME_TO_ANSWER, look, clock=LibraryClock(clock_type=ClockType.STEADY_TIME))
        self.close()

    def _clean_answered(self) -> None:
        """Remove what was configured, unless a request is being answered."""
        with self._lock:
            busy = self._busy
        if busy:
            raise InvalidValueError('number of requests that are still being answered', busy,
                                    '0: try again once they are')
        time.sleep(TIME_TO_ANSWER)
        self._clean()

    def _clean(self) -> None:
        """Remove all that was made since the constructor."""
        self.close()
        for kind, destroy in KINDS:
            for entity in list(getattr(self, kind)):
                if id(entity) not in self._permanent:
                    getattr(self, destroy)(entity)
        for entity in list(self.waitables):
            if id(entity) not in self._permanent and hasattr(entity, 'destroy'):
                entity.destroy()
        self.configured, self._source, self._health = False, None, None
        read_again(self, self.NAME, self._settings)   # topics change some of them, too
        self.reset_state()

    def _prefix(self, msg_type: Any) -> str:
        """Return what is in front of the names of frames in messages; empty if they name none."""
        return self._settings.frame_prefix if any(places(msg_type)) else ''

    def _of_our_frames(self, msg_type: Any, callback: Callable[..., Any]) -> Callable[..., Any]:
        """Return a callback of messages that takes the prefix off the names of frames first."""
        prefix = self._prefix(msg_type)
        if not prefix:
            return callback

        @functools.wraps(callback)
        def stripped(message: Any, *others: Any) -> Any:
            remove_prefix(message, prefix)
            return callback(message, *others)
        return stripped

    def _answers_of_our_frames(self, srv_type: Any, callback: Callable[..., Any]
                               ) -> Callable[..., Any]:
        """Return a callback of requests whose answers have the prefix; requests name no frame."""
        prefix = self._prefix(srv_type.Response)
        if not prefix:
            return callback

        @functools.wraps(callback)
        def prefixed(*arguments: Any) -> Any:
            answer = callback(*arguments)
            add_prefix(answer, prefix)
            return answer
        return prefixed

    def _if_active(self, callback: Callable[..., Any]) -> Callable[..., Any]:
        """Return a callback that does nothing while the node is not active."""
        @functools.wraps(callback)
        def gated(*arguments: Any) -> Any:
            return callback(*arguments) if self.active else None
        return gated

    def _counted(self, callback: Callable[..., Any], *, gate: bool = False) -> Callable[..., Any]:
        """Return a callback for whose answer a cleanup waits; with a gate, for active nodes."""
        if inspect.iscoroutinefunction(callback):
            @functools.wraps(callback)
            async def counted(*arguments: Any) -> Any:
                self._enter(gate)
                try:
                    return await callback(*arguments)
                finally:
                    self._leave()
        else:
            @functools.wraps(callback)
            def counted(*arguments: Any) -> Any:
                self._enter(gate)
                try:
                    return callback(*arguments)
                finally:
                    self._leave()
        return counted

    def _enter(self, gate: bool) -> None:
        if gate:
            self.require_active()
        with self._lock:
            self._busy += 1

    def _leave(self) -> None:
        with self._lock:
            self._busy -= 1
