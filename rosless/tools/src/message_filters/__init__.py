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
Filters of messages: caches, chains, and sets of messages of the same or about the same time.

A filter gives what it gets to the callbacks that were registered with it; other filters register
themselves there. Everything goes through the public API of `rclpy`.

"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
import threading
from typing import Any

from rclpy.clock import ROSClock
from rclpy.duration import Duration
from rclpy.logging import get_logger
from rclpy.time import Time

__all__ = [
    'ApproximateTimeSynchronizer',
    'Cache',
    'Chain',
    'SimpleFilter',
    'Subscriber',
    'TimeSynchronizer',
]


class SimpleFilter:
    """Base of all filters: calls what has been registered."""

    def __init__(self) -> None:
        self.callbacks: dict[int, tuple[Callable[..., Any], tuple[Any, ...]]] = {}

    def registerCallback(self, cb: Callable[..., Any], *args: Any) -> int:
        """
        Have a function called with everything that leaves this filter.

        Parameters
        ----------
        cb : Callable
            The function.
        *args
            What it gets behind the messages.

        Returns
        -------
        int
            The key of the function in `callbacks`.

        """
        key = len(self.callbacks)
        self.callbacks[key] = (cb, args)
        return key

    def signalMessage(self, *msg: Any) -> None:
        """Call what has been registered with messages."""
        for callback, args in list(self.callbacks.values()):
            callback(*msg, *args)


class Subscriber(SimpleFilter):
    """
    A filter that a subscription feeds.

    Parameters
    ----------
    node : Node
        Whose subscription it is.
    msg_type : type
        Class of the messages.
    topic : str
        Name of the topic.
    *args, **kwargs
        Further ones of `Node.create_subscription`; the depth is 10 if no `qos_profile` is given.

    """

    def __init__(self, node: Any, msg_type: Any, topic: str, *args: Any, **kwargs: Any) -> None:
        SimpleFilter.__init__(self)
        self.node = node
        self.topic = topic
        if not args:
            kwargs.setdefault('qos_profile', 10)
        self.sub = node.create_subscription(msg_type, topic, self.callback, *args, **kwargs)

    def callback(self, msg: Any) -> None:
        """Pass a message on."""
        self.signalMessage(msg)

    def getTopic(self) -> str:
        """Return the name of the topic, as it was given."""
        return self.topic

    def __getattr__(self, key: str) -> Any:
        """Return what the subscription has."""
        if key == 'sub':
            raise AttributeError(key)
        return getattr(self.sub, key)


class Cache(SimpleFilter):
    """
    Keeps the last messages, in the order they came, and passes them on.

    Parameters
    ----------
    f : SimpleFilter
        Where they come from.
    cache_size : int
        How many are kept.
    allow_headerless : bool
        Whether messages without a header get the present time, or are dropped with a warning.

    """

    def __init__(self, f: Any, cache_size: int = 1, allow_headerless: bool = False) -> None:
        SimpleFilter.__init__(self)
        self.cache_size = cache_size
        self.cache_msgs: list[Any] = []
        self.cache_times: list[Time] = []
        self.allow_headerless = allow_headerless
        self.connectInput(f)

    def connectInput(self, f: Any) -> None:
        """Take messages from a filter."""
        self.incoming_connection = f.registerCallback(self.add)

    def add(self, msg: Any) -> None:
        """Keep a message and pass it on."""
        stamp = _time_of(msg, self.allow_headerless, 'message_filters_cache')
        if stamp is None:
            return
        self.cache_times.append(stamp)
        self.cache_msgs.append(msg)
        if len(self.cache_msgs) > self.cache_size:
            del self.cache_msgs[0], self.cache_times[0]
        self.signalMessage(msg)

    def getInterval(self, from_stamp: Time, to_stamp: Time) -> list[Any]:
        """Return the messages from one time to another, both included."""
        assert from_stamp <= to_stamp, f'the interval from {from_stamp} to {to_stamp} is empty'
        return [msg for msg, time in self._kept() if from_stamp <= time <= to_stamp]

    def getElemAfterTime(self, stamp: Time) -> Any:
        """Return the first message that is not before a time, or None."""
        return next((msg for msg, time in self._kept() if time >= stamp), None)

    def getElemBeforeTime(self, stamp: Time) -> Any:
        """Return the last message that is not after a time, or None."""
        return next((msg for msg, time in reversed(self._kept()) if time <= stamp), None)

    def getLastestTime(self) -> Time | None:
        """Return the time of the last message, or None."""
        return self.cache_times[-1] if self.cache_times else None

    def getOldestTime(self) -> Time | None:
        """Return the time of the first message that is kept, or None."""
        return self.cache_times[0] if self.cache_times else None

    def getLast(self) -> Any:
        """Return the first message that is not before the last one's time, or None."""
        latest = self.getLastestTime()
        return None if latest is None else self.getElemAfterTime(latest)

    def _kept(self) -> list[tuple[Any, Time]]:
        return list(zip(self.cache_msgs, self.cache_times))


class Chain(SimpleFilter):
    """
    Filters one behind the other; what leaves the last one leaves the chain.

    Parameters
    ----------
    message_filter : SimpleFilter, optional
        Where messages come from.

    """

    def __init__(self, message_filter: Any = None) -> None:
        SimpleFilter.__init__(self)
        self.incoming_connection: int | None = None
        self._filters: list[Any] = []
        self._last_key = 0
        if message_filter is not None:
            self.connectInput(message_filter)

    def connectInput(self, message_filter: Any) -> None:
        """Take messages from a filter; raises RuntimeError if there is one already."""
        if self.incoming_connection is not None:
            raise RuntimeError('Already connected')
        self.incoming_connection = message_filter.registerCallback(self.add)

    def add(self, message: Any) -> None:
        """Pass a message through the filters."""
        if self._filters:
            self._filters[0].add(message)
        else:
            self.signalMessage(message)

    def addFilter(self, message_filter: Any) -> None:
        """Put a filter behind the others."""
        if self._filters:
            last = self._filters[-1]
            del last.callbacks[self._last_key]
            last.registerCallback(message_filter.add)
        self._last_key = message_filter.registerCallback(self.signalMessage)
        self._filters.append(message_filter)

    def getFilter(self, index: int) -> Any:
        """Return one of the filters."""
        return self._filters[index]


class TimeSynchronizer(SimpleFilter):
    """
    Passes on sets of messages, one from each of several filters, with equal stamps.

    Parameters
    ----------
    fs : Sequence[SimpleFilter]
        Where the messages come from, in the order in which callbacks get them.
    queue_size : int
        How many messages of each are kept; of more, those with the oldest stamps are dropped.

    """

    def __init__(self, fs: Sequence[Any], queue_size: int) -> None:
        SimpleFilter.__init__(self)
        self.queue_size = queue_size
        self.lock = threading.Lock()
        self.connectInput(fs)

    def connectInput(self, fs: Sequence[Any]) -> None:
        """Take messages from filters; what was kept is forgotten."""
        self.queues: list[dict[int, Any]] = [{} for _ in fs]
        self.input_connections = [
            f.registerCallback(self.add, queue, index)
            for index, (f, queue) in enumerate(zip(fs, self.queues))
        ]

    def add(self, msg: Any, my_queue: dict[int, Any], my_queue_index: int | None = None) -> None:
        """Keep a message of one filter, and pass on the sets that are complete."""
        self._add(msg, Time.from_msg(msg.header.stamp).nanoseconds, my_queue)

    def _add(self, msg: Any, stamp: int, queue: dict[int, Any]) -> None:
        with self.lock:
            queue[stamp] = msg
            while len(queue) > self.queue_size:
                del queue[min(queue)]
            found = [
                [each.pop(time) for each, time in zip(self.queues, times)]
                for times in self._sets(stamp, queue)
            ]
        for messages in found:
            self.signalMessage(*messages)

    def _sets(self, stamp: int, queue: dict[int, Any]) -> Iterator[Sequence[int]]:
        """Return the stamps [ns] of complete sets, each in the order of the queues."""
        common = set.intersection(*(set(each) for each in self.queues))
        return iter([[time] * len(self.queues) for time in sorted(common)])


class ApproximateTimeSynchronizer(TimeSynchronizer):
    """
    Passes on sets of messages, one from each of several filters, with nearly equal stamps.

    Parameters
    ----------
    fs, queue_size
        See `TimeSynchronizer`.
    slop : float
        The stamps of a set differ by less than this [s].
    allow_headerless : bool
        Whether messages without a header get the present time, or are dropped with a warning.

    """

    def __init__(
        self, fs: Sequence[Any], queue_size: int, slop: float, allow_headerless: bool = False
    ) -> None:
        TimeSynchronizer.__init__(self, fs, queue_size)
        self.slop = Duration(seconds=slop)
        self.allow_headerless = allow_headerless

    def add(self, msg: Any, my_queue: dict[int, Any], my_queue_index: int | None = None) -> None:
        """Keep a message of one filter, and pass on the set that it completes."""
        time = _time_of(msg, self.allow_headerless, 'message_filters_approx')
        if time is not None:
            self._add(msg, time.nanoseconds, my_queue)

    def _sets(self, stamp: int, queue: dict[int, Any]) -> Iterator[Sequence[int]]:
        """Return the set with the new stamp whose others are nearest to it, first filter first."""
        slop = self.slop.nanoseconds
        near = [
            [stamp] * (stamp in queue)
            if each is queue
            else sorted(
                (time for time in each if abs(time - stamp) <= slop),
                key=lambda time: abs(time - stamp),
            )
            for each in self.queues
        ]
        fitting = (times for times in product(*near) if max(times) - min(times) < slop)
        return iter([times] if (times := next(fitting, None)) else [])


def _time_of(msg: Any, allow_headerless: bool, logger: str) -> Time | None:
    """Return the time in the header of a message, or the present one if there is no header."""
    stamp = getattr(getattr(msg, 'header', None), 'stamp', None)
    if stamp is not None:
        return stamp if isinstance(stamp, Time) else Time.from_msg(stamp)
    if allow_headerless:
        return ROSClock().now()
    get_logger(logger).warning(
        f'a message of {type(msg)} has no header with a stamp and is dropped; '
        'allow_headerless=True would give it the present time'
    )
    return None
