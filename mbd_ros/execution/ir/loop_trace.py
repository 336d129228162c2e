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
Functions with loops over arrays, see ``loop_code``, on symbols: what a trace records of them.

The text stays one: for large robots it becomes loops in machine code, for small ones it is run
once with symbols in the arrays, and what a robot's constants leave of it becomes straight-line
code like that of any program.

"""

from __future__ import annotations

from collections.abc import Callable
import functools
import math
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.spatial import root


def on_symbols(function: Callable[..., Any]) -> Callable[..., Any]:
    """
    Return a function with loops, whose own arrays hold symbols as well as numbers.

    Parameters
    ----------
    function : callable
        As for ``loop_code``; what it branches on are numbers.

    Returns
    -------
    callable
        The same; it takes arrays of objects: symbols and Python's floats.

    """
    assert isinstance(function, FunctionType)
    return _rebuilt(function)


@functools.cache
def _rebuilt(function: FunctionType) -> FunctionType:
    """Return a function whose NumPy makes arrays of objects, as has what it calls."""
    known: dict[str, Any] = dict(function.__globals__)
    for name in function.__code__.co_names:
        used = known.get(name)
        if isinstance(used, FunctionType):
            known[name] = _rebuilt(used)
        elif isinstance(used, ModuleType):
            known[name] = {np: _NUMPY, math: _MATH}[used]
    return FunctionType(function.__code__, known, function.__name__)


def zeros(shape: int | tuple[int, ...]) -> NDArray[Any]:
    """Return an array of objects that are all 0."""
    found = np.empty(shape, object)
    found.fill(0.0)
    return found


_NUMPY = SimpleNamespace(empty=zeros, zeros=zeros)
_MATH = SimpleNamespace(sqrt=root)
