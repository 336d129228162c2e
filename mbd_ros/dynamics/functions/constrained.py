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

"""Accelerations and constraint forces of robots with closed loops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.functions.further_efforts import more_efforts
from mbd_ros.dynamics.prepared.call import Array, checked_array
from mbd_ros.dynamics.prepared.prepared import compile_model, PreparedDynamics
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.execution import Executor
from mbd_ros.model import Model


class ClosedLoopSolution(NamedTuple):
    """
    Accelerations and constraint forces, for one state or N.

    Attributes
    ----------
    accelerations : array
        (nv,) or (N, nv) [rad/s^2, m/s^2].
    multipliers : array
        (m,) or (N, m): lambda of the m rows of the cut joints in ``M vdot + h = tau + A^T
        lambda`` [N, N m]; of least norm where rows are redundant. Of a row of coinciding points it
        is the force on the first link along an axis of the world.
    rank : int or array
        Number of independent rows; (N,) for N states.
    residual : array
        (m,) or (N, m): ``A vdot + bias``, what is left of each row; not zero where rows contradict
        each other.
    redundant : tuple of str
        Names of rows that those before them imply, at one of the states: ``loop.row``.
    violation : array
        (m,) or (N, m): phi, how far each row is from closed at q [m, or product of unit vectors].
        Accelerations follow from ``phi'' = 0`` whatever it is; for a state that satisfies the
        loops, or an error where none does, see ``close_loops``.
    violation_rate : array
        (m,) or (N, m): ``phi' = A v`` [m/s, 1/s].

    """

    accelerations: Array
    multipliers: Array
    rank: int | Array
    residual: Array
    redundant: tuple[str, ...]
    violation: Array
    violation_rate: Array


def row_names(model: Model) -> tuple[str, ...]:
    """Return the names of the rows of all loops."""
    return tuple(name for loop in model.loops for name in loop.row_names)


def constrained_dynamics(
    model: Model, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *,
    external_forces: Mapping[str, ArrayLike] | None = None, gravity: ArrayLike | None = None,
    executor: Executor | str | None = None, dissipation: bool = False,
    fluid: Fluid | None = DEFAULT, ground: Ground | None = None,
) -> ClosedLoopSolution:
    """
    Return accelerations with the forces of the cut joints.

    Parameters and errors are those of ``forward_dynamics``, which gives the same accelerations.

    Returns
    -------
    ClosedLoopSolution
        For a tree with no rows: (0,) or (N, 0) multipliers, rank 0.

    References
    ----------
    As in ``algorithms/aba_loops.py``.

    """
    dyn = compile_model(model, gravity=gravity, executor=executor, fluid=fluid, ground=ground)
    applied = checked_array(model, 'tau', tau, model.nv) + more_efforts(
        dyn, q, v, external_forces, dissipation)
    if not model.loops:
        accelerations = dyn.forward_dynamics(q, v, applied)
        none = np.empty((*accelerations.shape[:-1], 0))
        return ClosedLoopSolution(accelerations, none, 0, none.copy(), (), none.copy(),
                                  none.copy())
    result = dyn.loop_reactions(q, v, applied)
    accelerations = np.ascontiguousarray(result[..., :model.nv])
    reports = result[..., model.nv:].reshape(*result.shape[:-1], len(row_names(model)), 2)
    independent = reports[..., 1] > 0.5
    rows = dyn.loop_rows(q, v)
    A = rows[..., VALUES:]
    residual = np.einsum('...ij,...j->...i', A, accelerations) + rows[..., VALUES - 1]
    multipliers = np.ascontiguousarray(reports[..., 0])
    if independent.all():
        rank, redundant = independent.sum(axis=-1), ()
    else:
        rank = independent.sum(axis=-1)
        multipliers = _least(np.broadcast_to(A, (*multipliers.shape, model.nv)), multipliers, rank)
        names = np.array(row_names(model))
        redundant = tuple(names[~independent.reshape(-1, len(names)).all(axis=0)].tolist())
    violation, rate = (np.broadcast_to(rows[..., k], residual.shape).copy() for k in (0, 1))
    return ClosedLoopSolution(
        accelerations, multipliers, int(rank) if np.ndim(rank) == 0 else rank, residual, redundant,
        violation, rate)


def _least(A: Array, multipliers: Array, rank: Array) -> Array:
    """Return the multipliers of least norm that exert the same forces ``A^T lambda``."""
    left, _, _ = np.linalg.svd(A)
    kept = np.arange(left.shape[-1]) < np.asarray(rank)[..., None]
    parts = np.einsum('...ij,...i->...j', left, multipliers) * kept
    least: Array = np.einsum('...ij,...j->...i', left, parts)
    return least


def coupling(dyn: PreparedDynamics, q: ArrayLike) -> Array:
    """
    Return ``A M^-1 A^T`` (m, m): the inverse inertia of the cuts as the rows feel it.

    Its columns are the accelerations of the rows that unit multipliers bring about.
    """
    model = dyn.model
    rest = np.zeros(model.nv)
    A = dyn.loop_rows(q, rest)[:, VALUES:]
    free: Array = np.linalg.solve(dyn.mass_matrix(q), A.T)
    return A @ free
