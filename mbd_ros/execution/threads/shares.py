"""A batch on the caller's thread and on others: whoever is free takes the next block of rows."""

from __future__ import annotations

from contextlib import suppress
import ctypes
import functools
import os
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.program.kernel import Batches
from mbd_ros.execution.threads.workers import left_behind, native, workers

_LOCK = threading.Lock()
_LEFT_BEHIND: list[object] = []
"""What threads still read that lost the processor in the middle of a block."""
_PENDING = ctypes.c_int64(0)


def share_rows(batches: Batches, arrays: list[NDArray[np.float64]], out: NDArray[np.float64],
               threads: int) -> bool:
    """
    Run a batch on the caller's thread and others.

    Parameters
    ----------
    batches : Batches
        What runs some rows.
    arrays : list of array
        (N, size) each, and the world (n,); C-contiguous.
    out : array
        (N, ...), C-contiguous; is filled.
    threads : int
        The most threads that are worth it.

    Returns
    -------
    bool
        Whether all numbers are finite.

    """
    forget_what_is_done()
    call = (batches.rows, len(out), 0, batches.lanes, out[0].nbytes, out.ctypes.data, len(arrays),
            *(array.ctypes.data for array in arrays))
    others: list[int] = []
    with suppress(RuntimeError):  # at the end of the interpreter threads are not to be had
        others = workers(threads - 1)
    answer = _share()((ctypes.c_int64 * len(call))(*call),
                      (ctypes.c_int64 * len(others))(*others), len(others))
    if answer & 2:
        leave_behind(batches, arrays)
    return bool(answer & 1)


def leave_behind(*things: object) -> None:
    """Keep what a thread may still read that lost the processor in the middle of a block."""
    with _LOCK:
        _LEFT_BEHIND.append(things)
        _PENDING.value = len(_LEFT_BEHIND)


def forget_what_is_done() -> None:
    """Let go of what was kept if no such thread is at it any more."""
    if _PENDING.value:
        with _LOCK:
            if not left_behind():
                _LEFT_BEHIND.clear()
                _PENDING.value = 0


def pending() -> ctypes.c_int64:
    """Return the word that is not zero while something is kept, for native code."""
    return _PENDING


@functools.cache
def _share() -> Any:
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(
        native().address('share'))


def _forget() -> None:
    """In the child of a fork: the threads that read have not come along."""
    global _LOCK
    _LOCK = threading.Lock()
    _LEFT_BEHIND.clear()
    _PENDING.value = 0


os.register_at_fork(after_in_child=_forget)
