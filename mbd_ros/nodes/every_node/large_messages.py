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
Read large messages beside the callbacks: control steps go on meanwhile.

Nodes subscribe to octets. A small message is read where its callback runs. A large one is held
against the limits of its topic, read in a thread, and given to its callback afterwards.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import contextlib
import functools
import threading
import time
from typing import Any, TYPE_CHECKING

from rclpy._rclpy_pybind11 import InvalidHandle
from rclpy.callback_groups import CallbackGroup
from rclpy.serialization import deserialize_message

from mbd_ros.errors import MbdError
from mbd_ros.messages.fields.message_size import Limits, require_within

if TYPE_CHECKING:
    from mbd_ros.nodes.every_node.guard import GuardedNode

REST = 3.0
"""After a large message none is read for so many times as long as it took."""
LONGEST_REST = 3.0
"""But not longer than this [s]."""
Given = tuple[bytes, tuple[Any, ...]]


class LargeMessages:
    """
    Turns the octets of one topic into messages.

    While a large message is read those that come after it wait, so that their order stays; where
    too many wait the oldest is dropped, as DDS does it. Reading takes a fourth of the
    time at most, so that who sends one large message after the other delays nobody much.

    Parameters
    ----------
    node : GuardedNode
        The node.
    topic : str
        Of the messages.
    kind : type
        Their class.
    callback : callable
        Given a message, and what else the client library gives.
    limits : Limits
        Of a message.
    group : CallbackGroup or None
        Of the callback.
    prepare : callable or None
        Given a message in the thread, returns what its callback gets of it.

    """

    def __init__(self, node: GuardedNode, topic: str, kind: Any, callback: Callable[..., Any],
                 limits: Limits, group: CallbackGroup | None,
                 prepare: Callable[[Any], Any] | None) -> None:
        self._node, self._kind, self._limits, self._group = node, kind, limits, group
        self._callback = node.guard.wrap(f'{topic} not used', callback)
        self._prepare = prepare
        self._read_guarded = node.guard.wrap(f'{topic} not used', self._read)
        self._lock = threading.Lock()
        self._waiting: deque[Given] = deque()
        self._ready: deque[tuple[Any, tuple[Any, ...]]] = deque()
        self._aside = 0   # messages that came and were not handed on yet
        self._running = False
        self._more: Any = None

    def callback(self) -> Callable[..., Any]:
        """Return the callback of a raw subscription; it takes as much as that of the messages."""
        @functools.wraps(self._callback)
        def hear(data: bytes, *others: Any) -> Any:
            if len(data) <= self._limits.small and not self._aside:
                return self._callback(_message(data, self._kind), *others)
            if len(data) > self._limits.octets:   # not to be kept at all
                require_within(data, self._kind, self._limits)
            self._later(data, others)
            return None
        return hear

    def _later(self, data: bytes, others: tuple[Any, ...]) -> None:
        """Read a message in the thread, after those that came before it."""
        if self._more is None:
            self._more = self._node.create_guard_condition(self._hand_on, self._group)
        with self._lock:
            self._waiting.append((data, others))
            self._aside += 1
            while (len(self._waiting) > self._limits.waiting
                   or sum(len(one) for one, _ in self._waiting) > self._limits.octets):
                self._waiting.popleft()
                self._aside -= 1
            if self._running:
                return
            self._running = True
        threading.Thread(target=self._run, daemon=True, name='large messages').start()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running = False
                    return
                data, others = self._waiting.popleft()
            begin = time.thread_time()
            message = self._read_guarded(data)
            took = time.thread_time() - begin
            with self._lock:
                if message is not None:
                    self._ready.append((message, others))
                if message is None or len(self._ready) > self._limits.waiting:
                    self._aside -= 1
                if len(self._ready) > self._limits.waiting:
                    self._ready.popleft()
            with contextlib.suppress(InvalidHandle):   # the node was cleaned up meanwhile
                self._more.trigger()
            time.sleep(min(REST * took, LONGEST_REST))   # leave time to others

    def _read(self, data: bytes) -> Any:
        require_within(data, self._kind, self._limits)
        message = _message(data, self._kind)
        return message if self._prepare is None else self._prepare(message)

    def _hand_on(self) -> None:
        """Call the callback, in its group, for what has been read."""
        while self._ready:
            with self._lock:
                message, others = self._ready.popleft()
                self._aside -= 1
            self._callback(message, *others)


def _message(data: bytes, kind: Any) -> Any:
    try:
        return deserialize_message(data, kind)
    except RuntimeError as error:
        raise MbdError(str(error)) from None
