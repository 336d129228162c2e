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

"""Sweeps over more states than fit into memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor as Pool, Future
import functools
from typing import Any

from numpy.typing import ArrayLike

from mbd_ros.dynamics.functions import equations_of_motion
from mbd_ros.dynamics.functions.current_fields import is_field
from mbd_ros.dynamics.prepared.call import Array
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.errors import InvalidValueError, UnknownNameError, UnsupportedError
from mbd_ros.execution import Executor
from mbd_ros.execution.executors.futures import followed, recipe_of
from mbd_ros.model import Model

FUNCTIONS = ('bias_forces', 'body_poses', 'energies', 'forward_dynamics', 'inverse_dynamics',
             'jacobian', 'mass_matrix', 'pose')
"""What can be streamed: callables of ``PreparedDynamics``."""
FORCED = ('bias_forces', 'forward_dynamics', 'inverse_dynamics')
"""Those in which forces act."""


def stream(
    model: Model, function: str, batches: Iterable[Sequence[Any]], *, pool: Pool,
    gravity: ArrayLike | None = None, executor: Executor | str | None = None, in_flight: int = 4,
    progress: Callable[[int], object] | None = None,
    external_forces: Mapping[str, ArrayLike] | None = None, dissipation: bool = False,
    fluid: Fluid | None = DEFAULT, ground: Ground | None = None,
) -> Iterator[Array]:
    """
    Yield the results of batches in their order, some of them computed ahead by a pool.

    Memory holds at most ``in_flight`` batches with their results and the one just yielded.

    Parameters
    ----------
    model : Model
        The robot.
    function : str
        One of ``FUNCTIONS``.
    batches : iterable of sequence
        For each batch the arguments of the function, ``(q, v, qdd)`` for
        ``'inverse_dynamics'``; arrays (N, ...). It is read no further than ``in_flight`` ahead.
    pool : concurrent.futures.Executor
        Its workers compute; see ``Futures``. The caller shuts it down.
    gravity : array_like, optional
        (3,) [m/s^2] in world axes; that of the model if left out.
    executor : Executor or str, optional
        The executor within a worker.
    in_flight : int
        Batches that are submitted before the first is waited for.
    progress : callable, optional
        Called with the number of states of each result, before it is yielded: the ``update`` of
        a ``tqdm.tqdm(total=N)``.
    external_forces : mapping of str to array_like, optional
        Wrench (6,) on links of every state, as for ``inverse_dynamics`` [N, N m].
    dissipation : bool, optional
        Whether damping and dry friction of the joints act.
    fluid, ground
        As in ``forward_dynamics``, but for a current that is a field.

    Yields
    ------
    array
        The result of a batch (N, ...).

    Raises
    ------
    UnknownNameError
        If there is no such function.
    UnsupportedError
        If forces act on a function that is not one of ``FORCED``, or a current is a field.
    MbdError
        As the function raises for the arguments of a batch.

    """
    if function not in FUNCTIONS:
        raise UnknownNameError('function to stream', function, FUNCTIONS)
    if in_flight < 1:
        raise InvalidValueError('in_flight', in_flight, 'at least one batch')
    if is_field(fluid):
        raise UnsupportedError(f'a stream of {function} in a current that is a field',
                               f'mbd_ros.{function} of each batch, or fluid.at(point)')
    around = {'fluid': fluid, 'ground': ground}
    forces: dict[str, Any] = {}
    if external_forces or dissipation:
        if function not in FORCED:
            raise UnsupportedError(f'external_forces or dissipation for {function}',
                                   f'one of {", ".join(FORCED)}')
        forces = {'external_forces': external_forces, 'dissipation': dissipation}
    if fluid is DEFAULT:   # a default is no value that another process knows
        del around['fluid']
    recipe = recipe_of(
        f'executor of {function}', _prepared, model, function, gravity, executor, around, forces)
    followed(recipe)  # before any worker does: what is wrong shows here, the code is kept on disk
    return _streamed(recipe, batches, pool, in_flight, progress)


def _streamed(recipe: bytes, batches: Iterable[Sequence[Any]], pool: Pool, in_flight: int,
              progress: Callable[[int], object] | None) -> Iterator[Array]:
    waiting: deque[Future[Array]] = deque()
    source = iter(batches)
    try:
        while True:
            for batch in source:
                waiting.append(pool.submit(_call, recipe, *batch))
                if len(waiting) >= in_flight:
                    break
            if not waiting:
                return
            result = waiting.popleft().result()
            if progress is not None:
                progress(len(result))
            yield result
            del result
    finally:
        for task in waiting:
            task.cancel()


def _prepared(model: Model, function: str, gravity: ArrayLike | None,
              executor: Executor | str | None, around: Mapping[str, Any],
              forces: Mapping[str, Any]) -> Callable[..., Array]:
    if forces:
        return functools.partial(getattr(equations_of_motion, function), model, gravity=gravity,
                                 executor=executor, **around, **forces)
    return getattr(compile_model(model, gravity=gravity, executor=executor, **around), function)


def _call(recipe: bytes, *arguments: Any) -> Array:
    return followed(recipe)(*arguments)
