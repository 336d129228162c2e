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

"""Memory that was needed once and is not any more, handed back to the system."""

from __future__ import annotations

import ctypes
import functools
import gc
from typing import Any


def give_back() -> None:
    """
    Free what nobody refers to, and hand free memory back.

    After a robot was replaced: its model and machine code refer to each other, so that only the
    garbage collector finds them, which seldom looks on its own; and a compiler leaves holes in
    the heap, of which glibc returns those at its end alone unless it is asked.
    """
    gc.collect()
    trim = _trim()
    if trim is not None:
        trim(0)


@functools.cache
def _trim() -> Any:
    """Return glibc's ``malloc_trim``, None with another C library."""
    return getattr(ctypes.CDLL(None), 'malloc_trim', None)
