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


"""What two engines say of one robot at one state, and how far they are apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.model import Model

Array = NDArray[np.float64]


class Quantities(NamedTuple):
    """
    Of a robot at a state, in the coordinates and rates of ``Model``.

    Attributes
    ----------
    mass_matrix : (nv, nv) array
        Symmetric.
    gravity : (nv,) array
        Efforts that hold the robot at rest.
    inverse_dynamics : (nv,) array
        Efforts for the given accelerations.

    """

    mass_matrix: Array
    gravity: Array
    inverse_dynamics: Array

    def along(self, rates: Array) -> Quantities:
        """Return them for joints that move together: rates (nv, m) of all for one of each."""
        return Quantities(rates.T @ self.mass_matrix @ rates, rates.T @ self.gravity,
                          rates.T @ self.inverse_dynamics)


Evaluation = Callable[[Array, Array, Array], Quantities]
"""Of q (nq,), v (nv,) and accelerations (nv,)."""


class PeerError(Exception):
    """The peer does not know the robot, or reads another one out of the file."""


class Peer(Protocol):
    """The engine that a format is at home in; the file has been read by it."""

    def rounded(self, mechanism: Mechanism) -> tuple[Mechanism, str]:
        """Return the robot with what the peer rounds more than others do, and what that is."""
        return mechanism, ''

    def evaluation(self, mechanism: Mechanism, model: Model) -> Evaluation:
        """
        Return what the peer computes, in the coordinates of a model.

        Parameters
        ----------
        mechanism : Mechanism
            What was read of the same file.
        model : Model
            Its spanning tree.

        Raises
        ------
        PeerError
            If the joints are not the same.

        """
        ...


class Difference(NamedTuple):
    """The largest difference of two ``Quantities``, and where it is."""

    figure: float
    where: str


def difference(found: Quantities, expected: Quantities, names: list[str],
               weight: float) -> Difference:
    """
    Return the largest difference, relative to what inertia makes of it.

    Entry i, j of the mass matrix is judged by ``sqrt(M_ii M_jj)``, effort i by ``sqrt(M_ii)``
    times the largest ``f_j / sqrt(M_jj)``: neither depends on units, nor hides a finger behind a
    trunk.

    Parameters
    ----------
    found, expected : Quantities
        Ours, and the peer's.
    names : list of str
        Of the rates.
    weight : float
        At least this is the largest ``f_j / sqrt(M_jj)`` [N/kg^(1/2)]: where efforts cancel it
        is what rounds.

    """
    scale = np.sqrt(np.diag(expected.mass_matrix).clip(0.0))
    scale = np.maximum(scale, 1e-9 * scale.max(initial=1e-100))
    worst = Difference(0.0, '')
    apart = _finite(np.abs(found.mass_matrix - expected.mass_matrix) / np.outer(scale, scale))
    i, j = np.unravel_index(np.argmax(apart), apart.shape)
    if apart[i, j]:
        worst = Difference(float(apart[i, j]), (
            f"mass matrix of '{names[i]}' and '{names[j]}': {found.mass_matrix[i, j]:.9g}, not "
            f'{expected.mass_matrix[i, j]:.9g}'))
    for what in ('gravity', 'inverse_dynamics'):
        ours, theirs = getattr(found, what), getattr(expected, what)
        most = max(weight, 1e-100, float(np.abs(theirs / scale).max()))
        parts = _finite(np.abs(ours - theirs) / scale / most)
        k = int(np.argmax(parts))
        if parts[k] > worst.figure:
            worst = Difference(float(parts[k]), (
                f"{what.replace('_', ' ')} of '{names[k]}': {ours[k]:.9g}, not {theirs[k]:.9g}"))
    return worst


def _finite(parts: Array) -> Array:
    """Return what is apart by a nan as apart by an infinity."""
    return np.nan_to_num(parts, nan=np.inf, posinf=np.inf)


def rate_names(model: Model) -> list[str]:
    """Return a name for each rate: that of its joint, with a number where it has several."""
    return [name if kind.nv == 1 else f'{name}[{k}]'
            for name, kind in zip(model.joint_names, model.joint_types) for k in range(kind.nv)]


def matched(ours: list[str], theirs: list[str], engine: str) -> None:
    """Raise PeerError unless the joints have the same names."""
    for had, missing, who in ((ours, theirs, f'{engine} has not'), (theirs, ours, 'is not here')):
        others: list[Any] = sorted(set(had) - set(missing))
        if others:
            raise PeerError(f"joint '{others[0]}' {who}"
                            + (f', nor {len(others) - 1} others' if others[1:] else ''))
