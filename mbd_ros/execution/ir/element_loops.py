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
IR of a loop over the elements of stacks, W at a time, around the straight-line code of one.

Elements are read into the lanes of vectors and written from there; what one time hands on to the
next stays in memory of its own, see ``stacks/steps.py``. Arguments are numbered, results follow.

"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mbd_ros.execution.ir.batch import load_ir, store_ir, transpose_ir
from mbd_ros.execution.ir.sincos import sincos_ir
from mbd_ros.execution.ir.straight_line import StraightLine, Width
from mbd_ros.execution.ir.trace import Trace


class ElementLoops:
    """
    Writes ``int64 rows(words, first, count, to)``, the loop over some of the N.

    Parameters
    ----------
    width : Width
        How many elements there are in a vector.
    sizes : sequence of int
        Entries of an element of each argument.
    carried : int
        How many of the arguments, the first, are handed on from each to the next.

    """

    def __init__(self, width: Width, sizes: Sequence[int], carried: int) -> None:
        self._width, self._sizes, self._carried = width, sizes, carried
        self._lines: list[str] = []

    def rows(self, trace: Trace, results: Sequence[Sequence[Any]]) -> str:
        """Return the IR for a trace with such results; first those that are handed on."""
        kind, lanes, given = self._width.type, range(self._width.lanes), len(self._sizes)
        sizes = [*self._sizes, *(len(one) for one in results)]
        handed = [*range(self._carried), *range(given, given + self._carried)]
        self._lines = [
            sincos_ir(self._width), 'declare i64 @llvm.smin.i64(i64, i64)',
            'define i64 @rows(ptr %words, i64 %first, i64 %count, ptr %to) nounwind {', 'entry:',
            '  %length = load i64, ptr %words', '  %end = add i64 %first, %count',
            '  %last = sub i64 %end, 1']
        for k in range(len(sizes)):
            for word, name in enumerate(('at', 'step', 'next')):
                self._add(f'  %{name}{k}.p = getelementptr i64, ptr %words, '
                          f'i64 {1 + 3 * k + word}',
                          f'  %{name}{k} = load {"i64" if word else "ptr"}, ptr %{name}{k}.p')
        for k in range(self._carried):
            self._add(f'  %carry{k} = alloca [{max(1, sizes[k])} x {kind}], align 64')
        self._add('  br label %some', 'some:', '  %i = phi i64 [%first, %entry], [%i1, %done]',
                  '  %more = icmp slt i64 %i, %end', '  br i1 %more, label %begin, label %out',
                  'begin:')
        for lane in lanes:
            self._add(f'  %n{lane} = add i64 %i, {lane}',
                      f'  %r{lane} = call i64 @llvm.smin.i64(i64 %n{lane}, i64 %last)')
            for k in range(len(sizes)):
                self._add(f'  %o{k}.{lane} = mul i64 %r{lane}, %next{k}',
                          f'  %a{k}.{lane} = getelementptr i8, ptr %at{k}, i64 %o{k}.{lane}')
        for k in range(self._carried):
            values = self._read(f'c{k}', [f'%a{k}.{lane}' for lane in lanes], sizes[k])
            self._keep(k, values)
        self._add('  br label %steps', 'steps:', '  %k = phi i64 [0, %begin], [%k1, %one]',
                  '  %on = icmp slt i64 %k, %length', '  br i1 %on, label %one, label %done',
                  'one:')
        for k in range(len(sizes)):
            if k in handed:
                continue
            self._add(f'  %s{k} = mul i64 %k, %step{k}', *(
                f'  %p{k}.{lane} = getelementptr i8, ptr %a{k}.{lane}, i64 %s{k}'
                for lane in lanes))
        pointers: dict[Any, Any] = {k: f'%carry{k}' for k in range(self._carried)}
        for k in range(self._carried, given):
            pointers[k] = dict(enumerate(self._read(
                f'x{k}', [f'%p{k}.{lane}' for lane in lanes], sizes[k])))
        block = StraightLine('v', pointers, self._width)
        self._add(*block.compute(trace, [value for one in results for value in one]))
        for k, found in enumerate(results):
            texts = [block.value(value) for value in found]
            if k < self._carried:
                self._keep(k, texts, 'new')
            else:
                self._write(f'y{k}', [f'%p{given + k}.{lane}' for lane in lanes], texts)
        self._add('  %k1 = add i64 %k, 1', '  br label %steps', 'done:')
        for k in range(self._carried):
            values = [f'%l{k}.{entry}' for entry in range(sizes[k])]
            for entry, value in enumerate(values):
                self._add(f'  {value}.p = getelementptr {kind}, ptr %carry{k}, i64 {entry}',
                          f'  {value} = load {kind}, ptr {value}.p')
            self._write(f'z{k}', [f'%a{given + k}.{lane}' for lane in lanes], values)
        self._add(f'  %i1 = add i64 %i, {self._width.lanes}', '  br label %some', 'out:',
                  '  ret i64 1', '}')
        return '\n'.join(self._lines)

    def _add(self, *lines: str) -> None:
        self._lines += lines

    def _keep(self, k: int, values: Sequence[str], prefix: str = 'old') -> None:
        for entry, value in enumerate(values):
            place = f'%{prefix}{k}.{entry}'
            self._add(f'  {place} = getelementptr {self._width.type}, ptr %carry{k}, i64 {entry}',
                      f'  store {self._width.type} {value}, ptr {place}')

    def _squares(self, size: int) -> Iterator[tuple[int, int]]:
        """Yield first entry and number of entries of what is transposed at a time."""
        for first in range(0, size, self._width.lanes):
            yield first, min(self._width.lanes, size - first)

    def _read(self, name: str, rows: Sequence[str], size: int) -> list[str]:
        """Read W elements, transpose them; return the vectors of all entries."""
        found: list[str] = []
        for first, count in self._squares(size):
            new, loaded = f'{name}.{first}', []
            for lane, row in enumerate(rows):
                loaded.append(f'%{new}.x{lane}')
                self._add(f'  %{new}.q{lane} = getelementptr double, ptr {row}, i64 {first}',
                          load_ir(loaded[-1], f'%{new}.q{lane}', count, self._width))
            columns, moves = transpose_ir(loaded, new, self._width)
            self._add(*moves)
            found += columns[:count]
        return found

    def _write(self, name: str, rows: Sequence[str], values: Sequence[str]) -> None:
        """Write the vectors of all entries as W elements."""
        for first, count in self._squares(len(values)):
            new = f'{name}.{first}'
            columns = [*values[first:first + count],
                       *['zeroinitializer'] * (self._width.lanes - count)]
            filled, moves = transpose_ir(columns, new, self._width)
            self._add(*moves)
            for lane, row in enumerate(rows):
                self._add(f'  %{new}.q{lane} = getelementptr double, ptr {row}, i64 {first}',
                          store_ir(filled[lane], f'%{new}.q{lane}', count, self._width))
