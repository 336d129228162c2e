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
The part of a measured motion that no actuator can change.

Of a difference e to the measured state the least x, in the metric of M, that moves the actuated
joints alike with closed loops held, ``S x = S e``, is what the actuators could do; ``e - x`` is
left to the dynamics. See ``NominalModel.observe``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from mbd_ros.control.constraints.loop_constraint import ClosedLoops
from mbd_ros.control.constraints.recorded import Known
from mbd_ros.control.references.scalar_manifold import displaced
from mbd_ros.control.references.scalars import difference, identity, length, Row, sum_of
from mbd_ros.control.udwadia_kalaba.drives import loop_calls
from mbd_ros.control.udwadia_kalaba.equation import constrained_acceleration
from mbd_ros.control.udwadia_kalaba.rank_facts import empty_rank_report, FACTS, gathered
from mbd_ros.control.udwadia_kalaba.robot_code import has_machine_code, robot_call
from mbd_ros.control.udwadia_kalaba.solvers import step_solver
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.execution.compiled_calls.fused import Computed, KernelCall, Slice
from mbd_ros.execution.ir.trace import Operand, Symbol
from mbd_ros.simulation.manifold import Vector

Given: TypeAlias = dict[str, list[Symbol]]


def observation_parts(dyn: PreparedDynamics, drives: Sequence[int], tolerance: float
                      ) -> list[KernelCall | Computed]:
    """
    Return the parts that take over what no actuator can change.

    From a state ``q``, ``v`` and what is missing to the measured one, ``way`` and ``pace`` (nv,),
    to ``seen``: q (nq,), v (nv,), length of the way that was taken, facts. ``drives`` are the
    entries of v with an actuator, ``tolerance`` decides on ranks where the parts are interpreted.
    """
    model, n = dyn.model, dyn.model.nv
    loops = ClosedLoops(dyn) if model.loops else None
    count = len(drives) + (0 if loops is None else loops.count)
    code, unit = step_solver(n, count) if has_machine_code(dyn) else None, identity(n)

    def dense(M: Vector, system: Vector, keep: object = code) -> Vector:
        """Return what the solver does, whatever the rank."""
        rows, right = system[:count * n].reshape(count, n), system[count * n:]
        return np.concatenate((constrained_acceleration(
            M.reshape(n, n), np.zeros(n), rows, right, tolerance=tolerance).accelerations,
            empty_rank_report()))

    def own(what: str) -> list[KernelCall | Computed]:
        """Return what finds the part of a motion that actuators could bring about."""
        def system(given: Given) -> list[Operand]:
            rows = [] if loops is None else loops.rows(Known(
                list(given['q']), list(given['v']), {loops.quantities[0]: list(given['loops'])},
                [])).matrix
            rows = [*rows, *(unit[k] for k in drives)]
            return [*(entry for row in rows for entry in row),
                    *(sum_of(a * x for a, x in zip(row, given[what])) for row in rows)]
        where = f'{what}_system'
        return [Computed(system, where, count * n + count), KernelCall(
            code.address if code else 0, ('M', where, Slice(where, count * n)), f'own_{what}',
            n + FACTS, dense)]

    def taken(given: Given, what: str) -> Row:
        return difference(given[what], given[f'own_{what}'][:n])

    def seen(given: Given) -> list[Operand]:
        way = taken(given, 'way')
        return [*displaced(model, list(given['q']), way),
                *(x + y for x, y in zip(given['v'], taken(given, 'pace'))), length(way),
                *gathered([given[f'own_{what}'][n:] for what in ('way', 'pace')])]
    return [robot_call(dyn, 'mass_matrix', 'M', n * n, 'q'),
            *([] if loops is None else loop_calls(dyn, 'q', 'v', 'loops')),
            *own('way'), *own('pace'), Computed(seen, 'seen', model.nq + n + 1 + FACTS)]
