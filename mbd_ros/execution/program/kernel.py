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

"""Interfaces of executors and of kernels, programs prepared for a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.program.sweeps import Program
from mbd_ros.model import Model


class Batches(NamedTuple):
    """
    Machine code that runs rows of a batch.

    Attributes
    ----------
    call : callable
        ``(count, argument..., world, result)``, addresses; gives 1 if all numbers are finite.
    rows : int
        Address of ``int64 rows(arrays, first, count, result)``; see ``shares_ir.py``.
    lanes : int
        How many of them it runs at a time, which is the least it can run.
    alive : object
        Keeps the code.

    """

    call: Callable[..., int]
    rows: int
    lanes: int
    alive: object


class FastBatches(NamedTuple):
    """
    How batches run when no Python code is in between; see ``fast_batch.py``.

    Attributes
    ----------
    lanes : int
        The least states that run at a time.
    threads : int
        The most threads.
    follow : callable
        Takes a function to call with what runs batches when that is compiled.

    """

    lanes: int
    threads: int
    follow: Callable[[Callable[[Batches], None]], None]


class Kernel(Protocol):
    """A program prepared for one model."""

    @property
    def program(self) -> Program:
        """Return what it runs."""
        ...

    @property
    def model(self) -> Model:
        """For which model."""
        ...

    @property
    def name(self) -> str:
        """Return what runs one state: ``unrolled, 4 lanes`` and the like."""
        ...

    def how(self, count: int) -> str:
        """Return what runs so many states, as ``name`` says for one."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the result for one state."""
        ...

    @property
    def address(self) -> int | None:
        """Address of ``void kernel(argument..., world, result)``; None without machine code."""
        ...

    def run(self, arguments: list[NDArray[np.float64]], world: NDArray[np.float64],
            out: NDArray[np.float64]) -> bool:
        """
        Run on N states.

        Parameters
        ----------
        arguments : list of array
            One (N, size) array for each input of the program; C-contiguous.
        world : array
            (n,), C-contiguous: the scalars of ``tree.world_of``, gravity [m/s^2] first.
        out : array
            (N, *shape), C-contiguous; is filled.

        Returns
        -------
        bool
            Whether all entries of arguments and result are finite. If not, only the states whose
            entries are finite have a result.

        """
        ...


class Executor(Protocol):
    """Makes kernels; can be hashed."""

    @property
    def name(self) -> str:
        """Name that answers report."""
        ...

    def __hash__(self) -> int:
        """Equal executors have equal hashes."""
        ...

    def kernel(self, program: Program, model: Model) -> Kernel:
        """Return the kernel of a program for a model."""
        ...


def all_finite(*arrays: NDArray[np.float64]) -> bool:
    """Return whether no entry is NaN or infinite."""
    return all(bool(np.isfinite(array).all()) for array in arrays)
