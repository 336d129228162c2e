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
IR that allocates workspace for a kernel: the block used last, or a new one.

A big piece costs page faults each time it is new. A thread that calls while another has the piece
gets one of their own; the one given back last is kept.

"""

from __future__ import annotations

import re

from mbd_ros.execution.ir.elimination_ir import aligned_ir

RELEASE = 'release'
"""The function that frees what is kept."""
DECLARATIONS = f"""
declare ptr @malloc(i64)
declare void @free(ptr)
@spare = internal global ptr null
define void @{RELEASE}() nounwind {{
  %old = atomicrmw xchg ptr @spare, ptr null acquire
  call void @free(ptr %old)
  ret void
}}
define private ptr @take(ptr %world, i64 %size) nounwind {{
  %old = atomicrmw xchg ptr @spare, ptr null acquire
  %none = icmp eq ptr %old, null
  br i1 %none, label %make, label %kept
kept:
  ret ptr %old
make:
  %new = call ptr @malloc(i64 %size)
  ret ptr %new
}}
define private void @give(ptr %world, ptr %piece) nounwind {{
  %other = atomicrmw xchg ptr @spare, ptr %piece release
  %single = icmp eq ptr %other, null
  br i1 %single, label %done, label %drop
drop:
  call void @free(ptr %other)
  br label %done
done:
  ret void
}}"""
"""What a module with ``take_ir`` holds; all its pieces are of one size."""
BEFORE_WORLD = 8
"""Bytes before the world, which hold that address; the caller's memory may be that of floats."""
FROM_THE_CALLER = f"""
define void @{RELEASE}() nounwind {{
  ret void
}}
define private ptr @take(ptr %world, i64 %size) nounwind {{
  %place = getelementptr i8, ptr %world, i64 -{BEFORE_WORLD}
  %piece = load ptr, ptr %place, align 4
  %rest = getelementptr i8, ptr %piece, i64 %size
  store ptr %rest, ptr %place, align 4
  ret ptr %piece
}}
define private void @give(ptr %world, ptr %piece) nounwind {{
  %place = getelementptr i8, ptr %world, i64 -{BEFORE_WORLD}
  store ptr %piece, ptr %place, align 4
  ret void
}}"""
"""
What stands in its place in exported libraries, which allocate nothing: pieces of the caller's
memory, the address of whose rest stands before the world.
"""
_TAKING = re.compile(r'call ptr @take\(ptr %world, i64 (\d+)\)')
_GIVING = re.compile(r'^ *call void @give\(ptr %world, ptr %[\w.]+\)\n?', re.MULTILINE)
_TAKEN = re.compile(r'@take\(ptr %world, i64 (\d+)\)')


def on_the_stack(text: str) -> str:
    """Return a text whose pieces are on the stack: for code that nobody hands a world."""
    released = f'define void @{RELEASE}() nounwind {{\n  ret void\n}}'
    return _GIVING.sub('', _TAKING.sub(r'alloca i8, i64 \1, align 16', text.replace(
        DECLARATIONS, released)))


def taken(text: str) -> int:
    """Return how many bytes the modules of a text take at a time, at most."""
    return sum(map(int, _TAKEN.findall(text)))


def take_ir(name: str, size: int) -> list[str]:
    """
    Return the IR that names a piece of memory, aligned to cache lines.

    Parameters
    ----------
    name : str
        What to call it, with its per cent sign.
    size : int
        Bytes; the same in all of the module.

    Returns
    -------
    list of str
        IR, for a function with the parameter ``%world``; it goes on in block ``taken``.

    """
    return [f'  %spare.raw = call ptr @take(ptr %world, i64 {size + 64})',
            '  br label %taken', 'taken:', *aligned_ir(name, '%spare.raw')]


def give_ir() -> list[str]:
    """Return the IR that gives it back."""
    return ['  call void @give(ptr %world, ptr %spare.raw)']
