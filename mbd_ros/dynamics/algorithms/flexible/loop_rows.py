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
The rows of joints that close loops of a robot with flexible links.

Their equations are those of ``constraint_rows.py``. A row is a pair of wrenches on two segments.
What unit velocities move these by, ``twists``, makes of them a row of the Jacobian A.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbd_ros.dynamics.algorithms.body_motion import BodyState
from mbd_ros.dynamics.algorithms.constraint_rows import in_body, rows_of, side
from mbd_ros.dynamics.algorithms.flexible.link_inertia import Array
from mbd_ros.dynamics.algorithms.flexible.loads import GROUND, linear_first, seen_in
from mbd_ros.dynamics.algorithms.flexible.motion import place, Placed, tree_of_segments
from mbd_ros.execution.program.sweeps import Tie
from mbd_ros.execution.program.ties import loop_ties
from mbd_ros.execution.stacks.stacks import apply
from mbd_ros.model import Model
from mbd_ros.model.flexible.on_segments import on_segments
from mbd_ros.spatial import Wrench

VALUES = 3
"""Numbers of a row before its Jacobian: phi, its rate, the bias."""


def twists(model: Model, chain: Sequence[Placed]) -> list[Array]:
    """Return what unit velocities move each segment by (N, 6, nv), in its own axes."""
    unit = np.eye(model.nv)
    found: list[Array] = []
    for segment, own in zip(tree_of_segments(model).segments, chain):
        states = len(own.twist)
        columns = np.broadcast_to(own.axes @ unit[own.joint], (states, 6, model.nv))
        if segment.parent >= 0:
            rates = np.broadcast_to(unit[chain[segment.parent].elastic],
                                    (states, own.transfer.shape[2] - 6, model.nv))
            columns = columns + own.transfer @ np.concatenate(
                [found[segment.parent], rates], axis=1)
        found.append(columns)
    return found


def accelerations_of(model: Model, chain: Sequence[Placed], vdot: Array) -> list[Array]:
    """Return the acceleration of each segment (N, 6), in its own axes, for vdot (N, nv)."""
    found: list[Array] = []
    for segment, own in zip(tree_of_segments(model).segments, chain):
        above = (np.zeros((len(vdot), 6)) if segment.parent < 0 else np.hstack(
            [found[segment.parent], vdot[:, chain[segment.parent].elastic]]))
        found.append(apply(own.transfer, above) + vdot[:, own.joint] @ own.axes.T + own.bias)
    return found


def loop_rows(model: Model, inputs: Mapping[str, Array], world: Array, executor: Any) -> Array:
    """Return for each row of the loops phi, its rate, its bias, and A (N, m, 3 + nv)."""
    q, v = inputs['q'], inputs['v']
    return rows_between(model, place(model, q, v), q, v)


def rows_between(model: Model, chain: Sequence[Placed], q: Array, v: Array) -> Array:
    """Return the same for segments that are placed."""
    ties = loop_ties(on_segments(model))
    columns, drift = twists(model, chain), accelerations_of(model, chain, np.zeros_like(v))
    rows = sum(len(loop.rows) for loop in model.loops)
    result = np.zeros((len(q), rows, VALUES + model.nv), np.result_type(q, v))
    for k in range(len(q)):
        seen = [seen_in(own, k) for own in chain]
        for tie in ties:
            ends = [_end(model, tie, i, seen, q[k], v[k]) for i in (tie.first, tie.second)]
            for m, row in enumerate(rows_of(tie, side(ends[0], tie.frame1),
                                            side(ends[1], tie.frame2)), tie.row):
                values = [row.phi, row.rate, row.bias]
                entries = np.zeros(model.nv, result.dtype)
                for i, end, wrench, effort in zip((tie.first, tie.second), ends,
                                                  (row.first, row.second), row.efforts):
                    if tie.kind == 'mimic':
                        entries[model.v_offsets[i]] += effort
                    elif i >= 0:
                        acting = _on_segment(end, wrench)
                        values[1] = values[1] + acting @ chain[i].twist[k]
                        values[2] = values[2] + acting @ drift[i][k]
                        entries = entries + acting @ columns[i][k]
                result[k, m, :VALUES], result[k, m, VALUES:] = values, entries
    return result


def _end(model: Model, tie: Tie, i: int, seen: Sequence[BodyState], q: Array, v: Array
         ) -> BodyState:
    """Return how an end of a tie moves: of a coupling its joint, else its segment."""
    if tie.kind == 'mimic':
        return GROUND._replace(place=q[model.q_offsets[i]], rate=v[model.v_offsets[i]])
    return GROUND if i < 0 else seen[i]


def _on_segment(end: BodyState, wrench: Wrench) -> Array:
    return linear_first(in_body(end, wrench))
