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
Shares of a batch on several threads.

Machine code runs without the interpreter's lock, so the shares really run at the same time. They
are handed out in native code (``shares_ir.py``). A single state stays on the caller's thread
unless subtrees of it are shared.

"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.executors.compiled import Compiled, compiled_kernel, CompiledKernel
from mbd_ros.execution.ir.shares_ir import SMALLEST_SHARE
from mbd_ros.execution.program.kernel import Executor, FastBatches, Kernel
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.threads.shares import share_rows
from mbd_ros.execution.threads.subtrees import partition_of
from mbd_ros.execution.threads.workers import available
from mbd_ros.model import Model


@dataclass(frozen=True)
class Threads:
    """
    The executor that shares batches among threads.

    Parameters
    ----------
    count : int
        Number of threads, the caller's included; at least 1.
    inner : Executor
        Runs each share.
    within_state : bool
        Whether one state is shared as well: subtrees of about equal work go to threads that wait
        for them without sleeping, for a while. It is for calls in quick succession on trees of
        some 20 bodies or more; other trees, chains, and what ``inner`` runs by straight-line
        code, run as ``inner`` runs them.

    """

    count: int
    inner: Executor = field(default_factory=Compiled)
    within_state: bool = False

    def __post_init__(self) -> None:
        """Check the number of threads."""
        if not isinstance(self.count, (int, np.integer)) or self.count < 1:
            raise InvalidValueError('count', self.count, 'at least one thread')

    @property
    def name(self) -> str:
        """Name that answers report."""
        return f'{self.count} threads, {self.inner.name}'

    def kernel(self, program: Program, model: Model) -> Kernel:
        """Return the kernel of a program for a model."""
        inner = self.inner.kernel(program, model)
        straight = isinstance(self.inner, Compiled) and self.inner.unrolls(program, model)
        way = (partition_of(program, model, self.count, self.inner == Compiled())
               if self.within_state and not straight else None)
        if way is not None:
            inner = compiled_kernel(program, model, True, way)
        return ThreadedKernel(inner, self.count)


@dataclass(frozen=True)
class ThreadedKernel:
    """A kernel whose batches run on several threads; see ``Kernel``."""

    inner: Kernel
    count: int

    @property
    def program(self) -> Program:
        """Return what it runs."""
        return self.inner.program

    @property
    def model(self) -> Model:
        """For which model."""
        return self.inner.model

    @property
    def name(self) -> str:
        """Return what runs one state; batches are shared."""
        return self.inner.name

    def how(self, count: int) -> str:
        """Return what runs so many states."""
        threads = self._threads(count)
        return self.inner.how(count) + (f', {threads} threads' if threads > 1 else '')

    def _threads(self, count: int) -> int:
        shared = isinstance(self.inner, CompiledKernel) and available()
        return max(1, min(self.count, count // SMALLEST_SHARE)) if shared else 1

    @property
    def fast_batches(self) -> FastBatches | None:
        """How batches run without Python in between, if they do."""
        if not isinstance(self.inner, CompiledKernel):
            return None
        return self.inner.fast_batches._replace(threads=self.count if available() else 1)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the result for one state."""
        return self.inner.shape

    @property
    def address(self) -> int | None:
        """Address of the machine code for one state, where there is some."""
        return self.inner.address

    def run(self, arguments: list[NDArray[np.float64]], world: NDArray[np.float64],
            out: NDArray[np.float64]) -> bool:
        """
        Run on N states in blocks, scheduled dynamically over the threads.

        What is not machine code runs on the caller's thread: others would wait for the lock.
        """
        threads = self._threads(len(out))
        if threads == 1 or not isinstance(self.inner, CompiledKernel):
            return self.inner.run(arguments, world, out)
        return share_rows(self.inner.batches, [*arguments, world], out, threads)
