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

"""Sweeps over any number of states of which only a summary is wanted."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor as Pool, Future
from contextlib import contextmanager, suppress
import hashlib
import os
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.description.xml.arrays import read_arrays
from mbd_ros.dynamics.functions import equations_of_motion
from mbd_ros.errors import DescriptionError, InvalidValueError, MbdError, UnknownNameError
from mbd_ros.execution.executors.futures import followed, recipe_of
from mbd_ros.model import Model

Array = NDArray[Any]
Totals: TypeAlias = dict[str, Array]
States = Callable[[int], Mapping[str, Any]]
Reduce = Callable[[Mapping[str, Any], Array], Mapping[str, ArrayLike]]

FUNCTIONS = ('bias_forces', 'forward_dynamics', 'inverse_dynamics', 'jacobian', 'mass_matrix',
             'pose')
"""What can be swept: functions of ``mbd_ros`` that give one array."""
ATTEMPTS = 3
"""How often a share is begun whose workers are lost."""
TOTAL = 'total '
"""How the names of totals begin in a checkpoint."""
EVERY = 32
"""Shares after which a checkpoint is written."""


def sweep(
    model: Model, function: str, states: States, shares: int, *, reduce: Reduce,
    combine: Mapping[str, Callable[[Any, Any], Any]],
    pool: Pool | Callable[[], Pool] | None = None,
    checkpoint: str | os.PathLike[str] | None = None, in_flight: int = 8,
    progress: Callable[[int], object] | None = None,
) -> Totals:
    """
    Return a summary of a function over states that workers make, compute and reduce.

    A share is known by its number alone: its states are made by the worker that computes it, and
    only what ``reduce`` returns travels back. Summaries are combined in the order of the shares,
    so that the result does not depend on how many workers there are.

    Parameters
    ----------
    model : Model
        The robot.
    function : str
        One of ``FUNCTIONS``.
    states : callable
        Number of a share to the arguments of the function by name: ``{'q': ..., 'v': ...,
        'tau': ..., 'external_forces': {...}, 'dissipation': True}``, arrays (N, ...).
    shares : int
        How many shares there are, numbers 0 to ``shares - 1``.
    reduce : callable
        ``(arguments, result)`` of a share to a mapping of arrays by name.
    combine : mapping of str to callable
        How arrays of each name are put together, two at a time: ``np.add``, ``np.maximum``.
    pool : concurrent.futures.Executor or callable, optional
        Its workers compute; this process if left out. A callable makes a pool, and another one
        where workers are lost: their shares are computed again, ``ATTEMPTS`` times at most.
    checkpoint : str or path, optional
        A ``.npz`` file that is written after every ``EVERY`` shares and at the end, and from which
        the same sweep goes on if it is there.
    in_flight : int, optional
        Shares that are submitted before the first is waited for.
    progress : callable, optional
        Called with the number of shares of the checkpoint, 0 without one, then with 1 for each.

    Returns
    -------
    dict of str to array
        The combined arrays.

    Raises
    ------
    UnknownNameError
        If there is no such function, or ``reduce`` returns other names than ``combine`` has.
    InvalidValueError
        If something cannot be sent to workers, a count is none, or the checkpoint is not one of
        this sweep.
    MbdError
        As the function raises for the arguments of a share; or if the checkpoint cannot be
        written, which is tried before the first share.

    """
    if function not in FUNCTIONS:
        raise UnknownNameError('function to sweep', function, FUNCTIONS)
    for name, count in (('shares', shares), ('in_flight', in_flight)):
        if not isinstance(count, (int, np.integer)) or count < 1:
            raise InvalidValueError(name, count, 'a count, 1 or more')
    recipe = recipe_of(f'sweep of {function}', _share, model, function, states, reduce)
    kept = _Checkpoint(checkpoint, recipe, shares)
    done, totals = kept.read()
    if progress is not None:
        progress(done)
    with _Workers(pool) as workers:
        waiting: deque[tuple[int, Future[Totals]]] = deque()
        following = done
        while done < shares:
            while following < shares and len(waiting) < in_flight:
                waiting.append((following, workers.submit(recipe, following)))
                following += 1
            part = workers.result(recipe, waiting)
            if set(part) != set(combine):
                raise UnknownNameError('result of reduce', str(sorted(part)), combine)
            totals = {name: np.asarray(combine[name](totals[name], array) if totals else array)
                      for name, array in part.items()}
            done += 1
            if done % EVERY == 0 or done == shares:
                kept.write(done, totals)
            if progress is not None:
                progress(1)
    return totals


def _share(model: Model, function: str, states: States, reduce: Reduce
           ) -> Callable[[int], Totals]:
    """Return what computes a share by its number."""
    call = getattr(equations_of_motion, function)

    def compute(number: int) -> Totals:
        arguments = states(number)
        reduced = reduce(arguments, call(model, **arguments))
        return {name: np.asarray(array) for name, array in reduced.items()}
    return compute


def _compute(recipe: bytes, number: int) -> Totals:
    result: Totals = followed(recipe)(number)
    return result


class _Workers:
    """The workers of a sweep; shares of lost workers are computed again."""

    def __init__(self, pool: Pool | Callable[[], Pool] | None) -> None:
        self._make = pool if callable(pool) else None
        self._pool = pool() if callable(pool) else pool
        self._attempts: dict[int, int] = {}

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._make is not None and self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def submit(self, recipe: bytes, number: int) -> Future[Totals]:
        """Begin a share."""
        if self._pool is not None:
            try:
                return self._pool.submit(_compute, recipe, number)
            except BrokenExecutor as error:   # result() makes another pool
                broken: Future[Totals] = Future()
                broken.set_exception(error)
                return broken
        here: Future[Totals] = Future()
        here.set_result(_compute(recipe, number))
        return here

    def result(self, recipe: bytes, waiting: deque[tuple[int, Future[Totals]]]) -> Totals:
        """Take the first share that waits, and return its result."""
        while True:
            number, future = waiting[0]
            try:
                result = future.result()
                waiting.popleft()
                return result
            except BrokenExecutor:
                self._attempts[number] = self._attempts.get(number, 1) + 1
                if self._make is None or self._attempts[number] > ATTEMPTS:
                    raise
            self._pool = self._make()
            for k, (again, old) in enumerate(waiting):
                if not old.done() or old.exception() is not None:
                    waiting[k] = again, self.submit(recipe, again)


class _Checkpoint:
    """The file from which a sweep goes on."""

    def __init__(self, path: str | os.PathLike[str] | None, recipe: bytes, shares: int) -> None:
        self._path = None if path is None else Path(path)
        self._shares = shares
        self._sweep = hashlib.sha256(recipe + str(shares).encode()).hexdigest()

    def read(self) -> tuple[int, Totals]:
        """Return how many shares are complete, and their totals."""
        if self._path is None:
            return 0, {}
        with self._new() as new:   # where it cannot be written that is said before the first share
            new.unlink()
        if not self._path.exists():
            return 0, {}
        found: dict[str, Any] = {}
        with suppress(DescriptionError):   # the error below says what it has to be
            found = read_arrays(self._path, 'checkpoint')
        sweep, done = found.pop('sweep', None), found.pop('done', None)
        if (str(sweep) != self._sweep or done is None or done.shape or done.dtype.kind not in 'iu'
                or not 0 <= done <= self._shares
                or not all(name.startswith(TOTAL) for name in found)):
            raise InvalidValueError('checkpoint', str(self._path), 'a file that this sweep wrote: '
                                    'the same robot, functions and shares')
        return int(done), {name.removeprefix(TOTAL): array for name, array in found.items()}

    def write(self, done: int, totals: Totals) -> None:
        """Put totals into the place of those before, as a whole."""
        if self._path is None:
            return
        arrays: dict[str, Any] = {f'{TOTAL}{name}': array for name, array in totals.items()}
        with self._new() as new:
            with new.open('wb') as file:
                np.savez(file, sweep=self._sweep, done=done, **arrays)
            new.replace(self._path)

    @contextmanager
    def _new(self) -> Iterator[Path]:
        """Make an empty file beside it; what goes wrong with it is one error."""
        assert self._path is not None
        try:
            new = self._path.with_name(f'.{self._path.name}.{os.getpid()}')
            new.touch()
            yield new
        except (OSError, ValueError) as error:   # a ValueError where the path is no file's name
            raise MbdError(f'checkpoint {self._path} cannot be written: '
                           f'{getattr(error, "strerror", None) or error}') from None
