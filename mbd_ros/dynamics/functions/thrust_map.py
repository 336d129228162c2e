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
The actuation matrix of thrusters: what thrusts are as generalized forces.

Thruster k pushes its link L with the wrench ``w_k`` for each newton, in the link's axes about its
origin, so that thrusts T are the generalized forces ``B T`` with the columns

    B_k = J_L(q)^T diag(R_WL, R_WL) w_k

A link that bends turns a thruster with the place where it sits.

"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.prepared.call import Array
from mbd_ros.dynamics.prepared.prepared import compile_model, PreparedDynamics
from mbd_ros.model import Model
from mbd_ros.model.flexible.on_segments import on_segments


def thruster_map(model: Model, q: ArrayLike) -> Array:
    """
    Return the generalized forces of unit thrusts.

    Parameters
    ----------
    model : Model
        The robot.
    q : array_like
        (nq,).

    Returns
    -------
    array
        (nv, k) for the k thrusters of ``model.thrusters`` [N/N, N m/N].

    Raises
    ------
    ShapeError, NotFiniteError
        If q is not a configuration.

    """
    return thrust_columns(compile_model(model), np.asarray(q, dtype=np.float64))


def thrust_columns(dyn: PreparedDynamics, q: Array) -> Array:
    """Return ``thruster_map`` of prepared dynamics."""
    thrusters = on_segments(dyn.model).thrusters
    B = np.zeros((dyn.model.nv, len(thrusters)))
    for link in dict.fromkeys(one.link for one in thrusters):
        on_it = [k for k, one in enumerate(thrusters) if one.link == link]
        W = np.array([thrusters[k].wrench for k in on_it])
        R_WL, J = dyn.pose(q, link)[:3, :3], dyn.jacobian(q, link)
        B[:, on_it] = J[:3].T @ R_WL @ W[:, :3].T + J[3:].T @ R_WL @ W[:, 3:].T
    return B
