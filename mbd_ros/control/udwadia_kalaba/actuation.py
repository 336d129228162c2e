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
Underactuated robots: floating bases and passive joints, with closed loops or without.

With N a basis of the velocities that closed loops allow, and ``A_l p = b_l``, every motion is
``qdd = N z + p`` (of a tree ``N = 1``, ``p = 0``), and what is left of its equations

    G z = N^T (Q - M p) + B tau,    G = N^T M N = R R^T,    B = N^T S^T,

is a system without loops, driven by the efforts tau of the actuators S. The controllable
directions are spanned by ``E = basis of R^-1 B``; the others follow from the dynamics,

    R^T z = R^-1 N^T (Q - M p) + E w.

The rows of a servo constraint are solved for w of least norm, the Udwadia-Kalaba equation of the
reachable part, so that the force lies in the actuated space. In turn

    tau = (R^-1 B)^+ R^-1 N^T force

are the efforts that come nearest to a generalized force, in the norm of Gauss' principle; for
fully actuated robots they are equivalent to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mbd_ros.control.udwadia_kalaba.equation import (
    conflict, constrained_acceleration, ConstrainedSolution, factorize)
from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.dynamics.prepared.triangles import solve_triangle
from mbd_ros.errors import InvalidValueError
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import joint_of_each_velocity, Matrix, Vector
from mbd_ros.spatial.rank_thresholds import CONSTRAINT_RANK, OUT_OF_REACH


class Actuation:
    """
    Which velocity variables of a robot have an actuator.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Names of the joints with an actuator.

    Raises
    ------
    UnknownNameError
        If a joint is not known.
    InvalidValueError
        If none is left or one is named twice.

    """

    def __init__(self, model: Model, joints: Sequence[str]) -> None:
        if not joints or len(set(joints)) < len(joints):
            raise InvalidValueError(
                'joints', list(joints), 'each joint at most once, at least one')
        for name in joints:
            model.joint_index(name)
        has = np.array([name in joints for name in joint_of_each_velocity(model)])
        self.active = np.flatnonzero(has)
        self.passive = np.flatnonzero(~has)
        self.joint_names = tuple(np.array(joint_of_each_velocity(model))[self.active].tolist())

    @property
    def complete(self) -> bool:
        """Whether every joint has an actuator."""
        return not len(self.passive)

    def missing(self, force: Vector) -> float:
        """Return the largest part of a generalized force that no actuator can give [N m or N]."""
        return float(np.abs(force[self.passive]).max(initial=0.0))


class ActuatedSubspace:
    """
    What the actuators of a robot can do at a configuration.

    From M (n, n), the entries of v with an actuator, and the rows of its closed loops, if any.
    """

    def __init__(self, mass_matrix: Matrix, active: NDArray[np.intp],
                 loops: RowSpace | None = None) -> None:
        self._M, self._active, self._loops = mass_matrix, active, loops
        self._N = np.eye(len(mass_matrix)) if loops is None else loops.motions()
        self._dof = self._N.shape[1]
        if self._dof:
            self._R = factorize(np.asfortranarray(self._N.T @ mass_matrix @ self._N))
        else:   # loops hold all: one motion that is none
            self._N, self._R = np.zeros((len(mass_matrix), 1)), np.eye(1)
        E, sizes, V = np.linalg.svd(
            solve_triangle(self._R, self._N[active].T), full_matrices=False)
        # Beside what the drives would push without the loops, which may leave them rounding.
        whole = np.linalg.norm(solve_triangle(
            factorize(mass_matrix), np.eye(len(mass_matrix))[:, active]), axis=0)
        kept = sizes > OUT_OF_REACH * max(sizes[0], whole.max())
        self._E, self._inverse = E[:, kept], V[kept].T / sizes[kept]

    def efforts(self, force: Vector) -> Vector:
        """Return the least efforts, of (n,), that come nearest to a generalized force (n,)."""
        return self._spread(self._E.T @ solve_triangle(self._R, self._N.T @ force))

    def _spread(self, push: Vector) -> Vector:
        """Return the efforts (n,) that push the reachable part so."""
        efforts = np.zeros(len(self._M))
        efforts[self._active] = self._inverse @ push
        return efforts

    def solve(self, Q: Vector, A: Matrix, b: Vector, count: int, *,
              tolerance: float = CONSTRAINT_RANK) -> ConstrainedSolution:
        """
        Return the motion under rows A (m, n), b (m,) that the actuators have to bring about.

        Q (n,) is the force without that of constraints; the first ``count`` rows are those of
        closed loops, which hold by themselves. The constraint force is that of loops and actuators
        together.
        """
        R, N, loops = self._R, self._N, self._loops
        p = np.zeros(len(Q)) if loops is None else loops.nearest(-b[:count])
        carried = solve_triangle(R, N.T @ (Q - self._M @ p))
        rows = solve_triangle(R, (A[count:] @ N).T).T
        directions = self._E.shape[1]
        # One direction that nothing reaches stands for none.
        basis = self._E if directions else np.zeros((len(self._E), 1))
        reached = rows @ basis
        # What is left of a row that loops and carried motion determine is rounding.
        whole = np.linalg.norm(solve_triangle(factorize(self._M), A[count:].T), axis=0)
        reached[np.linalg.norm(reached, axis=1) <= tolerance * whole] = 0.0
        found = constrained_acceleration(
            np.eye(basis.shape[1]), np.zeros(basis.shape[1]), reached,
            b[count:] - A[count:] @ p - rows @ carried, tolerance=tolerance)
        push = found.accelerations[:directions]
        accelerations = N @ solve_triangle(R, carried + self._E @ push, transposed=True) + p
        residual, free = A @ accelerations - b, N @ solve_triangle(R, carried, transposed=True) + p
        force, multipliers = self._spread(push), found.multipliers
        if loops is not None:
            reaction = self._M @ accelerations - Q - force
            multipliers = np.concatenate((loops.multipliers(reaction), multipliers))
            force = force + reaction
        return found._replace(
            accelerations=accelerations, constraint_force=force, multipliers=multipliers,
            rank=found.rank + len(Q) - self._dof, residual=residual,
            conflicting=found.rank < len(b) - count and conflict(
                A[count:], accelerations, free, b[count:], residual[count:]))


def where_loops_hold(model: Model, M: Matrix, Q: Vector, A: Matrix, b: Vector, count: int, *,
                     tolerance: float) -> ConstrainedSolution:
    """
    Return the motion under rows that conflict, of a robot whose closed loops hold.

    The compromise is one among the rows of the task, after the first ``count`` of A (m, n) and
    b (m,), which are those of the loops; all joints have actuators.
    """
    found = ActuatedSubspace(M, np.arange(len(Q)), RowSpace(model, A[:count])).solve(
        Q, A, b, count, tolerance=tolerance)
    return found._replace(conflicting=True, multipliers=np.linalg.lstsq(
        A.T, found.constraint_force, rcond=tolerance)[0])
