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
Derivatives of dynamics with loops, springs, force laws or flexible links: rules on the trace.

The trace of the program is differentiated along a direction, which is one more argument; a batch
of all directions runs in the lanes of vector registers. A direction in q is one in the coordinates
of v: ``JointManifold.rate`` turns it into rates of the coordinates of joints that turn freely.
Those of forward dynamics with flexible links follow from those of inverse dynamics, half as long.

"""

from __future__ import annotations

from collections.abc import Callable
import ctypes
from functools import partial
import itertools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.algorithms.registry import formulation_for
from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.dynamics.prepared.call import Array, arrays_of, deliver, require_finite, rows_of
from mbd_ros.dynamics.prepared.derivative_results import HessianProduct, in_parts
from mbd_ros.dynamics.prepared.rank import least_motion, masses_far_apart
from mbd_ros.dynamics.quantities.flexible import loop_changes, small
from mbd_ros.dynamics.quantities.hessian_products import hessian_product
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.dynamics.quantities.quantities_as_programs import forced
from mbd_ros.dynamics.quantities.tangents import rates_of_coordinates
from mbd_ros.errors import UnsupportedError
from mbd_ros.execution.ir.batch import batch_ir
from mbd_ros.execution.ir.differentiation import tangents
from mbd_ros.execution.ir.machine_code import MachineCode, vector_lanes
from mbd_ros.execution.ir.origin import origin_of
from mbd_ros.execution.ir.sincos import sincos_ir
from mbd_ros.execution.ir.straight_line import declarations_ir, StraightLine, Width
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.program.tree import sizes
from mbd_ros.execution.unrolled.code import trace_program
from mbd_ros.model import Model, state
from mbd_ros.model.caches import owned

if TYPE_CHECKING:
    from mbd_ros.dynamics.prepared.prepared import PreparedDynamics

LARGEST_TRACED = 24
"""Bodies up to which the trace is differentiated: the code is three times that of dynamics."""
HESSIAN_STEP = 1e-5
"""Length of a displacement for second derivatives beyond: differences of exact first ones, whose
error is its square, and their rounding over it."""
STEP = 1e-7
"""Of differences beyond, all in one batch [rad, m and 1/s of them]."""


def traced_derivatives(dyn: PreparedDynamics, function: str, *point: Array) -> Array:
    """
    Return the derivatives of a function for one state.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    function : str
        ``'forward_dynamics'`` or ``'inverse_dynamics'``.
    *point : array
        (nq,), (nv,), (nv,): its arguments.

    Returns
    -------
    array
        (3, nv, nv): with respect to each argument, those to q in the coordinates of v. Exact up to
        ``LARGEST_TRACED`` bodies, else by differences.

    """
    columns, model = None, dyn.model
    if model.elastic is not None and function == 'forward_dynamics':
        return _of_bent_links(dyn, *point)
    if traces(model, function):
        code = tangent_code(model, program_for(model, function))
        columns = code.columns(dyn.world_array, *point)
    if columns is None or not np.isfinite(columns).all():  # where the rank of loops is in doubt
        columns = _differences(dyn, function, *point)
    found: Array = np.ascontiguousarray(columns.reshape(3, model.nv, -1).transpose(0, 2, 1))
    return found


def _of_bent_links(dyn: PreparedDynamics, q: Array, v: Array, tau: Array) -> Array:
    """Return the derivatives of forward dynamics with flexible links, in loops or not."""
    accelerations = dyn.forward_dynamics(q, v, tau)
    by_q, by_v, mass = traced_derivatives(dyn, 'inverse_dynamics', q, v, accelerations)
    if not dyn.model.loops:
        inverse = np.linalg.inv(mass)
        return np.array([-inverse @ by_q, -inverse @ by_v, inverse])
    # M da = dtau - dID + (dA)^T lambda + A^T dlambda and A da + dA a + dbias = 0, by columns.
    nv, changes = dyn.model.nv, loop_changes(dyn.model, q, v)
    space = RowSpace(dyn.model, dyn.loop_rows(q, v)[:, VALUES:])
    multipliers = space.multipliers(dyn.inverse_dynamics(q, v, accelerations) - tau)
    applied = np.concatenate([-by_q.T, -by_v.T, np.eye(nv)])
    applied[:2 * nv] += multipliers @ changes[..., VALUES:]
    rest = np.zeros((3 * nv, changes.shape[1]))
    rest[:2 * nv] = changes[..., 2] + changes[..., VALUES:] @ accelerations   # 2: the bias
    columns = np.array([least_motion(space, mass, *one) for one in zip(applied, rest)])
    return columns.reshape(3, nv, nv).swapaxes(1, 2)


def of_one_or_many(dyn: PreparedDynamics, function: str, *arguments: ArrayLike,
                   out: Array | None = None, **named: ArrayLike) -> Array:
    """
    Return ``traced_derivatives`` of one state (3, nv, nv), or of many (N, 3, nv, nv).

    Parameters and errors are those of the callables of ``PreparedDynamics``.
    """
    model, inputs = dyn.model, program_for(dyn.model, function).inputs
    given = arrays_of(model, f'{function}_derivatives', inputs, arguments, named)
    for name, array in zip(inputs, given):
        require_finite(model, name, array)
    rows, many = rows_of(inputs, given)
    result = np.empty((len(rows[0]), 3, model.nv, model.nv))
    for found, *point in zip(result, *rows):
        found[:] = traced_derivatives(dyn, function, *point)
    return deliver(result if many else result[0], out)


def hessian_product_of(dyn: PreparedDynamics, links: tuple[str, ...]
                       ) -> Callable[..., HessianProduct]:
    """
    Return ``PreparedDynamics.hessian_product``, of large robots by differences of derivatives.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    links : tuple of str
        Links that forces act on.

    """
    model = dyn.model
    program: Program | None = dyn.program('inverse_dynamics')
    assert program is not None
    if links:
        program = forced(model, 'inverse_dynamics', program, links, False)
    if program is not None and traces(model, 'inverse_dynamics'):
        whole = hessian_product(model, program)
        name = 'inverse_dynamics_hessian_product'
        call = dyn.callable_of(whole, '' if links else name)
        return in_parts(call, HessianProduct, name, whole.inputs, rank=2)
    if links:
        raise UnsupportedError(
            f"second-order derivatives with forces on links of robot '{model.name}'",
            f'it takes rigid links and at most {LARGEST_TRACED} bodies')
    return partial(_hessian_differences, dyn)


def _hessian_differences(dyn: PreparedDynamics, *arguments: ArrayLike, out: Array | None = None,
                         **named: ArrayLike) -> HessianProduct:
    """Return Hessian products by central differences of first derivatives."""
    model = dyn.model
    inputs = ('q', 'v', 'qdd', 'weights', 'dq', 'dv', 'dqdd')
    given = arrays_of(model, 'inverse_dynamics_hessian_product', inputs, arguments, named)
    for name, array in zip(inputs, given):
        require_finite(model, name, array)
    (q, v, qdd, weights, *rates), many = rows_of(inputs, given)
    length = np.sqrt(sum((rate * rate).sum(axis=1) for rate in rates))[:, None]
    h = HESSIAN_STEP / np.where(length > 0.0, length, 1.0)
    changes = []
    for sign in (1.0, -1.0):
        step = [sign * h * rate for rate in rates]
        places = np.array([state.integrate(model, *pair) for pair in zip(q, step[0])])
        changes.append(dyn.inverse_dynamics_derivatives(
            places.reshape(q.shape), v + step[1], qdd + step[2]))
    parts = [np.einsum('ni,nij->nj', weights, plus - minus) / (2.0 * h)
             for plus, minus in zip(*changes)]
    whole = deliver(np.stack(parts, axis=1) if many else np.concatenate(parts), out)
    return HessianProduct(*np.moveaxis(whole, -2, 0))


def program_for(model: Model, function: str) -> Program:
    """Return the program of a function in the formulation that suits a robot."""
    return formulation_for(model).programs(model)[function]


def _differences(dyn: PreparedDynamics, function: str, q: Array, v: Array, third: Array) -> Array:
    """Return the derivatives along all directions by central differences, in one batch."""
    model, nv = dyn.model, dyn.model.nv
    steps = STEP * np.eye(3 * nv)
    signed = np.concatenate([steps, -steps])
    places = np.array([state.integrate(model, q, step[:nv]) for step in signed])
    found = getattr(dyn, function)(
        places, v + signed[:, nv:2 * nv], third + signed[:, 2 * nv:])
    columns: Array = (found[:3 * nv] - found[3 * nv:]) / (2.0 * STEP)
    return columns


def traces(model: Model, function: str) -> bool:
    """Return whether the trace of a function is differentiated, not the function itself."""
    return model.nb <= LARGEST_TRACED and not masses_far_apart(model) and (
        model.elastic is None or (small(model) and function == 'inverse_dynamics'))


class TangentCode:
    """
    Machine code for ``(x, y, z, dx, dy, dz) -> d f(x, y, z)`` on batches; x is q.

    Attributes
    ----------
    kernel : MachineCode
        ``void kernel(x, y, z, dx, dy, dz, world, result)`` with as many states side by side as a
        vector register holds.

    """

    def __init__(self, model: Model, program: Program) -> None:
        nv, width = model.nv, Width(vector_lanes())
        counts = sizes(model, program.inputs)
        self.kernel = MachineCode(
            lambda: _tangent_ir(program, model, width),
            origin=origin_of(program, model, 'tangents', width))
        self._loop = MachineCode(batch_ir([*counts, nv, nv, nv], nv, width),
                                 addresses=[self.kernel.address('kernel')])
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 8)(
            self._loop.address('batch'))

    def columns(self, world: Array, *point: Array) -> Array:
        """Return the derivatives (3 nv, nv) along all directions at a point."""
        nv = len(point[1])
        count = max(3 * nv, vector_lanes())
        directions = np.eye(count, 3 * nv)
        rows = [np.tile(part, (count, 1)) for part in point]
        rows += [np.ascontiguousarray(directions[:, k * nv:(k + 1) * nv]) for k in range(3)]
        out = np.empty((count, nv))
        self._call(count, *(row.ctypes.data for row in rows), world.ctypes.data, out.ctypes.data)
        return out[:3 * nv]


def _tangent_ir(program: Program, model: Model, width: Width) -> str:
    """Return the IR of ``void kernel(x, y, z, dx, dy, dz, world, result)``."""
    trace, results = trace_program(program, model)
    counts, nv = sizes(model, program.inputs), model.nv
    point = [[trace.input(k, entry) for entry in range(size)] for k, size in enumerate(counts)]
    rates_of = [[trace.input(4 + k, entry) for entry in range(nv)] for k in range(3)]
    rates_of[0] = rates_of_coordinates(model, point[0], rates_of[0])
    seeds = dict(zip(itertools.chain(*point), itertools.chain(*rates_of)))
    rates = tangents(trace, results, seeds)
    # The kernel's arguments: the point, its direction, world (3 in the trace), result.
    order = (0, 1, 2, 4, 5, 6)
    pointers = {k: f'%a{k}' for k in (*order, 3)}
    block = StraightLine('s', pointers, width, common=(3,))
    arguments = ', '.join(f'ptr noalias readonly %a{k}' for k in (*order, 3))
    lines = [sincos_ir(width), declarations_ir(width),
             f'define void @kernel({arguments}, ptr noalias %result) nounwind '
             f'alignstack({8 * width.lanes}) {{', *block.compute(trace, rates)]
    for entry, value in enumerate(rates):
        lines += block.store(value, '%result', entry)
    return '\n'.join([*lines, '  ret void', '}'])


@owned()
def tangent_code(model: Model, program: Program) -> TangentCode:
    """Return the code for a model and a program of forward or inverse dynamics."""
    return TangentCode(model, program)
