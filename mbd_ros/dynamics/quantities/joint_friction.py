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

"""Friction of joints: viscous, which may grow with the speed, and its derivative; and dry."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.model import Model

Array = NDArray[np.float64]

STICKING_SPEED = 0.01
"""Over which dry friction rises [rad/s or m/s]: integrators need a force without a jump."""


def dry_friction_sign(v: Array) -> Array:
    """Return the sign of v (..., nv) as dry friction has it, ``tanh(v / STICKING_SPEED)``."""
    return np.asarray(np.tanh(v / STICKING_SPEED))


def viscous_friction(model: Model, v: Array, linear: Any = None) -> Array:
    """
    Return the efforts against viscous friction, ``(c1 + c2 |v| + c3 v^2) v`` of each entry.

    Parameters
    ----------
    model : Model
        The robot: c1 is its ``damping``, c2 its ``quadratic_damping``, c3 its ``cubic_damping``.
    v : array
        (..., nv) velocities, numbers or, with dtype object, symbols.
    linear : array_like, optional
        (nv,) numbers or symbols that take the place of c1.

    Returns
    -------
    array
        (..., nv) [N m or N], along v.

    """
    c1 = model.damping if linear is None else np.asarray(linear)
    return np.asarray(c1.astype(v.dtype) * v + growing_friction(model, v))


def growing_friction(model: Model, v: Array) -> Array | float:
    """Return the part ``(c2 |v| + c3 v^2) v`` of ``viscous_friction``; 0.0 where there is none."""
    if not grows(model):
        return 0.0
    c2, c3 = (c.astype(v.dtype) for c in (model.quadratic_damping, model.cubic_damping))
    return np.asarray((c2 * np.abs(v) + c3 * (v * v)) * v)


def viscous_friction_slopes(model: Model, v: Array) -> Array:
    """Return the derivatives of ``viscous_friction`` by v: the diagonals (..., nv)."""
    if not grows(model):
        return np.broadcast_to(model.damping, v.shape)
    return np.asarray(model.damping + 2.0 * model.quadratic_damping * np.abs(v)
                      + 3.0 * model.cubic_damping * (v * v))


def grows(model: Model) -> bool:
    """Return whether the damping of a joint grows with the speed."""
    return bool(model.quadratic_damping.any() or model.cubic_damping.any())
