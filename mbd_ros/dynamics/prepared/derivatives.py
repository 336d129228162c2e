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

from collections.abc import Callable
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


Parts = TypeVar('Parts', InverseDynamicsDerivatives, ForwardDynamicsDerivatives)


def in_parts(call: Callable[..., Array], parts: type[Parts], name: str) -> Callable[..., Parts]:
    """
    Return a callable that gives three matrices by name.

    Parameters
    ----------
    call : callable
        Gives (3, nv, nv) or (N, 3, nv, nv).
    parts : type
        The names of the matrices.
    name : str
        The name of the callable.

    Returns
    -------
    callable
        Takes the same arguments; its matrices are views of one array.

    """
    new: Any = tuple.__new__  # spares the Python frame of a named tuple's own constructor

    def derivatives(*arguments: Any, **named: Any) -> Parts:
        matrices = call(*arguments, **named)
        if matrices.ndim == 3:
            return new(parts, (matrices[0], matrices[1], matrices[2]))
        return new(parts, (matrices[:, 0], matrices[:, 1], matrices[:, 2]))

    derivatives.__name__ = derivatives.__qualname__ = name
    derivatives.__doc__ = parts.__doc__
    inputs = [field.removeprefix('d') for field in parts._fields]
    derivatives.__signature__ = signature_of(inputs)  # type: ignore[attr-defined]
    return derivatives
