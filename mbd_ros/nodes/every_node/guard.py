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
Error handling around every callback of a node: an error ends the callback, never the node.

Nodes of this package derive from ``GuardedNode``, which wraps each callback where its entity is
made. An ``MbdError`` is a refusal: a message, request or goal that is not as it should be. Any
other exception is an internal error: its traceback is logged. Both are counted for the
diagnostics, and an answer, where there is one, says what was wrong.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
import functools
import inspect
import re
import time
import traceback
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import qos_policy_name_from_kind
try:
    from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
except ImportError:   # Humble
    from rclpy.qos_event import PublisherEventCallbacks, SubscriptionEventCallbacks

from mbd_ros.errors import MbdError, one_line
from mbd_ros.messages.diagnostics.error_codes import fail
from mbd_ros.messages.fields.message_size import is_bounded, Limits, USUAL
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.large_messages import LargeMessages

REFUSALS = 1.0
"""Least time between two log lines about refusals by one entity [s]."""
BURST = 20
"""Lines about rejected goals that may follow one another at once: no answer has the reason."""
INFINITE = float('inf')
REPEATS = 60.0
"""Least time between two log lines about the same internal error [s]."""
NUMBER = re.compile(r'[-+]?\d[\d.e+-]*')
"""What differs between refusals of the same cause."""
MOST_REFUSED = 50
"""Causes of refusals by one entity that are logged apart; others share the interval."""
QUIET = 5.0
"""Time after the last line after which it is said how many were left out since [s]."""
MOST_CAUSES = 5
"""Of an internal error, in the log."""

Recover = Callable[[MbdError, tuple[Any, ...]], Any]
"""Returns what a callback returns after an error, for the error and the callback's arguments."""


class Guard:
    """
    Catches, counts and logs what the callbacks of one node raise.

    Parameters
    ----------
    node : Node
        The node.

    Attributes
    ----------
    refused, failed : int
        Refusals and internal errors so far.
    last : str
        The last refusal or internal error in words; empty if there was none.
    incompatible : Counter
        How many endpoints of others do not fit ours, by topic and the policy that differs.

    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self.incompatible: Counter[tuple[str, str]] = Counter()
        self._said: dict[tuple[Any, ...], deque[float]] = {}
        self._left_out: dict[tuple[Any, ...], tuple[int, str]] = {}
        self.refused = self.failed = 0
        self.last = ''

    def wrap(self, name: str, callback: Callable[..., Any], recover: Recover | None = None, *,
             interval: float = REFUSALS, burst: int = 1) -> Callable[..., Any]:
        """
        Return a callback that never raises.

        Parameters
        ----------
        name : str
            What errors are said to be about, such as a topic.
        callback : callable
            Function or coroutine function.
        recover : callable, optional
            Returns the callback's result after an error; None if not given.
        interval : float, optional
            Least time between two log lines about refusals [s]; infinity where an answer has them,
            0 where every error is logged, internal ones, too.
        burst : int, optional
            Number of lines that may come at once; so many intervals pass until as many come again.

        Returns
        -------
        callable
            Of the same signature and kind; its attribute ``guarded`` is true.

        """
        def caught(error: Exception, arguments: tuple[Any, ...]) -> Any:
            if not self._node.context.ok():   # publishing fails amid the shutdown
                return None
            refusal = self._note(name, error, interval, burst)
            return None if recover is None else recover(refusal, arguments)

        if inspect.iscoroutinefunction(callback):
            @functools.wraps(callback)
            async def guarded(*arguments: Any) -> Any:
                try:
                    return await callback(*arguments)
                except Exception as error:
                    return caught(error, arguments)
        else:
            @functools.wraps(callback)
            def guarded(*arguments: Any) -> Any:
                try:
                    return callback(*arguments)
                except Exception as error:
                    return caught(error, arguments)
        guarded.guarded = True   # type: ignore[attr-defined]
        return guarded

    def _note(self, name: str, error: Exception, interval: float, burst: int) -> MbdError:
        """Count and log an error; return it as answers carry it."""
        if isinstance(error, MbdError):
            self.refused += 1
            self.last = f'{name}: {error}'
            self._log((name, *self._cause(name, error)), self.last, interval, burst)
            return error
        self.failed += 1
        self.last = one_line(f'{name}: internal error: {error!r}')
        place = traceback.extract_tb(error.__traceback__)[-1]
        self._log((name, type(error), place.filename, place.lineno),
                  f'{self.last}\n{traces(error)}', REPEATS if interval > 0.0 else 0.0)
        return MbdError(f'internal error: {error!r}')

    def _cause(self, name: str, error: MbdError) -> tuple[Any, ...]:
        """Return what refusals of the same cause have in common: their words without numbers."""
        cause = type(error), NUMBER.sub('#', str(error))
        known = sum(key[0] == name for key in self._said)
        return cause if (name, *cause) in self._said or known < MOST_REFUSED else ()

    def _log(self, key: tuple[Any, ...], line: str, interval: float, burst: int = 1) -> None:
        """
        Log a line, unless ``burst`` of the same key were logged in so many intervals [s].

        Those that are left out are counted; the next line, or ``catch_up``, says how many.
        """
        if interval == INFINITE:
            return
        now, said = time.monotonic(), self._said.setdefault(key, deque(maxlen=burst))
        count, _ = self._left_out.pop(key, (0, ''))
        if len(said) == burst and now - said[0] < burst * interval:
            self._left_out[key] = count + 1, self.last
            return
        said.append(now)
        self._node.get_logger().error(line + (f' ({_left_out(count)})' if count else ''))

    def catch_up(self) -> None:
        """Log how many lines were left out where none has come since; for a timer."""
        now = time.monotonic()
        for key, (count, line) in list(self._left_out.items()):
            if now - self._said[key][-1] > QUIET:
                self._left_out.pop(key, None)
                self._said[key].append(now)
                self._node.get_logger().error(f'{line} ({_left_out(count)})')

    def note_incompatible(self, topic: str, what: str) -> Callable[[Any], None]:
        """
        Return the callback of an endpoint for profiles of others that do not fit its own.

        Parameters
        ----------
        topic : str
            As the endpoint was made with.
        what : str
            What it means, for the log.

        """
        def note(event: Any) -> None:
            policy = qos_policy_name_from_kind(event.last_policy_kind)
            name = self._node.resolve_topic_name(topic)
            self.incompatible[name, policy] += event.total_count_change
            self._node.get_logger().warning(f'{name}: {what} ({policy} of the profiles differs)')
        return self.wrap(f'{topic} not compared', note)

    def figures(self) -> dict[str, object]:
        """Return the counts for the diagnostics, by name."""
        return {'refused': self.refused, 'internal errors': self.failed,
                'last error': self.last or 'none',
                'incompatible profiles': ', '.join(
                    f'{count} on {topic} ({policy})'
                    for (topic, policy), count in self.incompatible.copy().items()) or 'none'}


class GuardedNode(Node):
    """
    A node whose callbacks never end the process.

    Parameters
    ----------
    name : str
        Name of the node.

    Attributes
    ----------
    guard : Guard
        What wraps the callbacks, with its counts.

    """

    def __init__(self, name: str) -> None:
        self.guard = Guard(self)
        super().__init__(name)

    @property
    def generation(self) -> int:
        """Return the number of the model in use, for answers; 0 without one."""
        return 0

    def create_publisher(self, msg_type: Any, topic: str, *arguments: Any,
                         **options: Any) -> Any:
        """Make a publisher; subscriptions whose profile does not fit are counted."""
        options.setdefault('event_callbacks', PublisherEventCallbacks(
            incompatible_qos=self.guard.note_incompatible(
                topic, 'a subscription that gets no messages of this node')))
        return super().create_publisher(msg_type, topic, *arguments, **options)

    def create_subscription(self, msg_type: Any, topic: str, callback: Callable[..., Any],
                            *arguments: Any, limits: Limits = USUAL,
                            prepare: Callable[[Any], Any] | None = None,
                            **options: Any) -> Any:
        """
        Make a subscription; a message that is refused is passed over.

        One beyond the limits is refused before it is made into objects; a large one is read, and
        prepared, in a thread (``LargeMessages``).
        """
        options.setdefault('event_callbacks', SubscriptionEventCallbacks(
            incompatible_qos=self.guard.note_incompatible(
                topic, 'a publisher whose messages do not come to this node')))
        if not is_bounded(msg_type) and not options.get('raw'):
            callback = LargeMessages(self, topic, msg_type, callback, limits,
                                     options.get('callback_group'), prepare).callback()
            options['raw'] = True
        return super().create_subscription(
            msg_type, topic, self.guard.wrap(f'{topic} not used', callback), *arguments, **options)

    def create_service(self, srv_type: Any, srv_name: str, callback: Callable[..., Any],
                       *arguments: Any, **options: Any) -> Any:
        """Make a service; the answer to a request that is refused says why."""
        options.setdefault('qos_profile', qos.REQUESTS)

        def refuse(error: MbdError, given: tuple[Any, ...]) -> Any:
            return fail(srv_type.Response(), error, self.generation)
        return super().create_service(
            srv_type, srv_name, self.guard.wrap(srv_name, callback, refuse, interval=INFINITE),
            *arguments, **options)

    def create_timer(self, timer_period_sec: float, callback: Any,
                     *arguments: Any, **options: Any) -> Any:
        """Make a timer."""
        return super().create_timer(
            timer_period_sec, self.guard.wrap(_name(callback), callback), *arguments, **options)

    def create_guard_condition(self, callback: Any, *arguments: Any,
                               **options: Any) -> Any:
        """Make a guard condition."""
        return super().create_guard_condition(
            self.guard.wrap(_name(callback), callback), *arguments, **options)

    def add_on_set_parameters_callback(self, callback: Callable[..., Any]) -> None:
        """Add a check of changes of parameters; one that fails refuses them."""
        def refuse(error: MbdError, given: tuple[Any, ...]) -> SetParametersResult:
            return SetParametersResult(successful=False, reason=str(error))
        super().add_on_set_parameters_callback(
            self.guard.wrap('parameters', callback, refuse, interval=INFINITE))

    def create_action_server(
        self, action_type: Any, name: str, execute: Callable[..., Any], *,
        decide: Callable[..., Any], begin: Callable[..., Any],
        result_of: Callable[[MbdError], Any], group: CallbackGroup,
    ) -> ActionServer:
        """
        Make an action server; every goal gets an answer, and every accepted one a result.

        Parameters
        ----------
        action_type : type
            Class of the action.
        name : str
            Its name.
        execute : callable
            Carries out a goal, given its handle; returns the result.
        decide : callable
            Given a goal, returns a ``GoalResponse``; an error rejects the goal.
        begin : callable
            Given the handle of an accepted goal, calls its ``execute``; an error aborts the goal.
        result_of : callable
            Returns the result of a goal that is aborted by an error.
        group : CallbackGroup
            Of the callbacks.

        Returns
        -------
        ActionServer
            It accepts every request to cancel.

        """
        def reject(error: MbdError, given: tuple[Any, ...]) -> GoalResponse:
            return GoalResponse.REJECT

        def aborted(error: MbdError, given: tuple[Any, ...]) -> Any:
            if given[0].is_active:
                given[0].abort()
            return result_of(error)

        def abort(error: MbdError, given: tuple[Any, ...]) -> None:
            if given[0].is_active:
                given[0].execute(lambda handle: aborted(error, (handle,)))

        wrap = self.guard.wrap
        return ActionServer(
            self, action_type, name, wrap(name, execute, aborted), callback_group=group,
            goal_callback=wrap(f'{name} rejected', decide, reject, burst=BURST),
            handle_accepted_callback=wrap(f'{name} aborted', begin, wrap(name, abort),
                                          burst=BURST),
            cancel_callback=wrap(name, lambda handle: CancelResponse.ACCEPT),
            goal_service_qos_profile=qos.REQUESTS, result_service_qos_profile=qos.REQUESTS,
            cancel_service_qos_profile=qos.REQUESTS)


def traces(error: BaseException) -> str:
    """Return where an error and its causes were raised, the first cause at the end."""
    text, cause = ''.join(traceback.format_tb(error.__traceback__)), error
    for _ in range(MOST_CAUSES):
        found = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
        if found is None:
            break
        cause = found
        text += one_line(f'caused by {cause!r}') + '\n'
        text += ''.join(traceback.format_tb(cause.__traceback__))
    return text


def _name(callback: Callable[..., Any]) -> str:
    """Return the name of a function, for messages."""
    return getattr(callback, '__qualname__', type(callback).__name__)


def _left_out(count: int) -> str:
    return f'{count} more like it {"was" if count == 1 else "were"} not logged'
