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

"""Efforts of the joints that keep a constraint on a robot whose links bend."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbd_ros.control.constraints.servo_constraints import Constraint
from mbd_ros.control.references.arguments import CONSTRAINT, require, require_prepared
from mbd_ros.control.udwadia_kalaba.actuation import ActuatedSubspace, Actuation
from mbd_ros.control.udwadia_kalaba.internal_dynamics import internal_dynamics
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InfeasibleError, UnsupportedError
from mbd_ros.simulation.manifold import Vector

GROWS = 1.0
"""
Roots above this are motions that grow [1/s]. Those of the rows and of free joints are zero, of
which rounding leaves the root, some 1e-4; the slowest bending motion is faster than this.
"""


class ServoEfforts:
    """
    The Udwadia-Kalaba force of a constraint that joints alone have to exert, at measured states.

    Hand it to ``mbd_ros.simulate(..., tau=...)``. The joints are the actuators, elastic
    coordinates move as they must. Joints on paths follow them exactly, whatever the links do. The
    tool of a link that bends does not: the robot is not of minimum phase, and efforts that keep
    the tool on its path grow without bound. Such a constraint is refused.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot, without closed loops.
    constraint : Constraint
        What has to hold; within ``Baumgarte`` it is returned to after a disturbance.
    actuated : sequence of str, optional
        Joints with an actuator; all if not given.
    checked : bool, optional
        Whether a constraint that lets internal motions grow is refused at the first state.

    Raises
    ------
    UnsupportedError
        If the robot has closed loops.

    """

    def __init__(self, dyn: PreparedDynamics, constraint: Constraint, *,
                 actuated: Sequence[str] | None = None, checked: bool = True) -> None:
        require_prepared(dyn)
        if dyn.model.loops:
            raise UnsupportedError(f"ServoEfforts of '{dyn.model.name}', which has closed loops,",
                                   'ConstrainedMotion')
        require('constraint', constraint, CONSTRAINT, 'a constraint')
        names = dyn.model.joint_names if actuated is None else tuple(actuated)
        self._dyn, self._constraint = dyn, constraint
        self._actuation, self._unchecked = Actuation(dyn.model, names), checked

    def __call__(self, t: float, q: Vector, v: Vector) -> Vector:
        """
        Return the efforts (nv,) at a measured state [N m or N].

        Raises
        ------
        InfeasibleError
            If internal motions would grow, or efforts exceed the limits of the joints.

        """
        dyn, constraint = self._dyn, self._constraint
        A, b = constraint.matrix(q, v, t), constraint.right_side(q, v, t)
        if self._unchecked:
            self._unchecked = False
            self._check(t, q, A)
        solution = ActuatedSubspace(dyn.mass_matrix(q), self._actuation.active).solve(
            -dyn.bias_forces(q, v), A, b, 0)
        efforts, limits = solution.constraint_force, dyn.model.effort_limits
        excess = np.abs(efforts) - limits
        if (excess > 0.0).any():
            k = int(np.argmax(excess))
            raise InfeasibleError('constraint', t, (
                f"'{dyn.model.coordinate_names[k]}' would have to exert {efforts[k]:.4g} N m or "
                f'N, allowed is {limits[k]:.4g}'))
        return efforts

    def _check(self, t: float, q: Vector, A: Vector) -> None:
        """Refuse rows that let the robot swing up inside."""
        fastest = internal_dynamics(self._dyn.model, q, A, actuated=self._actuation.joint_names,
                                    gravity=self._dyn.gravity)[0].real
        if fastest > GROWS:
            raise InfeasibleError('constraint', t, (
                f'motions that it does not see would grow as exp({fastest:.4g} t), and the '
                'efforts with them, of joints that it leaves free or links that bend: to a tool '
                'beyond these a robot is not of minimum phase; allowed: constraints on all '
                'joints, or a Task with flexible=True, which foresees how links bend'))
