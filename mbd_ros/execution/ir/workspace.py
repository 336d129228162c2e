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

from mbd_ros.execution.ir.elimination_ir import aligned_ir

RELEASE = 'release'
"""The function that frees what is kept."""
DECLARATIONS = '\n'.join([
    'declare ptr @malloc(i64)', 'declare void @free(ptr)', '@spare = internal global ptr null',
    f'define void @{RELEASE}() nounwind {{',
    '  %old = atomicrmw xchg ptr @spare, ptr null acquire',
    '  call void @free(ptr %old)', '  ret void', '}'])


def take_ir(name: str, size: int, block: str) -> list[str]:
    """
    Return the IR that names a piece of memory, aligned to cache lines.

    Parameters
    ----------
    name : str
        What to call it, with its per cent sign.
    size : int
        Bytes; the same in all of the module.
    block : str
        The block that this code is appended to; it goes on in ``taken``.

    Returns
    -------
    list of str
        IR.

    """
    return ['  %spare.old = atomicrmw xchg ptr @spare, ptr null acquire',
            '  %spare.none = icmp eq ptr %spare.old, null',
            '  br i1 %spare.none, label %spare.make, label %taken', 'spare.make:',
            f'  %spare.new = call ptr @malloc(i64 {size + 64})', '  br label %taken', 'taken:',
            f'  %spare.raw = phi ptr [%spare.old, %{block}], [%spare.new, %spare.make]',
            *aligned_ir(name, '%spare.raw')]


def give_ir() -> list[str]:
    """Return the IR that gives it back; the code goes on in ``given``."""
    return ['  %spare.other = atomicrmw xchg ptr @spare, ptr %spare.raw release',
            '  %spare.single = icmp eq ptr %spare.other, null',
            '  br i1 %spare.single, label %given, label %spare.drop', 'spare.drop:',
            '  call void @free(ptr %spare.other)', '  br label %given', 'given:']
