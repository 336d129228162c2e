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
from mbd_ros.dynamics.quantities.kinematics import LinkMotion
from mbd_ros.errors import InvalidValueError
from mbd_ros.execution import Executor
from mbd_ros.execution.stacks.stacks import apply, cross_matrices
from mbd_ros.model import Model

Array = NDArray[np.float64]
WORLD_ALIGNED = 'world_aligned'
FRAMES = (WORLD_ALIGNED, 'local', 'world')
"""
In which frame twists are: at the link's origin in world axes, at its origin in its own axes, or of
the point at the world's origin in world axes.
"""


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
    return _motion(model, q, v, None, link, frame, executor)[0]


def frame_acceleration(model: Model, q: ArrayLike, v: ArrayLike, qdd: ArrayLike, link: str, *,
                       frame: str = 'world_aligned', executor: Executor | str | None = None
                       ) -> Array:
    """
    Return the classical acceleration of a link: linear [m/s^2], then angular [rad/s^2].

    The linear part is the second derivative of the position of the link's origin, without gravity;
    in the frame ``'world'`` that of the point fixed to the link at the world's origin. Parameters
    and errors are those of ``frame_velocity``; qdd is (nv,) or (N, nv).
    """
    return _motion(model, q, v, qdd, link, frame, executor)[1]


def _motion(model: Model, q: ArrayLike, v: ArrayLike, qdd: ArrayLike | None, link: str,
            frame: str, executor: Executor | str | None) -> tuple[Array, Array]:
    require_frame(frame)
    found = compile_model(model, executor=executor).link_motion(q, v, link, qdd)
    velocity, acceleration = found.velocity, found.acceleration
    if frame == WORLD_ALIGNED:
        return velocity, acceleration
    matrix, _ = _transform(frame, found)
    velocity, acceleration = apply(matrix, velocity), apply(matrix, acceleration)
    if frame == 'world':   # from the link's origin to the world's
        turning = cross_matrices(velocity[..., 3:])
        acceleration[..., :3] -= apply(turning @ turning, found.pose[..., :3, 3])
    return velocity, acceleration


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
    return _transform(frame, dyn.link_motion(q, np.zeros(model.nv), link))[0] @ jacobian


def jacobian_rate(model: Model, q: ArrayLike, v: ArrayLike, link: str, *,
                  frame: str = 'world_aligned', executor: Executor | str | None = None) -> Array:
    """
    Return the time derivative (6, nv) or (N, 6, nv) of ``jacobian`` at velocities v.

    In the frames ``'world_aligned'`` and ``'world'`` the entries of J are differentiated in world
    axes, in ``'local'`` in the link's own. Parameters and errors are those of ``frame_velocity``.
    """
    require_frame(frame)
    dyn = compile_model(model, executor=executor)
    rate = dyn.jacobian_rate(q, v, link)
    if frame == WORLD_ALIGNED:
        return rate
    matrix, changing = _transform(frame, dyn.link_motion(q, v, link))
    return matrix @ rate + changing @ dyn.jacobian(q, link)


def _transform(frame: str, link: LinkMotion) -> tuple[Array, Array]:
    """Return X (..., 6, 6), which takes a link's twist to a frame but world_aligned; its rate."""
    matrix = np.zeros((*link.pose.shape[:-2], 6, 6))
    rate = np.zeros_like(matrix)
    linear, angular = slice(3), slice(3, 6)
    if frame == 'world':
        matrix[...] = np.eye(6)
        matrix[..., linear, angular] = cross_matrices(link.pose[..., :3, 3])
        rate[..., linear, angular] = cross_matrices(link.velocity[..., linear])
        return matrix, rate
    turn = link.pose[..., :3, :3].swapaxes(-1, -2)
    for part in (linear, angular):
        matrix[..., part, part] = turn
        rate[..., part, part] = -turn @ cross_matrices(link.velocity[..., angular])
    return matrix, rate


def require_frame(frame: str) -> None:
    """Raise InvalidValueError if there is no such frame."""
    if frame not in FRAMES:
        raise InvalidValueError('frame', frame, ', '.join(f"'{name}'" for name in FRAMES))
