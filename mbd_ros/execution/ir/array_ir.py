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
IR that looks into NumPy arrays.

The offsets used are those of the public structs ``PyObject``, ``PyArrayObject_fields`` and
``PyTupleObject``. They are checked against a real array and a real tuple at import; where they do
not hold (another Python implementation, a build without the interpreter's lock) it must not be
used.

"""

from __future__ import annotations

from collections.abc import Sequence
import ctypes
import sys
import sysconfig

import numpy as np

READABLE = 0x0100 | 0x0001
"""Flags of an array that is aligned and C-contiguous."""
WRITEABLE = 0x0400
"""Flag of an array that may be written to."""
_TYPE, DATA, _NDIM, _DIMENSIONS, _DTYPE, _FLAGS = 8, 16, 24, 32, 56, 64
TUPLE_SIZE, TUPLE_ITEMS = 16, tuple.__basicsize__
"""Where a tuple holds how many items it has, and the first one; since Python 3.14 its hash stands
between them."""


def load(name: str, kind: str, owner: str, offset: int) -> list[str]:
    """Return the IR that loads a field of a struct."""
    return [f'  %{name}.p = getelementptr i8, ptr {owner}, i64 {offset}',
            f'  %{name} = load {kind}, ptr %{name}.p']


def check_array(k: str, array: str, shape: Sequence[int | str | None], flags: int, good: str,
                bad: str = 'otherwise') -> list[str]:
    """
    Return the IR that checks an array: type, dtype, dimensions, lengths and flags.

    Parameters
    ----------
    k : str
        Ends the names of values, of which ``data`` and ``extent`` (with a dot and the axis after
        ``k``) are of use later.
    array : str
        The array.
    shape : sequence of int, str or None
        Lengths; the name of a value; None for any.
    flags : int
        Flags that must be set.
    good, bad : str
        Blocks to go on in.

    Returns
    -------
    list of str
        IR.

    """
    lines = load(f'type{k}', 'ptr', array, _TYPE)
    lines += [f'  %isarray{k} = icmp eq ptr %type{k}, %ndarray',
              f'  br i1 %isarray{k}, label %layout{k}, label %{bad}', f'layout{k}:']
    for name, kind, offset in (('dtype', 'ptr', _DTYPE), ('ndim', 'i32', _NDIM),
                               ('dims', 'ptr', _DIMENSIONS), ('flags', 'i32', _FLAGS),
                               ('data', 'ptr', DATA)):
        lines += load(f'{name}{k}', kind, array, offset)
    lines += [
        f'  %isdouble{k} = icmp eq ptr %dtype{k}, %float64',
        f'  %isshaped{k} = icmp eq i32 %ndim{k}, {len(shape)}',
        f'  %masked{k} = and i32 %flags{k}, {flags}',
        f'  %issimple{k} = icmp eq i32 %masked{k}, {flags}',
        f'  %both{k} = and i1 %isdouble{k}, %isshaped{k}',
        f'  %all{k} = and i1 %both{k}, %issimple{k}',
        f'  br i1 %all{k}, label %length{k}, label %{bad}', f'length{k}:']
    fits = 'true'
    for axis, extent in enumerate(shape):
        lines += load(f'extent{k}.{axis}', 'i64', f'%dims{k}', 8 * axis)
        if extent is None:
            continue
        lines += [f'  %fits{k}.{axis} = icmp eq i64 %extent{k}.{axis}, {extent}',
                  f'  %fit{k}.{axis} = and i1 {fits}, %fits{k}.{axis}']
        fits = f'%fit{k}.{axis}'
    return [*lines, f'  br i1 {fits}, label %{good}, label %{bad}']


def apart(sizes: Sequence[int | str], result_size: int | str, k: str = '') -> list[str]:
    """
    Return the IR of ``%isapart``: whether the given result shares no memory with arguments.

    Sizes are in bytes, numbers or names of values; ``k`` stands after ``data`` in the names of
    the arrays' data.
    """
    lines, all_apart = [f'  %o0{k} = ptrtoint ptr %data{k}o to i64',
                        f'  %o1{k} = add i64 %o0{k}, {result_size}'], 'true'
    for number, size in enumerate(sizes):
        n = f'{k}.{number}'
        lines += [f'  %i0{n} = ptrtoint ptr %data{k}{number} to i64',
                  f'  %i1{n} = add i64 %i0{n}, {size}',
                  f'  %before{n} = icmp ule i64 %o1{k}, %i0{n}',
                  f'  %after{n} = icmp ule i64 %i1{n}, %o0{k}',
                  f'  %off{n} = or i1 %before{n}, %after{n}',
                  f'  %off.all{n} = and i1 {all_apart}, %off{n}']
        all_apart = f'%off.all{n}'
    return [*lines, f'  %isapart{k} = and i1 {all_apart}, true']


def _layout_known() -> bool:
    """Return whether the fields of arrays and tuples are where this file expects them."""
    if sys.implementation.name != 'cpython' or sysconfig.get_config_var('Py_GIL_DISABLED'):
        return False
    probe = np.zeros(7)
    word = ctypes.c_ssize_t.from_address
    address = id(probe)
    pair = (probe, np.ndarray)
    return (word(id(pair) + TUPLE_SIZE).value == len(pair)
            and word(id(pair) + TUPLE_ITEMS).value == address
            and word(address + _TYPE).value == id(np.ndarray)
            and word(address + DATA).value == probe.ctypes.data
            and ctypes.c_int.from_address(address + _NDIM).value == 1
            and word(word(address + _DIMENSIONS).value).value == 7
            and word(address + _DTYPE).value == id(np.dtype(np.float64))
            and ctypes.c_int.from_address(address + _FLAGS).value & READABLE == READABLE)


LAYOUT_KNOWN = _layout_known()
"""Whether calls can take the fast way on this Python."""
