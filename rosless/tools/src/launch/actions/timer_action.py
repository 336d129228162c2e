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

"""Do something later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.event_handler import EventHandler
from launch.event_handlers.on_shutdown import OnShutdown
from launch.events.timer_event import TimerEvent
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class TimerAction(Action):
    """
    Visit entities after some time.

    Parameters
    ----------
    period : float, or text with substitutions
        The time [s].
    actions : iterable of LaunchDescriptionEntity
        What to visit then.
    cancel_on_shutdown : bool
        Whether the end of the launch cancels the timer.

    """

    def __init__(
        self,
        *,
        period: float | SomeSubstitutionsType,
        actions: Iterable[LaunchDescriptionEntity],
        cancel_on_shutdown: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.__period: float | list[Any] = (
            float(period) if isinstance(period, (int, float))
            else normalize_to_list_of_substitutions(period))
        self.__actions = list(actions)
        self.__cancel_on_shutdown = cancel_on_shutdown
        self.__stop: Callable[[], None] | None = None
        self.__done: asyncio.Future[None] | None = None

    @property
    def period(self) -> float | list[Any]:
        """Time [s], or parts of its text."""
        return self.__period

    @property
    def actions(self) -> list[LaunchDescriptionEntity]:
        """Return what to visit."""
        return self.__actions

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, list[LaunchDescriptionEntity]]]:
        """Return what is visited when the time has come."""
        text = (str(self.__period) if isinstance(self.__period, float)
                else ' + '.join(part.describe() for part in self.__period))
        return [(f'after {text} second(s)', self.__actions)]

    def execute(self, context: LaunchContext) -> None:
        """Start the timer."""
        period = (self.__period if isinstance(self.__period, float)
                  else float(perform_substitutions(context, self.__period)))
        loop = context.running_loop
        self.__done = loop.create_future()
        if context.is_shutdown and self.__cancel_on_shutdown:
            self.cancel()
            return
        context.register_event_handler(EventHandler(
            matcher=lambda event: (isinstance(event, TimerEvent)
                                   and event.timer_action is self),
            entities=self.__actions, handle_once=True))
        if self.__cancel_on_shutdown:
            context.register_event_handler(
                OnShutdown(on_shutdown=lambda _event, _context: self.cancel()))
        self.__stop = self._call_later(context, period, lambda: self.__fire(context))

    def _call_later(
        self, context: LaunchContext, period: float, fire: Callable[[], None],
    ) -> Callable[[], None]:
        """Have a function called after a time [s]; return the function that prevents it."""
        return context.running_loop.call_later(period, fire).cancel

    def cancel(self) -> None:
        """Stop the timer if it is still running."""
        if self.__stop is not None:
            self.__stop()
            self.__stop = None
        if self.__done is not None and not self.__done.done():
            self.__done.set_result(None)

    def get_asyncio_future(self) -> asyncio.Future[None] | None:
        """Return a future that is done when the timer is."""
        return self.__done

    def __fire(self, context: LaunchContext) -> None:
        context.emit_event_sync(TimerEvent(timer_action=self))
        self.cancel()
