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

"""A batch on several threads with dynamic scheduling: each takes the next block of rows."""

from __future__ import annotations

from collections.abc import Sequence
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
    words = (batches.rows, len(out), 0, batches.lanes, out[0].nbytes, out.ctypes.data, len(arrays),
             *(array.ctypes.data for array in arrays))
    return _shared(words, threads, (batches, arrays))


def share_blocks(rows: int, count: int, block: int, words: Sequence[int], threads: int,
                 kept: object) -> None:
    """
    Run code that writes its results itself, in blocks of rows.

    What is ``kept`` holds code and arrays. A thread that lost the processor may write what it
    found once more, later: nobody may change results or arguments.

    Parameters
    ----------
    rows : int
        Address of ``int64 rows(words, int64 first, int64 count, ...)``.
    count, block : int
        Rows in all, and in a block.
    words : sequence of int
        What the code reads.
    threads : int
        The most threads.
    kept : object
        Stays alive as long as a thread may use it.

    """
    helpers = min(threads, -(-count // block))
    _shared((rows, count, block, 1, 0, 0, len(words), *words), helpers, kept)


def _shared(call: Sequence[int], threads: int, kept: object) -> bool:
    """Do what a call says (``shares_ir.py``); return whether all numbers are finite."""
    forget_what_is_done()
    others: list[int] = []
    with suppress(RuntimeError):  # at the end of the interpreter threads are not to be had
        others = workers(threads - 1)
    answer = _share()((ctypes.c_int64 * len(call))(*call),
                      (ctypes.c_int64 * len(others))(*others), len(others))
    if answer & 2:
        detach_late_threads(kept)
    return bool(answer & 1)


def detach_late_threads(*things: object) -> None:
    """Keep what a thread may still read that lost the processor in the middle of a block."""
    with _LOCK:
        _LEFT_BEHIND.append(things)
        _PENDING.value = len(_LEFT_BEHIND)


def forget_what_is_done() -> None:
    """Release buffers that no delayed thread reads any more."""
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
