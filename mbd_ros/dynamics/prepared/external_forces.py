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

"""Forces on links as generalized forces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.prepared.call import Array
from mbd_ros.dynamics.prepared.prepared import PreparedDynamics
from mbd_ros.dynamics.quantities.flexible import push_slopes
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError


def external_efforts(dyn: PreparedDynamics, q: ArrayLike,
                     external_forces: Mapping[str, ArrayLike]) -> Array:
    """
    Return ``sum_i J_i(q)^T F_i``.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    q : array_like
        (nq,) or (N, nq).
    external_forces : mapping of str to array_like
        For each link, (6,) or (N, 6): force [N], then moment [N m], in world axes, at the link's
        origin.

    Returns
    -------
    array
        (nv,) or (N, nv) [N m, N].

    Raises
    ------
    UnknownNameError, ShapeError, NotFiniteError, InvalidValueError
        If a link or its force is not as it should be.

    """
    total = np.zeros(dyn.model.nv)
    for _, jacobian, force in _acting(dyn, q, external_forces):
        total = total + np.einsum('...ij,...i->...j', jacobian, force)
    return total


@np.errstate(over='ignore', invalid='ignore')   # callers tell what is not finite
def external_effort_derivatives(dyn: PreparedDynamics, q: ArrayLike,
                                external_forces: Mapping[str, ArrayLike]) -> Array:
    """
    Return the derivative of ``external_efforts`` with respect to a displacement in q.

    The forces keep their direction in the world and act at the links' origins. An axis j on the
    path from the ground to axis i turns that axis with its lever; one further out moves only the
    link's origin p. With w the angular and u the linear columns of the Jacobian::

        d tau_i / d q_j = (w_j x u_i) . f + (w_j x w_i) . n    or    (w_i x u_j) . f

    Parameters
    ----------
    dyn, q, external_forces
        As in ``external_efforts``.

    Returns
    -------
    array
        (nv, nv) or (N, nv, nv) [N m/rad, and so on].

    Raises
    ------
    MbdError
        As ``external_efforts``.

    """
    model = dyn.model
    if model.elastic is not None:
        return _slopes(dyn, q, external_forces)
    body = np.repeat(np.arange(model.nb), np.diff([*model.v_offsets, model.nv]))
    inner = body[None, :] <= body[:, None]
    total = np.zeros((model.nv, model.nv))
    for _, jacobian, wrench in _acting(dyn, q, external_forces):
        columns = np.moveaxis(jacobian, -1, -2)
        linear, angular = columns[..., :3], columns[..., 3:]
        force, moment = wrench[..., None, :3], wrench[..., None, 3:]
        turned = np.cross(linear, force) + np.cross(angular, moment)
        total = total + np.where(
            inner, np.einsum('...ik,...jk->...ij', turned, angular),
            np.einsum('...ik,...jk->...ij', np.cross(force, angular), linear))
    return total


def _slopes(dyn: PreparedDynamics, q: ArrayLike, external_forces: Mapping[str, ArrayLike]
            ) -> Array:
    """Return the same for flexible links, which move with elastic coordinates as well."""
    model = dyn.model
    total = np.zeros((model.nv, model.nv))
    for link, jacobian, force in _acting(dyn, q, external_forces):
        many = max(jacobian.ndim - 2, force.ndim - 1)
        states = np.atleast_2d(np.asarray(q, np.float64))
        rows = np.broadcast_shapes(states.shape[:1], np.atleast_2d(force).shape[:1])
        found = np.array([push_slopes(model, link, *one) for one in zip(
            np.broadcast_to(states, (*rows, model.nq)), np.broadcast_to(force, (*rows, 6)))])
        total = total + (found.reshape(*rows, model.nv, model.nv) if many else found[0])
    return total


def _acting(dyn: PreparedDynamics, q: ArrayLike, external_forces: Mapping[str, ArrayLike]
            ) -> Iterator[tuple[str, Array, Array]]:
    """Yield each link with its Jacobian and the force on it, checked."""
    if not isinstance(external_forces, Mapping):
        raise InvalidValueError('external_forces', external_forces,
                                'a mapping of names of links to six numbers each')
    for link, value in external_forces.items():
        name = f"external_forces['{link}']"
        try:
            force = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidValueError(name, value, 'six real numbers') from None
        if force.ndim not in (1, 2) or force.shape[-1] != 6:
            raise ShapeError(name, force.shape, '(6,) for one state, (N, 6) for many')
        if not np.isfinite(force).all():
            bad = np.argwhere(~np.isfinite(force))[0]
            raise NotFiniteError(name, f'entry {int(bad[-1])}', float(force[tuple(bad)]))
        jacobian = dyn.jacobian(q, link)
        if force.ndim == 2 and jacobian.ndim == 3 and len(force) != len(jacobian):
            raise ShapeError(name, force.shape, f'{len(jacobian)} states, as in q')
        yield link, jacobian, force
