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

from typing import Any

from numpy.typing import ArrayLike

from mbd_ros.dynamics.algorithms.registry import AUTO
from mbd_ros.dynamics.functions.current_fields import in_field, is_field
from mbd_ros.dynamics.prepared.call import Array
from mbd_ros.dynamics.prepared.derivative_results import (
    CentroidalDerivatives, FrameAccelerationDerivatives, FrameVelocityDerivatives)
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.dynamics.prepared.standard_calls import StandardCalls, StandardLinkCalls
from mbd_ros.dynamics.quantities.frames import WORLD_ALIGNED
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.execution import Executor
from mbd_ros.model import Model

VELOCITIES, ACCELERATIONS, JACOBIANS = (StandardLinkCalls(f'{name}_derivatives') for name in (
    'frame_velocity', 'frame_acceleration', 'jacobian'))
MASS_CENTERS, MOMENTA, GRAVITY_FORCES = (StandardCalls(f'{name}_derivatives') for name in (
    'center_of_mass_velocity', 'centroidal_momentum', 'gravity_forces'))


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
    if executor is None:
        found: FrameVelocityDerivatives = VELOCITIES.call(model, frame, link)(q, v)
        return found
    return compile_model(model, executor=executor).frame_velocity_derivatives(q, v, link, frame)


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
    if executor is None:
        found: Array = JACOBIANS.call(model, frame, link)(q)
        return found
    return compile_model(model, executor=executor).jacobian_derivatives(q, link, frame)


def frame_acceleration_derivatives(
    model: Model, q: ArrayLike, v: ArrayLike, qdd: ArrayLike, link: str, *,
    frame: str = WORLD_ALIGNED, executor: Executor | str | None = None,
) -> FrameAccelerationDerivatives:
    """
    Return the derivatives of the classical acceleration of a link, ``frame_acceleration``.

    Returns ``.dq``, ``.dv``, ``.dqdd``, each (6, nv) or (N, 6, nv). Parameters, errors and
    references are those of ``frame_velocity_derivatives``; qdd is (nv,) or (N, nv).
    """
    if executor is None:
        found: FrameAccelerationDerivatives = ACCELERATIONS.call(model, frame, link)(q, v, qdd)
        return found
    return compile_model(model, executor=executor).frame_acceleration_derivatives(
        q, v, qdd, link, frame)


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
    if executor is None:
        return MASS_CENTERS.of(model)[AUTO](q, v)
    return compile_model(model, executor=executor).center_of_mass_velocity_derivatives(q, v)


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
    if executor is None:
        found: Any = MOMENTA.of(model)[AUTO](q, v, qdd)
        derivatives: CentroidalDerivatives = found
        return derivatives
    return compile_model(model, executor=executor).centroidal_momentum_derivatives(q, v, qdd)


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
    known = (GRAVITY_FORCES.within(model, AUTO, gravity, fluid, ground, (), False)
             if executor is None else None)
    if known is not None:
        return known(q)
    if is_field(fluid):
        found: Array = in_field(gravity_forces_derivatives, model, {'q': q}, fluid,
                                gravity=gravity, ground=ground, executor=executor)
        return found
    dyn = compile_model(model, gravity=gravity, executor=executor, fluid=fluid, ground=ground)
    return dyn.gravity_forces_derivatives(q)
