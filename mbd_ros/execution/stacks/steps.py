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
Machine code for functions of stacks: the text in NumPy of one element is traced, code loops.

A stack is an array (n, N, ...): an element for each of n bodies and N states. What a function of
elements does is recorded once, on symbols; the code runs it on W elements at a time in the lanes
of vector registers, without the interpreter's lock, and whoever of several threads is free takes
the next block of elements (``shares_ir.py``). On scalars of another kind, as those that count, the
function itself runs on the whole stacks.

"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
import ctypes
import functools
import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.calls.array_ir import DATA, LAYOUT_KNOWN
from mbd_ros.execution.calls.batch import load_ir, store_ir, transpose_ir
from mbd_ros.execution.ir.machine_code import MachineCode, vector_lanes
from mbd_ros.execution.ir.sincos import sincos_ir
from mbd_ros.execution.ir.straight_line import StraightLine, Width
from mbd_ros.execution.ir.trace import Trace
from mbd_ros.execution.threads.shares import share_blocks

Stack: TypeAlias = NDArray[Any]
"""(n, N, ...): one element for each of n bodies and N states, floats or counted scalars."""
Step: TypeAlias = Callable[..., Any]
"""Elements (..., *core) to one or a tuple of such, in NumPy."""
Core: TypeAlias = tuple[int, ...]
FEWEST = 64
"""Elements below which a block does not repay handing it over."""
BLOCKS = 8
"""Blocks for each thread at most, so that none waits long for the last."""


def each(step: Step) -> Step:
    """
    Return a function of stacks (n, N, ...) that runs a step on each of their elements.

    First axes of length one stand for all; ``threads`` may be given.
    """
    @functools.wraps(step)
    def run(*stacks: Stack, threads: int = 1) -> Any:
        if any(stack.dtype == object for stack in stacks):
            return step(*stacks)
        n, many = np.broadcast_shapes(*(stack.shape[:2] for stack in stacks))
        turned = n > many
        if turned:   # bodies side by side, states one after the other
            stacks = tuple(np.swapaxes(stack, 0, 1) for stack in stacks)
        code, found = _run(step, (), stacks, (many, n) if turned else (n, many), threads)
        found = [np.swapaxes(one, 0, 1) for one in found] if turned else found
        return found[0] if code.single else tuple(found)
    return run


def along(step: Step, carry: Sequence[Stack], stacks: Sequence[Stack], *, threads: int = 1,
          reverse: bool = False) -> tuple[tuple[Stack, ...], tuple[Stack, ...]]:
    """
    Run a step along the first axis of stacks, each time on what the time before handed on.

    Parameters
    ----------
    step : callable
        ``(*carry, *elements)`` to a tuple: what is handed on, then results.
    carry : sequence of array
        (N, ...) what the first one is handed.
    stacks : sequence of array
        (n, N, ...).
    threads : int
        Among which the N are shared.
    reverse : bool
        Whether it begins with the last.

    Returns
    -------
    tuple of tuple of array
        What the last one hands on, (N, ...), and the results, (n, N, ...).

    """
    if all(stack.dtype != object for stack in (*carry, *stacks)):
        extents = np.broadcast_shapes(*(stack.shape[:2] for stack in stacks),
                                      *((1, len(one)) for one in carry))
        _, results = _run(step, carry, stacks, extents, threads, reverse)
        return (tuple(one[0] for one in results[:len(carry)]), tuple(results[len(carry):]))
    given, found = tuple(carry), []
    for k in range(len(stacks[0]))[::-1 if reverse else 1]:
        results = step(*given, *(stack[k] for stack in stacks))
        given = results[:len(given)]
        found.append(results[len(given):])
    return given, tuple(np.stack(one) for one in zip(*found[::-1 if reverse else 1]))


def _run(step: Step, carry: Sequence[Stack], stacks: Sequence[Stack], extents: tuple[int, ...],
         threads: int, reverse: bool = False) -> tuple[_Code, list[Stack]]:
    length, count = extents
    given = [*(one[None] for one in carry), *stacks]
    code = _code(step, len(carry), tuple(stack.shape[2:] for stack in given),
                 vector_lanes() if count > 1 else 1)
    given = [_packed(stack) for stack in given]
    results = [np.empty((length if k >= len(carry) else 1, count, *core))
               for k, core in enumerate(code.results)]
    words = [length]
    for stack in (*given, *results):
        first, (one, many), (onward, across) = (
            _address(stack), stack.shape[:2], stack.strides[:2])
        if one == 1:
            onward = 0
        elif reverse:
            first, onward = first + (one - 1) * onward, -onward
        words += (first, onward, across if many > 1 else 0)
    block = max(code.lanes, FEWEST // max(1, length), count // (threads * BLOCKS))
    if count:
        share_blocks(code.rows, count, -(-block // code.lanes) * code.lanes, words, threads,
                     (code, given, results))
    return code, results


def _address(stack: Stack) -> int:
    """Return where the entries are; NumPy takes ten times as long to say so."""
    return (ctypes.c_size_t.from_address(id(stack) + DATA).value if LAYOUT_KNOWN
            else stack.ctypes.data)


def _packed(stack: Stack) -> Stack:
    """Return a stack of doubles in which the entries of an element follow each other."""
    if stack.flags.c_contiguous and stack.dtype == np.float64:
        return stack
    size = 8
    for stride, extent in zip(stack.strides[:1:-1], stack.shape[:1:-1]):
        if stride != size and extent > 1:
            return np.ascontiguousarray(stack, dtype=np.float64)
        size *= extent
    return stack.astype(np.float64, copy=False)


class _Code(NamedTuple):
    """Code of a step: the address of ``rows``, and the shapes of results, or of the single one."""

    code: MachineCode
    rows: int
    lanes: int
    results: tuple[Core, ...]
    single: bool


@functools.lru_cache(maxsize=256)
def _code(step: Step, carried: int, cores: tuple[Core, ...], lanes: int) -> _Code:
    """
    Return the code of ``int64 rows(words, first, count, to)`` for some of the N.

    The words are: how many n, then for arguments and results where they are, and how many bytes
    there are from one of n to the next, and from one of N. What is handed on comes first.
    """
    trace, given = Trace(), []
    for argument, core in enumerate(cores):
        symbols = np.empty(math.prod(core), dtype=object)
        symbols[:] = [trace.input(argument, entry) for entry in range(len(symbols))]
        given.append(symbols.reshape(1, 1, *core))
    found = step(*given)
    results = [np.asarray(one)[0, 0] for one in (found if isinstance(found, tuple) else (found,))]
    results = [np.asarray(one, dtype=object) for one in results]
    width = Width(lanes)
    lines = _Lines(width, [math.prod(core) for core in cores], carried)
    ir = lines.rows(trace, [one.ravel().tolist() for one in results])
    code = MachineCode(ir, optimization=2 if lanes >= 8 else 1, scheduled=False)
    return _Code(code, code.address('rows'), lanes, tuple(one.shape for one in results),
                 not isinstance(found, tuple))


class _Lines:
    """Writes ``rows``; arguments are numbered, results after them."""

    def __init__(self, width: Width, sizes: Sequence[int], carried: int) -> None:
        self._width, self._sizes, self._carried = width, sizes, carried
        self._lines: list[str] = []

    def rows(self, trace: Trace, results: Sequence[Sequence[Any]]) -> str:
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
