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

"""Reaction to the output of a process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launch.action import Action
from launch.event_handlers.on_action_event_base import OnActionEventBase
from launch.events.process import ProcessIO
from launch.some_entities_type import SomeEntitiesType

Callback = Callable[[ProcessIO], SomeEntitiesType | None]


class OnProcessIO(OnActionEventBase):
    """
    React to the output of a process.

    Parameters
    ----------
    target_action : ExecuteLocal, callable or None
        Whose output; None for any process.
    on_stdout, on_stderr : callable, optional
        Takes the event and returns what to visit, or None.
    on_stdin : callable, optional
        Accepted for compatibility; processes get no input.

    """

    def __init__(
        self,
        *,
        target_action: Action | Callable[[Any], bool] | None = None,
        on_stdin: Callback | None = None,
        on_stdout: Callback | None = None,
        on_stderr: Callback | None = None,
        **kwargs: Any,
    ) -> None:
        def choose(event: ProcessIO, _context: Any) -> SomeEntitiesType | None:
            callback = (on_stdout if event.from_stdout else
                        on_stderr if event.from_stderr else on_stdin)
            return None if callback is None else callback(event)

        super().__init__(action_matcher=target_action, on_event=choose,
                         target_event_cls=ProcessIO, **kwargs)
