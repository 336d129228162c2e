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
Shares of a batch on any ``concurrent.futures.Executor``: processes, clusters, MPI ranks.

A share travels with a *recipe*: a pickled function without arguments that makes what works on it.
A worker follows each recipe once and keeps what came out, so that it traces a program once, and
finds its machine code on disk if it shares the folder with others.

"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor as Pool
from dataclasses import dataclass, field
import functools
import itertools
import pickle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.executors.compiled import Compiled
from mbd_ros.execution.program.kernel import Executor, Kernel
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.program.tree import sizes
from mbd_ros.model import Model

Array = NDArray[np.float64]

SHARE_BYTES = 4 * 2**20
"""Bytes of arguments that one task carries, unless ``rows`` says otherwise."""


@dataclass(frozen=True)
class Futures:
    """
    The executor that shares large batches over a ``concurrent.futures.Executor``.

    Each share is sent to a worker and its result sent back, which costs more than the evaluation
    of a small robot by machine code: on one machine ``Threads`` is faster. A batch of one share
    stays here.

    Parameters
    ----------
    pool : concurrent.futures.Executor
        A ``ProcessPoolExecutor``, dask's ``Client.get_executor()``, mpi4py's ``MPIPoolExecutor``
        and so on. It stays the caller's, who shuts it down.
    rows : int, optional
        States in a share at most; as many as take ``SHARE_BYTES`` if left out.
    inner : Executor
        Runs each share in its worker.

    """

    pool: Pool
    rows: int | None = None
    inner: Executor = field(default_factory=Compiled)

    def __post_init__(self) -> None:
        """Check the size of a share."""
        if self.rows is not None and self.rows < 1:
            raise InvalidValueError('rows', self.rows, 'at least one state in a share')

    @property
    def name(self) -> str:
        """Name that answers report."""
        return f'futures, {self.inner.name}'

    def kernel(self, program: Program, model: Model) -> Kernel:
        """
        Return the kernel of a program for a model.

        Raises
        ------
        InvalidValueError
            If the program cannot be sent to another process.

        """
        recipe = recipe_of(f'program {program.name}', self.inner.kernel, program, model)
        return FuturesKernel(followed(recipe), recipe, self.pool, self.rows)


@dataclass(frozen=True)
class FuturesKernel:
    """A kernel whose batches run on the workers of a pool; see ``Kernel``."""

    inner: Kernel
    recipe: bytes
    pool: Pool
    rows: int | None

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
        shares = len(self._bounds(count)) - 1
        return self.inner.how(-(-count // shares)) + (
            f', {shares} shares in a pool' if shares > 1 else '')

    def _bounds(self, count: int) -> list[int]:
        """Return where the shares of a batch begin, and its end."""
        arguments = 8 * sum(sizes(self.model, self.program.inputs))
        rows = self.rows or max(1, SHARE_BYTES // max(1, arguments))
        shares = max(1, -(-count // rows))
        return [count * k // shares for k in range(shares + 1)]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the result for one state."""
        return self.inner.shape

    @property
    def address(self) -> int | None:
        """Address of the machine code for one state, where there is some."""
        return self.inner.address

    def run(self, arguments: list[Array], world: Array, out: Array) -> bool:
        """Run on N states, in shares of about equal size."""
        bounds = self._bounds(len(out))
        if len(bounds) == 2:
            return self.inner.run(arguments, world, out)
        tasks = [self.pool.submit(_run, self.recipe, [a[first:last] for a in arguments], world)
                 for first, last in itertools.pairwise(bounds)]
        finite = True
        try:
            for task, (first, last) in zip(tasks, itertools.pairwise(bounds)):
                out[first:last], fine = task.result()
                finite = finite and fine
        finally:
            for task in tasks:
                task.cancel()
        return finite


def _run(recipe: bytes, arguments: list[Array], world: Array) -> tuple[Array, bool]:
    """Run a share where this is called; return the result, and whether all is finite."""
    kernel = followed(recipe)
    out = np.empty((len(arguments[0]), *kernel.shape))
    rows = [np.ascontiguousarray(argument) for argument in arguments]
    return out, kernel.run(rows, world, out)


def recipe_of(what: str, function: Callable[..., Any], *arguments: Any) -> bytes:
    """
    Return a recipe: how to make something, as bytes that another process can follow.

    Parameters
    ----------
    what : str
        What it makes, for the error.
    function : callable
        Makes it.
    *arguments
        Of the function.

    Returns
    -------
    bytes
        For ``followed``.

    Raises
    ------
    InvalidValueError
        If something in it cannot be pickled.

    """
    try:
        return pickle.dumps(functools.partial(function, *arguments))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InvalidValueError(
            what, str(error), 'what can be pickled: functions of modules, no lambda or closure'
        ) from error


@functools.lru_cache(maxsize=8)
def followed(recipe: bytes) -> Any:
    """Return what a recipe makes, made now or earlier in this process."""
    return pickle.loads(recipe)()
