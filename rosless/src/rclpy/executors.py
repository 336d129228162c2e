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

"""Executors: they wait for work and run callbacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
import inspect
import os
import threading
import time
from typing import Any
import warnings

from .executor_queue import WorkQueue
from .executor_tasks import CallbackTask, Work
from .task import Future, Task, when_done
from .utilities import get_default_context, timeout_sec_to_nsec


class TimeoutException(Exception):
    """Nothing was ready in time."""


class ShutdownException(Exception):
    """The executor was shut down."""


class ExternalShutdownException(Exception):
    """The context was shut down while spinning, for example by SIGTERM."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args or ('rclpy has been shut down',))


class ConditionReachedException(Exception):
    """A future that was waited for is done."""


class TimeoutObject:
    """Holds a time [s]."""

    timeout: float

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout


class Executor:
    """
    Base of the executors.

    Nodes are added to it; `spin` runs their callbacks until the context is shut down.

    Parameters
    ----------
    context : Context, optional
        The context; the default one if omitted.

    """

    _polls = False  # whether who waits for a future may use the processor for it

    def __init__(self, *, context: Any = None) -> None:
        self._context = get_default_context() if context is None else context
        self._nodes: tuple[Any, ...] = ()  # replaced, never changed: readers need no lock
        self._lock = threading.RLock()
        self._queue = WorkQueue(self)
        self._is_shutdown = False
        self._awaited: Future | None = None  # whose end ends the present wait
        self._running: list[int] = []  # the threads of callbacks; append needs no lock
        self._idle = threading.Condition()
        self._extra = ThreadPoolExecutor(1, thread_name_prefix='rclpy_large')
        self._context.on_shutdown(self.wake)

    @property
    def context(self) -> Any:
        """Return the context."""
        return self._context

    def create_task(self, callback: Any, *args: Any, **kwargs: Any) -> Task:
        """
        Let a function or coroutine run in this executor.

        Returns
        -------
        Task
            Its outcome.

        """
        task = Task(callback, args, kwargs, executor=self)
        self.resume(task)
        return task

    def create_future(self) -> Future:
        """Return a future whose done callbacks run in this executor."""
        return Future(executor=self)

    def can_execute(self, entity: Any) -> bool:
        """Tell whether a callback of the entity may start now."""
        return bool(entity.callback_group.can_execute(entity))

    def _has_room(self) -> bool:
        """Tell whether a callback would start at once; if not, data and timers wait in place."""
        return True

    def _apart(self, function: Callable[..., Any], *args: Any) -> Future:
        """
        Call a function that takes long in a thread beside those of the callbacks.

        There is one for all of them: they are Python code, of which one runs at a time anyway.

        """
        future = self.create_future()
        self._extra.submit(_complete, future, function, args)
        return future

    def resume(self, task: Task) -> None:
        """Let a task run (on)."""
        self._queue.add_task(task)

    def wake(self) -> None:
        """End the present wait."""
        self._queue.wake()

    def shutdown(self, timeout_sec: float | None = None) -> bool:
        """
        Stop, and wait for callbacks that are running, but for the one that calls this.

        Parameters
        ----------
        timeout_sec : float, optional
            How long to wait [s]; for ever if omitted or negative.

        Returns
        -------
        bool
            Whether all callbacks have ended.

        """
        self._is_shutdown = True
        self.wake()
        limit = None if timeout_sec is None or timeout_sec < 0 else timeout_sec
        with self._idle:
            if not self._idle.wait_for(self._is_idle, limit):
                return False
        with self._lock:
            for node in self._nodes:
                self.remove_node(node)
            self._queue.close()
        self._extra.shutdown(wait=False)
        return True

    def _is_idle(self) -> bool:
        """Tell whether no callback is running or about to, but for that which asks."""
        me = threading.get_ident()
        return all(each == me for each in self._running)

    def add_node(self, node: Any) -> bool:
        """Run the callbacks of a node; False if it is here already. It leaves its executor."""
        with self._lock:
            if node in self._nodes:
                return False
            self._nodes = (*self._nodes, node)
        node.executor = self
        self._queue.refresh()
        return True

    def remove_node(self, node: Any) -> None:
        """Run the callbacks of a node no longer."""
        self._forget(node)

    def _forget(self, node: Any) -> None:
        """Do what `remove_node` does; for a node that is destroyed, which need not be told."""
        with self._lock:
            self._nodes = tuple(each for each in self._nodes if each is not node)
        if node.executor is self:
            node._forget_executor()
        self._queue.refresh()

    def get_nodes(self) -> list[Any]:
        """Return the nodes."""
        return list(self._nodes)

    def spin(self) -> None:
        """
        Run callbacks until the context or the executor is shut down.

        Raises
        ------
        ExternalShutdownException
            If the context was shut down; a `MultiThreadedExecutor` returns instead.

        """
        while self._context.ok() and not self._is_shutdown:
            self.spin_once()

    def spin_until_future_complete(self, future: Future, timeout_sec: float | None = None) -> None:
        """Run callbacks until a future is done, or the time is over."""
        self._queue.claim()
        forget = when_done(future, self._queue.group_freed)
        before, self._awaited = self._awaited, future
        limit = None if timeout_sec is None or timeout_sec < 0 else time.monotonic() + timeout_sec
        try:
            while self._context.ok() and not future._done and not self._is_shutdown:
                remaining = None if limit is None else limit - time.monotonic()
                if remaining is not None and remaining < 0:
                    return
                self.spin_once_until_future_complete(future, remaining)
        finally:
            self._awaited = before
            forget()

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Run one callback, waiting for it at most a time [s]; 0 does not wait."""
        self._spin_once(timeout_sec)

    def spin_once_until_future_complete(
        self, future: Future, timeout_sec: float | None = None
    ) -> None:
        """Run one callback, unless the future is done before, by whatever thread."""
        if future is self._awaited:
            self._spin_once(timeout_sec, lambda: future._done)
            return
        self._queue.claim()
        forget = when_done(future, self._queue.group_freed)
        try:
            self._spin_once(timeout_sec, lambda: future._done)
        finally:
            forget()

    def wait_for_ready_callbacks(
        self,
        timeout_sec: float | None = None,
        nodes: list[Any] | None = None,
        condition: Callable[[], bool] = lambda: False,
    ) -> tuple[Task, Any, Any]:
        """
        Wait until a callback is ready.

        Returns
        -------
        Task
            Call it to run the callback.
        Entity
            Whose callback it is; None for a task.
        Node
            Whose entity it is; None for a task.

        Raises
        ------
        TimeoutException
            If nothing is ready in time.
        ShutdownException
            If the executor is shut down.
        ExternalShutdownException
            If the context is shut down.
        ConditionReachedException
            If the condition is true.

        """
        work = self._next_work(timeout_sec, nodes, condition)
        return work.as_task(self), work.entity, work.node

    def _wait_for_ready_callbacks(
        self,
        timeout_sec: float | None = None,
        nodes: list[Any] | None = None,
        condition: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[Task, Any, Any]]:
        """Yield what `wait_for_ready_callbacks` returns, again and again, for subclasses."""
        while True:
            yield self.wait_for_ready_callbacks(timeout_sec, nodes, condition)

    def _next_work(
        self,
        timeout_sec: float | None,
        nodes: list[Any] | None,
        condition: Callable[[], bool] | None,
        *,
        eagerly: bool = False,
    ) -> Work:
        """Return what `wait_for_ready_callbacks` does, before a task is made of it."""
        nanoseconds = timeout_sec_to_nsec(timeout_sec)
        limit = None if nanoseconds < 0 else time.monotonic_ns() + nanoseconds
        looked = False
        while True:
            if self._is_shutdown:
                raise ShutdownException()
            if not self._context.ok():
                raise ExternalShutdownException()
            if condition is not None and condition():
                raise ConditionReachedException()
            work = self._queue.next(self._nodes if nodes is None else nodes)
            if work is not None:
                return work
            # Once more: before `next` there may have been nothing yet that a call of `wake` ends.
            if not looked and condition is not None and condition():
                raise ConditionReachedException()
            remaining = None if limit is None else limit - time.monotonic_ns()
            if remaining is not None and remaining <= 0 and looked:
                raise TimeoutException()
            seconds = None if remaining is None else max(remaining, 0) * 1e-9
            self._queue.wait(seconds, eagerly=eagerly)
            looked = True

    def _spin_once(
        self, timeout_sec: float | None, condition: Callable[[], bool] | None = None
    ) -> None:
        try:
            eagerly = self._polls and condition is not None
            work = self._next_work(timeout_sec, None, condition, eagerly=eagerly)
        except (ShutdownException, TimeoutException, ConditionReachedException):
            return
        self._execute(work)

    def _execute(self, work: Work) -> None:
        raise NotImplementedError

    def _run(self, work: Work) -> None:
        """Run it, and note meanwhile that something is running."""
        me = threading.get_ident()
        self._running.append(me)
        try:
            work.run(self)
        finally:
            self._running.remove(me)
            self._ended()

    def _ended(self) -> None:
        """Let `shutdown` look whether all callbacks have ended."""
        if self._is_shutdown:
            with self._idle:
                self._idle.notify_all()

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()


class SingleThreadedExecutor(Executor):
    """Runs callbacks in the thread that spins."""

    _polls = True

    def _execute(self, work: Work) -> None:
        self._run(work)


class MultiThreadedExecutor(Executor):
    """
    Runs callbacks in a pool of threads.

    Parameters
    ----------
    num_threads : int, optional
        Size of the pool; by default the number of cores. On one core that is one thread, with
        which a service cannot be called from a callback.
    context : Context, optional
        The context; the default one if omitted.

    """

    def __init__(self, num_threads: int | None = None, *, context: Any = None) -> None:
        super().__init__(context=context)
        if num_threads is None:
            num_threads = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else 2
        if num_threads == 1:
            warnings.warn(
                'MultiThreadedExecutor is used with a single thread.\n'
                'Use the SingleThreadedExecutor instead.',
                stacklevel=2,
            )
        self._pool = ThreadPoolExecutor(num_threads, thread_name_prefix='rclpy')
        self._num_threads = self._free_threads = num_threads
        self._count = threading.Lock()  # of free threads
        self._failures: list[BaseException] = []

    def _has_room(self) -> bool:
        """
        Tell whether a thread is free.

        While none is, nothing is taken: a timer that is always due, or a stream that is too fast,
        would pile up calls in the pool without end, and outlive its entity there.

        """
        return self._free_threads > 0

    def _spin_once(
        self, timeout_sec: float | None, condition: Callable[[], bool] | None = None
    ) -> None:
        self._raise_failures()
        with suppress(ExternalShutdownException):
            super()._spin_once(
                timeout_sec,
                lambda: bool(self._failures) or (condition is not None and condition()),
            )
        self._raise_failures()

    def _is_idle(self) -> bool:
        with self._count:
            busy = self._num_threads - self._free_threads
        return busy == self._running.count(threading.get_ident())

    def _execute(self, work: Work) -> None:
        with self._count:
            if self._is_shutdown:  # meanwhile: the pool may be closed
                work.drop(self)
                return
            self._free_threads -= 1
            self._pool.submit(self._run_in_pool, work)

    def _run_in_pool(self, work: Work) -> None:
        try:
            self._run(work)
        except BaseException as error:
            self._failures.append(error)
            self.wake()
        finally:
            with self._count:
                self._free_threads += 1
                was_full = self._free_threads == 1
            if was_full:
                self.wake()
            self._ended()

    def _raise_failures(self) -> None:
        if self._failures:
            raise self._failures.pop(0)

    def shutdown(
        self, timeout_sec: float | None = None, *, wait_for_threads: bool = True
    ) -> bool:
        """
        Stop, and wait for callbacks that are running.

        Parameters
        ----------
        timeout_sec : float, optional
            See `Executor.shutdown`.
        wait_for_threads : bool
            Whether to wait, too, until the threads have ended, if all callbacks have.

        """
        with self._count:
            self._is_shutdown = True
        ended = super().shutdown(timeout_sec)
        wait = ended and wait_for_threads and threading.get_ident() not in self._running
        self._pool.shutdown(wait=wait)
        return ended


def _complete(future: Future, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Give a future what a function returns or raises."""
    try:
        future.set_result(function(*args))
    except Exception as error:
        future.set_exception(error)


async def await_or_execute(callback: Any, *args: Any) -> Any:
    """Call a function, or await a coroutine function, and return what it returns."""
    outcome = callback(*args)
    return await outcome if inspect.iscoroutine(outcome) else outcome


__all__ = [
    'CallbackTask',
    'ConditionReachedException',
    'Executor',
    'ExternalShutdownException',
    'MultiThreadedExecutor',
    'ShutdownException',
    'SingleThreadedExecutor',
    'TimeoutException',
    'TimeoutObject',
    'await_or_execute',
]
