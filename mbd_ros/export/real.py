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
The numbers of a library; code in single precision, made of the text of that in double precision.

Texts of IR name the type of numbers, the width of intrinsic functions, constants by their bits,
alignments, and, where they clear or take memory, bytes; all else counts entries. So one pass over
a text serves every way in which code is written. What follows from the precision itself, sine and
cosine, is written anew.

"""

from __future__ import annotations

from dataclasses import dataclass
import re
import struct

import numpy as np

from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.ir.sincos import function_ir, SINGLE
from mbd_ros.execution.ir.straight_line import Width

_LARGEST = float(np.finfo(np.float32).max)
_SMALLEST = float(np.finfo(np.float32).tiny)
_SINCOS = re.compile(r'define private \{(?:double|<\d+ x double>), [^}]*\} @sincos(\d+)\(.*?\n\}',
                     re.DOTALL)
_CONSTANT = re.compile(r'\b0x([0-9A-F]{16})\b')
_WIDTH = re.compile(r'\.(v\d+)?f64\b')
_ALIGNED = re.compile(r'(, align |, i32 )(8|16|32|64)(?=$|, <\d+ x i1>)', re.MULTILINE)
_CLEARED = re.compile(r'( +)(call void @llvm\.memset\.p0\.i64\(ptr %[\w.]+, i8 0, i64 )([%\w.]+)')
_TAKEN = re.compile(r'(@take\(ptr %world, i64 )(\d+)\)')
_SPARE = 64
"""Bytes that pieces of memory have more than is used of them, to be aligned."""


@dataclass(frozen=True)
class Real:
    """
    The numbers of a library.

    Attributes
    ----------
    name : str
        Their type in C and in LLVM.
    bytes : int
        Of a number.
    dtype : type
        Their type in NumPy.
    digits : int
        Decimal digits that tell them apart.
    read : str
        What ``scanf`` takes for one.

    """

    name: str
    bytes: int
    dtype: type[np.float64 | np.float32]
    digits: int
    read: str

    def text(self, ir: str) -> str:
        """Return a text of IR, written in double precision, for these numbers."""
        return ir if self.bytes == 8 else in_single_precision(ir)


def in_single_precision(text: str) -> str:
    """
    Return the text of IR in single precision.

    Parameters
    ----------
    text : str
        IR in double precision.

    Returns
    -------
    str
        The same with floats. Constants are rounded; those beyond the range of a float become the
        largest or smallest normal one of their sign, so that guards against a division by zero
        remain guards.

    """
    text = _SINCOS.sub(lambda found: function_ir(Width(int(found[1])), SINGLE), text)
    text = _CONSTANT.sub(_rounded, text)
    text = _ALIGNED.sub(lambda found: f'{found[1]}{int(found[2]) // 2}', text)
    text = _TAKEN.sub(lambda found: f'{found[1]}{(int(found[2]) - _SPARE) // 2 + _SPARE})', text)
    text = _CLEARED.sub(_half_cleared, text)
    text = _WIDTH.sub(lambda found: f'.{found[1] or ""}f32', text)
    return re.sub(r'\bdouble\b', 'float', text).replace('@tanh(', '@tanhf(')


def _rounded(found: re.Match[str]) -> str:
    value, = struct.unpack('>d', bytes.fromhex(found[1]))
    size = abs(value)
    if size > _LARGEST and np.isfinite(value):
        value = np.copysign(_LARGEST, value)
    elif 0.0 < size < _SMALLEST:
        value = np.copysign(_SMALLEST, value)
    return f'0x{struct.pack(">d", float(np.float32(value))).hex().upper()}'


def _half_cleared(found: re.Match[str]) -> str:
    space, call, size = found.groups()
    if size.isdigit():
        return f'{space}{call}{int(size) // 2}'
    return f'{space}{size}.half = lshr i64 {size}, 1\n{space}{call}{size}.half'


DOUBLE, FLOAT = 'double', 'float'
_KNOWN = {DOUBLE: Real(DOUBLE, 8, np.float64, 17, '%lf'),
          FLOAT: Real(FLOAT, 4, np.float32, 9, '%f')}
REALS = tuple(_KNOWN)


def real_named(name: str) -> Real:
    """
    Return a type of numbers.

    Raises
    ------
    InvalidValueError
        If it is none of ``REALS``.

    """
    if name not in _KNOWN:
        raise InvalidValueError('--real', name, ' or '.join(REALS))
    return _KNOWN[name]
