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

r"""
Thrusters as the actuators of a floating base.

A controller asks for generalized forces f, those of the base among them. Thrusts T, of least norm
among those that come nearest to the part of the base in the norm of Gauss' principle, leave it the
rest r, and joints go on as they are wanted::

    T = (L^-1 B_b)^+ L^-1 f_b,   M_bb = L L^T,     r = f_b - B_b T
    tau_j = f_j - B_j T - M_jb M_bb^-1 r

with the rows of the actuation matrix B (``thruster_map``) and of the mass matrix that belong to
the base (b) and to the joints (j). Where ``B_b`` has rank 6 nothing is left, ``r = 0``. With fewer
thrusters the base moves by itself in the directions that none pushes in: a hull that is heavier
below rights itself.

"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.functions.thrust_map import thrust_columns
from mbd_ros.model.state import floating_base, neutral
from mbd_ros.simulation.manifold import Vector
from mbd_ros.spatial.rank_thresholds import NO_THRUST

DIRECTIONS = ('along x', 'along y', 'along z', 'about x', 'about y', 'about z')


class ThrustAllocation:
    """
    Commands of joints and thrusters that make a generalized force.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    thrusters : sequence of str
        Names of the thrusters that are commanded.

    Attributes
    ----------
    finding : str
        In which directions none pushes the floating base, if there are any; else empty.

    """

    def __init__(self, dyn: PreparedDynamics, thrusters: Sequence[str]) -> None:
        model = dyn.model
        self._dyn = dyn
        self._named = np.array([k for k, one in enumerate(model.thrusters)
                                if one.name in thrusters], dtype=np.intp)
        base = floating_base(model) if len(self._named) else None
        self._base, self.finding = None if base is None else base.v, ''
        if self._base is None:
            return
        U, sizes, _ = np.linalg.svd(thrust_columns(dyn, neutral(model))[self._base, self._named])
        reached = U[:, :int((sizes > NO_THRUST * sizes[0]).sum())]
        left = [name for name, row in zip(DIRECTIONS, reached)
                if 1.0 - np.linalg.norm(row) > NO_THRUST]
        if left:
            self.finding = (
                f'the thrusters push the floating base in {reached.shape[1]} of six directions: '
                f'{", ".join(left)} (in its axes) follow from the motion as far as none pushes')

    def commands(self, q: Vector, force: Vector) -> Vector:
        """
        Return efforts (nv,), zero at the base, and then the thrusts of all thrusters.

        Parameters
        ----------
        q : Vector
            (nq,).
        force : Vector
            (nv,) generalized forces.

        """
        thrust = np.zeros(len(self._dyn.model.thrusters))
        if self._base is None:
            return np.concatenate([force, thrust])
        B = thrust_columns(self._dyn, q)[:, self._named]
        M = self._dyn.mass_matrix(q)[:, self._base]
        L = np.linalg.cholesky(M[self._base])
        thrust[self._named] = np.linalg.lstsq(
            np.linalg.solve(L, B[self._base]), np.linalg.solve(L, force[self._base]),
            rcond=NO_THRUST)[0]
        efforts = force - B @ thrust[self._named]
        efforts -= M @ np.linalg.solve(M[self._base], efforts[self._base])
        efforts[self._base] = 0.0
        return np.concatenate([efforts, thrust])
