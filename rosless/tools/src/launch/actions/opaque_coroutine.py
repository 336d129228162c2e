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

"""Run a coroutine while launching."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.event_handlers.on_shutdown import OnShutdown

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class OpaqueCoroutine(Action):
    """
    Run a coroutine function in the loop of the launch; it is cancelled as the launch ends.

    Parameters
    ----------
    coroutine : coroutine function
        Takes the launch context, then ``args`` and ``kwargs``.
    args : iterable, optional
        Further positional arguments.
    kwargs : mapping, optional
        Keyword arguments.
    ignore_context : bool
        Whether the launch context is left out of the arguments.

    """

    def __init__(
        self,
        *,
        coroutine: Callable[..., Coroutine[Any, Any, Any]],
        args: Iterable[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
        ignore_context: bool = False,
        **left_over_kwargs: Any,
    ) -> None:
        super().__init__(**left_over_kwargs)
        if not asyncio.iscoroutinefunction(coroutine):
            raise TypeError(f"OpaqueCoroutine expected a coroutine function, found '{coroutine}'")
        self.__coroutine = coroutine
        self.__args = tuple(args or ())
        self.__kwargs = dict(kwargs or {})
        self.__ignore_context = ignore_context
        self.__future: asyncio.Future[Any] | None = None

    def execute(self, context: LaunchContext) -> None:
        """Begin to run the coroutine."""
        args = self.__args if self.__ignore_context else (context, *self.__args)
        task = context.running_loop.create_task(self.__coroutine(*args, **self.__kwargs))
        self.__future = task

        def cancel(_event: object, _context: object) -> None:
            task.cancel()

        context.register_event_handler(OnShutdown(on_shutdown=cancel))

    def get_asyncio_future(self) -> asyncio.Future[Any] | None:
        """Return the task."""
        return self.__future
