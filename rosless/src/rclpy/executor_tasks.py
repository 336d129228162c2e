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

"""What an executor runs: callbacks of entities, and tasks."""

from __future__ import annotations

from types import CoroutineType
from typing import Any, NamedTuple

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
        self._freed = False

    def _complete(self, outcome: Any) -> None:
        self._free()
        super()._complete(None)

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
        executor = None if self._executor is None else self._executor()
        _free(self._entity, executor)


class Work(NamedTuple):
    """
    A callback to run, or a task.

    Most callbacks are plain functions, which are called directly; only a coroutine needs a task.

    Attributes
    ----------
    entity, node : Entity, Node
        Whose callback it is; its group has been taken. None for a task.
    job : Job, optional
        The call.
    task : Task, optional
        The task.

    """

    entity: Any
    node: Any
    job: Job | None
    task: Task | None = None

    def as_task(self, executor: Any) -> Task:
        """Return a task that runs it."""
        if self.task is not None:
            return self.task
        assert self.job is not None
        return CallbackTask(self.entity, self.job, executor)

    def run(self, executor: Any) -> None:
        """Run it in this thread, up to where a coroutine waits; raise what it raises."""
        task = self._call(executor) if self.task is None else self.task
        if task is not None:
            task()
            if task.done():
                task.result()

    def drop(self, executor: Any) -> None:
        """Do not run it."""
        if self.task is None:
            _free(self.entity, executor)

    def _call(self, executor: Any) -> Task | None:
        """Call the function; return a task if that makes a coroutine."""
        job = self.job
        assert job is not None
        try:
            outcome = job.callback(*job.args)
            if isinstance(outcome, CoroutineType):
                return CallbackTask(self.entity, Job(outcome), executor)
        except BaseException:
            _free(self.entity, executor)
            raise
        _free(self.entity, executor)
        return None


def _free(entity: Entity, executor: Any) -> None:
    """Free the entity's callback group, and let the executor look for what waited for it."""
    entity.callback_group.ending_execution(entity)
    if executor is not None:
        executor._queue.group_freed()
