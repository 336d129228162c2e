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

"""Steps of the motion ``qdot, vdot`` on the manifold of configurations."""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import Any, TypeAlias

import numpy as np

from mbd_ros.errors import DivergedError, InvalidValueError, NotFiniteError
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import is_flat, normalized, rate, Vector
from mbd_ros.simulation.runge_kutta import rk4

Acceleration: TypeAlias = Callable[[Any, Vector, Vector], Vector]
"""``(t, q, v)`` to ``vdot`` (nv,)."""


def rk4_step(
    model: Model,
    acceleration: Acceleration,
    t: float,
    q: Vector,
    v: Vector,
    step: float | Vector,
    *,
    first: Vector | None = None,
) -> tuple[Vector, Vector]:
    """
    Return the state one step later.

    On a floating base the rates of the quaternion are integrated as they stand and its length is
    restored at the end of the step, which keeps the order.

    Parameters
    ----------
    model : Model
        The model the state belongs to.
    acceleration : callable
        ``(t, q, v)`` to ``vdot`` (nv,).
    t : float
        Time at the start of the step [s].
    q, v : Vector
        State (nq,), (nv,); not changed.
    step : float or array
        Length of the step [s]; (1,) where it is a symbol, as q and v are then.
    first : Vector, optional
        ``acceleration(t, q, v)`` where it is known already.

    Returns
    -------
    tuple of Vector
        q (nq,) and v (nv,).

    """
    nq, flat = model.nq, is_flat(model)

    def rates(part: float, y: Vector) -> Vector:
        place, pace = y[:nq], y[nq:]
        return np.concatenate((pace if flat else rate(model, place, pace), acceleration(
            t + part * step, place, pace)))
    known = None if first is None else np.concatenate((rate(model, q, v), first))
    y = rk4(rates, np.concatenate((q, v)), step, known)
    return normalized(model, y[:nq]), y[nq:]


def finite_step(t: float, take: Callable[[], tuple[Vector, Vector]]) -> tuple[Vector, Vector]:
    """
    Return the state that a step ends with.

    Parameters
    ----------
    t : float
        Time at its start [s].
    take : callable
        Takes the step.

    Returns
    -------
    tuple of Vector
        q (nq,) and v (nv,).

    Raises
    ------
    DivergedError
        If it does not end at a finite state.

    """
    try:
        q, v = take()
    except (NotFiniteError, InvalidValueError) as error:
        raise DivergedError(t, str(error)) from error
    if not math.isfinite(q.sum() + v.sum()):
        raise DivergedError(t, 'the state after the next step is not finite')
    return q, v
