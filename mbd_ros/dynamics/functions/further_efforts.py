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


"""Generalized forces beside those of actuators: of external forces, damping and friction."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.prepared.call import Array, checked_array
from mbd_ros.dynamics.prepared.external_forces import external_efforts
from mbd_ros.dynamics.prepared.prepared import PreparedDynamics
from mbd_ros.dynamics.quantities.joint_friction import viscous_friction


def more_efforts(dyn: PreparedDynamics, q: ArrayLike, v: ArrayLike,
                 external_forces: Mapping[str, ArrayLike] | None, dissipation: bool) -> Array:
    """Return the generalized forces beside tau: of external forces, damping and friction."""
    model = dyn.model
    efforts = np.zeros(model.nv)
    if external_forces:
        efforts = efforts + external_efforts(dyn, q, external_forces)
    if dissipation:
        rates = checked_array(model, 'v', v, model.nv)
        efforts = efforts - viscous_friction(model, rates) - model.friction * np.sign(rates)
    return efforts
