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
Calling a kernel from Python in some tens of nanoseconds.

The entry is emitted as IR with the signature of CPython's ``METH_FASTCALL | METH_KEYWORDS`` and
wrapped by ``PyCFunction_NewEx``. It takes the fast way if every argument is a NumPy array of
float64, C-contiguous, aligned, of the right length and holds finite numbers, and the result is
finite; likewise with ``out=`` an array for the result that shares no memory with them. Everything
else (lists, batches, other types, keywords, NaN, wrong sizes) goes to an ordinary Python function,
which converts the arguments or says what is wrong.

Where arrays are not as ``array_ir.py`` expects them the ordinary function is all there is. Batches
are for ``fast_batch.py``.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import ctypes
import functools
import importlib
import math
import sys
from typing import Any

import numpy as np

from mbd_ros.execution.compiled_calls.fast_batch import addresses, complete, keeper, many_ir
from mbd_ros.execution.ir.array_ir import (
    apart, check_array, DATA, LAYOUT_KNOWN, load, READABLE, TUPLE_ITEMS, TUPLE_SIZE, WRITEABLE)
from mbd_ros.execution.ir.finite import all_finite_ir, FINITE_IR
from mbd_ros.execution.ir.machine_code import address_ir, MachineCode
from mbd_ros.execution.program.kernel import FastBatches

_FASTCALL_WITH_KEYWORDS = 0x80 | 0x02
_OUT = sys.intern('out')  # the names of keywords in a call are interned
_PYARRAY_NEW = 93  # index of PyArray_New in NumPy's C API table, the same in NumPy 1 and 2
_DOUBLE = 12  # NPY_DOUBLE
_FIXED = 8  # addresses before those of the constants
_NEW_FUNCTION = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)(
        ('PyCFunction_NewEx', ctypes.pythonapi))
_CAPSULE_POINTER = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ('PyCapsule_GetPointer', ctypes.pythonapi))


class _MethodDefinition(ctypes.Structure):
    _fields_ = [('name', ctypes.c_char_p), ('function', ctypes.c_void_p),
                ('flags', ctypes.c_int), ('documentation', ctypes.c_char_p)]


def fast_call(
    kernel: int, sizes: Sequence[int], constants: Sequence[int], shape: Sequence[int],
    otherwise: Callable[..., Any], name: str, documentation: str,
    batches: FastBatches | None = None,
) -> Callable[..., Any]:
    """
    Return a built-in function that calls a kernel.

    Parameters
    ----------
    kernel : int
        Address of ``void kernel(argument..., constant..., result)``.
    sizes : sequence of int
        Number of entries of each argument.
    constants : sequence of int
        Addresses of the arguments that are the same at every call.
    shape : sequence of int
        Shape of the result.
    otherwise : callable
        Called with the same arguments whenever the fast way is not open. It must keep alive what
        the addresses point to.
    name, documentation : str
        ``__name__`` and ``__doc__``.
    batches : FastBatches, optional
        How batches run; if left out, ``otherwise`` does them.

    Returns
    -------
    callable
        Takes one array for each entry of ``sizes``; gives a new array.

    """
    if not LAYOUT_KNOWN:
        return otherwise
    if not all(sizes) or not all(shape):
        batches = None
    kept: list[Any] = []
    keep = keeper(kept, otherwise)
    code = MachineCode(_entry_ir(sizes, len(constants), shape, batches), addresses=[
        kernel, id(np.ndarray), id(np.dtype(np.float64)), _numpy_function(_PYARRAY_NEW),
        _python_function('Py_DecRef'), _vectorcall(),
        _python_function('Py_IncRef'), id(_OUT), *constants, *addresses(keep)])
    definition = _MethodDefinition(name.encode(), code.address('entry'), _FASTCALL_WITH_KEYWORDS,
                                   documentation.encode())
    otherwise.__dict__['machine_code'] = (code, definition, keep)
    if batches is not None:
        complete(code, _FIXED + len(constants), batches, kept)
    function: Callable[..., Any] = _NEW_FUNCTION(ctypes.addressof(definition), otherwise, None)
    return function


def _entry_ir(sizes: Sequence[int], constants: int, shape: Sequence[int],
              batches: FastBatches | None) -> str:
    """Return the IR of ``entry(self, arguments, count, keyword names)``."""
    fixed = [f'%constant{k}' for k in range(constants)]
    lines = [
        FINITE_IR, f'@shape = private constant [{len(shape)} x i64] '
        f'[{", ".join(f"i64 {extent}" for extent in shape)}]',
        'define ptr @entry(ptr %self, ptr %args, i64 %count, ptr %keywords) nounwind {', 'entry:',
        *(address_ir(name, k) for k, name in enumerate((
            '%kernel', '%ndarray', '%float64', '%create', '%release', '%call', '%keep', '%named',
            *fixed))),
        f'  %enough = icmp eq i64 %count, {len(sizes)}',
        '  br i1 %enough, label %counted, label %otherwise', 'counted:',
        '  %plain = icmp eq ptr %keywords, null',
        '  br i1 %plain, label %check0, label %keyword', 'keyword:',
        *load('namesn', 'i64', '%keywords', TUPLE_SIZE),
        *load('name', 'ptr', '%keywords', TUPLE_ITEMS),
        '  %alone = icmp eq i64 %namesn, 1', '  %isout = icmp eq ptr %name, %named',
        '  %given = and i1 %alone, %isout', '  br i1 %given, label %into, label %otherwise',
        'into:', f'  %outp = getelementptr ptr, ptr %args, i64 {len(sizes)}',
        '  %outarg = load ptr, ptr %outp', '  br label %check0', 'check0:',
        '  %out = phi ptr [null, %counted], [%outarg, %into]']
    for k, size in enumerate(sizes):
        lines += [f'  %arg{k}p = getelementptr ptr, ptr %args, i64 {k}',
                  f'  %arg{k} = load ptr, ptr %arg{k}p',
                  *check_array(str(k), f'%arg{k}', (size,), READABLE, f'check{k + 1}',
                               'many' if k == 0 and batches else 'otherwise'), f'check{k + 1}:']
    lines += all_finite_ir([(f'data{k}', size) for k, size in enumerate(sizes)], 'in')
    lines += ['  br i1 %in, label %finite, label %otherwise', 'finite:',
              '  %fresh = icmp eq ptr %out, null', '  br i1 %fresh, label %allocate, label %reuse',
              'reuse:', *check_array('o', '%out', shape, READABLE | WRITEABLE, 'apart'),
              'apart:', *apart([8 * size for size in sizes], 8 * math.prod(shape)),
              '  br i1 %isapart, label %compute, label %otherwise', 'allocate:',
              f'  %new = call ptr %create(ptr %ndarray, i32 {len(shape)}, ptr @shape, '
              f'i32 {_DOUBLE}, ptr null, ptr null, i32 0, i32 0, ptr null)',
              '  %failed = icmp eq ptr %new, null',
              '  br i1 %failed, label %give, label %compute', 'compute:',
              '  %array = phi ptr [%new, %allocate], [%out, %apart]',
              *load('result', 'ptr', '%array', DATA)]
    arguments = [*(f'ptr %data{k}' for k in range(len(sizes))),
                 *(f'ptr {name}' for name in fixed), 'ptr %result']
    lines.append(f'  call void %kernel({", ".join(arguments)})')
    lines += all_finite_ir([('result', int(np.prod(shape)))], 'good', written=True)
    lines += ['  br i1 %good, label %done, label %discard', 'done:',
              '  br i1 %fresh, label %give, label %lend', 'lend:',
              '  call void %keep(ptr %out)', '  ret ptr %out', 'give:',
              '  %answer = phi ptr [%new, %allocate], [%array, %done]', '  ret ptr %answer',
              'discard:', '  br i1 %fresh, label %drop, label %otherwise', 'drop:',
              '  call void %release(ptr %array)', '  br label %otherwise']
    if batches is not None:
        lines += many_ir(sizes, fixed, shape, batches, _FIXED + constants)
    lines += ['otherwise:',
              '  %slow = call ptr %call(ptr %self, ptr %args, i64 %count, ptr %keywords)',
              '  ret ptr %slow', '}']
    return '\n'.join(lines)


def _python_function(name: str) -> int:
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


_MAKE_CALL = f"""
define ptr @vectorcall(ptr %callable, ptr %args, i64 %count, ptr %keywords) nounwind {{
{address_ir('%state', 0)}
{address_ir('%make', 1)}
  %thread = call ptr %state()
  %positional = and i64 %count, {2 ** 63 - 1}
  %result = call ptr %make(ptr %thread, ptr %callable, ptr %args, i64 %positional, ptr %keywords)
  ret ptr %result
}}"""


@functools.cache
def _before_3_11() -> MachineCode:
    return MachineCode(_MAKE_CALL, addresses=[
        _python_function('PyThreadState_Get'), _python_function('_PyObject_MakeTpCall')])


def _vectorcall() -> int:
    """
    Return the address of ``PyObject_Vectorcall``.

    Python 3.10 has it in a header only. What it does there for any callable is emitted; of the
    bits of the count the highest is a flag.
    """
    if sys.version_info >= (3, 11):
        return _python_function('PyObject_Vectorcall')
    return _before_3_11().address('vectorcall')


def _numpy_function(index: int) -> int:
    """Return the address of an entry of NumPy's C API table."""
    try:
        core = importlib.import_module('numpy._core._multiarray_umath')  # NumPy 2
    except ImportError:
        core = importlib.import_module('numpy.core._multiarray_umath')  # NumPy 1
    table = ctypes.cast(_CAPSULE_POINTER(core._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    return table[index] or 0
