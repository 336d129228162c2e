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
Robots with closed loops: their loops beside the rows of a task.

The loops hold by themselves, ``A_l vdot = b_l`` with forces ``A_l^T lambda_l`` at every joint, so
that the Udwadia-Kalaba equation is solved for the rows of the loops and of the task together:
``Q_c = A_l^T lambda_l + A_s^T lambda_s``.
"""

from __future__ import annotations

from mbd_ros.control.constraints.recorded import Known, Quantity, Rows
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.simulation.manifold import Matrix, Vector


class ClosedLoops:
    """The closed loops of a robot as a constraint: ``phi``, its rate, ``A`` and ``b``."""

    def __init__(self, dyn: PreparedDynamics) -> None:
        self._dyn = dyn
        self._none = [0.0] * dyn.model.nv
        self.count = sum(len(loop.rows) for loop in dyn.model.loops)
        self.counts = (self.count,) * 3
        self.quantities: tuple[Quantity, ...] = (('own_loop_rows', ''),)

    def rows(self, known: Known) -> Rows:
        """Return the rows on scalars, as ``Recorded`` does."""
        flat, width = known.of_links[self.quantities[0]], VALUES + len(known.v)
        rows = [flat[width * k:width * (k + 1)] for k in range(self.count)]
        return Rows([row[0] for row in rows], [row[1] for row in rows],
                    [row[VALUES:] for row in rows], [-row[VALUES - 1] for row in rows])

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return ``A`` (m, nv)."""
        rows: Matrix = self._dyn.own_loop_rows(q, v)[:, VALUES:]
        return rows

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``b`` (m,), less the bias of ``phi_ddot``."""
        bias: Vector = self._dyn.own_loop_rows(q, v)[:, VALUES - 1]
        return -bias

    def violation(self, q: Vector, t: float) -> Vector:
        """Return ``phi`` (m,)."""
        phi: Vector = self._dyn.own_loop_rows(q, self._none)[:, 0]
        return phi

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``phi_dot`` (m,)."""
        rate: Vector = self._dyn.own_loop_rows(q, v)[:, 1]
        return rate
