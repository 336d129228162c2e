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

"""The classical Runge-Kutta method of order 4 for second-order systems on a manifold."""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import TypeAlias

from mbd_ros.errors import DivergedError, InvalidValueError, NotFiniteError
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import is_flat, normalized, rate, Vector

Acceleration: TypeAlias = Callable[[float, Vector, Vector], Vector]
"""``(t, q, v)`` to ``vdot`` (nv,)."""


def rk4_step(
    model: Model,
    acceleration: Acceleration,
    t: float,
    q: Vector,
    v: Vector,
    step: float,
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
    step : float
        Length of the step [s].
    first : Vector, optional
        ``acceleration(t, q, v)`` where it is known already.

    Returns
    -------
    tuple of Vector
        q (nq,) and v (nv,).

    References
    ----------
    Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 1993, section II.1.

    """
    half, sixth = 0.5 * step, step / 6.0
    a1 = acceleration(t, q, v) if first is None else first
    if is_flat(model):
        v2 = v + half * a1
        a2 = acceleration(t + half, q + half * v, v2)
        v3 = v + half * a2
        a3 = acceleration(t + half, q + half * v2, v3)
        v4 = v + step * a3
        a4 = acceleration(t + step, q + step * v3, v4)
        return (q + sixth * (v + 2.0 * (v2 + v3) + v4),
                v + sixth * (a1 + 2.0 * (a2 + a3) + a4))
    r1 = rate(model, q, v)
    q2, v2 = q + half * r1, v + half * a1
    r2, a2 = rate(model, q2, v2), acceleration(t + half, q2, v2)
    q3, v3 = q + half * r2, v + half * a2
    r3, a3 = rate(model, q3, v3), acceleration(t + half, q3, v3)
    q4, v4 = q + step * r3, v + step * a3
    r4, a4 = rate(model, q4, v4), acceleration(t + step, q4, v4)
    return (normalized(model, q + sixth * (r1 + 2.0 * (r2 + r3) + r4)),
            v + sixth * (a1 + 2.0 * (a2 + a3) + a4))


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
