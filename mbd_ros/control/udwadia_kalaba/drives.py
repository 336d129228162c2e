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
Efforts of the actuated joints that are equivalent to a generalized force.

The actuators provide the part of the force that moves the robot; reactions of closed loops balance
the rest. With N a basis of the null space of the loops, ``A_l N = 0``,
``N^T S^T tau = N^T (applied + Q_c)``. For underactuated robots it is the nearest force they can
give (``actuation.py``).
"""

from __future__ import annotations

import functools

import numpy as np

from mbd_ros.control.constraints.loop_constraint import ClosedLoops
from mbd_ros.control.udwadia_kalaba.actuation import ActuatedSubspace, Actuation
from mbd_ros.control.udwadia_kalaba.loop_systems import clean_rows, driven_share as share_by_loops
from mbd_ros.control.udwadia_kalaba.rank_facts import clear, empty_rank_report, FACTS
from mbd_ros.control.udwadia_kalaba.robot_code import has_machine_code, LARGEST, padded, robot_call
from mbd_ros.control.udwadia_kalaba.small_systems import actuated_share
from mbd_ros.control.udwadia_kalaba.underactuated_loops import reached_share
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.dynamics.loops.closure import close_loops
from mbd_ros.dynamics.loops.efforts import driven_share, free_motions
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import LoopOpenError
from mbd_ros.execution.compiled_calls.fused import (
    Argument, Computed, Fused, fused, KernelCall, Slice)
from mbd_ros.execution.ir.loop_code import loop_code, LoopCode
from mbd_ros.execution.ir.machine_code import address_of
from mbd_ros.model.caches import owned
from mbd_ros.model.state import integrate, neutral
from mbd_ros.simulation.manifold import Matrix, Vector
from mbd_ros.spatial.rank_thresholds import CLEARLY_FREE, UNDRIVEN

ASIDE = 0.1
"""Distance from the zero pose at which underactuation is decided [rad or m]."""


def driven(dyn: PreparedDynamics, q: Vector, force: Vector, actuation: Actuation | None
           ) -> Vector:
    """
    Return the efforts (nv,) of driven joints that move a robot as a generalized force (nv,) would.

    Zero at joints that are not driven; of least norm where there are more drives than degrees of
    freedom; the force itself where all joints of a tree are driven, as all are where ``actuation``
    is None. Raises InvalidValueError if the actuators control every motion elsewhere, but not at
    this configuration (nq,).
    """
    if not dyn.model.loops and (actuation is None or actuation.complete):
        return force
    n = dyn.model.nv
    code = driven_kernel(dyn, driven_entries(dyn, actuation))
    result = None if code is None else code.call(q, force)
    if result is not None and clear(result[n:].tolist(), CLEARLY_FREE):
        return np.asarray(result[:n])
    return dense_share(dyn, q, force, actuation)


def dense_share(dyn: PreparedDynamics, q: Vector, force: Vector, actuation: Actuation | None
                ) -> Vector:
    """Return what ``driven`` does, where a rank is not clear or there is no machine code."""
    if actuation is not None and is_under_actuated(dyn, actuation):
        return reach(dyn, q, dyn.mass_matrix(q), actuation).efforts(force)
    return driven_share(dyn, q, force, None if actuation is None else actuation.joint_names)


def is_under_actuated(dyn: PreparedDynamics, actuation: Actuation) -> bool:
    """Return whether a robot, with its loops closed, has motions that no actuator controls."""
    return is_underactuated_by(dyn, driven_entries(dyn, actuation))


@owned()
def is_underactuated_by(dyn: PreparedDynamics, drives: tuple[int, ...]) -> bool:
    """Return whether actuators at some entries of v leave a motion of the robot uncontrolled."""
    model = dyn.model
    if not model.loops:
        return len(drives) < model.nv
    motions = free_motions(dyn, aside(dyn))
    sizes = np.linalg.svd(motions[list(drives)], compute_uv=False)
    return int((sizes > UNDRIVEN).sum()) < motions.shape[1]


def aside(dyn: PreparedDynamics) -> Vector:
    """Return a configuration (nq,) beside the zero pose, where symmetry may leave more motions."""
    model = dyn.model
    place = integrate(model, neutral(model), ASIDE * np.cos(np.arange(1.0, model.nv + 1.0)))
    try:
        return close_loops(model, place)[0]
    except LoopOpenError:
        return place


def reach(dyn: PreparedDynamics, q: Vector, mass_matrix: Matrix, actuation: Actuation
          ) -> ActuatedSubspace:
    """Return what the drives of a robot can do at a configuration (nq,)."""
    if not dyn.model.loops:
        return ActuatedSubspace(mass_matrix, actuation.active)
    rows = dyn.own_loop_rows(q, np.zeros(dyn.model.nv))[:, VALUES:]
    return ActuatedSubspace(mass_matrix, actuation.active, RowSpace(dyn.model, rows))


def driven_entries(dyn: PreparedDynamics, actuation: Actuation | None) -> tuple[int, ...]:
    """Return the entries of v that are driven."""
    return tuple(range(dyn.model.nv) if actuation is None else actuation.active.tolist())


@owned()
def driven_kernel(dyn: PreparedDynamics, drives: tuple[int, ...]) -> Fused | None:
    """Return (q, force) to the efforts that ``driven`` gives, facts; None without machine code."""
    if not has_machine_code(dyn):
        return None
    model, n, count = dyn.model, dyn.model.nv, len(drives)
    rest, places = np.zeros(n), np.array(drives, np.float64)
    mass: list[KernelCall | Computed] = [robot_call(dyn, 'mass_matrix', 'M', n * n, 'q')]
    if not model.loops:
        order = [*(k for k in range(n) if k not in drives), *drives]
        code = loop_code(actuated_share, [(n, n), (n,), (n + FACTS,)], [n, n - count],
                         written_out=n <= LARGEST)
        parts = [*mass, Computed(lambda given: [
            *(given['M'][n * i + k] for i in order for k in order),
            *(given['needed'][k] for k in order)], 'system', n * n + n),
            KernelCall(code.address, ('system', Slice('system', n * n)), 'sorted', n + FACTS),
            Computed(lambda given: [*(given['sorted'][order.index(k)] for k in range(n)),
                                    *given['sorted'][n:]], 'shared', n + FACTS)]
    else:
        m = ClosedLoops(dyn).count
        parts = [*loop_calls(dyn, 'q', address_of(rest), 'rows'),
                 Computed(lambda given: [given['rows'][(VALUES + n) * i + VALUES + k]
                                         for i in range(m) for k in range(n)], 'A', m * n)]
        given = ('A', 'needed', address_of(places))
        if is_underactuated_by(dyn, drives):
            code = loop_code(
                reached_share, [(n, n), (m, n), (n,), (count,), (n + FACTS,)],
                [n, m, count, padded(m), padded(count)])
            parts += [*mass, KernelCall(code.address, ('M', *given), 'shared', n + FACTS)]
        else:
            code = loop_code(
                share_by_loops, [(m, n), (n,), (count,), (n + FACTS,)],
                [n, m, count, padded(m), padded(n)])
            parts.append(KernelCall(code.address, given, 'shared', n + FACTS))
    parts.append(Computed(lambda given: given['shared'], 'all', n + FACTS))
    return fused({'q': model.nq, 'needed': n}, parts, 'driven_share',
                 (dyn, rest, places, code))


def drive_call(dyn: PreparedDynamics, actuation: Actuation | None, q: str, force: str, result: str
               ) -> KernelCall:
    """Return the call of ``driven_kernel`` for the drives of a robot."""
    code = driven_kernel(dyn, driven_entries(dyn, actuation))

    def dense(q: Vector, force: Vector, keep: object = code) -> Vector:
        return np.concatenate((dense_share(dyn, q, force, actuation), empty_rank_report()))
    return KernelCall(0 if code is None else code.address, (q, force), result,
                      dyn.model.nv + FACTS, dense)


def loop_calls(dyn: PreparedDynamics, q: Argument, v: Argument, result: str) -> list[KernelCall]:
    """Return what finds the rows of a robot's loops, without those that are rounding."""
    n, m = dyn.model.nv, ClosedLoops(dyn).count
    raw, size = f'{result}_raw', m * (VALUES + n)
    return [robot_call(dyn, 'own_loop_rows', raw, size, q, v), KernelCall(
        cleaning(n, m).address, (raw,), result, size, lambda rows: rows)]


@functools.cache
def cleaning(n: int, m: int) -> LoopCode:
    """Return ``clean_rows`` for numbers of velocities and rows."""
    return loop_code(clean_rows, [(m, VALUES + n), (m, VALUES + n)], [n, m, VALUES])
