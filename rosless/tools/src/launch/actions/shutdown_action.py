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
