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

"""Futures and tasks."""

from __future__ import annotations

from collections.abc import Callable, Generator
from enum import Enum
import inspect
import sys
import threading
from typing import Any
import warnings
import weakref

_FINISHED = object()
_awaited = threading.local()  # `future`: what the coroutine of this thread waits for


class FutureState(str, Enum):
    """State of a future."""

    PENDING = 'PENDING'
    CANCELLED = 'CANCELLED'
    FINISHED = 'FINISHED'


class Future:
    """
    The outcome of something that is not finished yet.

    It can be awaited in a coroutine that an executor runs.

    Parameters
    ----------
    executor : Executor, optional
        Who runs the done callbacks; without one they run where the result is set.

    """

    # Until there is an outcome. One future is made for every callback that runs, so that what need
    # not be set is not.
    _done = False
    _cancelled = False
    _result: Any = None
    _exception: BaseException | None = None
    _exception_fetched = False
    _executor: Any = None  # a weak reference

    def __init__(self, *, executor: Any = None) -> None:
        self._callbacks: list[Callable[[Any], Any]] = []
        self._lock = threading.RLock()
        if executor is not None:
            self._set_executor(executor)

    def __del__(self) -> None:
        if self._exception is not None and not self._exception_fetched:
            print(
                f'The following exception was never retrieved: {self._exception!r}',
                file=sys.stderr,
            )

    def __await__(self) -> Generator[Any, None, Any]:
        """Wait for the outcome; the coroutine may be one of an executor or of asyncio."""
        while not self._done:
            _awaited.future = self  # for the task that runs the coroutine
            yield  # nothing: asyncio wants it so
        return self.result()

    def cancel(self) -> None:
        """Mark as cancelled, unless done."""
        with self._lock:
            if self._done:
                return
            self._cancelled = True
            self._finish()

    @property
    def _state(self) -> FutureState:
        if self._cancelled:
            return FutureState.CANCELLED
        return FutureState.FINISHED if self._done else FutureState.PENDING

    def cancelled(self) -> bool:
        """Tell whether it was cancelled."""
        return self._cancelled

    def done(self) -> bool:
        """Tell whether there is an outcome; it was not cancelled then."""
        return self._done and not self._cancelled

    def result(self) -> Any:
        """Return the result, or None if there is none yet; raise the exception if there is one."""
        exception = self.exception()
        if exception is not None:
            raise exception
        return self._result

    def exception(self) -> BaseException | None:
        """Return the exception, or None."""
        self._exception_fetched = True
        return self._exception

    def set_result(self, result: Any) -> None:
        """Set the result."""
        with self._lock:
            self._result = result
            self._cancelled = False
            self._finish()

    def set_exception(self, exception: BaseException) -> None:
        """Set the exception."""
        with self._lock:
            self._exception = exception
            self._exception_fetched = False
            self._cancelled = False
            self._finish()

    def add_done_callback(self, callback: Callable[[Any], Any]) -> None:
        """
        Call the function with this future when it is done.

        With an executor it is run as a task; otherwise at once where the result is set (or here,
        if there is one already; what it raises is raised then).

        """
        with self._lock:
            if not self._done:
                self._callbacks.append(callback)
                return
        if not self._handed_over(callback):
            callback(self)

    def remove_done_callback(self, callback: Callable[[Any], Any]) -> bool:
        """Undo `add_done_callback`; tell whether the function was there."""
        with self._lock:
            before = len(self._callbacks)
            self._callbacks = [each for each in self._callbacks if each != callback]
            return len(self._callbacks) < before

    def _set_executor(self, executor: Any) -> None:
        self._executor = None if executor is None else weakref.ref(executor)

    def _finish(self) -> None:
        self._done = True
        if self._callbacks:
            callbacks, self._callbacks = self._callbacks, []
            for callback in callbacks:
                self._schedule(callback)

    def _handed_over(self, callback: Callable[[Any], Any]) -> bool:
        """Let the executor run a done callback, if there is one."""
        if isinstance(callback, _Direct):
            callback.function()
            return True
        executor = None if self._executor is None else self._executor()
        if executor is None:
            return False
        executor.create_task(callback, self)
        return True

    def _schedule(self, callback: Callable[[Any], Any]) -> None:
        if self._handed_over(callback):
            return
        try:
            callback(self)
        except Exception as error:
            warnings.warn(f'Unhandled exception in done callback: {error}', stacklevel=2)


class Task(Future):
    """
    A function or coroutine that an executor runs; its outcome is that of the future.

    Parameters
    ----------
    handler : Callable or coroutine
        What to run.
    args, kwargs
        Its arguments.
    executor : Executor, optional
        Who runs it.

    """

    def __init__(
        self, handler: Any, args: Any = None, kwargs: Any = None, executor: Any = None
    ) -> None:
        super().__init__(executor=executor)
        self._handler = handler
        self._args = args or ()
        self._kwargs = kwargs or {}
        self._coroutine: Any = handler if inspect.iscoroutine(handler) else None
        self._running = threading.Lock()

    def __call__(self) -> None:
        """Run until the end, or until the coroutine awaits something that is not there yet."""
        if self._done or not self._running.acquire(blocking=False):
            return
        awaited = _FINISHED
        try:
            awaited = self._step()
        finally:
            self._running.release()
        if awaited is not _FINISHED:
            self._wait_for(awaited)

    def executing(self) -> bool:
        """Tell whether it is running at the moment."""
        return self._running.locked()

    def _step(self) -> Any:
        """Run a piece; return what is awaited, or `_FINISHED`."""
        try:
            if self._coroutine is None:
                outcome = self._handler(*self._args, **self._kwargs)
                if not inspect.iscoroutine(outcome):
                    self._complete(outcome)
                    return _FINISHED
                self._coroutine = outcome
            _awaited.future = None
            yielded = self._coroutine.send(None)
            future, _awaited.future = _awaited.future, None
            return future if yielded is None else yielded
        except StopIteration as stop:
            self._complete(stop.value)
        except Exception as error:
            self._fail(error)
        except BaseException as error:
            self._fail(error)
            raise
        return _FINISHED

    def _complete(self, outcome: Any) -> None:
        self.set_result(outcome)

    def _fail(self, error: BaseException) -> None:
        self.set_exception(error)

    def _wait_for(self, awaited: Any) -> None:
        """Run again when the awaited future is done; at once if something else was yielded."""
        executor = None if self._executor is None else self._executor()
        if executor is None:
            return
        if isinstance(awaited, Future):
            when_done(awaited, lambda: executor.resume(self))
        else:
            executor.resume(self)

    def cancel(self) -> None:
        """Stop the coroutine where it awaits, and mark as cancelled."""
        if self._coroutine is not None and not self._running.locked():
            self._coroutine.close()
        super().cancel()


class _Direct:
    """A done callback that is called where the result is set, never as a task."""

    def __init__(self, function: Callable[[], None]) -> None:
        self.function = function


def when_done(future: Future, function: Callable[[], None]) -> Callable[[], bool]:
    """
    Call the function, without detour over an executor, when the future is done.

    Returns
    -------
    Callable
        Call it to undo this.

    """
    callback: Any = _Direct(function)
    future.add_done_callback(callback)
    return lambda: future.remove_done_callback(callback)
