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
One step of damped least squares towards targets, and the loop of such steps.

The damping is half the squared error (Sugihara 2011), which needs no choice of a parameter and
stays bounded at singular configurations and targets out of reach. A posture is where the damping
pulls to: what the rows leave free goes there. What a limit stops does not take part. The step is a
program, ``(q, targets) -> q after it, and the largest entry of the error before it``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.inverse_kinematics.residuals import Residuals, residuals, Row, structure
from mbd_ros.dynamics.inverse_kinematics.targets import Kind
from mbd_ros.execution.ir.machine_code import MachineCode
from mbd_ros.execution.ir.origin import origin_of
from mbd_ros.execution.ir.straight_line import Width
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.sweeps import Layout
from mbd_ros.execution.program.tree import Sized
from mbd_ros.execution.unrolled.code import unrolled_ir
from mbd_ros.model import JointType, Model, state
from mbd_ros.spatial import root
from mbd_ros.spatial.dense import factors, solve
from mbd_ros.spatial.vector import absolute, larger, step

Symbols = NDArray[Any]
LEAST_DAMPING = 1e-13
"""
Far above rounding of ``J J^T`` (1e-16 of entries of order 1); near singular configurations with
singular values down to 1e-6 steps still reach nine tenths of their way.
"""
TOWARDS_POSTURE = 0.5, 1e-2
"""Part of the way to a posture that a step takes near the targets, and the squared error [m^2,
rad^2] from which on it is less: first the targets, then what they leave free."""
AT_LIMIT = 1e-12
"""[rad, m] from a limit that is at it."""


def search_step(kinds: tuple[Kind, ...], model: Model, limits: bool) -> ArrayProgram:
    """
    Return the program of one step.

    Parameters
    ----------
    kinds : tuple of Kind
        The structure of the targets.
    model : Model
        The robot.
    limits : bool
        Whether to keep within limits of position.

    Returns
    -------
    ArrayProgram
        Of ``q`` and ``targets`` (numbers of the targets, then two that it does not read, see
        ``search_code``); gives (nq + 1,).

    """
    size = sum(kind.numbers for kind in kinds) + 2
    return ArrayProgram(
        f'step of inverse kinematics {structure(kinds, model)}', ('q', Sized('targets', size)),
        layout=Layout.ONE_BODY, extent=(model.nq + 1,),
        evaluate=partial(_step, kinds, bounds_of(model, limits)), traces=_always)


Bounds: TypeAlias = 'tuple[tuple[int, float, float], ...]'
"""Of joints with limits of position: entry of q, least and largest value."""


def bounds_of(model: Model, limits: bool) -> Bounds:
    """Return the limits that count; part of the program, as its code follows from them."""
    entries, rates = state.simple_entries(model)
    return tuple((entry, low, high) for entry, low, high in zip(
        entries.tolist(), model.lower[rates].tolist(), model.upper[rates].tolist())
        if limits and (np.isfinite(low) or np.isfinite(high)))


def _always(model: Model) -> bool:
    return True


def search_code(program: ArrayProgram, model: Model, width: Width) -> MachineCode:
    """
    Return ``void kernel(q, targets, world, result)``: steps until it arrives.

    The last two numbers of ``targets`` are the tolerance and the most steps: until all lanes are
    within the tolerance, or, for a negative number, any of them.
    """
    nq, size = model.nq, program.inputs[1].size  # type: ignore[attr-defined]
    lanes, kind = width.lanes, width.type
    return MachineCode(lambda: unrolled_ir(program, model, width).replace(
        'define void @kernel(', 'define internal void @step(') + f"""
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @kernel(ptr noalias readonly %q, ptr noalias readonly %targets,
    ptr noalias readonly %world, ptr noalias %result) nounwind alignstack({8 * lanes}) {{
  %from = alloca {kind}, i64 {nq}, align {8 * lanes}
  call void @llvm.memcpy.p0.p0.i64(ptr %from, ptr %q, i64 {8 * lanes * nq}, i1 false)
  %tolerances = getelementptr {kind}, ptr %targets, i64 {size - 2}
  %tolerance = load {kind}, ptr %tolerances, align 8
  %counts = getelementptr {kind}, ptr %targets, i64 {size - 1}
  %wanted = load double, ptr %counts, align 8
  %signed = fptosi double %wanted to i64
  %any = icmp slt i64 %signed, 0
  %turned = sub i64 0, %signed
  %most = select i1 %any, i64 %turned, i64 %signed
  %errors = getelementptr {kind}, ptr %result, i64 {nq}
  br label %loop
loop:
  %i = phi i64 [0, %0], [%next, %more]
  call void @step(ptr %from, ptr %targets, ptr %world, ptr %result)
  %error = load {kind}, ptr %errors, align 8
  %open = fcmp ugt {kind} %error, %tolerance
  %bits = bitcast <{lanes} x i1> %open to i{lanes}
  %none = icmp eq i{lanes} %bits, 0
  %some = icmp ne i{lanes} %bits, -1
  %arrived = select i1 %any, i1 %some, i1 %none
  %next = add i64 %i, 1
  %last = icmp sge i64 %next, %most
  %stop = or i1 %arrived, %last
  br i1 %stop, label %done, label %more
more:
  call void @llvm.memcpy.p0.p0.i64(ptr %from, ptr %result, i64 {8 * lanes * nq}, i1 false)
  br label %loop
done:
  ret void
}}""", origin=origin_of(program, model, 'search', width), scheduled=False)


def _step(kinds: tuple[Kind, ...], limits: Bounds, model: Model, inputs: Mapping[str, Symbols],
          world: Symbols, executor: Any) -> Symbols:
    """Return the result of the program of symbols."""
    q = inputs['q'][0].tolist()
    found = residuals(kinds, model, inputs, world)
    most: Any = 0.0
    for row in (*found.rows, *found.loops):
        counts = step(row.weight) if not isinstance(row.weight, float) else 1.0
        most = larger(most, counts * absolute(row.error))
    move = displacement(model, found, q, limits)
    result = np.empty((1, model.nq + 1), object)
    result[0] = [*_moved(model, q, move, limits), most]
    return result


def displacement(model: Model, found: Residuals, q: Sequence[Any], limits: Bounds
                 ) -> dict[int, Any]:
    """Return the displacement of a step, by rate."""
    rows = [row.weighted() for row in (*found.rows, *found.loops)]
    square = sum((row.error * row.error for row in rows), 0.0)
    damping = 0.5 * square + LEAST_DAMPING
    part, near = TOWARDS_POSTURE
    pull = {next(iter(row.columns)): part * near / (near + square) * step(row.weight) * row.error
            for row in found.posture}
    used = sorted({k for row in rows for k in row.columns} | set(pull))
    rates = dict(zip(*(part.tolist() for part in state.simple_entries(model))))
    bounds = {rates[entry]: (low, high, q[entry]) for entry, low, high in limits
              if rates[entry] in used}
    free: dict[int, Any] = dict.fromkeys(used, 1.0)
    move = _damped(rows, used, free, damping, pull)
    if bounds:
        for k, (low, high, place) in bounds.items():
            stopped: Any = 0.0
            if np.isfinite(low):   # at it, and on the way beyond
                stopped = (1.0 - step(place - (low + AT_LIMIT))) * step(-move[k])
            if np.isfinite(high):
                stopped = stopped + step(place - (high - AT_LIMIT)) * step(move[k])
            free[k] = 1.0 - stopped
        move = _damped(rows, used, free, damping, pull)
    return move


def _damped(rows: Sequence[Row], used: Sequence[int], free: Mapping[int, Any], damping: Any,
            pull: Mapping[int, Any]) -> dict[int, Any]:
    """
    Return the least ``|error - J dq|^2 + damping |dq - pull|^2`` of the joints that are free.

    That is ``dq = pull + J^T (J J^T + damping)^-1 (error - J pull)``, or the same by
    ``(J^T J + damping)^-1 J^T`` where that matrix is smaller.
    """
    pulled = {k: free[k] * one for k, one in pull.items()}
    errors = [row.error - sum((one * pulled[k] for k, one in row.columns.items() if k in pulled),
                              0.0) for row in rows]
    if len(rows) <= len(used):
        masked = [{k: free[k] * one for k, one in row.columns.items()} for row in rows]
        matrix = [[_product(masked[i], rows[j].columns, damping if i == j else 0.0)
                   for j in range(i + 1)] for i in range(len(rows))]
        forces = solve(*factors(matrix), errors)
        return {k: sum((one[k] * force for one, force in zip(masked, forces) if k in one),
                       pulled.get(k, 0.0)) for k in used}
    columns: dict[int, dict[int, Any]] = {k: {} for k in used}
    for i, row in enumerate(rows):
        for k, one in row.columns.items():
            columns[k][i] = free[k] * one
    matrix = [[_product(columns[k], columns[other], damping if k == other else 0.0)
               for other in used[:place + 1]] for place, k in enumerate(used)]
    sides = [sum((one * errors[i] for i, one in columns[k].items()), 0.0) for k in used]
    found = solve(*factors(matrix), sides)
    return {k: pulled.get(k, 0.0) + one for k, one in zip(used, found)}


def _product(first: Mapping[int, Any], second: Mapping[int, Any], start: Any) -> Any:
    """Return a start and the products of entries that both have."""
    return sum((one * second[k] for k, one in first.items() if k in second), start)


def _moved(model: Model, q: Sequence[Any], move: Mapping[int, Any], limits: Bounds) -> list[Any]:
    """Return q after a displacement: of joints with several coordinates right to first order."""
    after = list(q)
    for entry, k in zip(*(part.tolist() for part in state.simple_entries(model))):
        if k in move:
            after[entry] = q[entry] + move[k]
    for entry, low, high in limits:
        if np.isfinite(low):
            after[entry] = larger(after[entry], low)
        if np.isfinite(high):
            after[entry] = -larger(-after[entry], -high)
    for joint in state.curved_joints(model):
        own = [move.get(k, 0.0) for k in range(joint.v.start, joint.v.stop)]
        after[joint.q] = _CURVED[model.joint_types[joint.number]](q[joint.q], own)
    return after


def _turned(q: Sequence[Any], turn: Sequence[Any]) -> list[Any]:
    """Return a quaternion x y z w times (turn / 2, 1), made of length 1."""
    x, y, z, w = q
    a, b, c = (0.5 * one for one in turn)
    return _of_length_1([x + w * a + y * c - z * b, y + w * b + z * a - x * c,
                         z + w * c + x * b - y * a, w - x * a - y * b - z * c])


def _of_length_1(vector: Sequence[Any]) -> list[Any]:
    inverse = 1.0 / root(sum((one * one for one in vector[1:]), vector[0] * vector[0]))
    return [one * inverse for one in vector]


def _floated(q: Sequence[Any], move: Sequence[Any]) -> list[Any]:
    """Return position and quaternion after a displacement along and about the body's axes."""
    x, y, z, w = q[3:]
    a, b, c = move[:3]
    # v + 2 u x (u x v + w v) with the vector part u
    d, e, f = y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c
    return [q[0] + a + 2.0 * (y * f - z * e), q[1] + b + 2.0 * (z * d - x * f),
            q[2] + c + 2.0 * (x * e - y * d), *_turned(q[3:], move[3:])]


def _slid(q: Sequence[Any], move: Sequence[Any]) -> list[Any]:
    """Return x, y, cosine and sine after a displacement along the body's axes."""
    x, y, c, s = q
    a, b, turn = move
    return [x + c * a - s * b, y + s * a + c * b, *_of_length_1([c - s * turn, s + c * turn])]


_CURVED = {JointType.FLOATING: _floated, JointType.SPHERICAL: _turned, JointType.PLANAR: _slid}
