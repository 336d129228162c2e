"""
Robots with fewer actuators than joints: a floating base, a passive hinge.

The force of a servo constraint must come from the actuators. With the passive accelerations
eliminated by their own equations,

    q''_p = M_pp^-1 (Q_p - M_pa q''_a),

what is left is a system of the actuated joints alone, with the mass matrix
``M_aa - M_ap M_pp^-1 M_pa``, and the Udwadia-Kalaba equation for it gives a force that lies in the
actuated space: ``Q_c = (tau, 0)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mbd_ros.control.udwadia_kalaba import ConstrainedSolution, factorize
from mbd_ros.errors import InvalidValueError
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import joint_of_each_velocity, Matrix, Vector


class Reduced(NamedTuple):
    """
    A robot with its passive joints eliminated, ``q''_p = pushed - carried q''_a``.

    Attributes
    ----------
    system : tuple of array
        Mass matrix, generalized force, rows and right-hand side for the actuated joints.
    carried, pushed : array
        ``M_pp^-1 M_pa`` and ``M_pp^-1 Q_p``.

    """

    system: tuple[Matrix, Vector, Matrix, Vector]
    carried: Matrix
    pushed: Vector


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

    def reduced(self, M: Matrix, Q: Vector, A: Matrix, b: Vector) -> Reduced:
        """Return the system of the actuated joints alone, and how the others move with them."""
        a, p = self.active, self.passive
        carried, pushed = self._passive(M, Q)
        return Reduced((M[np.ix_(a, a)] - M[np.ix_(a, p)] @ carried,
                        Q[a] - M[np.ix_(a, p)] @ pushed, A[:, a] - A[:, p] @ carried,
                        b - A[:, p] @ pushed), carried, pushed)

    def expanded(self, reduced: Reduced, solution: ConstrainedSolution) -> ConstrainedSolution:
        """Return a solution of the reduced system for all joints."""
        count = len(self.active) + len(self.passive)
        accelerations, force = np.empty(count), np.zeros(count)
        accelerations[self.active] = solution.accelerations
        accelerations[self.passive] = reduced.pushed - reduced.carried @ solution.accelerations
        force[self.active] = solution.constraint_force
        return solution._replace(accelerations=accelerations, constraint_force=force)

    def efforts(self, M: Matrix, h: Vector, wanted: Vector) -> Vector:
        """Return what lets the actuated joints accelerate as wanted, efforts of (nv,)."""
        accelerations = wanted.copy()
        carried, pushed = self._passive(M, -h)
        accelerations[self.passive] = pushed - carried @ wanted[self.active]
        effort = M @ accelerations + h
        effort[self.passive] = 0.0
        return effort

    def _passive(self, M: Matrix, Q: Vector) -> tuple[Matrix, Vector]:
        """Return ``M_pp^-1 M_pa`` and ``M_pp^-1 Q_p``."""
        a, p = self.active, self.passive
        L = factorize(np.asfortranarray(M[np.ix_(p, p)]))
        both = np.linalg.solve(L, np.column_stack([M[np.ix_(p, a)], Q[p]]))
        solved = np.linalg.solve(L.T, both)
        return solved[:, :-1], solved[:, -1]
