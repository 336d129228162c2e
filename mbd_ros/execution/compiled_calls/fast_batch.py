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
Calling a kernel for a batch from Python without Python code in between.

That is some 20 us of Python, and five to ten times as much where batches displace it from the
caches: a sixth of the time of a batch of 4096 quadrupeds. Here ``fast_call`` goes on if its first
argument is no single state. If all arguments are arrays (N, size) of the right kind, what
``shares_ir.py`` describes runs without the interpreter's lock, on the caller's thread and on
others; else, and while nothing is compiled or a number is not finite, the ordinary function.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import ctypes
import math
from typing import Any
import weakref

from mbd_ros.execution.ir.array_ir import apart, check_array, DATA, load, READABLE, WRITEABLE
from mbd_ros.execution.ir.machine_code import address_ir, MachineCode
from mbd_ros.execution.program.kernel import Batches, FastBatches
from mbd_ros.execution.threads.shares import detach_late_threads, forget_what_is_done, pending
from mbd_ros.execution.threads.workers import native, running, workers

_ROWS, _SHARE, _WORKERS = range(3)


def addresses(kept: Callable[..., Any]) -> list[int]:
    """
    Return the addresses that the code uses, of which the first three are not known yet.

    These are: ``rows``, ``share``, the workers, how many of them run, whether something is kept
    for late threads, ``kept``, which is called with the arguments that one may still read or
    without any, and what gives the interpreter's lock back, takes it and forgets an error.
    """
    return [0, 0, 0, ctypes.addressof(running()), ctypes.addressof(pending()), id(kept), *(
        ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
        for name in ('PyEval_SaveThread', 'PyEval_RestoreThread', 'PyErr_Clear'))]


def complete(code: MachineCode, first: int, fast: FastBatches, kept: list[Any]) -> None:
    """Fill in the addresses, of which one is the ``first``, as soon as they are known."""
    def told(batches: Batches) -> None:
        table = (ctypes.c_int64 * max(1, fast.threads - 1))(*workers(fast.threads - 1))
        kept[:] = [batches, table]
        code.replace(first + _WORKERS, ctypes.addressof(table))
        code.replace(first + _SHARE, native().address('share'))
        code.replace(first + _ROWS, batches.rows)  # the last: with it the rest is used

    fast.follow(told)


def keeper(kept: list[Any], constants: Any) -> Callable[..., None]:
    """
    Return what is called with the arrays that a thread may still read, or with none.

    What keeps the constants is alive during such a call, and does not wait for this to be freed.
    """
    owner = weakref.ref(constants)

    def keep(*arrays: Any) -> None:
        forget_what_is_done()
        if arrays:
            detach_late_threads(*kept, owner(), *arrays)

    return keep


def many_ir(sizes: Sequence[int], constants: Sequence[str], shape: Sequence[int],
            fast: FastBatches, first: int) -> list[str]:
    """
    Return the IR of the block ``many`` and those after it, in the function of ``fast_call``.

    Parameters
    ----------
    sizes : sequence of int
        Entries of a state in each argument.
    constants : sequence of str
        Pointers to what is the same for all states.
    shape : sequence of int
        Shape of the result for one state.
    fast : FastBatches
        How batches run.
    first : int
        Number of the first of ``addresses``.

    Returns
    -------
    list of str
        IR.

    """
    row, count = 8 * math.prod(shape), len(sizes)
    many = ['%extentm0.0', *map(str, shape)]
    lines = ['many:', *(address_ir(f'%m.{name}', first + k) for k, name in enumerate((
        'rows', 'share', 'workers', 'running', 'pending', 'kept', 'unlock', 'lock', 'forget'))),
        '  %m.there = icmp ne ptr %m.rows, null', '  %m.ran = load i64, ptr %m.running',
        f'  %m.run = icmp sge i64 %m.ran, {fast.threads - 1}',
        '  %m.ready = and i1 %m.there, %m.run',
        '  br i1 %m.ready, label %many0, label %otherwise', 'many0:']
    for k, size in enumerate(sizes):
        lines += [f'  %argm{k}p = getelementptr ptr, ptr %args, i64 {k}',
                  f'  %argm{k} = load ptr, ptr %argm{k}p',
                  *check_array(f'm{k}', f'%argm{k}', ('%extentm0.0' if k else None, size),
                               READABLE, f'many{k + 1}'), f'many{k + 1}:']
    lines += [f'  %m.enough = icmp sge i64 %extentm0.0, {fast.lanes}',
              '  br i1 %m.enough, label %m.where, label %otherwise', 'm.where:',
              f'  %m.bytes = mul i64 %extentm0.0, {row}',
              '  %m.fresh = icmp eq ptr %out, null',
              '  br i1 %m.fresh, label %m.allocate, label %m.reuse', 'm.reuse:',
              *check_array('mo', '%out', many, READABLE | WRITEABLE, 'm.given'), 'm.given:']
    lines += [f'  %m.size{k} = mul i64 %extentm0.0, {8 * size}' for k, size in enumerate(sizes)]
    lines += [*apart([f'%m.size{k}' for k in range(count)], '%m.bytes', 'm'),
              '  br i1 %isapartm, label %m.compute, label %otherwise', 'm.allocate:',
              f'  %m.shape = alloca i64, i64 {len(many)}']
    for axis, extent in enumerate(many):
        lines += [f'  %m.shape{axis} = getelementptr i64, ptr %m.shape, i64 {axis}',
                  f'  store i64 {extent}, ptr %m.shape{axis}']
    lines += [f'  %m.new = call ptr %create(ptr %ndarray, i32 {len(many)}, ptr %m.shape, '
              'i32 12, ptr null, ptr null, i32 0, i32 0, ptr null)',
              '  %m.failed = icmp eq ptr %m.new, null',
              '  br i1 %m.failed, label %m.none, label %m.compute', 'm.none:', '  ret ptr null',
              'm.compute:', '  %m.array = phi ptr [%m.new, %m.allocate], [%out, %m.given]',
              *load('m.result', 'ptr', '%m.array', DATA)]
    call = [('ptr', '%m.rows'), ('i64', '%extentm0.0'), ('i64', '0'), ('i64', str(fast.lanes)),
            ('i64', str(row)), ('ptr', '%m.result'), ('i64', str(count + len(constants))),
            *(('ptr', f'%datam{k}') for k in range(count)),
            *(('ptr', pointer) for pointer in constants)]
    lines.append(f'  %m.call = alloca i64, i64 {len(call)}')
    for word, (kind, value) in enumerate(call):
        lines += [f'  %m.call{word} = getelementptr i64, ptr %m.call, i64 {word}',
                  f'  store {kind} {value}, ptr %m.call{word}']
    return [*lines, '  %m.state = call ptr %m.unlock()',
            f'  %m.answer = call i64 %m.share(ptr %m.call, ptr %m.workers, '
            f'i64 {fast.threads - 1})', '  call void %m.lock(ptr %m.state)',
            '  %m.late = icmp uge i64 %m.answer, 2', '  %m.some = load i64, ptr %m.pending',
            '  %m.old = icmp ne i64 %m.some, 0', '  %m.tell = or i1 %m.late, %m.old',
            '  br i1 %m.tell, label %m.keep, label %m.end', 'm.keep:',
            f'  %m.args = select i1 %m.late, i64 {count}, i64 0',
            '  %m.said = call ptr %call(ptr %m.kept, ptr %args, i64 %m.args, ptr null)',
            '  %m.unsaid = icmp eq ptr %m.said, null',
            '  br i1 %m.unsaid, label %m.error, label %m.drop', 'm.error:',
            '  call void %m.forget()', '  br label %m.end', 'm.drop:',
            '  call void %release(ptr %m.said)', '  br label %m.end', 'm.end:',
            '  %m.bit = and i64 %m.answer, 1', '  %m.good = icmp eq i64 %m.bit, 1',
            '  br i1 %m.good, label %m.done, label %m.bad', 'm.done:',
            '  br i1 %m.fresh, label %m.give, label %m.lend', 'm.lend:',
            '  call void %keep(ptr %out)', '  br label %m.give', 'm.give:',
            '  ret ptr %m.array', 'm.bad:',
            '  br i1 %m.fresh, label %m.discard, label %otherwise', 'm.discard:',
            '  call void %release(ptr %m.array)', '  br label %otherwise']
