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
Inverse dynamics of robots with closed loops, and the wrenches of their loop joints.

``M vdot + h = S^T tau + A^T lambda``, where only some joints are driven. With N a basis of the
motions that the loops allow, ``A N = 0``, the multipliers drop out: ``N^T S^T tau = N^T (M vdot +
h)``. More drives than freedoms leave a choice; taken is the tau of least norm.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.algorithms.body_motion import BodyState
from mbd_ros.dynamics.algorithms.constraint_rows import rows_of, side
from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.dynamics.loops.closure import carried_loops
from mbd_ros.dynamics.prepared.call import Array, checked_array
from mbd_ros.dynamics.prepared.external_forces import external_efforts
from mbd_ros.dynamics.prepared.prepared import compile_model, PreparedDynamics
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.execution.program.ties import frame_record
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.model import LinkFrame, Model
from mbd_ros.spatial import ZERO_TWIST
from mbd_ros.spatial.rank_thresholds import LOOP_MULTIPLIERS, UNDRIVEN


class LoopEfforts(NamedTuple):
    """
    Efforts of driven joints for a motion, and what the loop joints carry.

    Attributes
    ----------
    efforts : array
        (nv,): zero at joints that are not driven [N m, N].
    multipliers : array
        (m,): of least norm where rows are redundant.
    freedoms : int
        Number of motions that the loops allow.
    spare : int
        Drives beyond these; they can brace against each other.
    residual : array
        (m,): ``A vdot + bias``; the accelerations are possible where it is zero.

    """

    efforts: Array
    multipliers: Array
    freedoms: int
    spare: int
    residual: Array


def loop_efforts(
    model: Model, q: ArrayLike, v: ArrayLike, qdd: ArrayLike, *,
    actuated: Sequence[str] | None = None,
    external_forces: Mapping[str, ArrayLike] | None = None, gravity: ArrayLike | None = None,
    fluid: Fluid | None = DEFAULT, ground: Ground | None = None,
    resistance: Array | float = 0.0,
) -> LoopEfforts:
    """
    Return the efforts that a motion of a robot with closed loops needs.

    Parameters
    ----------
    model : Model
        The robot.
    q, v, qdd : array_like
        (nq,), (nv,), (nv,): a consistent state and accelerations.
    actuated : sequence of str, optional
        The driven joints; all of the tree if left out.
    external_forces, gravity, fluid, ground
        As in ``forward_dynamics``.
    resistance : array, optional
        (nv,) efforts that the joints' friction takes besides [N m, N].

    Returns
    -------
    LoopEfforts
        Efforts, multipliers and how they are determined.

    Raises
    ------
    InvalidValueError
        If the driven joints leave a motion free that the loops allow.
    MbdError
        As ``inverse_dynamics``.

    """
    sizes = (model.nq, model.nv, model.nv)
    vectors = [checked_array(model, name, value, size) for name, value, size in
               zip(('q', 'v', 'qdd'), (q, v, qdd), sizes)]
    for name, vector, size in zip(('q', 'v', 'qdd'), vectors, sizes):
        if vector.ndim != 1:
            raise ShapeError(name, vector.shape, f'({size},), one state')
    place, rates, accelerations = vectors
    if isinstance(fluid, Fluid):   # a field is asked where the base is
        fluid = fluid.at(compile_model(model).pose(place, model.root)[:3, 3])
    dyn = compile_model(model, gravity=gravity, fluid=fluid, ground=ground)
    return _efforts_of(dyn, place, rates, accelerations, actuated, external_forces, resistance)


def _efforts_of(dyn: PreparedDynamics, place: Array, rates: Array, accelerations: Array,
                actuated: Sequence[str] | None,
                external_forces: Mapping[str, ArrayLike] | None, resistance: Array | float
                ) -> LoopEfforts:
    """Return ``loop_efforts`` of one checked state, in the surroundings of prepared dynamics."""
    model = dyn.model
    needed = dyn.inverse_dynamics(place, rates, accelerations) + resistance
    if external_forces:
        needed = needed - external_efforts(dyn, place, external_forces)
    rows = dyn.loop_rows(place, rates)
    A = rows[:, VALUES:]
    motions = free_motions(dyn, place)
    efforts = _share(model, motions, needed, actuated)
    multipliers = np.linalg.pinv(A.T, rcond=LOOP_MULTIPLIERS) @ (needed - efforts)
    return LoopEfforts(efforts, multipliers, motions.shape[1],
                       len(driven_entries(model, actuated)) - motions.shape[1],
                       A @ accelerations + rows[:, VALUES - 1])


def driven_share(dyn: PreparedDynamics, q: Array, force: Array,
                 actuated: Sequence[str] | None) -> Array:
    """
    Return the efforts of driven joints that move a robot as a generalized force would.

    Parameters
    ----------
    dyn : PreparedDynamics
        A robot with closed loops.
    q, force : array
        (nq,), (nv,).
    actuated : sequence of str, optional
        The driven joints; all of the tree if None.

    Returns
    -------
    array
        (nv,), of least norm.

    Raises
    ------
    InvalidValueError
        If the driven joints leave a motion free that the loops allow.

    """
    return _share(dyn.model, free_motions(dyn, q), force, actuated)


def free_motions(dyn: PreparedDynamics, q: Array) -> Array:
    """Return N (nv, f), a basis of the velocities that the loops allow."""
    rows = dyn.loop_rows(q, np.zeros(dyn.model.nv))[:, VALUES:]
    motions: Array = np.linalg.qr(RowSpace(dyn.model, rows).motions())[0]
    return motions


def _share(model: Model, motions: Array, needed: Array, actuated: Sequence[str] | None) -> Array:
    """Return the least tau with ``N^T S^T tau = N^T needed``, (nv,)."""
    driven = driven_entries(model, actuated)
    shares = motions[driven]
    left, sigma, right = np.linalg.svd(shares.T, full_matrices=False)
    caught = sigma > UNDRIVEN
    if caught.sum() < motions.shape[1]:
        raise InvalidValueError('actuated', list(actuated or ()), _missing(model, shares, motions))
    efforts = np.zeros(model.nv)
    efforts[driven] = right.T @ ((left.T @ (motions.T @ needed)) / sigma)
    return efforts


def driven_efforts(
    dyn: PreparedDynamics, q: ArrayLike, v: ArrayLike, qdd: ArrayLike, actuated: Sequence[str],
    external_forces: Mapping[str, ArrayLike] | None, resistance: Array,
) -> Array:
    """Return the efforts (nv,) or (N, nv) of ``loop_efforts`` for one state or many."""
    model = dyn.model
    parts = [checked_array(model, name, value, size) for name, value, size in
             (('q', q, model.nq), ('v', v, model.nv), ('qdd', qdd, model.nv))]
    counts = {len(part) for part in (*parts, resistance) if np.ndim(part) == 2}
    if len(counts) > 1:
        raise ShapeError('qdd', parts[2].shape, 'as many states as in the other arguments')
    count = counts.pop() if counts else 1
    rows = [np.broadcast_to(part, (count, part.shape[-1])) for part in (*parts, resistance)]
    loads = external_forces or {}
    efforts = np.array([_efforts_of(
        dyn, rows[0][k], rows[1][k], rows[2][k], actuated,
        {link: np.broadcast_to(load, (count, 6))[k] for link, load in loads.items()},
        rows[3][k]).efforts for k in range(count)])
    return efforts if any(part.ndim == 2 for part in parts) else efforts[0]


def loop_wrenches(dyn: PreparedDynamics, q: Array, multipliers: Array) -> dict[str, Array]:
    """
    Return what each loop joint exerts on its first link.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    q : array
        (nq,).
    multipliers : array
        (m,), as from ``constrained_dynamics``.

    Returns
    -------
    dict of str to array
        (6,) force [N], then moment [N m], in world axes at the origin of the first frame.

    """
    loops, bodies = carried_loops(dyn, q)
    found = {}
    for loop, tie in zip(loops, tree_of(dyn.model).ties):
        if loop.kind == 'mimic':  # efforts along joints, no wrench
            continue
        first, second = (side(_seen(bodies, frame.body), frame_record(frame))
                         for frame in (loop.frame1, loop.frame2))
        total = np.zeros(6)
        for row, factor in zip(rows_of(tie, first, second), multipliers[tie.row:]):
            moment = row.first.moment - first.lever.cross(row.first.force)
            total += factor * np.array([*row.first.force, *moment])
        found[loop.name] = total
    return found


def _seen(bodies: Array, body: int) -> BodyState:
    pose = np.eye(4) if body < 0 else bodies[body]
    frame = LinkFrame(body, pose[:3, :3], pose[:3, 3])
    return BodyState(frame_record(frame), ZERO_TWIST)


def driven_entries(model: Model, actuated: Sequence[str] | None) -> list[int]:
    """Return the entries of v of driven joints; of all if None."""
    if actuated is None:
        return list(range(model.nv))
    joints = [model.joint_index(name) for name in actuated]
    ends = (*model.v_offsets[1:], model.nv)
    return [k for joint in joints for k in range(model.v_offsets[joint], ends[joint])]


def _missing(model: Model, shares: Array, motions: Array) -> str:
    """Return in words which joint moves although none of the driven ones does."""
    _, sigma, right = np.linalg.svd(shares)
    free = motions @ right[len(sigma[sigma > UNDRIVEN]):].T
    entry = int(np.argmax(np.abs(free).max(axis=1)))
    joint = int(np.searchsorted(model.v_offsets, entry, side='right')) - 1
    return (f'joints that drive all {motions.shape[1]} motions that the loops allow; '
            f"'{model.joint_names[joint]}' moves without them")
