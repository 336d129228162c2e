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

"""The state of one launch."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
import contextlib
import os
from typing import Any

from launch.event import Event
from launch.event_handler import EventHandler
from launch.substitution import Substitution
from launch.utilities.process_groups import ProcessGroups


class _Locals:
    """Attribute access to the values that hold while one event is handled."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"context.locals is only read; '{name}' is set by extend_locals()")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"context.locals does not contain attribute '{name}', it contains: "
                             f'[{", ".join(sorted(self.__dict__))}]')


class EventQueue(deque[Event]):
    """The events that have not been handled yet."""

    def qsize(self) -> int:
        """Return how many there are."""
        return len(self)

    def get_nowait(self) -> Event:
        """Take the next one; raises `asyncio.QueueEmpty` if there is none."""
        if not self:
            raise asyncio.QueueEmpty
        return self.popleft()


class LaunchContext:
    """
    Configurations, environment, event handlers and the queue of events.

    Parameters
    ----------
    argv : iterable of str, optional
        Arguments given by the user.
    noninteractive : bool
        Whether no terminal is attached.

    """

    def __init__(
        self, *, argv: Iterable[str] | None = None, noninteractive: bool = False,
    ) -> None:
        self.argv = list(argv or ())
        self.noninteractive = noninteractive
        self.launch_configurations: dict[str, Any] = {}
        self.process_groups = ProcessGroups()
        self._is_shutdown = False
        self._event_queue = EventQueue()
        self._event_waiter: asyncio.Event | None = None
        self._event_handlers: deque[EventHandler] = deque()
        self._locals_of_handlers: dict[int, dict[str, Any]] = {}   # by the handler's id
        self._locals_stack: list[dict[str, Any]] = []
        self._configurations_stack: list[dict[str, Any]] = []
        self._environment_stack: list[dict[str, str]] = []
        self._globals: dict[str, Any] = {}
        self._locals: dict[str, Any] = {}
        self._environment_reset = dict(os.environ)
        self._asyncio_loop: asyncio.AbstractEventLoop | None = None

    @property
    def is_shutdown(self) -> bool:
        """Whether the launch is being shut down."""
        return self._is_shutdown

    @property
    def asyncio_loop(self) -> asyncio.AbstractEventLoop | None:
        """Return the running loop; None before the launch service runs."""
        return self._asyncio_loop

    @property
    def running_loop(self) -> asyncio.AbstractEventLoop:
        """Return the running loop; raises RuntimeError before the launch service runs."""
        if self._asyncio_loop is None:
            raise RuntimeError('the launch service is not running: there is no asyncio loop yet')
        return self._asyncio_loop

    def _set_asyncio_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        self._asyncio_loop = loop
        self._event_waiter = asyncio.Event()

    # Environment and configurations

    @property
    def environment(self) -> MutableMapping[str, str]:
        """Return the environment that processes inherit: that of this process."""
        return os.environ

    def _replace_environment(self, environment: Mapping[str, str]) -> None:
        os.environ.clear()
        os.environ.update(environment)

    def _push_environment(self) -> None:
        self._environment_stack.append(dict(os.environ))

    def _pop_environment(self) -> None:
        if not self._environment_stack:
            raise RuntimeError('more PopEnvironment than PushEnvironment')
        self._replace_environment(self._environment_stack.pop())

    def _reset_environment(self) -> None:
        self._replace_environment(self._environment_reset)

    def _push_launch_configurations(self) -> None:
        self._configurations_stack.append(dict(self.launch_configurations))

    def _pop_launch_configurations(self) -> None:
        if not self._configurations_stack:
            raise RuntimeError('more PopLaunchConfigurations than PushLaunchConfigurations')
        self.launch_configurations = self._configurations_stack.pop()

    # Values that hold while an event is handled

    @property
    def locals(self) -> Any:
        """Return the current values as attributes; ``locals.event`` is the event being handled."""
        return _Locals({**self._globals, **self._locals})

    def get_locals_as_dict(self) -> dict[str, Any]:
        """Return the current values."""
        return {**self._globals, **self._locals}

    def extend_locals(self, extra: Mapping[str, Any]) -> None:
        """Add values that are forgotten after the event being handled."""
        self._locals.update(extra)

    def extend_globals(self, extra: Mapping[str, Any]) -> None:
        """Add values that stay."""
        self._globals.update(extra)

    def _push_locals(self) -> None:
        self._locals_stack.append(dict(self._locals))

    def _pop_locals(self) -> None:
        if not self._locals_stack:
            raise RuntimeError('more _pop_locals() than _push_locals()')
        self._locals = self._locals_stack.pop()

    @contextlib.contextmanager
    def _locals_of_event(self, values: Mapping[str, Any], event: Event) -> Iterator[None]:
        """Have values hold while an event is handled."""
        before = self._locals
        self._locals = {**values, 'event': event}
        try:
            yield
        finally:
            self._locals = before

    def perform_substitution(self, substitution: Substitution) -> str:
        """Return the text of a substitution in this context."""
        return substitution.perform(self)

    # Events

    def register_event_handler(self, event_handler: EventHandler, append: bool = False) -> None:
        """
        Add a handler, in front of the others or behind them.

        The values that hold now, such as the path of the launch file, will hold for what it does.

        """
        self._locals_of_handlers[id(event_handler)] = dict(self._locals)
        if append:
            self._event_handlers.append(event_handler)
        else:
            self._event_handlers.appendleft(event_handler)

    def unregister_event_handler(self, event_handler: EventHandler) -> None:
        """Remove a handler; raises ValueError if it is not registered."""
        del self._event_handlers[list(self._event_handlers).index(event_handler)]
        if event_handler not in self._event_handlers:
            self._locals_of_handlers.pop(id(event_handler), None)

    def would_handle_event(self, event: Event) -> bool:
        """Tell whether there is a handler for this event."""
        return any(handler.matches(event) for handler in self._event_handlers)

    def emit_event_sync(self, event: Event) -> None:
        """Append an event to the queue; to be called in the thread of the loop."""
        self._event_queue.append(event)
        if self._event_waiter is not None:
            self._event_waiter.set()

    async def emit_event(self, event: Event) -> None:
        """Append an event to the queue."""
        self.emit_event_sync(event)
