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

"""The Udwadia-Kalaba equation for a robot, for one state or for many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.control.udwadia_kalaba.actuation import ActuatedSubspace, Actuation, where_loops_hold
from mbd_ros.control.udwadia_kalaba.equation import constrained_acceleration, ConstrainedSolution
from mbd_ros.dynamics import bias_forces, mass_matrix
from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.dynamics.prepared.call import checked_array
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.execution import Executor
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import joint_of_each_velocity
from mbd_ros.spatial.rank_thresholds import CONSTRAINT_RANK

Array = NDArray[np.float64]


class ConstrainedSolutions(NamedTuple):
    """
    The fields of ``ConstrainedSolution`` for N states, stacked along the first axis.

    Attributes
    ----------
    accelerations, constraint_force : Array
        (N, nv).
    multipliers, residual : Array
        (N, m).
    rank : NDArray of int
        (N,).
    conflicting : NDArray of bool
        (N,).
    margin : Array
        (N,).

    """

    accelerations: Array
    constraint_force: Array
    multipliers: Array
    rank: NDArray[np.int_]
    residual: Array
    conflicting: NDArray[np.bool_]
    margin: Array


def udwadia_kalaba(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    A: ArrayLike,
    b: ArrayLike,
    *,
    external_forces: Mapping[str, ArrayLike] | None = None,
    gravity: ArrayLike | None = None,
    formulation: str = 'auto',
    executor: Executor | str | None = None,
    dissipation: bool = False,
    fluid: Fluid | None = DEFAULT,
    ground: Ground | None = None,
    tolerance: float = CONSTRAINT_RANK,
    actuated: Sequence[str] | None = None,
) -> ConstrainedSolution | ConstrainedSolutions:
    """
    Return a robot's motion under constraints ``A vdot = b``, and the force of the constraints.

    ``M(q) vdot + h(q, v) = tau + Q_c``: among all accelerations that satisfy the constraints
    those nearest to the free ones in the metric of M. With ``actuated`` among those that these
    joints can bring about: of a robot whose links bend the elastic coordinates move as they must.

    Parameters
    ----------
    model : Model
        The robot.
    q, v, tau : array_like
        (nq,), (nv,), (nv,), or (N, ...) for many states: configuration, velocity, applied
        generalized forces [N m or N]. An argument given for one state serves all.
    A, b : array_like
        Constraint rows (m, nv) and right-hand side (m,), or (N, m, nv) and (N, m). Rows may be
        redundant. Those of the robot's own closed loops are put behind them, in the answer too.
        Where rows conflict, loops hold, and the others get the compromise.
    external_forces, gravity, formulation, executor, dissipation, fluid, ground
        As in ``forward_dynamics``.
    tolerance : float, optional
        Rank decision, see ``constrained_acceleration``.
    actuated : sequence of str, optional
        Joints with an actuator, whose efforts are the constraint force, with what closed loops
        carry. All of v, elastic coordinates too, if not given.

    Returns
    -------
    ConstrainedSolution or ConstrainedSolutions
        ``accelerations``, ``constraint_force`` Q_c, ``multipliers`` lambda with
        ``Q_c = A^T lambda``, ``rank``, ``residual`` ``A vdot - b``, ``conflicting``, ``margin``.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError, UnknownNameError
        If an argument is not as it should be.
    SingularMassError
        If the mass matrix is not positive definite.

    References
    ----------
    Udwadia, Kalaba, Analytical Dynamics, 1996; Lyu, Liu, 2018, eqs. (4), (5).

    """
    loop_rows = sum(len(loop.rows) for loop in model.loops)
    active = np.arange(model.nv) if actuated is None else Actuation(model, actuated).active
    solve = partial(_solved, model, active, loop_rows)
    M = mass_matrix(model, q, formulation=formulation, executor=executor, fluid=fluid)
    h = bias_forces(model, q, v, external_forces=external_forces, gravity=gravity,
                    formulation=formulation, executor=executor, dissipation=dissipation,
                    fluid=fluid, ground=ground)
    force = checked_array(model, 'tau', tau, model.nv) - h
    rows, right_side = _numbers('A', A), _numbers('b', b)
    if rows.ndim not in (2, 3):
        raise ShapeError('A', rows.shape, f'(m, {model.nv}) or (N, m, {model.nv})')
    if right_side.ndim not in (1, 2):
        raise ShapeError('b', right_side.shape, '(m,) or (N, m)')
    if model.loops:
        rows, right_side = _with_loops(model, q, v, rows, right_side)
    stacks = {'q': (M, 2), 'q, v or tau': (force, 1), 'A': (rows, 2), 'b': (right_side, 1)}
    counts = {name: len(array) for name, (array, one) in stacks.items() if array.ndim > one}
    if not counts:
        return solve(M, force, rows, right_side, tolerance=tolerance)
    count = max(counts.values())
    for name, found in counts.items():
        if found != count:
            raise ShapeError(name, (found,), f'{count} states, as in the other arguments')
    many = [np.broadcast_to(array, (count, *array.shape[-one:])) for array, one in stacks.values()]
    solutions = [solve(*state, tolerance=tolerance) for state in zip(*many)]
    return ConstrainedSolutions(*(np.array(field) for field in zip(*solutions)))


def _solved(model: Model, active: NDArray[np.intp], loop_rows: int, M: Array, force: Array,
            A: Array, b: Array, *, tolerance: float) -> ConstrainedSolution:
    """Return the motion under rows, the last of them those of closed loops, which hold."""
    complete = len(active) == model.nv
    if complete:
        found = constrained_acceleration(
            M, force, A, b, tolerance=tolerance, joint_names=joint_of_each_velocity(model))
        if not (loop_rows and found.conflicting):
            return found
    order = np.roll(np.arange(len(b)), loop_rows)   # loops first
    if complete:
        found = where_loops_hold(model, M, force, A[order], b[order], loop_rows,
                                 tolerance=tolerance)
    else:
        loops = RowSpace(model, A[order[:loop_rows]]) if loop_rows else None
        found = ActuatedSubspace(M, active, loops).solve(force, A[order], b[order], loop_rows,
                                                         tolerance=tolerance)
    back = np.argsort(order)
    return found._replace(multipliers=found.multipliers[back], residual=found.residual[back])


def _with_loops(model: Model, q: ArrayLike, v: ArrayLike, rows: Array, right_side: Array
                ) -> tuple[Array, Array]:
    """Return rows and right-hand side with those of the closed loops behind them."""
    found = compile_model(model).loop_rows(q, v)
    loops, bias = found[..., VALUES:], found[..., VALUES - 1]
    counts = {len(array) for array, one in ((rows, 2), (right_side, 1), (found, 2))
              if array.ndim > one}
    if len(counts) > 1:
        raise ShapeError('A', rows.shape, 'as many states as in the other arguments')
    lead = tuple(counts)
    both = [np.broadcast_to(array, (*lead, *array.shape[-2:])) for array in (rows, loops)]
    sides = [np.broadcast_to(array, (*lead, array.shape[-1])) for array in (right_side, -bias)]
    return np.concatenate(both, axis=-2), np.concatenate(sides, axis=-1)


def _numbers(name: str, value: ArrayLike) -> Array:
    """Return an array of real numbers."""
    try:
        return np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise InvalidValueError(name, value, 'rows of real numbers') from None
