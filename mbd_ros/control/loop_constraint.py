"""
Robots with closed loops: their loops beside the rows of a task, efforts of driven joints alone.

The loops hold by themselves, ``A_l vdot = b_l`` with forces ``A_l^T lambda_l`` at every joint, so
that the Udwadia-Kalaba equation is solved for the rows of the loops and of the task together:
``Q_c = A_l^T lambda_l + A_s^T lambda_s``. Of that the drives have to give what moves the robot.
With N a basis of what the loops allow, ``A_l N = 0``: ``N^T S^T tau = N^T (applied + Q_c)``.
"""

from __future__ import annotations

from mbd_ros.control.actuation import Actuation
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.loop_efforts import driven_share
from mbd_ros.dynamics.loop_kinematics import VALUES
from mbd_ros.simulation.manifold import Matrix, Vector


class ClosedLoops:
    """
    The loops of a robot as a constraint, ``phi`` and ``A`` from ``dynamics.loop_kinematics``.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics of a robot with closed loops.

    """

    def __init__(self, dyn: PreparedDynamics) -> None:
        self._dyn = dyn
        self._none = [0.0] * dyn.model.nv
        self.rows = sum(len(loop.rows) for loop in dyn.model.loops)

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return ``A`` (m, nv)."""
        rows: Matrix = self._dyn.loop_rows(q, v)[:, VALUES:]
        return rows

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``b`` (m,), less the bias of ``phi_ddot``."""
        bias: Vector = self._dyn.loop_rows(q, v)[:, VALUES - 1]
        return -bias

    def violation(self, q: Vector, t: float) -> Vector:
        """Return ``phi`` (m,)."""
        phi: Vector = self._dyn.loop_rows(q, self._none)[:, 0]
        return phi

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``phi_dot`` (m,)."""
        rate: Vector = self._dyn.loop_rows(q, v)[:, 1]
        return rate


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
    return driven_share(dyn, q, force, None if actuation is None else actuation.joint_names)
