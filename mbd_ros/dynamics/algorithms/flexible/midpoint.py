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
The implicit midpoint rule, by which stiff links do not rule the length of a step.

With the accelerations v' of forward dynamics in the middle of a step h::

    v_m = v + h/2 v'(q_m, v_m),    q_m = q + h/2 q'(q_m, v_m),    v+ = 2 v_m - v,    q+ = 2 q_m - q

Elastic and damping forces are linear in ``a_m = a + h/2 (a' + h/2 a'')``, so that they are solved
for: in the modal rows ``M + h/2 D + h^2/4 K`` is in the place of M. All else is iterated. It is of
second order, stable for modes of any frequency, and keeps their energy.

Closed loops add the rows of cut joints, ``M v' = f + A^T lambda`` with ``A v' + bias = 0`` in the
middle; at the end of the step the state is moved the least way to where ``phi = 0`` and ``A v =
0``. The metric of that is the same matrix, so that stiff links do not bend for it. Which rows, E
A, are independent is decided once a step or less often, see ``row_space.py``.

References
----------
Hairer, Wanner, Solving Ordinary Differential Equations II, 1996, sections IV.3 and IV.6.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
from typing import Any

import numpy as np

from mbd_ros.dynamics.algorithms.flexible.link_inertia import (
    Array, implicit_terms, mirrored, solved, stiffened)
from mbd_ros.dynamics.algorithms.flexible.loads import place_loaded
from mbd_ros.dynamics.algorithms.flexible.long_trees import rolled, rolls
from mbd_ros.dynamics.algorithms.flexible.loop_rows import rows_between, VALUES
from mbd_ros.dynamics.algorithms.flexible.motion import joint_rates, Placed, tree_of_segments
from mbd_ros.dynamics.algorithms.flexible.recursion import accelerations, base_of, small
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.sweeps import Layout
from mbd_ros.execution.stacks.stacks import apply
from mbd_ros.model import Model


def midpoint(model: Model) -> ArrayProgram:
    """
    Return the program ``(q, v, tau, step, q_m, v_m) -> (nq + nv,)``, a better q_m and v_m.

    With loops there is an argument ``rows`` more, see ``RowSpace.choice``.
    """
    given = ('q', 'v', 'tau', 'step', 'q_m', 'v_m', *['rows'] * bool(model.loops))
    return ArrayProgram('flexible_midpoint', given, layout=Layout.ONE_BODY,
                        extent=(model.nq + model.nv,), evaluate=_iterated, traces=small,
                        rolls=rolls, rolled=rolled)


def closing(model: Model) -> ArrayProgram:
    """Return the program ``(q, v, step, rows) -> (nq + nv,)``: q and v with loops closed."""
    return ArrayProgram('flexible_closing', ('q', 'v', 'step', 'rows'), layout=Layout.ONE_BODY,
                        extent=(model.nq + model.nv,), evaluate=_closed, traces=small)


def _iterated(model: Model, inputs: Mapping[str, Array], world: Array, executor: Any) -> Array:
    (q, v), (at, moving) = ((inputs[one], inputs[two]) for one, two in (
        ('q', 'v'), ('q_m', 'v_m')))
    half, tau = 0.5 * inputs['step'], inputs['tau']
    chain = _implicit(model, place_loaded(model, at, moving, world), (q, v), (at, moving), half)
    if model.loops:
        E, rows = _choice(inputs), rows_between(model, chain, at, moving)
        B = E @ rows[:, :, VALUES:]
        found, _ = accelerations(model, chain, np.concatenate(
            [tau[:, :, None], B.transpose(0, 2, 1)], axis=2), base_of(world))
        free, sides = found[:, :, 0], found[:, :, 1:]
        vdot = free + _kept(E, B, sides, apply(B, free) + apply(E, rows[:, :, VALUES - 1]))
    else:
        vdot, _ = accelerations(model, chain, tau, base_of(world))
    moving = v + half * vdot
    return np.hstack([q + half * _rates(model, at, moving), moving])


def _closed(model: Model, inputs: Mapping[str, Array], world: Array, executor: Any) -> Array:
    q, v = inputs['q'], inputs['v']
    chain = _stiffened(model, place_loaded(model, q, v, world), 0.5 * inputs['step'])
    E, rows = _choice(inputs), rows_between(model, chain, q, v)
    B = E @ rows[:, :, VALUES:]
    none = np.zeros_like(v)[:, :, None]
    found, _ = accelerations(model, chain, np.concatenate(
        [none, B.transpose(0, 2, 1)], axis=2), np.zeros(6))
    dq, dv = (_kept(E, B, found[:, :, 1:], apply(E, rows[:, :, k])) for k in (0, 1))
    return np.hstack([q + _rates(model, q, dq), v + dv])


def _choice(inputs: Mapping[str, Array]) -> Array:
    flat = inputs['rows']
    count = math.isqrt(flat.shape[1])
    return flat.reshape(len(flat), count, count)


def _kept(E: Array, B: Array, sides: Array, rest: Array) -> Array:
    """
    Return x (N, nv) with ``M x = B^T lambda`` and ``B x + rest = 0``, ``M^-1 B^T`` given.

    Rows of E are of length one, or zero: the multipliers of these are zero.
    """
    left = np.eye(E.shape[1]) * (1.0 - np.sum(E * E, axis=2))[:, :, None]
    return -apply(sides, solved(mirrored(B @ sides + left), rest[:, :, None])[:, :, 0])


def _implicit(model: Model, chain: Sequence[Placed], start: tuple[Array, Array],
              middle: tuple[Array, Array], half: Array) -> list[Placed]:
    """Return segments whose elastic and damping forces are those at the end of half a step."""
    found = []
    shift = model.nq - model.nv
    for segment, own in zip(tree_of_segments(model).segments, _stiffened(model, chain, half)):
        if segment.elastic is not None:
            place_in_q = slice(own.elastic.start + shift, own.elastic.stop + shift)
            then, now = ((q[:, place_in_q], v[:, own.elastic]) for q, v in (start, middle))
            own = own._replace(terms=implicit_terms(own.terms, segment.elastic, then, now, half))
        found.append(own)
    return found


def _stiffened(model: Model, chain: Sequence[Placed], half: Array) -> list[Placed]:
    return [own if segment.elastic is None else own._replace(
        terms=stiffened(own.terms, segment.elastic, half))
        for segment, own in zip(tree_of_segments(model).segments, chain)]


def _rates(model: Model, q: Array, v: Array) -> Array:
    """Return the rates of all entries of q (N, nq)."""
    result = np.zeros(q.shape, np.result_type(q, v))
    shift = model.nq - len(model.elastic_names)
    result[:, shift:] = v[:, model.nv - len(model.elastic_names):]
    for kind, start, first in zip(model.joint_types, model.q_offsets, model.v_offsets):
        result[:, start:start + kind.nq] = joint_rates(
            kind, q[:, start:start + kind.nq], v[:, first:first + kind.nv])
    return result
