"""Guard conditions: callbacks that the program triggers itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
import weakref

from .callback_groups import CallbackGroup
from .entity import Entity, Job


class GuardCondition(Entity):
    """
    Runs its callback in an executor after `trigger`; make one with `Node.create_guard_condition`.

    Parameters
    ----------
    callback : Callable, optional
        What to run.
    callback_group : CallbackGroup
        Its group.
    node : Node
        Its node.

    """

    def __init__(
        self, callback: Callable[[], Any] | None, callback_group: CallbackGroup, node: Any
    ) -> None:
        super().__init__(callback_group)
        self.callback = callback
        self.triggered = False
        self._node = weakref.ref(node)

    def trigger(self) -> None:
        """Let the callback run."""
        self.triggered = True
        node = self._node()
        if node is not None and node.executor is not None:
            node.executor.wake()

    def next_job(self, executor: Any) -> Job | None:
        """Take the trigger."""
        if not self.triggered:
            return None
        self.triggered = False
        return Job(self.callback or (lambda: None))

    def destroy(self) -> None:
        """Let the node forget it."""
        node = self._node()
        if node is not None:
            node.destroy_guard_condition(self)
