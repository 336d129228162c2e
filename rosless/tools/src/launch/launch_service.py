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

"""Execute launch descriptions."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
import contextlib
import signal
import threading
import traceback
from typing import Any

from launch.action import Action
from launch.event import Event
from launch.event_handler import as_entities
from launch.events.execution_complete import ExecutionComplete
from launch.events.include_launch_description import IncludeLaunchDescription
from launch.events.shutdown import Shutdown
from launch.launch_context import LaunchContext
from launch.launch_description import LaunchDescription
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.logging import DEBUG
from launch.logging import get_logger
from launch.logging import launch_config
from launch.logging import log_launch_config

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class LaunchService:
    """
    Visit launch descriptions and handle events until nothing is left to do.

    Parameters
    ----------
    argv : iterable of str, optional
        Arguments given by the user, kept in the context.
    noninteractive : bool
        Whether no terminal is attached.
    debug : bool
        Whether messages of level DEBUG are shown.

    """

    def __init__(
        self,
        *,
        argv: Iterable[str] | None = None,
        noninteractive: bool = False,
        debug: bool = False,
    ) -> None:
        self.__context = LaunchContext(argv=argv, noninteractive=noninteractive)
        self.__logger = get_logger()
        if debug:
            launch_config.level = DEBUG
        self.__futures: set[asyncio.Future[None]] = set()
        self.__returncode = 0
        self.__shutting_down = False   # in this run; another may follow
        self.__interrupts = 0

    @property
    def context(self) -> LaunchContext:
        """State of the launch."""
        return self.__context

    @property
    def event_loop(self) -> asyncio.AbstractEventLoop | None:
        """Return the loop that runs the launch; None while it is not running."""
        return self.__context._asyncio_loop

    def _is_idle(self) -> bool:
        """Tell whether nothing is left to do."""
        return not self.__futures and not self.__context._event_queue

    def include_launch_description(self, launch_description: LaunchDescription) -> None:
        """Add a launch description to visit."""
        self.emit_event(IncludeLaunchDescription(launch_description))

    def emit_event(self, event: Event) -> None:
        """Make an event happen; may be called from any thread."""
        loop = self.__context._asyncio_loop
        if loop is None:
            self.__context.emit_event_sync(event)
        else:
            loop.call_soon_threadsafe(self.__context.emit_event_sync, event)

    def shutdown(self, force_sync: bool = False) -> None:
        """Ask for the end of the launch; may be called from any thread."""
        self.emit_event(Shutdown(reason='LaunchService.shutdown() called'))

    def run(self, *, shutdown_when_idle: bool = True) -> int:
        """
        Run until all is done.

        SIGINT (Ctrl-C), SIGTERM and SIGHUP end every process and then the launch; they are
        watched only where this is called in the main thread.

        Parameters
        ----------
        shutdown_when_idle : bool
            Whether to end when no process, timer or event is left.

        Returns
        -------
        int
            0, or 1 if an error ended the launch.

        """
        # Not by asyncio.run(), which takes the loop away that asyncio.get_event_loop() returns.
        loop = asyncio.new_event_loop()
        try:
            return loop.run_until_complete(self.run_async(shutdown_when_idle=shutdown_when_idle))
        finally:
            loop.run_until_complete(cancel_others())
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    async def run_async(self, *, shutdown_when_idle: bool = True) -> int:
        """Run until all is done, in a loop that is running already; see ``run``."""
        context = self.__context
        loop = asyncio.get_running_loop()
        context._set_asyncio_loop(loop)
        launch_config.log_to_file()
        log_launch_config(logger=self.__logger)
        with self.__watch_signals(loop):
            try:
                await self.__serve(shutdown_when_idle)
            finally:
                await context.process_groups.end_all()
                context._asyncio_loop = None
        return self.__returncode

    async def __serve(self, shutdown_when_idle: bool) -> None:
        context = self.__context
        waiter = context._event_waiter
        assert waiter is not None
        self.__shutting_down = False
        while True:
            while context._event_queue:
                self.__process(context._event_queue.popleft())
            self.__forget_finished()
            if context._event_queue:
                continue
            waiter.clear()
            if not self.__futures:
                if self.__shutting_down:
                    return
                if shutdown_when_idle:
                    self.__process(Shutdown(reason='idle'))
                    continue
            wake = asyncio.ensure_future(waiter.wait())
            awaited: set[asyncio.Future[Any]] = {wake, *self.__futures}
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            wake.cancel()

    def __forget_finished(self) -> None:
        finished = {future for future in self.__futures if future.done()}
        self.__futures -= finished
        for future in finished:
            error = None if future.cancelled() else future.exception()
            if isinstance(error, Exception):
                self.__fail(error)

    def __process(self, event: Event) -> None:
        context = self.__context
        self.__logger.debug(f"processing event: '{event.name}'")
        if isinstance(event, Shutdown):
            context._is_shutdown = self.__shutting_down = True
        handlers = tuple(context._event_handlers)  # without those that this event brings
        try:
            if isinstance(event, IncludeLaunchDescription):
                with context._locals_of_event({}, event):
                    self.__visit(event.launch_description)
            for handler in handlers:
                if handler.matches(event):
                    values = context._locals_of_handlers.get(id(handler), {})
                    with context._locals_of_event(values, event):
                        for entity in as_entities(handler.handle(event, context)):
                            self.__visit(entity)
        except Exception as error:
            self.__fail(error)

    def __visit(self, entity: LaunchDescriptionEntity) -> None:
        scoped = isinstance(entity, Action) and entity.scopes_locals
        if scoped:
            self.__context._push_locals()
        for child in entity.visit(self.__context) or ():
            self.__visit(child)
        if scoped:
            self.__context._pop_locals()
        future = entity.get_asyncio_future()
        if future is not None:
            self.__futures.add(future)
        if isinstance(entity, Action):
            event = ExecutionComplete(action=entity)
            if self.__context.would_handle_event(event):
                if future is None:
                    self.__context.emit_event_sync(event)
                else:
                    future.add_done_callback(
                        lambda _: self.__context.emit_event_sync(event))

    def __fail(self, error: Exception) -> None:
        self.__logger.debug(traceback.format_exc())
        self.__logger.error(
            f'Caught exception in launch (see debug for traceback): {error}')
        self.__returncode = 1
        self.__context.emit_event_sync(
            Shutdown(reason=f'Caught exception in launch: {error}'))

    @contextlib.contextmanager
    def __watch_signals(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        for number in ENDING_SIGNALS:
            loop.add_signal_handler(number, self.__interrupted, number)
        try:
            yield
        finally:
            for number in ENDING_SIGNALS:
                loop.remove_signal_handler(number)

    def __interrupted(self, number: signal.Signals) -> None:
        text = ('user interrupted with ctrl-c (SIGINT)' if number == signal.SIGINT
                else f'received {number.name}')
        self.__interrupts += 1
        if self.__interrupts > 1:
            self.__logger.warning(f'{text} again, ignoring...')
            return
        self.__logger.warning(text)
        self.__context.emit_event_sync(
            Shutdown(reason=text, due_to_sigint=number == signal.SIGINT))


async def cancel_others() -> None:
    """Cancel all tasks of this loop but this one, and wait for their end."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
