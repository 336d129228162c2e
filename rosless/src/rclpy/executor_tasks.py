"""The task that runs one callback of an entity."""

from __future__ import annotations

from typing import Any

from .entity import Entity, Job
from .task import Task


class CallbackTask(Task):
    """
    Runs a callback, which may be a coroutine; frees its callback group at the end.

    Parameters
    ----------
    entity : Entity
        Whose callback it is; its group has been taken.
    job : Job
        The call.
    executor : Executor
        Who runs it.

    """

    def __init__(self, entity: Entity, job: Job, executor: Any) -> None:
        super().__init__(job.callback, job.args, executor=executor)
        self._entity = entity
        self._finish_job = job.finish
        self._freed = False

    def _complete(self, outcome: Any) -> None:
        if self._finish_job is not None:
            self._finish_job(outcome)
        self._free()
        super()._complete(outcome)

    def _fail(self, error: BaseException) -> None:
        self._free()
        super()._fail(error)

    def cancel(self) -> None:
        """Stop the coroutine where it awaits, and free the group."""
        super().cancel()
        self._free()

    def _free(self) -> None:
        if self._freed:
            return
        self._freed = True
        self._entity.callback_group.ending_execution(self._entity)
        executor = None if self._executor is None else self._executor()
        if executor is not None:
            executor._queue.group_freed()
