"""
One thread that compiles while the program goes on.

It lives while there is something to do. At the end of the interpreter it finishes the job it is
at, which LLVM cannot break off, and leaves the rest. A forked child goes on with what is left, in
a thread of its own.

"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import os
import threading
import time
import warnings

PATIENCE = 0.2
"""
Seconds without a new job before the first one begins: what a program asks for first is compiled
before what makes it faster, for LLVM compiles one module at a time.
"""

Job = Callable[[], None]


class Background:
    """A queue of jobs and the thread that does them."""

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()
        self._renew()
        os.register_at_fork(after_in_child=self._go_on)

    def _renew(self) -> None:
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._waiting = 0
        self._begin = 0.0

    @property
    def busy(self) -> bool:
        """Whether something is being done, or will be."""
        return self._thread is not None

    def submit(self, job: Job) -> None:
        """Do a job when nothing new has come for a while."""
        with self._changed:
            self._jobs.append(job)
            self._begin = time.monotonic() + PATIENCE
            self._start()

    def wait(self, timeout: float | None = None) -> bool:
        """
        Wait until nothing is left to do.

        Parameters
        ----------
        timeout : float, optional
            Seconds to wait at most.

        Returns
        -------
        bool
            Whether all is done.

        """
        with self._changed:
            self._waiting += 1
            self._changed.notify_all()
            try:
                return self._changed.wait_for(lambda: not self._jobs, timeout)
            finally:
                self._waiting -= 1

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name='mbd_ros compiler')
            self._thread.start()

    def _work(self) -> None:
        while True:
            with self._changed:
                while self._jobs and not self._waiting and not _ending() and (
                        self._begin > time.monotonic()):
                    self._changed.wait(0.05)  # short: the end of the interpreter notifies nobody
                if not self._jobs or _ending():
                    self._thread = None
                    return
                job = self._jobs[0]
            try:
                job()
            except Exception as error:
                warnings.warn(f'compiling in the background failed: {error!r}; what was there '
                              'stays in use', RuntimeWarning, stacklevel=1)
            with self._changed:
                self._jobs.popleft()
                self._changed.notify_all()

    def _go_on(self) -> None:
        """Begin again in a forked child, where no thread but the forking one lives."""
        self._renew()
        if self._jobs:
            self._start()


def _ending() -> bool:
    """Return whether the interpreter waits for its threads to end."""
    return not threading.main_thread().is_alive()


BACKGROUND = Background()
"""That of this process."""
