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
Programs of derivatives along a direction, by rules on the trace of what is differentiated.

A direction is one more argument; a batch of directions runs in the lanes of vector registers. One
in q is in the coordinates of v: ``JointManifold.rate`` turns it into rates of the coordinates of
joints that turn freely.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.quantities.loops_as_programs import of_program
from mbd_ros.execution.ir.differentiation import evaluate, tangents
from mbd_ros.execution.ir.trace import Operand, Symbol
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.sweeps import Layout, Program
from mbd_ros.execution.program.tree import result_shape, Sized
from mbd_ros.execution.unrolled.code import trace_program
from mbd_ros.model import Model
from mbd_ros.model.joints.joint_manifold import MANIFOLDS

Array = NDArray[np.float64]
Inputs = Mapping[str, Array]


def as_function(model: Model, program: Program) -> ArrayProgram:
    """
    Return a program of sweeps as one that is differentiated.

    Parameters
    ----------
    model : Model
        The robot.
    program : Program
        The sweeps; one of arrays is returned as it is.

    """
    if isinstance(program, ArrayProgram):
        return program
    return ArrayProgram(
        f'{program.name} traced', program.inputs, layout=Layout.ONE_BODY,
        extent=result_shape(program, model), evaluate=partial(of_program, program), traces=_always)


def state_rates(model: Model, program: Program) -> ArrayProgram:
    """
    Return the program of the rates of a state, of all entries of q and of v.

    Parameters
    ----------
    model : Model
        The robot.
    program : Program
        Of forward dynamics.

    Returns
    -------
    ArrayProgram
        Of the same inputs; its result is (nq + nv,).

    """
    return ArrayProgram(
        f'state rates by {program.name}', program.inputs, layout=Layout.ONE_BODY,
        extent=(model.nq + model.nv,), evaluate=partial(_state_rates, as_function(model, program)),
        traces=_always)


def _state_rates(program: ArrayProgram, model: Model, inputs: Inputs, world: Array, executor: Any
                 ) -> Array:
    """Return the rates for one state of symbols, or for N of numbers by the same trace."""
    if inputs['q'].dtype != object:
        return of_numbers(state_rates(model, program), model, inputs, world)
    found = np.empty((1, model.nq + model.nv), object)
    found[0, :model.nq] = rates_of_coordinates(
        model, inputs['q'][0].tolist(), inputs['v'][0].tolist())
    found[0, model.nq:] = program.evaluate(model, inputs, world, executor).ravel()
    return found


def _always(model: Model) -> bool:
    return True


def tangent_of(model: Model, program: ArrayProgram, by: Sequence[str], *, entries: bool = False
               ) -> ArrayProgram:
    """
    Return the program of the derivative of another along a direction.

    Parameters
    ----------
    model : Model
        The robot.
    program : ArrayProgram
        Of arrays; ``as_function`` makes one of sweeps.
    by : sequence of str
        Inputs that change; that of q is a displacement in the coordinates of v. Their rates are
        further inputs, ``'dq'`` and so on, in this order.
    entries : bool, optional
        Whether that of q is one of its entries (nq,) instead, be they a configuration or not.

    Returns
    -------
    ArrayProgram
        Of the same result.

    """
    sizes = [next((name.size for name in program.inputs if name == one and isinstance(
        name, Sized)), model.nq if entries and one == 'q' else model.nv) for one in by]
    rates = tuple(Sized(f'd{name}', size) for name, size in zip(by, sizes))
    return replace(program, name=f'{program.name} along {list(by)} {entries}',
                   inputs=(*program.inputs, *rates),
                   evaluate=partial(_tangent, program, tuple(by), entries))


def _tangent(program: ArrayProgram, by: tuple[str, ...], entries: bool, model: Model,
             inputs: Inputs, world: Array, executor: Any) -> Array:
    """Return the derivative for one state of symbols, or for N of numbers by the same trace."""
    if inputs['q'].dtype != object:
        return of_numbers(tangent_of(model, program, by, entries=entries), model, inputs, world)
    point = {name: inputs[name] for name in program.inputs}
    results = program.evaluate(model, point, world, executor)
    seeds: dict[Symbol, Any] = {}
    for name in by:
        rates = inputs[f'd{name}'][0].tolist()
        if name == 'q' and not entries:
            rates = rates_of_coordinates(model, point['q'][0].tolist(), rates)
        seeds.update(zip(point[name][0].tolist(), rates))
    found = np.empty(results.size, object)
    found[:] = tangents(inputs['q'][0, 0].trace, [
        leaf + 0.0 for leaf in results.ravel().tolist()], seeds)
    return found.reshape(results.shape)


def rates_of_coordinates(model: Model, q: Sequence[Any], dq: Sequence[Any]) -> list[Any]:
    """Return the rates of all entries of q for a displacement in the coordinates of v."""
    rates: list[Any] = []
    for kind, start, first in zip(model.joint_types, model.q_offsets, model.v_offsets):
        own = tuple(dq[first:first + kind.nv])
        rates += own if kind.is_simple else MANIFOLDS[kind].rate(
            tuple(q[start:start + kind.nq]), own)
    return rates + list(dq[model.nv - len(model.elastic_names):])


def of_numbers(program: ArrayProgram, model: Model, inputs: Mapping[str, Array], world: Array
               ) -> Array:
    """
    Return the result of N states of a program that takes symbols alone: its trace, step by step.

    Parameters
    ----------
    program : ArrayProgram
        The program.
    model, inputs, world
        As in ``Evaluate``.

    Returns
    -------
    array
        (N, *shape).

    """
    trace, results = trace_program(program, model)
    around: dict[tuple[int | str, int], Operand] = {
        (len(program.inputs), k): value for k, value in enumerate(world.tolist())}
    count, found = len(inputs['q']), []
    for k in range(count):
        here = dict(around)
        for place, name in enumerate(program.inputs):
            here.update({(place, entry): value
                         for entry, value in enumerate(inputs[name][k].tolist())})
        found.append(evaluate(trace, results, here))
    return np.reshape(np.array(found, np.float64), (count, *program.shape(model.nb, model.nv)))
