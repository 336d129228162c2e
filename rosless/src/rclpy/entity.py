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

"""What an executor sees of timers, subscriptions, services, clients and guard conditions."""

from __future__ import annotations

from collections.abc import Callable
import itertools
from typing import Any, NamedTuple
import weakref

from rosless.dds.endpoints import Endpoint
from rosless.dds.library import DATA_AVAILABLE

from .callback_groups import CallbackGroup
from .handle import HasHandle

_keys = itertools.count(1)


class Job(NamedTuple):
    """A call to make; if it returns a coroutine, that is run."""

    callback: Callable[..., Any]
    args: tuple[Any, ...] = ()


class Entity(HasHandle):
    """
    Something that has callbacks.

    Attributes
    ----------
    callback_group : CallbackGroup
        The group its callbacks belong to.
    endpoint : Endpoint, optional
        What DDS signals data on.
    endpoints : tuple[Endpoint, ...]
        All that it has on the side of DDS, in the order in which they are deleted.
    key : int
        Identifies it in wait sets.
    order : int
        Place of its kind among what is ready at the same time: subscriptions before clients.
    polled : bool
        Whether it is asked whether it `is_due`, because DDS does not signal that.

    """

    order = 1
    polled = False

    def __init__(
        self, callback_group: CallbackGroup, node: Any, endpoint: Endpoint | None = None
    ) -> None:
        self.callback_group = callback_group
        self._node: Callable[[], Any] = _nobody if node is None else weakref.ref(node)
        self.endpoint = endpoint
        self.endpoints = () if endpoint is None else (endpoint,)
        self.key = next(_keys)
        self.destroyed = False
        callback_group.add_entity(self)

    @property
    def watched(self) -> tuple[Endpoint, ...]:
        """Return what DDS signals data on."""
        return () if self.endpoint is None else (self.endpoint,)

    @property
    def logger_name(self) -> str:
        """Name of the node's logger."""
        node = self._node()
        return '' if node is None else node.get_logger().name

    def next_job(self, executor: Any) -> Job | None:
        """Take one piece of work, or None if there is none; called by one thread at a time."""
        raise NotImplementedError

    def signalled(self, executor: Any) -> bool:
        """
        Look what DDS signalled; tell whether there are data to take.

        Where only data are waited for there is nothing to ask: taking them resets the signal, and
        so does `put_off`.

        """
        if self.endpoint is None or self.endpoint.statuses == DATA_AVAILABLE:
            return True
        statuses = self.endpoint.take_statuses()
        if statuses & ~DATA_AVAILABLE:
            self.on_events(statuses & ~DATA_AVAILABLE, executor)
        return bool(statuses & DATA_AVAILABLE)

    def put_off(self) -> None:
        """Let the data that were signalled no longer end waits, because they cannot be taken."""
        if self.endpoint is not None and self.endpoint.statuses == DATA_AVAILABLE:
            self.endpoint.take_statuses()

    def on_events(self, statuses: int, executor: Any) -> None:
        """Handle changes of DDS statuses other than new data."""

    def is_due(self) -> bool:
        """Tell whether there is work, if it is `polled`."""
        return False

    def wait_seconds(self) -> float | None:
        """Return the time after which it may become due by itself [s], if it is `polled`."""
        return None

    def wake(self) -> None:
        """Let the executor look whether it is due."""
        node = self._node()
        if node is not None and node.executor is not None:
            node.executor.wake()

    def close(self) -> None:
        """Stop for good; called by the node."""
        self.destroyed = True

    def destroy(self) -> None:
        """Let the node forget it."""
        node = self._node()
        if node is not None:
            node._remove(self)
        elif not self.destroyed:
            self.close()

    def adopt(self, node: Any) -> None:
        """Belong to this node, if it is one that was made without."""
        if self._node is _nobody:
            self._node = weakref.ref(node)

    def delete(self) -> None:
        """Delete what it has on the side of DDS, as soon as nobody uses its handle."""
        for endpoint in self.endpoints:
            self.when_unused(endpoint.close)

    def _is_destroyed(self) -> bool:
        return self.destroyed


def _nobody() -> None:
    """Stand for the node of an entity that has none."""
