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
Functions of time as machine code: what of a control step depends on time alone.

All have one form, ``void f(time, data, result)``, so that a control step in machine code can call
whichever it is given. Each kind is one text, on scalars or with loops, compiled once; a centre,
way-points, a beginning are its data. Python calls the same machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import ctypes
import functools
import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.references.scalars import Row
from mbd_ros.execution.compiled_calls.fused import (
    Computed, fused, fused_code, FusedCode, Indirect, KernelCall, Slice)
from mbd_ros.execution.ir.loop_code import LoopCode
from mbd_ros.simulation.manifold import Vector
from mbd_ros.spatial import Scalar

Text: TypeAlias = Callable[[Scalar, Row], Sequence[Scalar]]
"""What a function of time computes: on scalars, from the time [s] and the entries of its data."""

Kind: TypeAlias = FusedCode | LoopCode
"""The machine code of all functions of time that differ in their data alone."""

_array = np.array   # one look-up less at every call
_KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class TimeCode:
    """
    A function of time as machine code: ``void f(time, data, result)``, all of them doubles.

    ``kind`` is what all functions of the kind have in common, made once; ``data`` the numbers of
    this one, to which nobody may write; ``size`` the entries of the result. The ``address`` does
    not depend on the data, and is valid as long as this object lives.
    """

    __slots__ = ('_call', '_where', 'address', 'data', 'keep', 'size')

    def __init__(self, kind: Kind, data: ArrayLike, size: int) -> None:
        self.keep, self.address, self.size = kind, kind.address, size
        self.data: Vector = np.array(data, np.float64).ravel()
        self.data.setflags(write=False)
        self._call = _caller(size)
        self._where = np.array((self.address, self.data.ctypes.data), np.int64).view(np.float64)

    def __call__(self, time: float) -> Vector:
        """Return the result (size,) at a time [s]; NaN if the time is."""
        result: Vector | None = self._call(_array((float(time),)), self._where)
        return self._unusual(time) if result is None else result

    def _unusual(self, time: float) -> Vector:
        """Return a result that is not finite, or of a time that is not."""
        result = np.full(self.size, math.nan)
        if not math.isnan(time):
            now = np.array((time,), np.float64)
            _KERNEL(self.address)(now.ctypes.data, self.data.ctypes.data, result.ctypes.data)
        return result


class Coded:
    """
    A function of time whose machine code is made when it is first asked for.

    A subclass says how, in ``_made``. Copies, also those of ``pickle``, make their own.
    """

    def _made(self) -> TimeCode | None:
        raise NotImplementedError

    @functools.cached_property
    def _code(self) -> TimeCode | None:
        return self._made()

    def time_code(self) -> TimeCode | None:
        """Return the machine code, None where a user's class is part of it that has none."""
        return self._code

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != '_code'}


def time_code_of(function: object) -> TimeCode | None:
    """Return the machine code of a path or an orientation, None where a user's class has none."""
    made = getattr(function, 'time_code', None)
    found: TimeCode | None = None if made is None else made()
    return found


def unchanging(values: ArrayLike) -> TimeCode:
    """Return the function that always has the same values."""
    given: Vector = np.array(values, np.float64).ravel()
    return closed_form(_unchanging, given, len(given))


def closed_form(text: Text, data: ArrayLike, size: int) -> TimeCode:
    """
    Return a function of time that is written on scalars, ``(time, data)`` to ``size`` entries.

    ``text`` is a function of a module and ``data`` of one length for all of the kind: they share
    code.
    """
    given: Vector = np.array(data, np.float64).ravel()
    return TimeCode(_closed_form(text, len(given), size), given, size)


def followed(inner: TimeCode, text: Callable[[Row], Sequence[Scalar]], size: int) -> TimeCode:
    """Return what a text on scalars makes of the result of another function of time."""
    return TimeCode(_followed(inner.keep, inner.size, text, size), inner.data, size)


def run_through(parameter: TimeCode, path: TimeCode) -> TimeCode:
    """
    Return a path over a parameter that changes with time.

    ``parameter`` gives it with its two rates (3,); ``path`` takes it in place of time.
    """
    kind = _run_through(parameter.keep, len(parameter.data), path.keep, path.size)
    return TimeCode(kind, np.concatenate((parameter.data, path.data)), path.size)


def _unchanging(_: Scalar, data: Row) -> Row:
    return data


@functools.lru_cache(maxsize=256)   # users' functions are among them
def _closed_form(text: Text, count: int, size: int) -> FusedCode:
    def record(given: dict[str, Any]) -> Sequence[Scalar]:
        time, = given['time']
        return text(time, list(given['data']))
    return fused_code({'time': 1, 'data': count}, [Computed(record, 'result', size)], None)


@functools.lru_cache(maxsize=64)
def _followed(inner: Kind, inner_size: int, text: Callable[[Row], Sequence[Scalar]],
              size: int) -> FusedCode:
    return fused_code({'time': 1, 'data': 1}, [
        KernelCall(inner.address, ('time', 'data'), 'inner', inner_size),
        Computed(lambda given: text(list(given['inner'])), 'result', size)], inner)


@functools.lru_cache(maxsize=64)
def _run_through(parameter: Kind, own: int, path: Kind, size: int) -> FusedCode:
    def record(given: dict[str, Any]) -> list[Scalar]:
        _, rate, second = given['parameter']
        flat, n = given['path'], size // 3
        slopes, curvatures = flat[n:2 * n], flat[2 * n:]
        return [*flat[:n], *(slope * rate for slope in slopes), *(
            curvature * (rate * rate) + slope * second
            for curvature, slope in zip(curvatures, slopes))]
    return fused_code({'time': 1, 'data': own}, [
        KernelCall(parameter.address, ('time', 'data'), 'parameter', 3),
        KernelCall(path.address, ('parameter', Slice('data', own)), 'path', size),
        Computed(record, 'result', size)], (parameter, path))


@functools.cache
def _caller(size: int) -> Callable[..., Any]:
    """Return what calls the function at an address with the data at another, from Python."""
    return fused({'time': 1, 'where': 2}, [
        KernelCall(Indirect('where', 0), ('time', Indirect('where', 1)), 'result', size)],
        'time_code', None).call
