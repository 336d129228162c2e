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
Configurations as points of a manifold, velocities as tangent vectors.

For robots of revolute and prismatic joints both are plain vectors, and these functions cost
nothing; joints with several coordinates go through ``mbd_ros.model.state``.
"""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.dynamics.prepared.call import checked_array
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.model import JointType, Model, state
from mbd_ros.model.caches import owned
from mbd_ros.spatial import root

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


def checked(model: Model, name: str, value: ArrayLike, size: int) -> Vector:
    """
    Return a vector of one state, checked.

    Parameters
    ----------
    model : Model
        The model, for the names of its joints.
    name : str
        What it is: ``'q'``, ``'v'``, ``'tau'``.
    value : array_like
        What was handed over.
    size : int
        Number of entries.

    Returns
    -------
    Vector
        (size,), C-contiguous; the argument itself where it is that already.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If it is not a vector of that many finite numbers.

    """
    if (isinstance(value, np.ndarray) and value.shape == (size,) and value.dtype == np.float64
            and value.flags.c_contiguous and math.isfinite(value.sum())):
        return value
    vector = checked_array(model, name, value, size)
    if vector.ndim != 1:
        raise ShapeError(name, vector.shape, f'({size},), one state')
    return vector


def positive_time(name: str, value: object) -> float:
    """
    Return a time, checked.

    Parameters
    ----------
    name : str
        What it is: ``'step'``, ``'duration'``.
    value : object
        What was handed over.

    Returns
    -------
    float
        The time [s].

    Raises
    ------
    InvalidValueError
        If it is not a positive finite number.

    """
    try:
        number = float(value) if isinstance(value, Real) else math.nan
    except OverflowError:   # of an int
        number = math.inf
    if not 0.0 < number < math.inf:
        raise InvalidValueError(name, value, 'a positive time [s]')
    return number


@owned()
def joint_of_each_velocity(model: Model) -> tuple[str, ...]:
    """
    Return the joint that each velocity variable belongs to, a floating joint six times.

    Elastic coordinates have names of their own.
    """
    return model.coordinate_names


def endless(model: Model) -> NDArray[np.bool_]:
    """Return which velocity variables are of joints that turn without end (nv,)."""
    turns = np.zeros(model.nv, bool)
    for kind, place in zip(model.joint_types, model.v_offsets):
        turns[place:place + 1] = kind is JointType.REVOLUTE
    return turns & np.isinf(model.lower) & np.isinf(model.upper)


def is_flat(model: Model) -> bool:
    """Return whether the rates of q are the velocities v."""
    return model.nq == model.nv


def rate(model: Model, q: Vector, v: Vector) -> Vector:
    """Return the rate ``qdot`` (nq,) of a configuration, of floats or of symbols."""
    if is_flat(model):
        return v
    if q.dtype != object:
        return state.configuration_rate(model, q, v)
    found: Vector = np.zeros(model.nq, object)
    places, velocities = state.adding_entries(model)
    found[places] = v[velocities]
    for joint in state.curved_joints(model):
        found[joint.q] = joint.manifold.rate(tuple(q[joint.q]), tuple(v[joint.v]))
    return found


def displaced(model: Model, q: Vector, displacement: Vector) -> Vector:
    """Return the configuration (nq,) at the end of a displacement (nv,), velocity times time."""
    return q + displacement if is_flat(model) else state.integrate(model, q, displacement)


def displacement(model: Model, start: Vector, end: Vector) -> Vector:
    """Return what leads from one configuration to another, a tangent vector (nv,)."""
    return end - start if is_flat(model) else state.difference(model, start, end)


def normalized(model: Model, q: Vector) -> Vector:
    """Return the configuration, of floats or of symbols, with its quaternions at length one."""
    if is_flat(model):
        return q
    if q.dtype != object:
        return state.normalize(model, q)
    found = q.copy()
    for joint in state.curved_joints(model):
        unit = q[joint.unit]
        found[joint.unit] = unit * (1.0 / root(unit.dot(unit)))
    return found
