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
