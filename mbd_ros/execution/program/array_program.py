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
A formulation in NumPy over whole arrays of states, where sweeps would hide its structure.

It has the place of a ``Program`` in a formulation; its kernel calls it as it stands. The executor
is handed on, so that it can decide how the work is shared. Where the function takes arrays of
symbols as well, its trace becomes straight-line code like that of a program of sweeps.

"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import MachineError
from mbd_ros.execution.program.kernel import all_finite
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.program.tree import result_shape
from mbd_ros.model import Model

Array = NDArray[np.float64]
Evaluate = Callable[[Model, Mapping[str, Array], Array, Any], Array]
"""
``(model, inputs, world, executor) -> result``: inputs by name, each (N, size); the world (n,),
see ``Kernel.run``; the executor that was asked; the result (N, *shape).
"""


def never(model: Model) -> bool:
    """Return whether a program of numbers alone may be traced."""
    return False


@functools.cache
def check_products() -> None:
    """
    Check, once in a process, that NumPy multiplies matrices rightly here.

    The BLAS library that comes with NumPy picks routines by the CPU. One that are wrong there
    gives wrong accelerations or NaN, for which the state would be blamed.

    Raises
    ------
    MachineError
        If a product of integers, which is exact in float64, is another one.

    """
    first = np.array([[(7 * i + 3 * j) % 11 - 5 for j in range(6)] for i in range(6)])
    second = np.array([[(5 * i + 2 * j) % 13 - 6 for j in range(6)] for i in range(6)])
    found = np.matmul(first.astype(np.float64), second.astype(np.float64))
    difference = np.abs(found - first @ second).max()   # NumPy's own loops for integers
    if not difference == 0.0:   # NaN, too
        raise MachineError(
            f"NumPy's BLAS is wrong on this CPU: entries of a product of 6 x 6 matrices are off "
            f'by {difference:.3g}; allowed: 0. Try another kernel of OpenBLAS (the environment '
            'variable OPENBLAS_CORETYPE, for example ARMV8 on aarch64 and HASWELL on x86-64) or '
            "another build of NumPy; formulation='recursive' multiplies without BLAS")


@dataclass(frozen=True)
class ArrayProgram(Program):
    """
    A formulation as one function of arrays instead of sweeps.

    Attributes
    ----------
    evaluate : callable
        See ``Evaluate``.
    traces : callable
        ``(model) -> bool``: whether it takes arrays of symbols, and a robot is small enough for
        straight-line code.
    shares : bool
        Whether it shares one state among the lanes or threads of the executor that is asked; then
        only machine code without such a choice takes its place.
    rolls : callable
        ``(model) -> bool``: whether there is code for it that loops over its bodies.
    rolled : callable, optional
        That code: ``(program, model, width)`` to what ``compiled.py`` calls a kernel's code.

    """

    sweeps: tuple[()] = ()
    evaluate: Evaluate = field(kw_only=True)
    traces: Callable[[Model], bool] = field(default=never, kw_only=True)
    shares: bool = field(default=False, kw_only=True)
    rolls: Callable[[Model], bool] = field(default=never, kw_only=True)
    rolled: Callable[..., tuple[Any, object]] | None = field(default=None, kw_only=True)

    def kernel(self, model: Model, executor: Any) -> ArrayKernel:
        """Return the kernel for a model; ``evaluate`` is handed the executor."""
        check_products()
        return ArrayKernel(self, model, executor)

    def trace(self, model: Model, coordinates: Mapping[str, Sequence[Any]], world: Sequence[Any]
              ) -> list[Any]:
        """Return the entries of the result for symbols, as ``sweeps.run`` does."""
        inputs = {name: np.array(entries, object)[None] for name, entries in coordinates.items()}
        found = self.evaluate(model, inputs, np.array(world, object), None)
        return [leaf + 0.0 for leaf in found.ravel().tolist()]


@dataclass(frozen=True)
class ArrayKernel:
    """A kernel that calls the function on all states at once; see ``Kernel``."""

    program: ArrayProgram
    model: Model
    executor: Any
    address: None = None
    name: str = 'arrays'

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the result for one state."""
        return result_shape(self.program, self.model)

    def how(self, count: int) -> str:
        """Return what runs so many states."""
        return self.name

    def run(self, arguments: list[Array], world: Array, out: Array) -> bool:
        """Run on N states; see ``Kernel``."""
        if not all_finite(*arguments):
            return False
        inputs = dict(zip(self.program.inputs, arguments))
        with np.errstate(all='ignore'):  # what is not finite is reported by the caller
            out[...] = self.program.evaluate(self.model, inputs, world, self.executor)
        return all_finite(out)
