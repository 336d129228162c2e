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

"""Reaction to the start of a process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launch.action import Action
from launch.event_handlers.on_action_event_base import OnActionEventBase
from launch.event_handlers.on_action_event_base import Reaction
from launch.events.process import ProcessStarted


class OnProcessStart(OnActionEventBase):
    """
    React to the start of a process.

    Parameters
    ----------
    target_action : ExecuteLocal, callable or None
        Whose start; None for any process.
    on_start : entities, or callable
        What to visit; a callable takes the event and the context and returns it.

    """

    def __init__(
        self,
        *,
        target_action: Action | Callable[[Any], bool] | None = None,
        on_start: Reaction,
        **kwargs: Any,
    ) -> None:
        super().__init__(action_matcher=target_action, on_event=on_start,
                         target_event_cls=ProcessStarted, **kwargs)
