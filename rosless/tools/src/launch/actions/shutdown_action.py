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

"""End the launch."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.events.process import ProcessExited
from launch.events.shutdown import Shutdown as ShutdownEvent
from launch.logging import get_logger
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class Shutdown(Action):
    """
    End the launch, and every process it has started.

    Parameters
    ----------
    reason : text with substitutions
        Why, for the log.

    """

    def __init__(
        self, *, reason: SomeSubstitutionsType = 'reason not given', **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._reason = normalize_to_list_of_substitutions(reason)

    def execute(self, context: LaunchContext) -> None:
        """Ask for the end of the launch."""
        event = context.get_locals_as_dict().get('event')
        if isinstance(event, ProcessExited):
            get_logger().info(f'process[{event.process_name}] was required: '
                              'shutting down launched system')
        reason = perform_substitutions(context, self._reason)
        context.emit_event_sync(ShutdownEvent(reason=reason))
