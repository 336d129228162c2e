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
Linear equations of small deviations from a motion, in time and in steps.

The state is x = (d, w): d a displacement in the coordinates of v, as in ``integrate``, from the
configuration q of the motion, w a deviation of v. For joints with several coordinates d is given
in axes that turn with the motion::

    d' = -ad(v) d + w           w' = f_q d + f_v w + f_tau u

Closed loops leave k independent coordinates; all others follow from theirs (N, P)::

    A N = 0             A P = -(d(A v)/dq) N
    d = N d_k           w = N w_k + P d_k

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import expm, qr

from mbd_ros.dynamics.functions.derivatives import forward_dynamics_derivatives
from mbd_ros.dynamics.functions.equations_of_motion import forward_dynamics
from mbd_ros.dynamics.prepared.call import Array, arrays_of, require_finite, rows_of
from mbd_ros.dynamics.prepared.prepared import compile_model, PreparedDynamics
from mbd_ros.dynamics.quantities.flexible import loop_changes
from mbd_ros.dynamics.quantities.loop_kinematics import loop_rows, VALUES
from mbd_ros.dynamics.quantities.parameters import LARGEST
from mbd_ros.dynamics.quantities.tangents import as_function, tangent_of
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.errors import InvalidValueError, UnknownNameError, UnsupportedError
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.model import Model
from mbd_ros.model.caches import owned
from mbd_ros.model.state import bracket_matrices
from mbd_ros.spatial.rank_thresholds import IMPLIED_LOOP_ROWS

UNEXPLAINED = 1e-6
"""Of the largest entry of the rows of loops: what joints that determine the others may leave of
them. It is rounding, or of the order of one where they do not."""


class Linearization(NamedTuple):
    """
    Small deviations x from a motion: ``x' = A x + B u``.

    Attributes
    ----------
    A : array
        (2 k, 2 k) or (N, 2 k, 2 k).
    B : array
        (2 k, m) or (N, 2 k, m), by deviations of generalized forces [N m, N].
    rate : array
        (2 k,) or (N, 2 k): velocities and accelerations of the motion itself, from which x'
        deviates.
    coordinates : array of int
        (k,) which entries of v the two halves of x are; all, without closed loops.

    """

    A: Array
    B: Array
    rate: Array
    coordinates: NDArray[np.int64]


class Discretization(NamedTuple):
    """
    Deviations a step later, forces constant in between: ``x1 = A x + B u + offset``.

    Attributes
    ----------
    A, B : array
        (2 k, 2 k), (2 k, m) or (N, ...).
    offset : array
        (2 k,) or (N, 2 k): how far the linear equations go on by themselves.

    """

    A: Array
    B: Array
    offset: Array


def linearize(
    model: Model, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *,
    actuated: Sequence[str] | None = None, independent: Sequence[str] | None = None,
    external_forces: Mapping[str, ArrayLike] | None = None, gravity: ArrayLike | None = None,
    dissipation: bool = False, fluid: Fluid | None = DEFAULT, ground: Ground | None = None,
) -> Linearization:
    """
    Return the linear equations of small deviations from a state or along a trajectory.

    Parameters
    ----------
    model : Model
        The robot; flexible links, force laws and closed loops included.
    q, v, tau : array_like
        (nq,), (nv,), (nv,) or (N, ...): in closed loops a state in which they are closed.
    actuated : sequence of str, optional
        Joints whose forces are inputs, in this order; all entries of v if left out.
    independent : sequence of str, optional
        Of closed loops the joints whose coordinates make the state, as many as they leave free,
        with flexible links elastic coordinates among them (``model.elastic_names``); if left out
        those that determine the others best, at the first state.
    external_forces, gravity, dissipation, fluid, ground
        As in ``forward_dynamics_derivatives``.

    Returns
    -------
    Linearization
        ``.A``, ``.B``, ``.rate``, ``.coordinates``.

    Raises
    ------
    UnknownNameError
        If there is no such joint.
    InvalidValueError
        If independent joints do not determine the others.
    UnsupportedError
        For closed loops of more than 64 bodies.
    MbdError
        As ``forward_dynamics_derivatives``.

    """
    given = arrays_of(model, 'linearize', ('q', 'v', 'tau'), (q, v, tau), {})
    for name, array in zip(('q', 'v', 'tau'), given):
        require_finite(model, name, array)
    rows, many = rows_of(('q', 'v', 'tau'), given)
    more: dict[str, Any] = {'external_forces': external_forces, 'gravity': gravity,
                            'dissipation': dissipation, 'fluid': fluid, 'ground': ground}
    by_q, by_v, by_tau = forward_dynamics_derivatives(model, *rows, **more)
    accelerations = forward_dynamics(model, *rows, **more)
    by_tau = by_tau[..., _entries(model, actuated)]
    turning = -bracket_matrices(model, rows[1])
    if model.loops:
        chosen, along, across = _free(model, rows[0], rows[1], independent)
    else:
        chosen = np.arange(model.nv)
        along = np.broadcast_to(np.eye(model.nv), turning.shape)
        across = np.zeros_like(turning)
    k = len(chosen)
    A = np.zeros((len(rows[0]), 2 * k, 2 * k))
    A[:, :k, :k] = (turning @ along + across)[:, chosen]
    A[:, :k, k:] = along[:, chosen]
    A[:, k:, :k] = (by_q @ along + by_v @ across)[:, chosen]
    A[:, k:, k:] = (by_v @ along)[:, chosen]
    B = np.concatenate([np.zeros_like(by_tau[:, chosen]), by_tau[:, chosen]], axis=1)
    rate = np.hstack([rows[1][:, chosen], accelerations[:, chosen]])
    found = Linearization(A, B, rate, chosen)
    return found if many else Linearization(A[0], B[0], rate[0], chosen)


def discretize(linear: Linearization, step: float) -> Discretization:
    """
    Return the deviations a step later, forces constant in between (zero-order hold), exact.

    Parameters
    ----------
    linear : Linearization
        Of ``linearize``.
    step : float
        [s].

    Returns
    -------
    Discretization
        ``.A``, ``.B``, ``.offset``.

    Raises
    ------
    InvalidValueError
        If the step is no positive number.

    """
    if not isinstance(step, Real) or not 0.0 < step < np.inf:
        raise InvalidValueError('step', step, 'a positive number [s]')
    h = float(step)
    A, B, rate = linear.A, linear.B, linear.rate
    size, inputs = B.shape[-2:]
    whole = np.zeros((*A.shape[:-2], size + inputs + 1, size + inputs + 1))
    whole[..., :size, :size], whole[..., :size, size:-1] = A, B
    whole[..., :size, -1] = rate
    found = expm(h * whole)
    return Discretization(found[..., :size, :size], found[..., :size, size:-1],
                          found[..., :size, -1])


def _entries(model: Model, joints: Sequence[str] | None) -> list[int]:
    """Return which entries of v joints, and elastic coordinates that are named, have."""
    if joints is None:
        return list(range(model.nv))
    found: list[int] = []
    elastic = model.elastic_names
    for name in joints:
        if name in elastic:
            found.append(model.nv - len(elastic) + elastic.index(name))
            continue
        if name not in model.joint_names:
            raise UnknownNameError('joint', name, list(model.joint_names))
        number = model.joint_names.index(name)
        first = model.v_offsets[number]
        found += range(first, first + model.joint_types[number].nv)
    return found


def _free(model: Model, q: Array, v: Array, independent: Sequence[str] | None
          ) -> tuple[NDArray[np.int64], Array, Array]:
    """Return the independent coordinates, N (n, nv, k) and P (n, nv, k)."""
    if model.nb > LARGEST:
        raise UnsupportedError(f"linearize for robot '{model.name}'", 'with closed loops it takes '
                               f'at most {LARGEST} bodies')
    dyn, nv = compile_model(model), model.nv
    chosen: NDArray[np.int64] | None = None
    if independent is not None:
        chosen = np.array(_entries(model, independent), np.int64)
    every, across = [], []
    for place, rates in zip(q, v):
        rows = dyn.loop_rows(place, rates)[:, VALUES:]
        if chosen is None:
            _, triangle, order = qr(rows, mode='economic', pivoting=True)
            pivots = np.abs(np.diag(triangle))
            rank = int((pivots > IMPLIED_LOOP_ROWS * pivots.max(initial=0.0)).sum())
            chosen = np.sort(order[rank:])
        other = np.setdiff1d(np.arange(nv), chosen)
        columns, _, known, _ = np.linalg.lstsq(rows[:, other], -rows[:, chosen],
                                               rcond=IMPLIED_LOOP_ROWS)
        left = np.abs(rows[:, other] @ columns + rows[:, chosen]).max(initial=0.0)
        if known < len(other) or left > UNEXPLAINED * np.abs(rows).max(initial=1e-300):
            raise InvalidValueError(
                'independent', [str(name) for name in independent or ()],
                'joints whose motion determines that of all others, and as many as are free')
        N = np.zeros((nv, len(chosen)))
        N[chosen, range(len(chosen))] = 1.0
        N[other] = columns
        slopes = _loop_changes(dyn, place, rates)[..., 1].T   # of A v
        P = np.zeros_like(N)
        P[other] = np.linalg.lstsq(rows[:, other], -slopes @ N, rcond=IMPLIED_LOOP_ROWS)[0]
        every.append(N)
        across.append(P)
    if chosen is None:   # no states
        chosen = np.arange(0)
    shape = (len(q), nv, len(chosen))
    return chosen, np.reshape(every, shape), np.reshape(across, shape)


def _loop_changes(dyn: PreparedDynamics, q: Array, v: Array) -> Array:
    """Return the derivatives of ``loop_rows`` (nv, m, 3 + nv) along displacements of q."""
    model, nv = dyn.model, dyn.model.nv
    if model.elastic is not None:
        return loop_changes(model, q, v)[:nv]
    found: Array = dyn.callable_of(_tangent_of_rows(model))(
        np.tile(q, (nv, 1)), np.tile(v, (nv, 1)), np.eye(nv))
    return found


@owned()
def _tangent_of_rows(model: Model) -> ArrayProgram:
    return tangent_of(model, as_function(model, loop_rows(tree_of(model).slots)), ['q'])
