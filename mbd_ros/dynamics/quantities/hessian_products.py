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
Second-order derivatives of inverse dynamics: Hessians times a vector, without the Hessian.

The trace of ``tau = inverse_dynamics(q, v, qdd)`` is differentiated twice: backwards, which gives
the gradient of ``weights . tau`` in one pass, and forwards along a direction, which gives how that
gradient changes. A gradient by q, and a direction in q, are in the coordinates of v; with B(q) the
matrix from velocities to rates of q, the gradient is ``B^T`` times that by the entries of q.

References
----------
Griewank and Walther, Evaluating Derivatives, 2008, section 5.4: forward over reverse.

"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.quantities.loops_as_programs import of_program
from mbd_ros.dynamics.quantities.tangents import of_numbers, rates_of_coordinates
from mbd_ros.execution.ir.differentiation import gradients, tangents
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.sweeps import Layout, Program
from mbd_ros.execution.program.tree import Sized
from mbd_ros.model import Model

Array = NDArray[np.float64]
CHANGING = ('q', 'v', 'qdd')
"""Inputs by which inverse dynamics are differentiated; all others are held."""


def hessian_product(model: Model, program: Program) -> ArrayProgram:
    """
    Return the program of the Hessian of ``weights . tau`` times a direction.

    Parameters
    ----------
    model : Model
        The robot, of few enough bodies for straight-line code.
    program : Program
        Of inverse dynamics; what it reads besides q, v and qdd is held.

    Returns
    -------
    ArrayProgram
        Its inputs are those of ``program``, then ``weights``, ``dq``, ``dv`` and ``dqdd``, each
        (nv,); its result is (3, nv): the changes of the derivatives by q, v and qdd.

    """
    more = tuple(Sized(name, model.nv) for name in ('weights', 'dq', 'dv', 'dqdd'))
    return ArrayProgram(
        f'hessian product of {program.name}', (*program.inputs, *more), layout=Layout.ONE_BODY,
        extent=(3, model.nv), evaluate=partial(_product, program), traces=_always)


def _always(model: Model) -> bool:
    return True


def _product(program: Program, model: Model, inputs: Mapping[str, Array], world: Array,
             executor: Any) -> Array:
    """Return the product for one state of symbols, or for N of numbers by the same trace."""
    if inputs['q'].dtype != object:
        return of_numbers(hessian_product(model, program), model, inputs, world)
    trace = inputs['q'][0, 0].trace
    point = {name: inputs[name] for name in program.inputs}
    results = of_program(program, model, point, world, executor).ravel().tolist()
    weights = inputs['weights'][0].tolist()
    entries = {name: point[name][0].tolist() for name in CHANGING}
    rates = {name: inputs[f'd{name}'][0].tolist() for name in CHANGING}
    direction = rates['q']
    rates['q'] = rates_of_coordinates(model, entries['q'], direction)
    by_all = gradients(trace, results, weights, [
        one for name in CHANGING for one in entries[name]])
    by_q, rest = by_all[:model.nq], by_all[model.nq:]
    by_q = gradients(trace, rates['q'], by_q, direction)   # linear in the direction: B^T by_q
    seeds = {one: rate for name in CHANGING for one, rate in zip(entries[name], rates[name])}
    found = np.empty(3 * model.nv, object)
    found[:] = tangents(trace, [one + 0.0 for one in (*by_q, *rest)], seeds)
    return found.reshape(1, 3, model.nv)
