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
from mbd_ros.control.udwadia_kalaba.actuation import Actuation, Reach
from mbd_ros.control.udwadia_kalaba.loop_systems import clean_rows, driven_share as share_by_loops
from mbd_ros.control.udwadia_kalaba.rank_facts import clear, CLEARLY_FREE, FACTS
from mbd_ros.control.udwadia_kalaba.reached_systems import reached_share
from mbd_ros.control.udwadia_kalaba.robot_code import has_machine_code, machine_code, padded
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.formulations.row_space import RowSpace
from mbd_ros.dynamics.loops.closure import close_loops
from mbd_ros.dynamics.loops.efforts import driven_share, free_motions, UNDRIVEN
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import LoopOpenError
from mbd_ros.execution.calls.fused import Computed, Fused, fused, KernelCall
from mbd_ros.execution.ir.loop_code import loop_code, LoopCode
from mbd_ros.model.state import integrate, neutral
from mbd_ros.simulation.manifold import Matrix, Vector

ASIDE = 0.1
"""Distance from the zero pose at which underactuation is decided [rad or m]."""


def driven(dyn: PreparedDynamics, q: Vector, force: Vector, actuation: Actuation | None
           ) -> Vector:
    """
    Return the efforts of driven joints that move a robot as a generalized force would.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics.
    q : Vector
        Configuration (nq,).
    force : Vector
        Generalized force (nv,) [N m or N].
    actuation : Actuation or None
        The driven joints; all if None.

    Returns
    -------
    Vector
        (nv,), zero at joints that are not driven; of least norm where there are more drives than
        degrees of freedom; the force itself where all joints of a tree are driven.

    Raises
    ------
    InvalidValueError
        If the actuators control every motion elsewhere, but not at this configuration.

    """
    found = _by_machine_code(dyn, q, force, actuation) if dyn.model.loops else None
    if found is not None:
        return found
    if actuation is not None and is_under_actuated(dyn, actuation):
        return reach(dyn, q, dyn.mass_matrix(q), actuation).efforts(force)
    if not dyn.model.loops:
        return force
    return driven_share(dyn, q, force, None if actuation is None else actuation.joint_names)


def is_under_actuated(dyn: PreparedDynamics, actuation: Actuation) -> bool:
    """Return whether a robot, with its loops closed, has motions that no actuator controls."""
    return leave_a_motion(dyn, driven_entries(dyn, actuation))


@functools.lru_cache(maxsize=64)
def leave_a_motion(dyn: PreparedDynamics, drives: tuple[int, ...]) -> bool:
    """Return whether actuators at some entries of v leave a motion of the robot uncontrolled."""
    model = dyn.model
    if not model.loops:
        return len(drives) < model.nv
    aside = integrate(model, neutral(model), ASIDE * np.cos(np.arange(1.0, model.nv + 1.0)))
    try:   # beside the zero pose, where symmetry may leave more motions than elsewhere
        place, _ = close_loops(model, aside)
    except LoopOpenError:
        place = aside
    motions = free_motions(dyn, place)
    sizes = np.linalg.svd(motions[list(drives)], compute_uv=False)
    return int((sizes > UNDRIVEN).sum()) < motions.shape[1]


def reach(dyn: PreparedDynamics, q: Vector, mass_matrix: Matrix, actuation: Actuation) -> Reach:
    """Return what the drives of a robot can do at a configuration (nq,)."""
    if not dyn.model.loops:
        return Reach(mass_matrix, actuation.active)
    rows = dyn.own_loop_rows(q, np.zeros(dyn.model.nv))[:, VALUES:]
    return Reach(mass_matrix, actuation.active, RowSpace(dyn.model, rows))


def _by_machine_code(dyn: PreparedDynamics, q: Vector, force: Vector, actuation: Actuation | None
                     ) -> Vector | None:
    """Return the efforts, None where the rank is not clear or there is no machine code."""
    if not has_machine_code(dyn):
        return None
    n = dyn.model.nv
    result = driven_kernel(dyn, driven_entries(dyn, actuation)).call(q, force)
    if result is None or not clear(result[n:].tolist(), CLEARLY_FREE):
        return None
    found: Vector = result[:n]
    return found


def driven_entries(dyn: PreparedDynamics, actuation: Actuation | None) -> tuple[int, ...]:
    """Return the entries of v that are driven."""
    return tuple(range(dyn.model.nv) if actuation is None else actuation.active.tolist())


@functools.lru_cache(maxsize=64)
def driven_kernel(dyn: PreparedDynamics, drives: tuple[int, ...]) -> Fused:
    """Return (q, force) to the efforts that ``driven`` gives for the loops of a robot, facts."""
    loops, n = ClosedLoops(dyn), dyn.model.nv
    m, count, rest = loops.count, len(drives), np.zeros(n)
    places = np.array(drives, np.float64)
    address, world = machine_code(dyn, 'own_loop_rows')
    clean = cleaning(n, m)
    parts: list[KernelCall | Computed] = [
        KernelCall(address, ('q', rest.ctypes.data, world), 'raw', m * (VALUES + n)),
        KernelCall(clean.address, ('raw',), 'rows', m * (VALUES + n)),
        Computed(lambda given: [given['rows'][(VALUES + n) * i + VALUES + k]
                                for i in range(m) for k in range(n)], 'A', m * n)]
    given = ('A', 'needed', places.ctypes.data)
    if leave_a_motion(dyn, drives):
        code = loop_code(
            reached_share, [(n, n), (m, n), (n,), (count,), (n + FACTS,)],
            [n, m, count, padded(m), padded(count)])
        address, world = machine_code(dyn, 'mass_matrix')
        parts += [KernelCall(address, ('q', world), 'M', n * n),
                  KernelCall(code.address, ('M', *given), 'shared', n + FACTS)]
    else:
        code = loop_code(
            share_by_loops, [(m, n), (n,), (count,), (n + FACTS,)],
            [n, m, count, padded(m), padded(n)])
        parts.append(KernelCall(code.address, given, 'shared', n + FACTS))
    parts.append(Computed(lambda given: given['shared'], 'all', n + FACTS))
    return fused({'q': dyn.model.nq, 'needed': n}, parts, 'driven_share',
                 (dyn, rest, places, clean, code))


@functools.lru_cache(maxsize=64)
def cleaning(n: int, m: int) -> LoopCode:
    """Return ``clean_rows`` for numbers of velocities and rows."""
    return loop_code(clean_rows, [(m, VALUES + n), (m, VALUES + n)], [n, m, VALUES])
