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
Programs of functions with loops over all bodies: ``composites.py``, ``motion_changes.py``.

The parameters of such a function say what it reads: ``count`` (1,), the number of states;
``poses`` (N, nb, 4, 4) of the bodies; ``bodies`` and ``coordinates`` of the robot; ``v``, ``qdd``
(N, nv), zero where the program has no such input; ``gravity`` (3,); tables of its own; ``result``;
then sizes. A robot of few bodies runs what is left of the text when it is run on symbols, a larger
one its loops.

"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import ctypes
import functools
from functools import partial
import inspect
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.quantities.kinematics import body_poses
from mbd_ros.execution.executors.compiled import Compiled
from mbd_ros.execution.ir.loop_code import loop_code, LoopCode
from mbd_ros.execution.ir.loop_kernels import chained, one_by_one
from mbd_ros.execution.ir.loop_trace import on_symbols, zeros
from mbd_ros.execution.ir.machine_code import address_of, MachineCode
from mbd_ros.execution.ir.straight_line import Width
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.driver import run
from mbd_ros.execution.program.interpreted import Interpreted
from mbd_ros.execution.program.records import filled
from mbd_ros.execution.program.sweeps import Layout, Program
from mbd_ros.execution.program.tree import joints_of, result_shape, sizes, tree_of, world_of
from mbd_ros.model import Model
from mbd_ros.model.caches import owned

Array = NDArray[np.float64]
Text = Callable[..., None]
LARGEST_TRACED = 40
"""Bodies up to which a robot has straight-line code."""
LARGEST_RESULT = 6000
"""Entries of a result up to which it has: each is an instruction at least."""
LARGEST_ON_STACK = 2000
"""Bodies up to which there are loops for one state; in NumPy beyond, whose arrays are no stack."""
_STATES = ('poses', 'v', 'qdd', 'result')


def looped(name: str, text: Text, inputs: tuple[str, ...], extent: tuple[int, ...],
           tables: Mapping[str, Array] | None = None) -> ArrayProgram:
    """
    Return the program of a function with loops.

    Parameters
    ----------
    name : str
        Of the program.
    text : callable
        The function; see above.
    inputs : tuple of str
        ``'q'``, then of ``'v'`` and ``'qdd'`` what is given.
    extent : tuple of int
        Shape of the result of one state.
    tables : mapping of str to array, optional
        What the function reads besides, by name; ``n_x`` is the length of table x.

    Returns
    -------
    ArrayProgram
        The program.

    """
    given = {key: np.ascontiguousarray(one, np.float64) for key, one in (tables or {}).items()}
    return ArrayProgram(
        name, inputs, layout=Layout.ONE_BODY, extent=extent,
        evaluate=partial(_evaluated, text, given, extent),
        traces=partial(_traces, math.prod(extent)), rolls=_rolls,
        rolled=partial(_rolled, text, given, extent))


def _traces(entries: int, model: Model) -> bool:
    return model.nb <= LARGEST_TRACED and entries <= LARGEST_RESULT


def _rolls(model: Model) -> bool:
    return model.nb <= LARGEST_ON_STACK


def _evaluated(text: Text, tables: Mapping[str, Array], extent: tuple[int, ...], model: Model,
               inputs: Mapping[str, Array], world: Array, executor: Any) -> Array:
    """Return the result of N states, or of one of symbols; see ``Evaluate``."""
    count, symbols = len(inputs['q']), inputs['q'].dtype == object
    result = zeros((count, *extent)) if symbols else np.empty((count, *extent))
    known = {**_robot(model), **tables, **inputs, 'count': np.array((float(count),)),
             'gravity': np.ascontiguousarray(world[:3]), 'result': result,
             'poses': poses_of(model, inputs['q'], world, executor)}
    arrays = [known[name] if name in known else zeros((count, model.nv)) if symbols
              else np.zeros((count, model.nv)) for name in _arrays(text)]
    if symbols:   # which take Python's floats
        on_symbols(text)(*(one if one.dtype == object else one.astype(object) for one in arrays),
                         *_counts(text, model, tables))
    elif isinstance(executor, Interpreted):
        text(*arrays, *_counts(text, model, tables))
    elif count:
        _call(text, _shapes(text, model, tables, extent), _counts(text, model, tables))(
            *(one.ctypes.data for one in arrays))
    return result


def poses_of(model: Model, q: Array, world: Array, executor: Any) -> Array:
    """Return the poses (N, nb, 4, 4) of the bodies at q (N, nq), of numbers or of symbols."""
    return of_program(body_poses(), model, {'q': q}, world, executor)


def of_program(program: Program, model: Model, inputs: Mapping[str, Array], world: Array,
               executor: Any) -> Array:
    """
    Return the result (N, *shape) of a program of sweeps within another.

    Parameters
    ----------
    program : Program
        The sweeps.
    model, inputs, world, executor
        As in ``Evaluate``; inputs of symbols are of one state.

    """
    first, *_ = inputs.values()
    shape = result_shape(program, model)
    if isinstance(program, ArrayProgram):
        return program.evaluate(model, inputs, world, executor)
    if first.dtype == object:
        around = filled(world_of(model), world.tolist().__getitem__)
        joints = joints_of(model, {name: one[0].tolist() for name, one in inputs.items()})
        found = np.empty(math.prod(shape), object)
        found[:] = run(program, tree_of(model).within(around), joints, around)
        return found.reshape(1, *shape)
    result = np.empty((len(first), *shape))
    (executor or Compiled()).kernel(program, model).run(
        [np.ascontiguousarray(inputs[name]) for name in program.inputs],
        np.ascontiguousarray(world), result)
    return result


@owned()
def _robot(model: Model) -> dict[str, Array]:
    """Return ``bodies`` and ``coordinates``."""
    bodies, coordinates = np.zeros((model.nb, 16)), np.zeros((model.nv, 3))
    for i, (parent, kind) in enumerate(zip(model.parents, model.joint_types)):
        first = model.v_offsets[i]
        bodies[i, :4] = parent, first, kind.nv, model.masses[i]
        for j, axis in enumerate(kind.pair.axes, first):
            coordinates[j] = i, axis % 3, axis < 3
    bodies[:, 4:7], bodies[:, 7:] = model.mass_centers, np.reshape(model.inertias, (-1, 9))
    return {'bodies': bodies, 'coordinates': coordinates}


@functools.cache
def _parameters(text: Text) -> tuple[str, ...]:
    return tuple(inspect.signature(text).parameters)


def _arrays(text: Text) -> tuple[str, ...]:
    """Return the names of the arrays that a function takes; sizes follow."""
    names = _parameters(text)
    return names[:names.index('result') + 1]


def _counts(text: Text, model: Model, tables: Mapping[str, Array]) -> tuple[int, ...]:
    known = {'nb': model.nb, 'nv': model.nv, **{f'n_{key}': len(one) for key, one in
                                                tables.items()}}
    return tuple(known[name] for name in _parameters(text)[len(_arrays(text)):])


def _shapes(text: Text, model: Model, tables: Mapping[str, Array], extent: tuple[int, ...]
            ) -> tuple[tuple[int, ...], ...]:
    nb, nv = model.nb, model.nv
    known = {'count': (1,), 'poses': (1, nb, 4, 4), 'bodies': (nb, 16), 'coordinates': (nv, 3),
             'v': (1, nv), 'qdd': (1, nv), 'gravity': (3,), 'result': (1, *extent),
             **{key: one.shape for key, one in tables.items()}}
    return tuple(known[name] for name in _arrays(text))


@functools.lru_cache(maxsize=64)
def _code(text: Text, shapes: tuple[tuple[int, ...], ...], counts: tuple[int, ...]) -> LoopCode:
    """Return the loops for robots of one size."""
    return loop_code(text, shapes, counts)


@functools.lru_cache(maxsize=64)
def _call(text: Text, shapes: tuple[tuple[int, ...], ...], counts: tuple[int, ...]
          ) -> Callable[..., None]:
    """Return the same for addresses."""
    code = _code(text, shapes, counts)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(shapes))(code.address)

    def run_loops(*addresses: int) -> None:
        assert code, 'kept alive as long as the function that calls it'
        call(*addresses)
    return run_loops


def _rolled(text: Text, tables: Mapping[str, Array], extent: tuple[int, ...], program: Program,
            model: Model, width: Width) -> tuple[MachineCode, object]:
    """Return the kernel of loops for one state or for W; see ``ArrayProgram.rolled``."""
    places = {name: f'a{k}' for k, name in enumerate(program.inputs)}
    known: dict[str, str | int] = {
        **{name: address_of(one) for name, one in {
            'count': np.ones(1), **_robot(model), **tables}.items()},
        **places, 'poses': 'between', 'gravity': 'world'}
    rest = address_of(np.zeros(model.nv))
    poses = Compiled().kernel(body_poses(), model)
    assert poses.address is not None
    code = _code(text, _shapes(text, model, tables, extent), _counts(text, model, tables))
    one = chained(poses.address, 16 * model.nb, code.address,
                  [known.get(name, rest) for name in _arrays(text)[:-1]], len(places))
    if width.lanes == 1:
        return one, (poses, code)
    return one_by_one(one.address('kernel'), sizes(model, program.inputs), math.prod(extent),
                      width), (one, poses, code)
