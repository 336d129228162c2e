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
Quantities of the whole robot: mass centre, centroidal momentum, Coriolis matrix, regressor.

All take one state or many, run the poses on any executor, and have the layouts of Pinocchio. Those
of robots with flexible links run in NumPy, whatever the executor.

"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.dynamics.algorithms.registry import AUTO
from mbd_ros.dynamics.functions.current_fields import in_field, is_field
from mbd_ros.dynamics.prepared.call import arrays_of, require_finite, rows_of
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.dynamics.prepared.standard_calls import StandardCalls
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.execution import Executor
from mbd_ros.execution.stacks.stacks import cross_matrices
from mbd_ros.model import Model

Array = NDArray[np.float64]


def states_of(model: Model, function: str, **inputs: ArrayLike) -> tuple[list[Array], bool]:
    """Return arguments named ``q``, ``v``, ``qdd`` as rows (N, size), and whether they were."""
    given = arrays_of(model, function, tuple(inputs), tuple(inputs.values()), {})
    for name, array in zip(inputs, given):
        require_finite(model, name, array)
    return rows_of(tuple(inputs), given)


(CENTER_OF_MASS, CENTER_OF_MASS_JACOBIAN, CENTROIDAL_MAP, CENTROIDAL_MOMENTUM, CORIOLIS_MATRIX,
 GRAVITY_FORCES, REGRESSOR) = map(StandardCalls, (
    'center_of_mass', 'center_of_mass_jacobian', 'centroidal_map', 'centroidal_momentum',
    'coriolis_matrix', 'gravity_forces', 'regressor'))


def center_of_mass(model: Model, q: ArrayLike, *, executor: Executor | str | None = None) -> Array:
    """
    Return the mass centre of the robot in the world [m].

    Parameters
    ----------
    model : Model
        The robot; what is fixed to the ground does not count.
    q : array_like
        (nq,) or (N, nq).
    executor : Executor or str, optional
        Runs the poses.

    Returns
    -------
    array
        (3,) or (N, 3).

    """
    if executor is None:
        return CENTER_OF_MASS.of(model)[AUTO](q)
    return compile_model(model, executor=executor).center_of_mass(q)


def center_of_mass_jacobian(model: Model, q: ArrayLike, *,
                            executor: Executor | str | None = None) -> Array:
    """
    Return J (3, nv) or (N, 3, nv): ``J v`` is the velocity of the mass centre [m/s].

    Parameters are those of ``center_of_mass``.
    """
    if executor is None:
        return CENTER_OF_MASS_JACOBIAN.of(model)[AUTO](q)
    return compile_model(model, executor=executor).center_of_mass_jacobian(q)


def centroidal_map(model: Model, q: ArrayLike, *, executor: Executor | str | None = None) -> Array:
    """
    Return A (6, nv) or (N, 6, nv): ``A v`` is the momentum about the mass centre.

    Linear [N s], then angular momentum [N m s], in world axes; without rotors. Parameters are
    those of ``center_of_mass``.

    References
    ----------
    Orin, Goswami, Lee, Centroidal dynamics of a humanoid robot, 2013.

    """
    if executor is None:
        return CENTROIDAL_MAP.of(model)[AUTO](q)
    return compile_model(model, executor=executor).centroidal_map(q)


def centroidal_momentum(model: Model, q: ArrayLike, v: ArrayLike, *,
                        executor: Executor | str | None = None) -> Array:
    """
    Return the momentum (6,) or (N, 6) about the mass centre, as ``centroidal_map``.

    Parameters
    ----------
    model : Model
        The robot.
    q, v : array_like
        (nq,), (nv,) or (N, ...).
    executor : Executor or str, optional
        Runs the poses.

    """
    if executor is None:
        return CENTROIDAL_MOMENTUM.of(model)[AUTO](q, v)
    return compile_model(model, executor=executor).centroidal_momentum(q, v)


def coriolis_matrix(model: Model, q: ArrayLike, v: ArrayLike, *,
                    fluid: Fluid | None = DEFAULT, executor: Executor | str | None = None
                    ) -> Array:
    """
    Return C (nv, nv) or (N, nv, nv) with ``C v`` the velocity terms of the equations of motion.

    Of the many such matrices it is the one with ``dM/dt - 2 C`` skew-symmetric. M is that of
    ``mass_matrix``, with the added mass of a fluid, which is still for C. ``C v`` plus
    ``gravity_forces`` are the ``bias_forces`` less what takes energy away: damping of flexible
    links and springs, drag and lift.

    Parameters
    ----------
    model : Model
        The robot.
    q, v : array_like
        (nq,), (nv,) or (N, ...).
    fluid : Fluid or None, optional
        As in ``forward_dynamics``.
    executor : Executor or str, optional
        Runs the poses.

    """
    if fluid is DEFAULT and executor is None:
        return CORIOLIS_MATRIX.of(model)[AUTO](q, v)
    known = (CORIOLIS_MATRIX.within(model, AUTO, None, fluid, None, (), False)
             if executor is None else None)
    if known is not None:
        return known(q, v)
    if is_field(fluid):   # velocities of the fluid do not count
        fluid = fluid.at(np.zeros(3))
    return compile_model(model, executor=executor, fluid=fluid).coriolis_matrix(q, v)


def gravity_forces(model: Model, q: ArrayLike, *, gravity: ArrayLike | None = None,
                   fluid: Fluid | None = DEFAULT, ground: Ground | None = None,
                   executor: Executor | str | None = None) -> Array:
    """
    Return the generalized forces (nv,) or (N, nv) that hold a robot at rest [N m, N].

    Parameters
    ----------
    model : Model
        The robot; springs count.
    q : array_like
        (nq,) or (N, nq).
    gravity : array_like, optional
        (3,) [m/s^2] in world axes; that of the model if left out.
    fluid, ground
        As in ``forward_dynamics``: buoyancy, what a current pushes, and what contacts bear.
    executor : Executor or str, optional
        Runs the sweeps.

    """
    if gravity is None and fluid is DEFAULT and ground is None and executor is None:
        return GRAVITY_FORCES.of(model)[AUTO](q)
    known = (GRAVITY_FORCES.within(model, AUTO, gravity, fluid, ground, (), False)
             if executor is None else None)
    if known is not None:
        return known(q)
    if is_field(fluid):
        found: Array = in_field(gravity_forces, model, {'q': q}, fluid, gravity=gravity,
                                ground=ground, executor=executor)
        return found
    dyn = compile_model(model, gravity=gravity, executor=executor, fluid=fluid, ground=ground)
    return dyn.gravity_forces(q)


def inertial_parameters(model: Model) -> Array:
    """
    Return the inertial parameters (nb, 10) of the bodies, in the order of the joints.

    Mass [kg], first moment (3) [kg m], inertia about the body's origin xx, xy, yy, xz, yz, zz
    [kg m^2], in body axes.
    """
    model.require_rigid('inertial_parameters')
    center = cross_matrices(np.asarray(model.mass_centers))
    about_origin = model.inertias - model.masses[:, None, None] * center @ center
    rows, columns = np.array([(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]).T
    return np.concatenate((model.masses[:, None], model.masses[:, None] * model.mass_centers,
                           about_origin[:, rows, columns]), axis=1)


def regressor(model: Model, q: ArrayLike, v: ArrayLike, qdd: ArrayLike, *,
              gravity: ArrayLike | None = None, executor: Executor | str | None = None) -> Array:
    """
    Return Y (nv, 10 nb) or (N, nv, 10 nb): inverse dynamics are linear in inertial parameters.

    ``Y @ inertial_parameters(model).ravel()`` are the generalized forces of ``inverse_dynamics``
    without rotors, springs and force laws.

    Parameters
    ----------
    model : Model
        The robot; only its geometry matters.
    q, v, qdd : array_like
        (nq,), (nv,), (nv,) or (N, ...).
    gravity : array_like, optional
        (3,) [m/s^2] in world axes; that of the model if left out.
    executor : Executor or str, optional
        Runs the poses.

    References
    ----------
    Atkeson, An, Hollerbach, Estimation of inertial parameters of manipulator loads and links,
    1986.

    """
    if gravity is None and executor is None:
        return REGRESSOR.of(model)[AUTO](q, v, qdd)
    known = (REGRESSOR.within(model, AUTO, gravity, DEFAULT, None, (), False)
             if executor is None else None)
    if known is not None:
        return known(q, v, qdd)
    return compile_model(model, gravity=gravity, executor=executor).regressor(q, v, qdd)
