"""
Derivatives of the accelerations of robots with closed loops, by the rules of differentiation.

The trace of the program is differentiated along a direction, which is one more argument; a batch
of all directions runs in the lanes of vector registers.

"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.formulations.recursive import closed_loop_dynamics
from mbd_ros.dynamics.prepared.call import Array, arrays_of, deliver, require_finite, rows_of
from mbd_ros.dynamics.prepared.derivatives import ForwardDynamicsDerivatives
from mbd_ros.dynamics.prepared.rank import masses_far_apart
from mbd_ros.execution.calls.batch import batch_ir
from mbd_ros.execution.ir.differentiation import tangents
from mbd_ros.execution.ir.machine_code import MachineCode, vector_lanes
from mbd_ros.execution.ir.sincos import sincos_ir
from mbd_ros.execution.ir.straight_line import declarations_ir, StraightLine, Width
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.execution.unrolled.code import trace_program
from mbd_ros.model import Model, state

if TYPE_CHECKING:
    from mbd_ros.dynamics.prepared.prepared import PreparedDynamics

LARGEST_TRACED = 24
"""Bodies up to which the trace is differentiated: the code is three times that of dynamics."""
STEP = 1e-7
"""Of differences beyond, all in one batch [rad, m and 1/s of them]."""


def closed_loop_derivatives(dyn: PreparedDynamics, q: Array, v: Array, tau: Array
                            ) -> ForwardDynamicsDerivatives:
    """
    Return the derivatives of ``forward_dynamics`` for one state of a robot with closed loops.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot; joints with one coordinate only.
    q, v, tau : array
        (nq,), (nv,), (nv,).

    Returns
    -------
    ForwardDynamicsDerivatives
        Exact up to ``LARGEST_TRACED`` bodies, else by differences.

    """
    nv, columns = dyn.model.nv, None
    if (dyn.model.nb <= LARGEST_TRACED and dyn.model.nq == nv
            and not masses_far_apart(dyn.model)):
        columns = _tangent_code(dyn.model).columns(dyn.gravity, q, v, tau)
    if columns is None or not np.isfinite(columns).all():  # where the rank of loops is in doubt
        columns = _differences(dyn, q, v, tau)
    parts = (columns[k * nv:(k + 1) * nv].T for k in range(3))
    return ForwardDynamicsDerivatives(*map(np.ascontiguousarray, parts))


def of_one_or_many(dyn: PreparedDynamics, *arguments: ArrayLike, out: Array | None = None,
                   **named: ArrayLike) -> Array:
    """
    Return ``closed_loop_derivatives`` of one state (3, nv, nv), or of many (N, 3, nv, nv).

    Parameters and errors are those of the callables of ``PreparedDynamics``.
    """
    model, inputs = dyn.model, ('q', 'v', 'tau')
    given = arrays_of(model, 'forward_dynamics_derivatives', inputs, arguments, named)
    for name, array in zip(inputs, given):
        require_finite(model, name, array)
    rows, many = rows_of(inputs, given)
    result = np.empty((len(rows[0]), 3, model.nv, model.nv))
    for found, *point in zip(result, *rows):
        found[:] = closed_loop_derivatives(dyn, *point)
    return deliver(result if many else result[0], out)


def _differences(dyn: PreparedDynamics, q: Array, v: Array, tau: Array) -> Array:
    """Return the derivatives along all directions by central differences, in one batch."""
    model, nv = dyn.model, dyn.model.nv
    steps = STEP * np.eye(3 * nv)
    signed = np.concatenate([steps, -steps])
    places = np.array([state.integrate(model, q, step[:nv]) for step in signed])
    found = dyn.forward_dynamics(places, v + signed[:, nv:2 * nv], tau + signed[:, 2 * nv:])
    columns: Array = (found[:3 * nv] - found[3 * nv:]) / (2.0 * STEP)
    return columns


class _TangentCode:
    """Machine code for ``(q, v, tau, dq, dv, dtau) -> dvdot`` on batches."""

    def __init__(self, model: Model) -> None:
        program, nv = closed_loop_dynamics(tree_of(model).slots), model.nv
        trace, results = trace_program(program, model)
        seeds = {trace.input(argument, entry): trace.input(4 + argument, entry)
                 for argument in range(3) for entry in range(nv)}
        rates = tangents(trace, results, seeds)
        # The kernel's arguments: q, v, tau, dq, dv, dtau, world (3 in the trace), result.
        width, order = Width(vector_lanes()), (0, 1, 2, 4, 5, 6)
        pointers = {k: f'%a{k}' for k in (*order, 3)}
        block = StraightLine('s', pointers, width, common=(3,))
        arguments = ', '.join(f'ptr noalias readonly %a{k}' for k in (*order, 3))
        lines = [sincos_ir(width), declarations_ir(width),
                 f'define void @kernel({arguments}, ptr noalias %result) nounwind '
                 f'alignstack({8 * width.lanes}) {{', *block.compute(trace, rates)]
        for entry, value in enumerate(rates):
            lines += block.store(value, '%result', entry)
        self._kernel = MachineCode('\n'.join([*lines, '  ret void', '}']))
        self._loop = MachineCode(batch_ir([nv] * 6, nv, width),
                                 addresses=[self._kernel.address('kernel')])
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


_tangent_code = lru_cache(maxsize=16)(_TangentCode)
