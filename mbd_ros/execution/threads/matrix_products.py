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

"""
NumPy's matrix products on one thread.

OpenBLAS, which NumPy's and SciPy's wheels bring, shares products of middle size between threads
that wait for each other by spinning. On a machine with other work a product of a millisecond takes
a hundred; one thread takes two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import contextlib
import ctypes
from pathlib import Path
import threading

MAPS = Path('/proc/self/maps')
PREFIXES, SUFFIXES = ('scipy_openblas', 'openblas'), ('64_', '')
_lock = threading.Lock()
_before: list[tuple[int, Callable[[int], None]]] = []
_inside = 0


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Have OpenBLAS work on one thread, all of this process; nothing where it is not found."""
    global _inside
    with _lock:
        _inside += 1
        if _inside == 1:
            for count, change in _libraries():
                _before.append((count(), change))
                change(1)
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                while _before:
                    threads, change = _before.pop()
                    change(threads)


def _libraries() -> list[tuple[Callable[[], int], Callable[[int], None]]]:
    """Return how each OpenBLAS of this process tells and takes its number of threads."""
    try:
        places = {line.split()[-1] for line in MAPS.read_text().splitlines()
                  if 'openblas' in line.rsplit('/', 1)[-1]}
    except OSError:
        return []
    found = []
    for place in sorted(places):
        try:
            library = ctypes.CDLL(place)
        except OSError:
            continue
        for prefix in PREFIXES:
            for suffix in SUFFIXES:
                names = [f'{prefix}_{what}_num_threads{suffix}' for what in ('get', 'set')]
                if all(hasattr(library, name) for name in names):
                    count, change = (getattr(library, name) for name in names)
                    count.restype, count.argtypes = ctypes.c_int, []
                    change.restype, change.argtypes = None, [ctypes.c_int]
                    found.append((count, change))
    return found
