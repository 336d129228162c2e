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

"""Shape integrals of a flexible link, as finite-element codes have them."""

from __future__ import annotations

from dataclasses import dataclass

MOST_COLUMNS = 500
"""Coordinates and products of these: their second couplings are 18 MB."""


@dataclass(frozen=True, slots=True)
class ShapeIntegrals:
    """
    Integrals over the mass of a link with n modes, and with p products of their coordinates.

    With mass elements m at p, the columns phi_j of their shapes, and the cross product matrix
    ``p~``; all by rows, in the frame of the annotation.

    Attributes
    ----------
    mass : tuple of float
        ``sum m phi_j . phi_k`` of n or n + p columns [kg for shapes without unit].
    first_moments : tuple of float
        ``sum m phi_j``, (3, n + p) [kg].
    couplings : tuple of float
        ``sum m p~^T phi_j~``, (n + p, 3, 3) [kg m].
    second_couplings : tuple of float
        ``sum m phi_j~^T phi_k~`` of n or n + p columns, (n, n, 3, 3) [kg].
    pairs : tuple of int
        Numbers from 0 of the two coordinates of each product, (2, p).
    second_stiffness : tuple of float
        Of the products, (p, p); empty: none.

    """

    mass: tuple[float, ...]
    first_moments: tuple[float, ...]
    couplings: tuple[float, ...]
    second_couplings: tuple[float, ...]
    pairs: tuple[int, ...] = ()
    second_stiffness: tuple[float, ...] = ()
