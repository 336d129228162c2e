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


"""Sums, differences and random configurations, in machine code where joints just add."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.algorithms.registry import AUTO
from mbd_ros.dynamics.prepared.call import Array
from mbd_ros.dynamics.prepared.drawing import DRAWN, generator
from mbd_ros.dynamics.prepared.standard_calls import StandardCalls
from mbd_ros.model import Model, state

INTEGRATE, DIFFERENCE = map(StandardCalls, ('integrate', 'difference'))


def integrate(model: Model, q: ArrayLike, dv: ArrayLike) -> Array:
    """
    Return the configuration reached from q with constant velocity dv in unit time.

    On a floating joint this is the exponential map of SE(3), a screw motion, as Pinocchio's
    ``integrate`` of a free flyer; on spherical and planar joints that of SO(3) and SE(2).

    Parameters
    ----------
    model : Model
        The robot.
    q : array_like
        (nq,) or (N, nq): configuration, quaternions of unit length.
    dv : array_like
        (nv,) or (N, nv): velocities times a time step [rad or m].

    Returns
    -------
    array
        (nq,) or (N, nq), quaternions of unit length.

    Raises
    ------
    ShapeError, InvalidValueError, NotFiniteError
        If an argument is not as it should be.

    """
    return INTEGRATE.of(model)[AUTO](q, dv)


def difference(model: Model, q0: ArrayLike, q1: ArrayLike) -> Array:
    """
    Return the constant velocity that leads from q0 to q1 in unit time.

    The inverse of ``integrate``: the logarithm of the joint's group, with the shorter of the two
    turns.

    Parameters
    ----------
    model : Model
        The robot.
    q0, q1 : array_like
        (nq,) or (N, nq): configurations, quaternions of unit length.

    Returns
    -------
    array
        (nv,) or (N, nv) [rad or m].

    Raises
    ------
    ShapeError, InvalidValueError, NotFiniteError
        If an argument is not as it should be.

    """
    return DIFFERENCE.of(model)[AUTO](q0, q1)


def random_configuration(model: Model, rng: np.random.Generator | int | None = None,
                         count: int | None = None) -> Array:
    """
    Return a random configuration within the limits, or many.

    Parameters
    ----------
    model : Model
        The robot.
    rng : numpy.random.Generator or int, optional
        Where the random numbers come from, or a seed; others each time if left out.
    count : int, optional
        How many configurations; one, without an axis for it, if left out.

    Returns
    -------
    (nq,) or (count, nq) array
        Uniform between the limits; where there are none, within half a turn or a metre of zero.
        Orientations are uniform over all rotations, elastic coordinates are zero.

    Raises
    ------
    InvalidValueError
        If there is no such source, or a count is none.

    """
    if rng is None and count is None:
        try:   # half the time of a call more
            found: Array = model._results[DRAWN]()
        except (AttributeError, KeyError):
            found = DRAWN.of(model)()
        return found
    return state.random_configuration(model, generator() if rng is None else rng, count)
