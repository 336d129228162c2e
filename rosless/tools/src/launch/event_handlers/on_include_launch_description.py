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

"""React to a launch description that is included."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from launch.event import Event
from launch.event_handler import EventHandler
from launch.events.include_launch_description import IncludeLaunchDescription
from launch.launch_description_entity import LaunchDescriptionEntity

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class OnIncludeLaunchDescription(EventHandler):
    """Visit launch descriptions that are included by an event."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            matcher=lambda event: isinstance(event, IncludeLaunchDescription), **kwargs)

    def handle(self, event: Event, context: LaunchContext) -> LaunchDescriptionEntity:
        """Return the launch description."""
        super().handle(event, context)
        assert isinstance(event, IncludeLaunchDescription)
        return event.launch_description

    @property
    def matcher_description(self) -> str:
        """Text for people: which events are meant."""
        return 'event is IncludeLaunchDescription'
