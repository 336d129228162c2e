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

"""How links move: velocities, accelerations and Jacobians in three frames."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.dynamics.prepared.standard_calls import StandardLinkCalls
from mbd_ros.dynamics.quantities.frames import require_frame, transform, WORLD_ALIGNED
from mbd_ros.execution import Executor
from mbd_ros.model import Model

Array = NDArray[np.float64]
VELOCITIES, ACCELERATIONS, RATES = (StandardLinkCalls(name) for name in (
    'frame_velocity', 'frame_acceleration', 'jacobian_rate'))


def frame_velocity(model: Model, q: ArrayLike, v: ArrayLike, link: str, *,
                   frame: str = 'world_aligned', executor: Executor | str | None = None) -> Array:
    """
    Return the velocity of a link: linear [m/s], then angular [rad/s].

    Parameters
    ----------
    model : Model
        The robot.
    q, v : array_like
        (nq,), (nv,) or (N, ...).
    link : str
        Name of the link.
    frame : str
        ``'world_aligned'``: of the link's origin, in world axes; ``'local'``: in the link's own
        axes; ``'world'``: of the point fixed to the link at the world's origin, in world axes.
    executor : Executor or str, optional
        Runs the sweeps.

    Returns
    -------
    array
        (6,) or (N, 6).

    Raises
    ------
    UnknownNameError, InvalidValueError
        If there is no such link or frame.

    """
    if executor is None:
        return VELOCITIES.call(model, frame, link)(q, v)
    return compile_model(model, executor=executor).frame_velocity(q, v, link, frame)


def frame_acceleration(model: Model, q: ArrayLike, v: ArrayLike, qdd: ArrayLike, link: str, *,
                       frame: str = 'world_aligned', executor: Executor | str | None = None
                       ) -> Array:
    """
    Return the classical acceleration of a link: linear [m/s^2], then angular [rad/s^2].

    The linear part is the second derivative of the position of the link's origin, without gravity;
    in the frame ``'world'`` that of the point fixed to the link at the world's origin. Parameters
    and errors are those of ``frame_velocity``; qdd is (nv,) or (N, nv).
    """
    if executor is None:
        return ACCELERATIONS.call(model, frame, link)(q, v, qdd)
    return compile_model(model, executor=executor).frame_acceleration(q, v, qdd, link, frame)


def jacobian_in(model: Model, q: ArrayLike, link: str, *, frame: str = 'world_aligned',
                executor: Executor | str | None = None) -> Array:
    """
    Return the Jacobian J (6, nv) or (N, 6, nv) of a link: ``J v`` is its ``frame_velocity``.

    Parameters and errors are those of ``frame_velocity``.
    """
    require_frame(frame)
    dyn = compile_model(model, executor=executor)
    jacobian = dyn.jacobian(q, link)
    if frame == WORLD_ALIGNED:
        return jacobian
    return transform(frame, dyn.link_motion(q, np.zeros(model.nv), link))[0] @ jacobian


def jacobian_rate(model: Model, q: ArrayLike, v: ArrayLike, link: str, *,
                  frame: str = 'world_aligned', executor: Executor | str | None = None) -> Array:
    """
    Return the time derivative (6, nv) or (N, 6, nv) of ``jacobian`` at velocities v.

    In the frames ``'world_aligned'`` and ``'world'`` the entries of J are differentiated in world
    axes, in ``'local'`` in the link's own. Parameters and errors are those of ``frame_velocity``.
    """
    require_frame(frame)
    if executor is None and frame == WORLD_ALIGNED:
        found: Array = RATES.call(model, WORLD_ALIGNED, link)(q, v)
        return found
    dyn = compile_model(model, executor=executor)
    rate = dyn.jacobian_rate(q, v, link)
    if frame == WORLD_ALIGNED:
        return rate
    matrix, changing = transform(frame, dyn.link_motion(q, v, link))
    return matrix @ rate + changing @ dyn.jacobian(q, link)
