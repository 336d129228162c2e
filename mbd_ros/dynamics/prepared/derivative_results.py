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

"""Derivatives of the dynamics as users get them: matrices by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import operator
from typing import Any, NamedTuple, TypeVar

from mbd_ros.dynamics.prepared.call import Array, signature_of


class InverseDynamicsDerivatives(NamedTuple):
    """
    Derivatives of ``tau = inverse_dynamics(q, v, qdd)``.

    Row i, column j is the derivative of ``tau[i]`` with respect to entry j. A displacement in q is
    one in the coordinates of v, as in ``model.state.integrate``.

    Attributes
    ----------
    dq : array
        (nv, nv) or (N, nv, nv) [N m/rad, and so on].
    dv : array
        (nv, nv) or (N, nv, nv) [N m s/rad].
    dqdd : array
        (nv, nv) or (N, nv, nv): the mass matrix [kg m^2].

    """

    dq: Array
    dv: Array
    dqdd: Array


class ForwardDynamicsDerivatives(NamedTuple):
    """
    Derivatives of ``vdot = forward_dynamics(q, v, tau)``.

    Row i, column j is the derivative of ``vdot[i]`` with respect to entry j. A displacement in q
    is one in the coordinates of v, as in ``model.state.integrate``.

    Attributes
    ----------
    dq : array
        (nv, nv) or (N, nv, nv) [1/s^2].
    dv : array
        (nv, nv) or (N, nv, nv) [1/s].
    dtau : array
        (nv, nv) or (N, nv, nv): the inverse of the mass matrix [1/(kg m^2)].

    """

    dq: Array
    dv: Array
    dtau: Array


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


class HessianProduct(NamedTuple):
    """
    Changes of ``weights @ d tau``, the derivatives of a sum of efforts, along a direction.

    The Hessian of ``weights . inverse_dynamics(q, v, qdd)`` times (dq, dv, dqdd), in three parts.
    Derivatives and displacements in q are in the coordinates of v; of joints that turn freely
    these do not commute: the derivative is taken first, then its change along the direction.

    Attributes
    ----------
    dq, dv, dqdd : array
        (nv,) or (N, nv): changes of the derivatives by q, by v and by qdd.

    """

    dq: Array
    dv: Array
    dqdd: Array


Parts = TypeVar('Parts', bound=tuple[Any, ...])


def in_parts(call: Callable[..., Array], parts: type[Parts], name: str, inputs: Sequence[str] = (),
             places: Sequence[int] = (), rank: int = 3) -> Callable[..., Parts]:
    """
    Return a callable that gives matrices, or vectors, by name.

    Parameters
    ----------
    call : callable
        Gives (n, rows, nv) or (N, n, rows, nv).
    parts : type
        The names of the matrices, a named tuple.
    name : str
        The name of the callable.
    inputs : sequence of str, optional
        Names of its parameters; what the matrices are derivatives with respect to if left out.
    places : sequence of int, optional
        Which matrices they are; the first ones if left out.
    rank : int, optional
        Axes of the array for one state; 2 if its parts are vectors.

    Returns
    -------
    callable
        Takes the same arguments; its matrices are views of one array.

    """
    new: Any = tuple.__new__  # spares the Python frame of a named tuple's own constructor
    fields: tuple[str, ...] = parts._fields   # type: ignore[attr-defined]
    which = tuple(places) or tuple(range(len(fields)))

    one = operator.itemgetter(*which)   # half the time of a list of parts
    many = operator.itemgetter(*((slice(None), k) for k in which))

    def derivatives(*arguments: Any, **named: Any) -> Parts:
        matrices = call(*arguments, **named) if named else call(*arguments)
        return new(parts, (one if matrices.ndim == rank else many)(matrices))

    derivatives.__name__ = derivatives.__qualname__ = name
    derivatives.__doc__ = parts.__doc__
    derivatives.__signature__ = signature_of(   # type: ignore[attr-defined]
        inputs or [field.removeprefix('d') for field in fields])
    return derivatives
