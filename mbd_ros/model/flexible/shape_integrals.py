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
Shape integrals: all that the equations of a flexible link need of its mass distribution.

With points p, mass m and the columns phi_j of their shapes in the extended coordinates b, and the
cross product matrix ``p~``::

    S = sum m phi            N_j  = sum m p~^T phi_j~         C0  = sum m p~ phi
    M = sum m phi^T phi      N_jk = sum m phi_j~^T phi_k~     C_j = sum m phi_j~ phi

``N_j - N_j^T`` is the cross product matrix of ``-sum m p x phi_j``, so that C0 and C_j are in N.
Mass, first moment and moments of inertia of the undeformed link are those of its ``<inertial>``.

References
----------
Shabana, Dynamics of Multibody Systems, 2005, section 5.4; ``docs/theory_flexible_links.md``.

"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import Joint
from mbd_ros.model.flexible.modal_data import Integrals, ModalData, Shape

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ElasticBody:
    """
    The elastic coordinates of one link or joint: nf of them, ne extended ones.

    Attributes
    ----------
    link : str
        The link, or the joint of a spring.
    names : tuple of str
        Of the coordinates.
    first : int
        Where they begin among all elastic coordinates.
    first_moments : (3, ne) array
        S [kg].
    couplings : (ne, 3, 3) array
        N_j, how the moments of inertia change.
    second_couplings : (ne, ne, 3, 3) array
        N_jk.
    rotations : (3, ne) array
        C0.
    rotation_changes : (ne, 3, ne) array
        C_j.
    mass : (ne, ne) array
        Of the extended coordinates.
    stiffness, damping : (nf, nf) array
        Modal matrices, symmetric.
    second_stiffness : (ne - nf, ne - nf) array
        Of the products of coordinates.
    pairs : (2, ne - nf) array
        Which coordinates each further extended coordinate is the product of.
    length : float
        Of the link [m].

    """

    link: str
    names: tuple[str, ...]
    first: int
    first_moments: Array
    couplings: Array
    second_couplings: Array
    rotations: Array
    rotation_changes: Array
    mass: Array
    stiffness: Array
    damping: Array
    second_stiffness: Array
    pairs: NDArray[np.intp]
    length: float

    def __post_init__(self) -> None:
        """Make every array read-only."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value = np.ascontiguousarray(value)
                value.setflags(write=False)
                object.__setattr__(self, field.name, value)

    @property
    def count(self) -> int:
        """Return the number of elastic coordinates."""
        return len(self.names)

    @property
    def is_spring(self) -> bool:
        """Return whether this is the spring of a joint, which has neither length nor mass."""
        return self.length == 0.0


def transmission(joint: Joint, first: int) -> ElasticBody:
    """
    Return the spring between the motor of a joint and its link.

    Parameters
    ----------
    joint : Joint
        With series elasticity.
    first : int
        The place of its coordinate among all elastic ones.

    """
    def none(*shape: int) -> Array:
        return np.zeros(shape)

    feel = joint.dynamics
    return ElasticBody(
        joint.name, ('series_elastic',), first, none(3, 1), none(1, 3, 3), none(1, 1, 3, 3),
        none(3, 1), none(1, 3, 1), none(1, 1), np.array([[feel.series_stiffness]]),
        np.array([[feel.series_damping]]), none(0, 0), np.zeros((2, 0), np.intp), 0.0)


def cross_matrices(vectors: Array) -> Array:
    """Return ``[p]x`` (..., 3, 3) of vectors (..., 3), of any kind of numbers."""
    zero = 0.0 * vectors[..., 0]
    x, y, z = (vectors[..., k] for k in range(3))
    return np.stack([np.stack([zero, -z, y], -1), np.stack([z, zero, -x], -1),
                     np.stack([-y, x, zero], -1)], -2)


def elastic_body(link: str, first: int, data: ModalData, rotation: Array, translation: Array
                 ) -> ElasticBody:
    """
    Return the shape integrals of a link.

    Parameters
    ----------
    link : str
        Its name.
    first : int
        Where its coordinates begin among all elastic ones.
    data : ModalData
        The link in the frame of its annotation.
    rotation, translation : (3, 3) and (3,) array
        Pose of that frame in the frame of the result.

    Returns
    -------
    ElasticBody
        With read-only arrays.

    """
    found = integrals_of(data)
    first_moments = rotation @ found.first_moments
    couplings = rotation @ found.couplings @ rotation.T + (
        cross_matrices(translation).T @ cross_matrices(first_moments.T))
    second = rotation @ found.second_couplings @ rotation.T
    return ElasticBody(
        link, data.names, first, first_moments=first_moments, couplings=couplings,
        second_couplings=second, rotations=_skew(couplings).T,
        rotation_changes=_skew(second).transpose(0, 2, 1), mass=found.mass,
        stiffness=0.5 * (data.stiffness + data.stiffness.T),
        damping=0.5 * (data.damping + data.damping.T),
        second_stiffness=data.second_stiffness, pairs=data.pairs, length=data.length)


def integrals_of(data: ModalData) -> Integrals:
    """Return the integrals S, N_j, N_jk and M in the frame of the annotation."""
    if data.integrals is not None:
        return data.integrals
    return point_integrals(data.points, data.masses, data.shapes)


def point_integrals(points: Array, masses: Array, shapes: Array) -> Integrals:
    """Return the integrals of mass points (k, 3), (k,) with their shapes (k, 3, ne)."""
    columns = cross_matrices(np.moveaxis(shapes, 1, 2))  # (k, ne, 3, 3)
    return Integrals(
        first_moments=np.einsum('k,kxj->xj', masses, shapes),
        couplings=np.einsum('k,kyx,kjyz->jxz', masses, cross_matrices(points), columns),
        second_couplings=np.einsum('k,kiyx,kjyz->ijxz', masses, columns, columns, optimize=True),
        mass=np.einsum('k,kxi,kxj->ij', masses, shapes, shapes))


def _skew(matrices: Array) -> Array:
    """Return ``sum m p x phi`` (..., 3) of ``sum m p~^T phi~``, which is in its skew part."""
    return np.stack([matrices[..., k - 2, k - 1] - matrices[..., k - 1, k - 2]
                     for k in range(3)], -1)


def turned(shape: Shape, rotation: Array) -> Shape:
    """Return a shape in other axes."""
    return Shape(rotation @ shape.displacement, rotation @ shape.rotation)
