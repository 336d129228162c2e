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

"""Executors by name, and the one that chooses."""

from __future__ import annotations

from dataclasses import dataclass, field

from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.executors.compiled import Compiled, long_way
from mbd_ros.execution.executors.lanes import Lanes
from mbd_ros.execution.executors.threads import Threads
from mbd_ros.execution.ir.machine_code import vector_lanes
from mbd_ros.execution.program.interpreted import Interpreted
from mbd_ros.execution.program.kernel import Executor, Kernel
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.threads.processors import processors
from mbd_ros.model import Model

LARGE_TREE = 200
"""
Bodies from which on subtrees of one state go to threads: below, half of an evaluation takes less
than the 20 us that waking a thread and getting its answer may take.
"""


@dataclass(frozen=True)
class Auto:
    """
    The executor that chooses, by this rule.

    * One state runs as ``inner`` runs it: with ``Compiled`` straight-line code for small robots,
      loops over bodies for large ones, equal subtrees and segments of chains in lanes.
    * One state of a tree of ``LARGE_TREE`` bodies or more that nothing runs in lanes: subtrees of
      balanced work on threads, where there are some.
    * A batch: blocks of rows on all threads; one of less than two shares of 512 rows on the
      caller's.

    Parameters
    ----------
    inner : Executor
        Runs each share.
    count : int, optional
        The most threads; as many as there are processors if left out.

    """

    inner: Executor = field(default_factory=Compiled)
    count: int | None = None

    @property
    def name(self) -> str:
        """Name of the choice; ``Kernel.how`` says what it came to."""
        return f'auto, {self.inner.name}'

    def kernel(self, program: Program, model: Model) -> Kernel:
        """Return the kernel of a program for a model, made now or earlier."""
        count = self.count or processors()
        within = (self.inner == Compiled() and count > 1 and model.nb >= LARGE_TREE
                  and program.sweeps and long_way(program, model, vector_lanes()) is None)
        return Threads(count, self.inner, bool(within)).kernel(program, model)


_BY_NAME: dict[str, Executor] = {
    'auto': Auto(), 'compiled': Compiled(), 'unrolled': Compiled('unrolled'),
    'rolled': Compiled('rolled'), 'lanes': Lanes(), 'threads': Threads(processors()),
    'threads_within_state': Threads(processors(), within_state=True),
    'interpreted': Interpreted()}


def choose(executor: Executor | str | None) -> Executor:
    """
    Return the executor to use.

    Parameters
    ----------
    executor : Executor or str or None
        An executor, its name, or None for ``Compiled``.

    Returns
    -------
    Executor
        The executor.

    Raises
    ------
    InvalidValueError
        If it is neither an executor nor the name of one.

    """
    if executor is None:
        return _BY_NAME['compiled']
    if isinstance(executor, str):
        if executor not in _BY_NAME:
            raise InvalidValueError('executor', executor, f'{_quoted()} or an executor')
        return _BY_NAME[executor]
    if not callable(getattr(executor, 'kernel', None)):
        raise InvalidValueError('executor', executor, f'{_quoted()} or an executor')
    return executor


def forced(executor: str, threads: int) -> Executor | None:
    """
    Return the executor that takes the place of what requests name.

    Parameters
    ----------
    executor : str
        Name of an executor; empty: requests choose.
    threads : int
        Number of threads for batches, and for one state with ``'threads_within_state'``; 0: as
        many as there are processors, where the executor uses threads.

    Returns
    -------
    Executor or None
        None if requests choose freely.

    Raises
    ------
    InvalidValueError
        If there is no executor of that name.

    """
    if threads == 0:
        return choose(executor) if executor else None
    if executor in ('', 'auto', 'threads', 'threads_within_state'):
        return Threads(threads, within_state=executor == 'threads_within_state')
    chosen = choose(executor)
    return chosen if threads == 1 else Threads(threads, chosen)


def _quoted() -> str:
    return ', '.join(f"'{name}'" for name in _BY_NAME)
