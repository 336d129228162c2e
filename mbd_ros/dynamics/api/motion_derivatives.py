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
Derivatives of motions, momenta and gravity forces with respect to configuration and velocity.

Exact, of one state or many; a displacement in q is one in the coordinates of v, as in
``integrate``. In closed loops all joints count as independent. Those of links are derivatives of
``frame_velocity`` and ``frame_acceleration`` as they are: Pinocchio's agree in local axes; in
LOCAL_WORLD_ALIGNED its point stands still, and its accelerations are spatial ones.

"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.api.current_fields import in_field, is_field
from mbd_ros.dynamics.api.frames import require_frame, WORLD_ALIGNED
from mbd_ros.dynamics.api.whole_robot import states_of
from mbd_ros.dynamics.prepared.call import Array
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.dynamics.quantities import composite_sums
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.immersion import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.execution import Executor
from mbd_ros.model import Model


class FrameVelocityDerivatives(NamedTuple):
    """
    Derivatives of ``frame_velocity(q, v)``: rows linear, then angular.

    Attributes
    ----------
    dq : array
        (6, nv) or (N, 6, nv) [m/s and rad/s per rad or m].
    dv : array
        (6, nv) or (N, 6, nv): the Jacobian.

    """

    dq: Array
    dv: Array


class FrameAccelerationDerivatives(NamedTuple):
    """
    Derivatives of ``frame_acceleration(q, v, qdd)``: rows linear, then angular.

    Attributes
    ----------
    dq : array
        (6, nv) or (N, 6, nv) [m/s^2 and rad/s^2 per rad or m].
    dv : array
        (6, nv) or (N, 6, nv) [m/s^2 and rad/s^2 per rad/s or m/s].
    dqdd : array
        (6, nv) or (N, 6, nv): the Jacobian.

    """

    dq: Array
    dv: Array
    dqdd: Array


class CentroidalDerivatives(NamedTuple):
    """
    Derivatives of ``centroidal_momentum`` h and of its time derivative: rows linear, then angular.

    Attributes
    ----------
    momentum_dq : array
        (6, nv) or (N, 6, nv): of h [N s and N m s per rad or m].
    rate_dq : array
        (6, nv) or (N, 6, nv): of dh/dt [N and N m per rad or m].
    rate_dv : array
        (6, nv) or (N, 6, nv): of dh/dt [N and N m per rad/s or m/s].
    rate_dqdd : array
        (6, nv) or (N, 6, nv): of dh/dt, ``centroidal_map``.

    """

    momentum_dq: Array
    rate_dq: Array
    rate_dv: Array
    rate_dqdd: Array


def frame_velocity_derivatives(
    model: Model, q: ArrayLike, v: ArrayLike, link: str, *, frame: str = WORLD_ALIGNED,
    executor: Executor | str | None = None,
) -> FrameVelocityDerivatives:
    """
    Return the derivatives of the velocity of a link.

    Parameters
    ----------
    model : Model
        The robot, without flexible links.
    q, v, link, frame, executor
        As in ``frame_velocity``; in ``'world_aligned'`` the point, in ``'local'`` the axes as
        well move with q.

    Returns
    -------
    FrameVelocityDerivatives
        ``.dq``, ``.dv``, each (6, nv) or (N, 6, nv).

    Raises
    ------
    UnknownNameError, InvalidValueError, UnsupportedError
        As ``frame_velocity``, and if links or joints are flexible.

    References
    ----------
    Carpentier, Mansard, Analytical derivatives of rigid body dynamics algorithms, 2018.

    """
    found = _of_link('frame_velocity_derivatives', model, q, v, np.zeros(model.nv), link, frame,
                     executor)
    return FrameVelocityDerivatives(found[..., 0, :, :], found[..., 3, :, :])


def jacobian_derivatives(
    model: Model, q: ArrayLike, link: str, *, frame: str = WORLD_ALIGNED,
    executor: Executor | str | None = None,
) -> Array:
    """
    Return the derivative of the Jacobian of a link, its kinematic Hessian.

    Parameters
    ----------
    model : Model
        The robot, without flexible links.
    q : array_like
        (nq,) or (N, nq).
    link, frame, executor
        As in ``frame_velocity_derivatives``.

    Returns
    -------
    array
        (6, nv, nv) or (N, 6, nv, nv): entry ``[i, j, k]`` is that of ``J[i, j]`` with respect to
        coordinate k [m or rad per rad or m, squared]; ``@ v`` makes the time derivative ``Jdot``.

    Raises
    ------
    UnknownNameError, InvalidValueError, UnsupportedError
        As ``frame_velocity_derivatives``.

    """
    (rows,), many = states_of(model, 'jacobian_derivatives', q=q)
    units = np.tile(np.eye(model.nv), (len(rows), 1))
    columns = _of_link('jacobian_derivatives', model, np.repeat(rows, model.nv, axis=0), units,
                       np.zeros(model.nv), link, frame, executor)[:, 0]
    found = columns.reshape(len(rows), model.nv, 6, model.nv).swapaxes(1, 2)
    return found if many else found[0]


def frame_acceleration_derivatives(
    model: Model, q: ArrayLike, v: ArrayLike, qdd: ArrayLike, link: str, *,
    frame: str = WORLD_ALIGNED, executor: Executor | str | None = None,
) -> FrameAccelerationDerivatives:
    """
    Return the derivatives of the classical acceleration of a link, ``frame_acceleration``.

    Returns ``.dq``, ``.dv``, ``.dqdd``, each (6, nv) or (N, 6, nv). Parameters, errors and
    references are those of ``frame_velocity_derivatives``; qdd is (nv,) or (N, nv).
    """
    found = _of_link('frame_acceleration_derivatives', model, q, v, qdd, link, frame, executor)
    return FrameAccelerationDerivatives(*(found[..., k, :, :] for k in (1, 2, 3)))


def _of_link(function: str, model: Model, q: ArrayLike, v: ArrayLike, qdd: ArrayLike, link: str,
             frame: str, executor: Executor | str | None) -> Array:
    """Return derivatives (4, 6, nv) or (N, 4, 6, nv), as ``motion_changes.link_changes``."""
    require_frame(frame)
    model.require_rigid(function)
    (rows, rates, accelerations), many = states_of(model, function, q=q, v=v, qdd=qdd)
    dyn = compile_model(model, executor=executor)
    places = np.tile(np.eye(4), (len(rows), 1, 1))
    if frame != 'world':
        reached = _each(lambda row: dyn.pose(row, link), rows)
        part = slice(3, 4) if frame == WORLD_ALIGNED else slice(4)
        places[..., part] = reached[..., part]
    found = composite_sums.link_changes(
        model, _each(dyn.body_poses, rows), rates, accelerations, places, model.link(link).body,
        frame != 'world', frame == 'local')
    return found if many else found[0]


def _each(call: Callable[[Array], Array], rows: Array) -> Array:
    """Return what a prepared call makes of states (N, nq); of one by its short way."""
    return call(rows[0])[None] if len(rows) == 1 else call(rows)


def center_of_mass_velocity_derivatives(
    model: Model, q: ArrayLike, v: ArrayLike, *, executor: Executor | str | None = None,
) -> Array:
    """
    Return the derivative of the velocity of the mass centre with respect to q.

    Parameters
    ----------
    model : Model
        The robot, without flexible links.
    q, v : array_like
        (nq,), (nv,) or (N, ...).
    executor : Executor or str, optional
        Runs the poses.

    Returns
    -------
    array
        (3, nv) or (N, 3, nv), in world axes [m/s per rad or m]; that with respect to v is
        ``center_of_mass_jacobian``.

    Raises
    ------
    UnsupportedError
        If links or joints are flexible.

    """
    found = _of_momentum('center_of_mass_velocity_derivatives', model, q, v, np.zeros(model.nv),
                         executor)
    return found[..., 0, :3, :] / model.masses.sum()


def centroidal_momentum_derivatives(
    model: Model, q: ArrayLike, v: ArrayLike, qdd: ArrayLike, *,
    executor: Executor | str | None = None,
) -> CentroidalDerivatives:
    """
    Return the derivatives of the momentum about the mass centre, and of its time derivative.

    Parameters
    ----------
    model : Model
        The robot, without flexible links; without rotors.
    q, v, qdd : array_like
        (nq,), (nv,), (nv,) or (N, ...).
    executor : Executor or str, optional
        Runs the poses.

    Returns
    -------
    CentroidalDerivatives
        ``.momentum_dq``, ``.rate_dq``, ``.rate_dv``, ``.rate_dqdd``, each (6, nv) or (N, 6, nv),
        linear, then angular, in world axes.

    Raises
    ------
    UnsupportedError
        If links or joints are flexible.

    References
    ----------
    Carpentier, Mansard, Analytical derivatives of rigid body dynamics algorithms, 2018; Orin,
    Goswami, Lee, Centroidal dynamics of a humanoid robot, 2013.

    """
    found = _of_momentum('centroidal_momentum_derivatives', model, q, v, qdd, executor)
    return CentroidalDerivatives(*(found[..., k, :, :] for k in range(4)))


def _of_momentum(function: str, model: Model, q: ArrayLike, v: ArrayLike, qdd: ArrayLike,
                 executor: Executor | str | None) -> Array:
    """Return derivatives (4, 6, nv) or (N, 4, 6, nv), as ``motion_changes.momentum_changes``."""
    model.require_rigid(function)
    (rows, rates, accelerations), many = states_of(model, function, q=q, v=v, qdd=qdd)
    poses = _each(compile_model(model, executor=executor).body_poses, rows)
    found = composite_sums.momentum_changes(model, poses, rates, accelerations)
    return found if many else found[0]


def gravity_forces_derivatives(
    model: Model, q: ArrayLike, *, gravity: ArrayLike | None = None,
    fluid: Fluid | None = DEFAULT, ground: Ground | None = None,
    executor: Executor | str | None = None,
) -> Array:
    """
    Return the derivative of ``gravity_forces`` with respect to q, the stiffness at rest.

    Parameters
    ----------
    model : Model
        The robot; springs count.
    q : array_like
        (nq,) or (N, nq).
    gravity : array_like, optional
        (3,) [m/s^2] in world axes; that of the model if left out.
    fluid, ground
        As in ``forward_dynamics``.
    executor : Executor or str, optional
        Runs the sweeps.

    Returns
    -------
    array
        (nv, nv) or (N, nv, nv) [N m/rad, and so on].

    Raises
    ------
    MbdError
        As ``inverse_dynamics_derivatives``.

    """
    if is_field(fluid):
        found: Array = in_field(gravity_forces_derivatives, model, {'q': q}, fluid,
                                gravity=gravity, ground=ground, executor=executor)
        return found
    rest = np.zeros(model.nv)
    dyn = compile_model(model, gravity=gravity, executor=executor, fluid=fluid, ground=ground)
    return dyn.inverse_dynamics_derivatives(q, rest, rest).dq
