"""How links move: velocities, accelerations and Jacobians in three frames."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.dynamics.api.whole_robot import states_of
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.dynamics.quantities.flexible_momenta import jacobian_with_rate
from mbd_ros.dynamics.quantities.screws import cross, screws_of
from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.execution import Executor
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
    _known(frame)
    found = compile_model(model, executor=executor).link_motion(q, v, link, qdd)
    velocity, acceleration = found.velocity, found.acceleration
    if frame == 'local':
        return _turned(found.pose, velocity), _turned(found.pose, acceleration)
    if frame == 'world':
        arm = -found.pose[..., :3, 3]
        angular = velocity[..., 3:]
        turning = cross(angular, arm)
        velocity, acceleration = velocity.copy(), acceleration.copy()
        velocity[..., :3] += turning
        acceleration[..., :3] += cross(acceleration[..., 3:], arm) + cross(angular, turning)
    return velocity, acceleration


def jacobian_in(model: Model, q: ArrayLike, link: str, *, frame: str = 'world_aligned',
                executor: Executor | str | None = None) -> Array:
    """
    Return the Jacobian J (6, nv) or (N, 6, nv) of a link: ``J v`` is its ``frame_velocity``.

    Parameters and errors are those of ``frame_velocity``.
    """
    (rows,), many = states_of(model, 'jacobian', q=q)
    jacobian, _ = _jacobians(model, rows, np.zeros((len(rows), model.nv)), link, frame, executor)
    return jacobian if many else jacobian[0]


def jacobian_rate(model: Model, q: ArrayLike, v: ArrayLike, link: str, *,
                  frame: str = 'world_aligned', executor: Executor | str | None = None) -> Array:
    """
    Return the time derivative (6, nv) or (N, 6, nv) of ``jacobian`` at velocities v.

    In the frames ``'world_aligned'`` and ``'world'`` the entries of J are differentiated in world
    axes, in ``'local'`` in the link's own. Parameters and errors are those of ``frame_velocity``.
    """
    (rows, rates), many = states_of(model, 'jacobian_rate', q=q, v=v)
    _, rate = _jacobians(model, rows, rates, link, frame, executor)
    return rate if many else rate[0]


def _jacobians(model: Model, q: Array, v: Array, link: str, frame: str,
               executor: Executor | str | None) -> tuple[Array, Array]:
    """Return the Jacobian of a link and its rate, (N, 6, nv) each."""
    _known(frame)
    if link not in model.links:
        raise UnknownNameError('link', link, model.links)
    if model.elastic is not None:
        return jacobian_with_rate(model, q, v, link, frame)
    place = model.links[link]
    if place.body < 0:   # fixed to the ground
        return np.zeros((len(q), 6, model.nv)), np.zeros((len(q), 6, model.nv))
    screws = screws_of(model, compile_model(model, executor=executor).body_poses(q))
    twists = screws.twists(v)
    carried = screws.carries[place.body][:, None]
    columns, rates = screws.axes * carried, screws.rates(twists) * carried
    if frame != 'world':   # from the world's origin to the link's
        pose = screws.poses[:, place.body]
        origin = (pose[:, :3, 3] + pose[:, :3, :3] @ place.translation)[:, None]
        twist = twists[:, place.body][:, None]
        velocity = twist[..., :3] + cross(twist[..., 3:], origin)
        rates[..., :3] += (cross(rates[..., 3:], origin)
                           + cross(columns[..., 3:], velocity))
        columns[..., :3] += cross(columns[..., 3:], origin)
        if frame == 'local':
            angular = twist[..., 3:]
            rotation = np.eye(4)[None].repeat(len(q), 0)
            rotation[:, :3, :3] = pose[:, :3, :3] @ place.rotation
            for part in (slice(0, 3), slice(3, 6)):
                rates[..., part] -= cross(angular, columns[..., part])
            columns, rates = (_turned(rotation[:, None], each) for each in (columns, rates))
    return columns.swapaxes(1, 2), rates.swapaxes(1, 2)


def _turned(pose: Array, vectors: Array) -> Array:
    """Return 6-D vectors (..., 6) in the axes of frames with poses (..., 4, 4)."""
    return np.concatenate([np.einsum('...ji,...j->...i', pose[..., :3, :3], part)
                           for part in (vectors[..., :3], vectors[..., 3:])], axis=-1)


def _known(frame: str) -> None:
    if frame not in FRAMES:
        raise InvalidValueError('frame', frame, ', '.join(f"'{name}'" for name in FRAMES))
