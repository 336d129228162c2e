"""
Calling a kernel from Python in some tens of nanoseconds.

The entry is emitted as IR with the signature of CPython's ``METH_FASTCALL | METH_KEYWORDS`` and
wrapped by ``PyCFunction_NewEx``. It takes the fast way if every argument is a NumPy array of
float64, C-contiguous, aligned, of the right length and holds finite numbers, and the result is
finite; likewise with ``out=`` an array for the result that shares no memory with them. Everything
else (lists, batches, other types, keywords, NaN, wrong sizes) goes to an ordinary Python function,
which converts the arguments or says what is wrong.

The offsets used are those of the public structs ``PyObject`` and ``PyArrayObject_fields``. They
are checked against a real array at import; where they do not hold (another Python implementation,
a build without the interpreter's lock) the ordinary function is all there is.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import ctypes
import importlib
import sys
import sysconfig
from typing import Any

import numpy as np

from mbd_ros.execution.machine_code import address_ir, MachineCode

_FASTCALL_WITH_KEYWORDS = 0x80 | 0x02
_ALIGNED_CONTIGUOUS = 0x0100 | 0x0001
_WRITEABLE = 0x0400
_TYPE, _DATA, _NDIM, _DIMENSIONS, _DTYPE, _FLAGS = 8, 16, 24, 32, 56, 64
_TUPLE_SIZE, _TUPLE_ITEMS = 16, 24
_OUT = sys.intern('out')  # the names of keywords in a call are interned
_PYARRAY_NEW = 93  # index of PyArray_New in NumPy's C API table, the same in NumPy 1 and 2
_DOUBLE = 12  # NPY_DOUBLE
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
    follow: Callable[[Callable[[int], None]], None] | None = None,
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
    follow : callable, optional
        Takes a function to call with the kernel's address whenever it has changed.

    Returns
    -------
    callable
        Takes one array for each entry of ``sizes``; gives a new array.

    """
    if not LAYOUT_KNOWN:
        return otherwise
    code = MachineCode(_entry_ir(sizes, len(constants), shape), addresses=[
        kernel, id(np.ndarray), id(np.dtype(np.float64)), _numpy_function(_PYARRAY_NEW),
        _python_function('Py_DecRef'), _python_function('PyObject_Vectorcall'),
        _python_function('Py_IncRef'), id(_OUT), *constants])
    definition = _MethodDefinition(name.encode(), code.address('entry'), _FASTCALL_WITH_KEYWORDS,
                                   documentation.encode())
    otherwise.__dict__['machine_code'] = (code, definition)
    if follow is not None:
        follow(lambda address: code.replace(0, address))
    function: Callable[..., Any] = _NEW_FUNCTION(ctypes.addressof(definition), otherwise, None)
    return function


def _entry_ir(sizes: Sequence[int], constants: int, shape: Sequence[int]) -> str:
    """Return the IR of ``entry(self, arguments, count, keyword names)``."""
    fixed = [f'%constant{k}' for k in range(constants)]
    lines = [
        _FINITE, f'@shape = private constant [{len(shape)} x i64] '
        f'[{", ".join(f"i64 {extent}" for extent in shape)}]',
        'define ptr @entry(ptr %self, ptr %args, i64 %count, ptr %keywords) nounwind {', 'entry:',
        *(address_ir(name, k) for k, name in enumerate((
            '%kernel', '%ndarray', '%float64', '%create', '%release', '%call', '%keep', '%named',
            *fixed))),
        f'  %enough = icmp eq i64 %count, {len(sizes)}',
        '  br i1 %enough, label %counted, label %otherwise', 'counted:',
        '  %plain = icmp eq ptr %keywords, null',
        '  br i1 %plain, label %check0, label %keyword', 'keyword:',
        *_load('namesn', 'i64', '%keywords', _TUPLE_SIZE), *_load('name', 'ptr', '%keywords',
                                                                  _TUPLE_ITEMS),
        '  %alone = icmp eq i64 %namesn, 1', '  %isout = icmp eq ptr %name, %named',
        '  %given = and i1 %alone, %isout', '  br i1 %given, label %into, label %otherwise',
        'into:', f'  %outp = getelementptr ptr, ptr %args, i64 {len(sizes)}',
        '  %outarg = load ptr, ptr %outp', '  br label %check0', 'check0:',
        '  %out = phi ptr [null, %counted], [%outarg, %into]']
    for k, size in enumerate(sizes):
        lines += [f'  %arg{k}p = getelementptr ptr, ptr %args, i64 {k}',
                  f'  %arg{k} = load ptr, ptr %arg{k}p',
                  *_check_array(str(k), f'%arg{k}', (size,), _ALIGNED_CONTIGUOUS,
                                f'check{k + 1}'), f'check{k + 1}:']
    lines += _all_finite([(f'data{k}', size) for k, size in enumerate(sizes)], 'in')
    lines += ['  br i1 %in, label %finite, label %otherwise', 'finite:',
              '  %fresh = icmp eq ptr %out, null', '  br i1 %fresh, label %allocate, label %reuse',
              'reuse:', *_check_array('o', '%out', shape, _ALIGNED_CONTIGUOUS | _WRITEABLE,
                                      'apart'), 'apart:', *_apart(sizes, int(np.prod(shape))),
              '  br i1 %isapart, label %compute, label %otherwise', 'allocate:',
              f'  %new = call ptr %create(ptr %ndarray, i32 {len(shape)}, ptr @shape, '
              f'i32 {_DOUBLE}, ptr null, ptr null, i32 0, i32 0, ptr null)',
              '  %failed = icmp eq ptr %new, null',
              '  br i1 %failed, label %give, label %compute', 'compute:',
              '  %array = phi ptr [%new, %allocate], [%out, %apart]',
              *_load('result', 'ptr', '%array', _DATA)]
    arguments = [*(f'ptr %data{k}' for k in range(len(sizes))),
                 *(f'ptr {name}' for name in fixed), 'ptr %result']
    lines.append(f'  call void %kernel({", ".join(arguments)})')
    lines += _all_finite([('result', int(np.prod(shape)))], 'good')
    lines += ['  br i1 %good, label %done, label %discard', 'done:',
              '  br i1 %fresh, label %give, label %lend', 'lend:',
              '  call void %keep(ptr %out)', '  ret ptr %out', 'give:',
              '  %answer = phi ptr [%new, %allocate], [%array, %done]', '  ret ptr %answer',
              'discard:', '  br i1 %fresh, label %drop, label %otherwise', 'drop:',
              '  call void %release(ptr %array)', '  br label %otherwise', 'otherwise:',
              '  %slow = call ptr %call(ptr %self, ptr %args, i64 %count, ptr %keywords)',
              '  ret ptr %slow', '}']
    return '\n'.join(lines)


def _check_array(k: str, array: str, shape: Sequence[int], flags: int, good: str) -> list[str]:
    """Return the IR that checks an array: type, dtype, dimensions, lengths and flags."""
    lines = _load(f'type{k}', 'ptr', array, _TYPE)
    lines += [f'  %isarray{k} = icmp eq ptr %type{k}, %ndarray',
              f'  br i1 %isarray{k}, label %layout{k}, label %otherwise', f'layout{k}:']
    for name, kind, offset in (('dtype', 'ptr', _DTYPE), ('ndim', 'i32', _NDIM),
                               ('dims', 'ptr', _DIMENSIONS), ('flags', 'i32', _FLAGS),
                               ('data', 'ptr', _DATA)):
        lines += _load(f'{name}{k}', kind, array, offset)
    lines += [
        f'  %isdouble{k} = icmp eq ptr %dtype{k}, %float64',
        f'  %isshaped{k} = icmp eq i32 %ndim{k}, {len(shape)}',
        f'  %masked{k} = and i32 %flags{k}, {flags}',
        f'  %issimple{k} = icmp eq i32 %masked{k}, {flags}',
        f'  %both{k} = and i1 %isdouble{k}, %isshaped{k}',
        f'  %all{k} = and i1 %both{k}, %issimple{k}',
        f'  br i1 %all{k}, label %length{k}, label %otherwise', f'length{k}:']
    fits = 'true'
    for axis, extent in enumerate(shape):
        lines += [*_load(f'extent{k}.{axis}', 'i64', f'%dims{k}', 8 * axis),
                  f'  %fits{k}.{axis} = icmp eq i64 %extent{k}.{axis}, {extent}',
                  f'  %fit{k}.{axis} = and i1 {fits}, %fits{k}.{axis}']
        fits = f'%fit{k}.{axis}'
    return [*lines, f'  br i1 {fits}, label %{good}, label %otherwise']


def _apart(sizes: Sequence[int], result_size: int) -> list[str]:
    """Return the IR that tests whether the given result shares no memory with arguments."""
    lines, apart = ['  %o0 = ptrtoint ptr %datao to i64',
                    f'  %o1 = add i64 %o0, {8 * result_size}'], 'true'
    for k, size in enumerate(sizes):
        lines += [f'  %i0.{k} = ptrtoint ptr %data{k} to i64',
                  f'  %i1.{k} = add i64 %i0.{k}, {8 * size}',
                  f'  %before.{k} = icmp ule i64 %o1, %i0.{k}',
                  f'  %after.{k} = icmp ule i64 %i1.{k}, %o0',
                  f'  %off.{k} = or i1 %before.{k}, %after.{k}',
                  f'  %off.all.{k} = and i1 {apart}, %off.{k}']
        apart = f'%off.all.{k}'
    return [*lines, f'  %isapart = and i1 {apart}, true']


_LONG = 512  # entries beyond which an array is tested by a loop, _BLOCK entries at a time
_BLOCK = 32  # four vectors of eight, so that their sums do not wait for each other
_BLOCKS = f'<{_BLOCK} x double>'
_EIGHT = '<8 x double>'
_FINITE = f"""
declare double @llvm.vector.reduce.fadd.v{_BLOCK}f64(double, {_BLOCKS})
declare double @llvm.vector.reduce.fadd.v8f64(double, {_EIGHT})
define private double @finite(ptr readonly %array, i64 %size) nounwind {{
entry:
  %blocks = and i64 %size, {-_BLOCK}
  br label %many
many:
  %k = phi i64 [0, %entry], [%next, %block]
  %sums = phi {_BLOCKS} [zeroinitializer, %entry], [%added, %block]
  %more = icmp slt i64 %k, %blocks
  br i1 %more, label %block, label %rest
block:
  %p = getelementptr double, ptr %array, i64 %k
  %x = load {_BLOCKS}, ptr %p, align 8
  %z = fmul {_BLOCKS} %x, zeroinitializer
  %added = fadd {_BLOCKS} %sums, %z
  %next = add i64 %k, {_BLOCK}
  br label %many
rest:
  %all = call reassoc double @llvm.vector.reduce.fadd.v{_BLOCK}f64(double 0.0, {_BLOCKS} %sums)
  br label %single
single:
  %i = phi i64 [%blocks, %rest], [%j, %entryof]
  %sum = phi double [%all, %rest], [%one, %entryof]
  %left = icmp slt i64 %i, %size
  br i1 %left, label %entryof, label %done
entryof:
  %ip = getelementptr double, ptr %array, i64 %i
  %ix = load double, ptr %ip
  %iz = fmul double %ix, 0.0
  %one = fadd double %sum, %iz
  %j = add i64 %i, 1
  br label %single
done:
  ret double %sum
}}"""


def _load(name: str, kind: str, owner: str, offset: int) -> list[str]:
    return [f'  %{name}.p = getelementptr i8, ptr {owner}, i64 {offset}',
            f'  %{name} = load {kind}, ptr %{name}.p']


def _all_finite(arrays: Sequence[tuple[str, int]], name: str) -> list[str]:
    """Return the IR of a test that 0 * x sums to zero, which NaN and infinity do not."""
    lines: list[str] = []
    sums: dict[str, list[str]] = {'double': [], _EIGHT: []}
    for array, size in arrays:
        if size > _LONG:
            lines.append(f'  %{name}.{array} = call double @finite(ptr %{array}, i64 {size})')
            sums['double'].append(f'%{name}.{array}')
            continue
        eights = size - size % 8
        for entry in (*range(0, eights, 8), *range(eights, size)):
            value, kind = f'%{name}.{array}.{entry}', _EIGHT if entry < eights else 'double'
            lines += [f'  {value}p = getelementptr double, ptr %{array}, i64 {entry}',
                      f'  {value}x = load {kind}, ptr {value}p, align 8',
                      f'  {value} = fmul {kind} {value}x, '
                      f'{"0.0" if kind == "double" else "zeroinitializer"}']
            sums[kind].append(value)
    if sums[_EIGHT]:
        lines.append(f'  %{name}.eights = call reassoc double @llvm.vector.reduce.fadd.v8f64('
                     f'double 0.0, {_EIGHT} {_total(sums[_EIGHT], _EIGHT, lines)})')
        sums['double'].append(f'%{name}.eights')
    total = _total(sums['double'], 'double', lines) if sums['double'] else '0.0'
    return [*lines, f'  %{name} = fcmp oeq double {total}, 0.0']


def _total(values: list[str], kind: str, lines: list[str]) -> str:
    """Add the IR of a sum by pairs, in which few additions wait for each other."""
    while len(values) > 1:
        pairs = [f'{value}s' for value in values[:-1:2]]
        lines += [f'  {pair} = fadd {kind} {one}, {other}'
                  for pair, one, other in zip(pairs, values[::2], values[1::2])]
        values = pairs + values[len(values) - len(values) % 2:]
    return values[0]


def _python_function(name: str) -> int:
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


def _numpy_function(index: int) -> int:
    """Return the address of an entry of NumPy's C API table."""
    try:
        core = importlib.import_module('numpy._core._multiarray_umath')  # NumPy 2
    except ImportError:
        core = importlib.import_module('numpy.core._multiarray_umath')  # NumPy 1
    table = ctypes.cast(_CAPSULE_POINTER(core._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    return table[index] or 0


def _layout_known() -> bool:
    """Return whether the fields of an array are where this file expects them."""
    if sys.implementation.name != 'cpython' or sysconfig.get_config_var('Py_GIL_DISABLED'):
        return False
    probe = np.zeros(7)
    word = ctypes.c_ssize_t.from_address
    address = id(probe)
    return (word(address + _TYPE).value == id(np.ndarray)
            and word(address + _DATA).value == probe.ctypes.data
            and ctypes.c_int.from_address(address + _NDIM).value == 1
            and word(word(address + _DIMENSIONS).value).value == 7
            and word(address + _DTYPE).value == id(np.dtype(np.float64))
            and ctypes.c_int.from_address(address + _FLAGS).value & _ALIGNED_CONTIGUOUS
            == _ALIGNED_CONTIGUOUS)


LAYOUT_KNOWN = _layout_known()
"""Whether calls can take the fast way on this Python."""
