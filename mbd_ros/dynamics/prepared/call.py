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

"""Checks and conversion of arguments, batches, and errors of a prepared callable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
import re
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.dynamics.algorithms.missing_inertia import joint_without_inertia
from mbd_ros.errors import (
    InvalidValueError, MbdError, NotFiniteError, ShapeError, SingularMassError)
from mbd_ros.execution import Kernel
from mbd_ros.execution.program.tree import Sized, sizes
from mbd_ros.model import Model
from mbd_ros.model.state import curved_joints

Array = NDArray[np.float64]


def signature_of(inputs: Sequence[str]) -> Signature:
    """Return the signature of a prepared callable: its inputs and ``out``."""
    names = [re.sub(r'\W+', '_', name).strip('_') for name in inputs]
    return Signature([*(Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names),
                      Parameter('out', Parameter.KEYWORD_ONLY, default=None)])


def entry_name(model: Model, argument: str, entry: int) -> str:
    """Return which coordinate an entry of q, v, qdd or tau belongs to, in words."""
    if isinstance(argument, Sized):
        return f'entry {entry}'
    elastic = model.elastic_names
    bent = entry + len(elastic) - (model.nq if argument in ('q', 'q0', 'q1') else model.nv)
    if bent >= 0:
        return f"elastic coordinate '{elastic[bent]}'"
    offsets = model.q_offsets if argument in ('q', 'q0', 'q1') else model.v_offsets
    joint = int(np.searchsorted(offsets, entry, side='right')) - 1
    name = f"joint '{model.joint_names[joint]}'"
    if not model.joint_types[joint].is_simple:
        return f'{name}, entry {entry - offsets[joint]}'
    return name


def checked_array(model: Model, argument: str, value: ArrayLike, size: int) -> Array:
    """
    Return an argument as an array (size,) or (N, size) of finite numbers.

    Parameters and errors are those of ``real_array`` and ``require_finite``.
    """
    array = real_array(argument, value, size)
    require_finite(model, argument, array)
    return array


def real_array(argument: str, value: ArrayLike, size: int) -> Array:
    """
    Return an argument as an array (size,) or (N, size) of numbers.

    Parameters
    ----------
    argument : str
        Name of the argument.
    value : array_like
        What was handed over.
    size : int
        Number of entries of one state.

    Returns
    -------
    array
        C-contiguous float64.

    Raises
    ------
    InvalidValueError
        If it does not hold real numbers.
    ShapeError
        If it has the wrong size.

    """
    try:
        raw = np.asarray(value)
        if raw.dtype.kind not in 'fiub':
            raise TypeError
        array = np.ascontiguousarray(raw, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidValueError(argument, value, f'{size} real numbers') from None
    if np.ma.is_masked(value):
        raise InvalidValueError(argument, value, f'{size} real numbers, none of them masked')
    if raw.ndim not in (1, 2) or array.shape[-1] != size:
        raise ShapeError(argument, raw.shape, f'({size},) for one state, (N, {size}) for many')
    return array


def require_finite(model: Model, argument: str, array: Array) -> None:
    """
    Check that an argument holds neither NaN nor infinity.

    Parameters
    ----------
    model : Model
        The model, for the names of its joints.
    argument : str
        Name of the argument.
    array : array
        (size,) or (N, size).

    Raises
    ------
    NotFiniteError
        If an entry is NaN or infinite.

    """
    if not np.isfinite(array).all():
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        state = f'state {place[0]}, ' if array.ndim == 2 else ''
        raise NotFiniteError(argument, state + entry_name(model, argument, place[-1]),
                             float(array[place]))


def arrays_of(model: Model, function: str, inputs: tuple[str, ...],
              arguments: tuple[ArrayLike, ...], named: dict[str, ArrayLike]) -> list[Array]:
    """
    Return the arguments of a call, in order, as arrays of numbers.

    Parameters
    ----------
    model : Model
        The model, for the number of entries of each.
    function : str
        Its name, for the message.
    inputs : tuple of str
        Names of its parameters.
    arguments, named : array_like
        What was handed over, by place and by name.

    Returns
    -------
    list of array
        Each (size,) or (N, size), C-contiguous float64.

    Raises
    ------
    TypeError
        If arguments are missing, or more than the function takes.
    InvalidValueError, ShapeError
        If one does not hold real numbers or has the wrong size, or if a rotation is no number.

    """
    values: dict[str, Any] = dict(zip(inputs, arguments))
    unknown = [key for key in named if key not in inputs or key in values]
    missing = [key for key in inputs if key not in values and key not in named]
    if len(arguments) > len(inputs) or unknown or missing:
        raise TypeError(f'{function} takes {", ".join(inputs)}; got {len(arguments)} '
                        f'arguments and the names {sorted(named)}')
    values.update(named)
    arrays = [real_array(key, values[key], size)
              for key, size in zip(inputs, sizes(model, inputs))]
    if 'q' in values:
        _check_turns(model, arrays[inputs.index('q')])
    return arrays


def rows_of(inputs: tuple[str, ...], given: list[Array]) -> tuple[list[Array], bool]:
    """
    Return arguments as states, one a row, and whether they were many.

    Parameters
    ----------
    inputs : tuple of str
        Names of the arguments.
    given : list of array
        Each (size,) or (N, size); one that is given for one state is used for all.

    Returns
    -------
    rows : list of array
        Each (N, size), C-contiguous.
    many : bool
        Whether any was (N, size).

    Raises
    ------
    ShapeError
        If they are not of as many states.

    """
    counts = [array.shape[0] for array in given if array.ndim == 2]
    count = counts[0] if counts else 1
    for name, array in zip(inputs, given):
        if array.ndim == 2 and array.shape[0] != count:
            raise ShapeError(name, array.shape, f'{count} states, as in the other arguments')
    return [np.ascontiguousarray(np.broadcast_to(array, (count, array.shape[-1])))
            for array in given], bool(counts)


class Call:
    """
    A kernel as users call it.

    Parameters
    ----------
    kernel : Kernel
        A program prepared for a model.
    world : array
        (n,), see ``Kernel.run``.
    dense_solution : callable, optional
        Dense fallback for states whose result is not finite: from the inputs to the result.
    name, documentation : str, optional
        ``__name__`` and ``__doc__``.

    """

    def __init__(self, kernel: Kernel, world: Array,
                 dense_solution: Callable[..., Array] | None = None, name: str = '',
                 documentation: str = '') -> None:
        self.__name__, self.__doc__ = name or kernel.program.name, documentation
        self.__signature__ = signature_of(kernel.program.inputs)
        self._kernel = kernel
        self._dense_solution = dense_solution
        self._world = world
        self._inputs = kernel.program.inputs

    def __call__(self, *arguments: ArrayLike, out: Array | None = None, **named: ArrayLike
                 ) -> Array:
        """
        Return the result for one state or for many.

        Parameters
        ----------
        *arguments, **named : array_like
            The inputs of the program, each (size,) or (N, size). An input given for one state is
            used for all states of the others.
        out : array, optional
            Where to put the result: C-contiguous float64 of the result's shape.

        Returns
        -------
        array
            (*shape) or (N, *shape); ``out`` where it was given.

        Raises
        ------
        ShapeError, NotFiniteError, InvalidValueError
            If an argument is not as it should be.
        SingularMassError
            If a joint moves no inertia at this state.

        """
        given = arrays_of(self._kernel.model, self._kernel.program.name, self._inputs, arguments,
                          named)
        rows, many = rows_of(self._inputs, given)
        shape = self._kernel.shape
        result = np.empty((len(rows[0]), *shape))
        if not self._kernel.run(rows, self._world, result):
            for name, array in zip(self._inputs, given):
                require_finite(self._kernel.model, name, array)
            for bad in np.unique(np.argwhere(~np.isfinite(result))[:, 0]).tolist():
                state = [row[bad] for row in rows]
                if self._dense_solution is not None:
                    result[bad] = self._dense_solution(*state)
                if not np.isfinite(result[bad]).all():
                    raise self._explain(state)
        return deliver(result if many else result.reshape(shape), out)

    def _explain(self, state: list[Array]) -> MbdError:
        """Return the error for a result that is not finite."""
        model = self._kernel.model
        joint = joint_without_inertia(model, state[self._inputs.index('q')])
        if joint is not None:
            return SingularMassError(joint, f'the result of {self._kernel.program.name} is '
                                            'not finite')
        return InvalidValueError('the state', [row.tolist() for row in state],
                                 'values whose accelerations and forces fit into float64')


def _check_turns(model: Model, q: Array) -> None:
    for joint in curved_joints(model):
        part = np.atleast_2d(q)[:, joint.unit]
        if (np.einsum('ij,ij->i', part, part) < 1e-12).any():
            first, last = (place - joint.q.start for place in (joint.unit.start, joint.unit.stop))
            raise InvalidValueError(
                f"q of joint '{model.joint_names[joint.number]}', entries {first}-{last - 1}",
                [0.0] * (last - first),
                f'a {joint.manifold.unit_name}, {joint.manifold.unit_meaning}, of length 1')


def deliver(result: Array, out: Array | None) -> Array:
    """Return a result, put into ``out`` where that is given."""
    if out is None:
        return result
    if not isinstance(out, np.ndarray) or out.dtype != np.float64 or out.shape != result.shape:
        raise ShapeError('out', np.shape(out), f'{result.shape}, float64')
    if not out.flags.writeable:
        raise InvalidValueError('out', 'a read-only array', 'an array that can be written to')
    out[...] = result
    return out
