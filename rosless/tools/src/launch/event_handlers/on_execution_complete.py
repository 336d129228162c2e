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

"""Reaction to an action having been executed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launch.action import Action
from launch.event_handlers.on_action_event_base import OnActionEventBase
from launch.event_handlers.on_action_event_base import Reaction
from launch.events.execution_complete import ExecutionComplete


class OnExecutionComplete(OnActionEventBase):
    """
    React to an action, and what it began, being done.

    Parameters
    ----------
    target_action : Action, callable or None
        Which action; None for any.
    on_completion : entities, or callable
        What to visit; a callable takes the event and the context and returns it.

    """

    def __init__(
        self,
        *,
        target_action: Action | Callable[[Any], bool] | None = None,
        on_completion: Reaction,
        **kwargs: Any,
    ) -> None:
        super().__init__(action_matcher=target_action, on_event=on_completion,
                         target_event_cls=ExecutionComplete, **kwargs)
