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

from collections.abc import Callable, Sequence
import ctypes
import functools
import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.ir.array_ir import DATA, LAYOUT_KNOWN
from mbd_ros.execution.ir.element_loops import ElementLoops
from mbd_ros.execution.ir.machine_code import MachineCode, vector_lanes
from mbd_ros.execution.ir.straight_line import Width
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
    lines = ElementLoops(width, [math.prod(core) for core in cores], carried)
    ir = lines.rows(trace, [one.ravel().tolist() for one in results])
    code = MachineCode(ir, optimization=2 if lanes >= 8 else 1, scheduled=False)
    return _Code(code, code.address('rows'), lanes, tuple(one.shape for one in results),
                 not isinstance(found, tuple))
