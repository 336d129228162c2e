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

"""Derivatives of inverse and forward dynamics, for one state or for many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.functions.current_fields import in_field, is_field
from mbd_ros.dynamics.functions.further_efforts import more_efforts
from mbd_ros.dynamics.prepared.call import Array, checked_array, deliver
from mbd_ros.dynamics.prepared.derivatives import (
    ForwardDynamicsDerivatives, HessianProduct, InverseDynamicsDerivatives)
from mbd_ros.dynamics.prepared.external_forces import external_effort_derivatives
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.dynamics.quantities.joint_damping import viscous_friction_slopes
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.execution import Executor
from mbd_ros.model import Model

Parts = TypeVar('Parts', InverseDynamicsDerivatives, ForwardDynamicsDerivatives)


def inverse_dynamics_derivatives(
    model: Model, q: ArrayLike, v: ArrayLike, qdd: ArrayLike, *,
    external_forces: Mapping[str, ArrayLike] | None = None, gravity: ArrayLike | None = None,
    formulation: str = 'auto', executor: Executor | str | None = None, dissipation: bool = False,
    fluid: Fluid | None = DEFAULT, ground: Ground | None = None, out: Array | None = None,
) -> InverseDynamicsDerivatives:
    """
    Return the derivatives of the generalized forces that accelerations need.

    Parameters
    ----------
    model : Model
        The robot.
    q, v, qdd : array_like
        (nq,), (nv,), (nv,) or (N, ...): configuration, velocity, acceleration.
    external_forces, gravity, formulation, executor
        As in ``inverse_dynamics``; external forces keep their direction in the world.
    dissipation : bool
        Whether the joints' damping counts. Dry friction is constant but where a joint stands
        still, and has no part in a derivative.
    fluid, ground
        As in ``forward_dynamics``; a current that is a field is held as it is at the state.
    out : array, optional
        (3, nv, nv) or (N, 3, nv, nv): where to put the matrices; the answer are views of it.

    Returns
    -------
    InverseDynamicsDerivatives
        ``.dq``, ``.dv``, ``.dqdd``, each (nv, nv) or (N, nv, nv). The derivative with respect to q
        is one with respect to a displacement in the coordinates of v: a floating base is moved
        and turned in its own axes.

    Raises
    ------
    MbdError
        As ``inverse_dynamics``.

    References
    ----------
    Carpentier and Mansard, Analytical Derivatives of Rigid Body Dynamics Algorithms, 2018.

    """
    if is_field(fluid):
        return _into(in_field(inverse_dynamics_derivatives, model, {'q': q, 'v': v, 'qdd': qdd},
                              fluid, None,
                              external_forces, gravity=gravity, formulation=formulation,
                              executor=executor, dissipation=dissipation, ground=ground), out)
    dyn = compile_model(model, gravity=gravity, executor=executor, formulation=formulation,
                        fluid=fluid, ground=ground)
    result = dyn.inverse_dynamics_derivatives(q, v, qdd)
    if external_forces:
        result = result._replace(
            dq=result.dq - external_effort_derivatives(dyn, q, external_forces))
    if dissipation:
        rates = checked_array(model, 'v', v, model.nv)
        result = result._replace(dv=result.dv + (
            viscous_friction_slopes(model, rates)[..., None] * np.eye(model.nv)))
    return _into(result, out)


def forward_dynamics_derivatives(
    model: Model, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *,
    external_forces: Mapping[str, ArrayLike] | None = None, gravity: ArrayLike | None = None,
    formulation: str = 'auto', executor: Executor | str | None = None, dissipation: bool = False,
    fluid: Fluid | None = DEFAULT, ground: Ground | None = None, out: Array | None = None,
) -> ForwardDynamicsDerivatives:
    """
    Return the derivatives of the accelerations that forces produce.

    Parameters
    ----------
    model : Model
        The robot.
    q, v, tau : array_like
        (nq,), (nv,), (nv,) or (N, ...): configuration, velocity, generalized forces.
    external_forces, gravity, formulation, executor
        As in ``forward_dynamics``; external forces keep their direction in the world.
    dissipation : bool
        Whether damping and dry friction act on the joints. Friction changes the accelerations at
        which the derivatives are taken; its own derivative is zero but where a joint stands still.
    fluid, ground
        As in ``forward_dynamics``; a current that is a field is held as it is at the state.
    out : array, optional
        (3, nv, nv) or (N, 3, nv, nv): where to put the matrices; the answer are views of it.

    Returns
    -------
    ForwardDynamicsDerivatives
        ``.dq``, ``.dv``, ``.dtau``, each (nv, nv) or (N, nv, nv). The derivative with respect to q
        is one with respect to a displacement in the coordinates of v: a floating base is moved
        and turned in its own axes.

    Raises
    ------
    MbdError
        As ``forward_dynamics``.

    References
    ----------
    Carpentier and Mansard, Analytical Derivatives of Rigid Body Dynamics Algorithms, 2018.

    """
    if is_field(fluid):
        return _into(in_field(forward_dynamics_derivatives, model, {'q': q, 'v': v, 'tau': tau},
                              fluid, None,
                              external_forces, gravity=gravity, formulation=formulation,
                              executor=executor, dissipation=dissipation, ground=ground), out)
    dyn = compile_model(model, gravity=gravity, executor=executor, formulation=formulation,
                        fluid=fluid, ground=ground)
    if not external_forces and not dissipation:
        return _into(dyn.forward_dynamics_derivatives(q, v, tau), out)
    applied = checked_array(model, 'tau', tau, model.nv) + more_efforts(
        dyn, q, v, external_forces, dissipation)
    result = dyn.forward_dynamics_derivatives(q, v, applied)
    if external_forces:
        result = result._replace(dq=result.dq + result.dtau @ external_effort_derivatives(
            dyn, q, external_forces))
    if dissipation:
        rates = checked_array(model, 'v', v, model.nv)
        result = result._replace(dv=result.dv - (
            result.dtau * viscous_friction_slopes(model, rates)[..., None, :]))
    return _into(result, out)


def inverse_dynamics_hessian_product(
    model: Model, q: ArrayLike, v: ArrayLike, qdd: ArrayLike, weights: ArrayLike,
    dq: ArrayLike | None = None, dv: ArrayLike | None = None, dqdd: ArrayLike | None = None, *,
    external_forces: Mapping[str, ArrayLike] | None = None, gravity: ArrayLike | None = None,
    formulation: str = 'auto', executor: Executor | str | None = None,
    fluid: Fluid | None = DEFAULT, ground: Ground | None = None,
) -> HessianProduct:
    """
    Return second-order derivatives of inverse dynamics: a Hessian times a direction.

    That is how the derivatives of ``weights . tau`` by q, v and qdd change along (dq, dv, dqdd):
    what optimal control by Newton's method asks for, with multipliers as weights. All columns of
    the Hessian are one batch, of the unit vectors as directions. Damping and dry friction have no
    second derivatives.

    Parameters
    ----------
    model : Model
        The robot.
    q, v, qdd : array_like
        (nq,), (nv,), (nv,) or (N, ...): configuration, velocity, acceleration.
    weights : array_like
        (nv,) or (N, nv): of the generalized forces.
    dq, dv, dqdd : array_like, optional
        (nv,) or (N, nv): the direction; dq in the coordinates of v. Zero if left out.
    external_forces, gravity, formulation, executor
        As in ``inverse_dynamics``; external forces keep their direction in the world.
    fluid, ground
        As in ``forward_dynamics``; a current that is a field is held as it is at the state.

    Returns
    -------
    HessianProduct
        ``.dq``, ``.dv``, ``.dqdd``, each (nv,) or (N, nv). For joints that turn freely the
        derivative by q is taken first, in axes that turn with the joint, then its change along
        the direction: the Hessian is symmetric but for these, at zero torque for these, too.

    Raises
    ------
    UnsupportedError
        For external forces on robots with flexible links or of more than 24 bodies.
    MbdError
        As ``inverse_dynamics``.

    Notes
    -----
    Exact up to 24 bodies, by differences of exact first derivatives beyond (1e-8 of them).

    """
    zero = np.zeros(model.nv)
    states = {'q': q, 'v': v, 'qdd': qdd, 'weights': weights,
              **{name: zero if one is None else one
                 for name, one in (('dq', dq), ('dv', dv), ('dqdd', dqdd))}}
    if is_field(fluid):
        found: HessianProduct = in_field(
            inverse_dynamics_hessian_product, model, states, fluid, None, external_forces,
            gravity=gravity, formulation=formulation, executor=executor, ground=ground)
        return found
    dyn = compile_model(model, gravity=gravity, executor=executor, formulation=formulation,
                        fluid=fluid, ground=ground)
    if not external_forces:
        return dyn.inverse_dynamics_hessian_product(*states.values())
    call = dyn.hessian_product(tuple(external_forces))
    return call(q, v, qdd, *external_forces.values(), *list(states.values())[3:])


def _into(result: Parts, out: Array | None) -> Parts:
    if out is None:
        return result
    deliver(np.stack(result, axis=-3), out)
    return type(result)(*(out[..., k, :, :] for k in range(3)))
