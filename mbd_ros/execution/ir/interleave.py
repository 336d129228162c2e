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

"""IR of the loops that put entries of several places into the lanes of vectors, and back."""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.ir.straight_line import Width


def packed_ir(name: str, array: str, vectors: str, offsets: Sequence[int], count: int, label: str
              ) -> list[str]:
    """
    Return the loop that packs ``count`` entries from each of several places of an array.

    Parameters
    ----------
    name : str
        Makes the names of values unique; the code goes on in the block ``name.done``.
    array, vectors : str
        Pointers to doubles and to vectors of them.
    offsets : sequence of int
        First entry of each lane.
    count : int
        Entries of each lane.
    label : str
        The block that the code is appended to.

    Returns
    -------
    list of str
        IR.

    """
    kind, vector = Width(len(offsets)).type, 'poison'
    body: list[str] = []
    for lane, place in enumerate(_places(name, array, offsets, body)):
        body += [f'  {place}e = load double, ptr {place}p',
                 f'  {place}x = insertelement {kind} {vector}, double {place}e, i64 {lane}']
        vector = f'{place}x'
    body.append(f'  store {kind} {vector}, ptr %{name}.v, align 8')
    return _loop(name, vectors, kind, count, label, body)


def unpacked_ir(name: str, array: str, vectors: str, offsets: Sequence[int], count: int,
                label: str) -> list[str]:
    """Return the loop that does the opposite of ``packed_ir``."""
    kind = Width(len(offsets)).type
    body = [f'  %{name}.x = load {kind}, ptr %{name}.v, align 8']
    for lane, place in enumerate(_places(name, array, offsets, body)):
        body += [f'  {place}e = extractelement {kind} %{name}.x, i64 {lane}',
                 f'  store double {place}e, ptr {place}p']
    return _loop(name, vectors, kind, count, label, body)


def added_ir(name: str, array: str, vectors: str, offsets: Sequence[int], used: int, count: int,
             label: str) -> list[str]:
    """Return the loop that adds the first lanes to their places, lane by lane."""
    kind = Width(len(offsets)).type
    body = [f'  %{name}.x = load {kind}, ptr %{name}.v, align 8']
    for lane, place in enumerate(_places(name, array, offsets[:used], body)):
        body += [f'  {place}e = extractelement {kind} %{name}.x, i64 {lane}',
                 f'  {place}b = load double, ptr {place}p',
                 f'  {place}s = fadd double {place}b, {place}e',
                 f'  store double {place}s, ptr {place}p']
    return _loop(name, vectors, kind, count, label, body)


def _places(name: str, array: str, offsets: Sequence[int], lines: list[str]) -> list[str]:
    """Add the code that points to the entry of each lane; return the beginnings of the names."""
    for lane, offset in enumerate(offsets):
        lines += [f'  %{name}.{lane}o = add i64 %{name}.k, {offset}',
                  f'  %{name}.{lane}p = getelementptr double, ptr {array}, i64 %{name}.{lane}o']
    return [f'%{name}.{lane}' for lane in range(len(offsets))]


def _loop(name: str, vectors: str, kind: str, count: int, label: str, body: list[str]
          ) -> list[str]:
    return [f'  br label %{name}.loop', f'{name}.loop:',
            f'  %{name}.k = phi i64 [0, %{label}], [%{name}.k1, %{name}.body]',
            f'  %{name}.more = icmp slt i64 %{name}.k, {count}',
            f'  br i1 %{name}.more, label %{name}.body, label %{name}.done', f'{name}.body:',
            f'  %{name}.v = getelementptr {kind}, ptr {vectors}, i64 %{name}.k', *body,
            f'  %{name}.k1 = add i64 %{name}.k, 1', f'  br label %{name}.loop', f'{name}.done:']


def aligned(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return zeros that begin at a cache line, as vectors should."""
    size = 8 * math.prod(shape)
    memory = np.zeros(size + 64, dtype=np.uint8)
    first = -memory.ctypes.data % 64
    return memory[first:first + size].view(np.float64).reshape(shape)
