"""A yes-or-no question that is answered while launching."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class Condition:
    """
    Decide whether an action is executed.

    Parameters
    ----------
    predicate : callable, optional
        Takes the launch context and answers; subclasses may pass their own method.

    """

    def __init__(self, *, predicate: Callable[[LaunchContext], bool] | None = None) -> None:
        self._predicate = predicate

    def describe(self) -> str:
        """Return a text for people that shows what this condition is."""
        return repr(self)

    def evaluate(self, context: LaunchContext) -> bool:
        """Return the answer in this context."""
        return True if self._predicate is None else bool(self._predicate(context))
