"""
Robots with closed loops: the efforts of driven joints alone.

Of a generalized force the drives have to give what moves the robot, the reactions of the loops
carry the rest. With N a basis of what the loops allow, ``A_l N = 0``:
``N^T S^T tau = N^T (applied + Q_c)``.
"""

from __future__ import annotations

import functools

import numpy as np

from mbd_ros.control.actuation import Actuation
from mbd_ros.control.loop_constraint import ClosedLoops
from mbd_ros.control.loop_systems import driven_share as share_by_loops
from mbd_ros.control.robot_code import has_machine_code, machine_code, padded
from mbd_ros.control.small_systems import clear, CLEARLY_FREE, FACTS
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.loop_efforts import driven_share
from mbd_ros.dynamics.loop_kinematics import VALUES
from mbd_ros.execution.fused import Computed, Fused, fused, KernelCall
from mbd_ros.execution.loop_code import loop_code
from mbd_ros.simulation.manifold import Vector


def driven(dyn: PreparedDynamics, q: Vector, force: Vector, actuation: Actuation | None
           ) -> Vector:
    """
    Return the efforts of driven joints that move a robot as a generalized force would.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics; without closed loops the force itself is returned.
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
        freedoms.

    Raises
    ------
    InvalidValueError
        If the drives leave a motion free that the loops allow.

    """
    if not dyn.model.loops:
        return force
    found = _by_machine_code(dyn, q, force, actuation)
    if found is not None:
        return found
    return driven_share(dyn, q, force, None if actuation is None else actuation.joint_names)


def _by_machine_code(dyn: PreparedDynamics, q: Vector, force: Vector, actuation: Actuation | None
                     ) -> Vector | None:
    """Return the efforts, None where the rank is in doubt or no machine code is there."""
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
    """Return (q, force) to what ``driven_share`` gives, for the loops of a robot."""
    loops, n = ClosedLoops(dyn), dyn.model.nv
    m, count, rest = loops.count, len(drives), np.zeros(n)
    code = loop_code(
        share_by_loops, [(m, n), (n,), (count,), (n + FACTS,)],
        [n, m, count, padded(m), padded(n)])
    places = np.array(drives, np.float64)
    address, gravity = machine_code(dyn, 'loop_rows')
    return fused({'q': dyn.model.nq, 'needed': n}, [
        KernelCall(address, ('q', rest.ctypes.data, gravity), 'rows', m * (VALUES + n)),
        Computed(lambda given: [given['rows'][(VALUES + n) * i + VALUES + k]
                                for i in range(m) for k in range(n)], 'A', m * n),
        KernelCall(code.address, ('A', 'needed', places.ctypes.data), 'shared', n + FACTS),
        Computed(lambda given: given['shared'], 'all', n + FACTS)],
        'driven_share', (dyn, rest, places, code))
