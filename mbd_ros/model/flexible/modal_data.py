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
Mass points of a flexible link, and how they move with its elastic coordinates.

A point moves by ``Phi a`` plus, where bending shortens a beam, a part of second order in a:
``u_x = -1/2 a^T H(x) a`` with ``H_ij = int_0^x phi_i' phi_j'``, summed over both bending planes.
That is written as further columns of Phi for the products ``a_j a_l``, so that the displacement is
``Phi b`` with the extended coordinates ``b = (a, products of a)``: linear modes in b.

"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import Beam, FlexibleBody
from mbd_ros.description.records.modal import ShapeIntegrals
from mbd_ros.errors import DescriptionError
from mbd_ros.model.flexible.beam_modes import (
    bending_modes, PlaneModes, rotary_inertia, scale, stations, torsion_modes)

Array = NDArray[np.float64]

ROUNDING = 1e-9
"""Of the length: places of a description that are the same are closer."""


class Shape(NamedTuple):
    """Displacement (3, ne) and rotation (3, nf) per coordinate at a place of a link."""

    displacement: Array
    rotation: Array


class Integrals(NamedTuple):
    """S (3, ne), N_j (ne, 3, 3), N_jk (ne, ne, 3, 3) and M (ne, ne) of ``shape_integrals``."""

    first_moments: Array
    couplings: Array
    second_couplings: Array
    mass: Array


class ModalData(NamedTuple):
    """
    A flexible link in the frame of its annotation.

    Attributes
    ----------
    names : tuple of str
        Of the nf elastic coordinates: ``bend_y_1``, ``twist_1``, or ``mode_1``.
    points : (k, 3) array
        Mass points while nothing is bent [m].
    masses : (k,) array
        [kg].
    shapes : (k, 3, ne) array
        Their displacement per extended coordinate.
    pairs : (2, ne - nf) array
        Which two coordinates each further extended coordinate is the product of.
    stiffness, damping : (nf, nf) array
        Modal matrices.
    second_stiffness : (ne - nf, ne - nf) array
        Of the products of coordinates.
    length : float
        Of the link [m], to judge how large a deflection is.
    shape_at : callable
        ``(joint, position, turns) -> Shape`` where something sits; whether it matters how it turns
        there.
    integrals : Integrals, optional
        Where they do not follow from the mass points.

    """

    names: tuple[str, ...]
    points: Array
    masses: Array
    shapes: Array
    pairs: NDArray[np.intp]
    stiffness: Array
    damping: Array
    second_stiffness: Array
    length: float
    shape_at: Callable[[str, Array, bool], Shape]
    integrals: Integrals | None = None


def modal_data(body: FlexibleBody) -> ModalData:
    """Return the mass points, shapes and modal matrices of a flexible link."""
    return _of_points(body) if body.beam is None else _of_beam(body.beam)


def _of_points(body: FlexibleBody) -> ModalData:
    places = {point.joint: point for point in body.points if point.joint}
    count = isqrt(len(body.stiffness))
    given = body.integrals
    pairs = np.array(() if given is None else given.pairs, np.intp).reshape(2, -1)
    columns = count + pairs.shape[1]
    square = (count, count)

    def shape_at(joint: str, position: Array, turns: bool) -> Shape:
        near = [point for point in body.points if (point.joint or not turns) and np.linalg.norm(
            position - np.array(point.position)) <= ROUNDING * length]
        if joint not in places and np.linalg.norm(position) <= ROUNDING * length:
            return Shape(np.zeros((3, columns)), np.zeros((3, count)))   # clamped there
        if joint not in places and not near:
            raise DescriptionError(
                f"link '{body.link}': <mbd:flexible> has no <interface> for the joint '{joint}'; "
                'allowed: one for each joint that sits on the link, loop joints, springs, contact '
                f"points and thrusters included{'' if turns else ', or a <point> at its place'}",
                file=body.source.file, line=body.source.line)
        place = places.get(joint) or near[0]
        rotation = np.array(place.rotation or np.zeros(3 * count)).reshape(3, count)
        lever = position - np.array(place.position)
        displacement = np.array(place.shape).reshape(3, columns)
        displacement[:, :count] += np.cross(rotation, lever[:, None], axis=0)
        return Shape(displacement, rotation)

    length = float(np.linalg.norm([point.position for point in body.points], axis=1).max())
    shown = [point for point in body.points if given is not None or not point.joint]
    return ModalData(
        tuple(f'mode_{k + 1}' for k in range(count)),
        np.array([point.position for point in shown]), np.array([point.mass for point in shown]),
        np.array([point.shape for point in shown]).reshape(-1, 3, columns), pairs,
        np.array(body.stiffness).reshape(square), np.array(body.damping).reshape(square),
        np.zeros(2 * (pairs.shape[1],)) if given is None or not given.second_stiffness
        else np.array(given.second_stiffness).reshape(2 * (pairs.shape[1],)),
        length, shape_at,
        None if given is None else _given(given, columns))


def _given(found: ShapeIntegrals, columns: int) -> Integrals:
    """Return integrals as arrays; columns that are left out are zero."""
    mass, second = np.zeros(2 * (columns,)), np.zeros((columns, columns, 3, 3))
    size = isqrt(len(found.mass))
    mass[:size, :size] = np.reshape(found.mass, (size, size))
    size = isqrt(len(found.second_couplings) // 9)
    second[:size, :size] = np.reshape(found.second_couplings, (size, size, 3, 3))
    return Integrals(np.reshape(found.first_moments, (3, columns)),
                     np.reshape(found.couplings, (columns, 3, 3)), second,
                     0.5 * (mass + mass.T))


class _BeamShape:
    """The displacements and rotations of a beam's sections."""

    def __init__(self, beam: Beam) -> None:
        self.beam = beam
        self.planes: list[PlaneModes] = [
            bending_modes(beam, 0), bending_modes(beam, 1), torsion_modes(beam)]
        ends = np.cumsum(beam.modes).tolist()
        self.parts = [slice(end - count, end) for end, count in zip(ends, beam.modes)]
        self.count = int(ends[-1])
        pairs = [(j, k) for part in self.parts[:2] for j in range(part.start, part.stop)
                 for k in range(j, part.stop)] if beam.stiffening != 'false' else []
        self.pairs: NDArray[np.intp] = np.array(pairs, np.intp).reshape(-1, 2).T
        x, weights = stations(beam)
        self._nodes, self._weights = x / beam.length, weights / beam.length

    def rotation(self, x: Array) -> Array:
        """Return how sections at x (k,) turn: (k, 3, nf)."""
        result = np.zeros((len(x), 3, self.count))
        along_y, along_z, twist = self.parts
        result[:, 0, twist] = self.planes[2].rotation(x)
        result[:, 1, along_z] = -self.planes[1].rotation(x)
        result[:, 2, along_y] = self.planes[0].rotation(x)
        return result

    def displacement(self, x: Array) -> Array:
        """Return how the axis moves at x (k,): (k, 3, ne)."""
        result = np.zeros((len(x), 3, self.count + self.pairs.shape[1]))
        for axis, part, plane in zip((1, 2), self.parts, self.planes):
            result[:, axis, part] = plane.displacement(x)
        j, k = self.pairs
        result[:, 0, self.count:] = np.where(j == k, -0.5, -1.0) * self._shortening(x)[:, j, k]
        return result

    def _shortening(self, x: Array) -> Array:
        """Return ``H(x) = int_0^x phi' phi'^T`` (k, nf, nf), blocks of both bending planes."""
        inner = x[:, None] * self._nodes
        result = np.zeros((len(x), self.count, self.count))
        for part, plane in zip(self.parts[:2], self.planes):
            slope = plane.slope(inner)
            result[:, part, part] = np.einsum('kgi,kgj,kg->kij', slope, slope,
                                              x[:, None] * self._weights)
        return result

    def second_stiffness(self) -> Array:
        """
        Return the bending stiffness of the products of coordinates.

        Of an axis r(x) that keeps its length, the curvature is r''; the part of it along x is
        ``-(w_y' w_y'' + w_z' w_z'')``, of second order in a.
        """
        count = self.pairs.shape[1]
        if self.beam.stiffening != 'true':
            return np.zeros((count, count))
        x, weights = stations(self.beam)
        bending = np.zeros((len(x), self.count, self.count))
        j, k = self.pairs
        roots = np.sqrt(self.beam.bending_stiffness)
        for part, plane, root in zip(self.parts[:2], self.planes, roots):
            products = plane.slope(x)[:, :, None] * plane.curvature(x)[:, None, :]
            bending[:, part, part] = root * (products + products.transpose(0, 2, 1))
        columns = np.where(j == k, 0.5, 1.0) * bending[:, j, k]
        size = scale(self.beam, x) ** 4
        result: Array = columns.T @ ((weights * size)[:, None] * columns)
        return result

    def at(self, joint: str, position: Array, turns: bool) -> Shape:
        """Return the shape at a place; beyond the ends the section goes on rigidly."""
        x = np.clip(position[0], 0.0, self.beam.length)
        displacement, rotation = self.displacement(x[None])[0], self.rotation(x[None])[0]
        lever = position - np.array([x, 0.0, 0.0])
        displacement[:, :self.count] += np.cross(rotation, lever[:, None], axis=0)
        return Shape(displacement, rotation)


@lru_cache(maxsize=16)
def _of_beam(beam: Beam) -> ModalData:
    shape = _BeamShape(beam)
    x, weights = stations(beam)
    size = scale(beam, x)
    mass = beam.linear_density * size ** 2 * weights
    displacement, rotation = shape.displacement(x), shape.rotation(x)
    points, masses, shapes = [], [], []
    radii = np.sqrt(np.array(rotary_inertia(beam)) * 2.0 / beam.linear_density)
    # Four points in each section have its mass and its moments of inertia.
    for axis, sign in ((1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)):
        lever = np.zeros((len(x), 3))
        lever[:, axis] = sign * radii[axis - 1] * size
        points.append(lever + np.stack([x, 0.0 * x, 0.0 * x], axis=1))
        moved = displacement.copy()
        moved[:, :, :shape.count] += np.cross(rotation, lever[:, :, None], axis=1)
        shapes.append(moved)
        masses.append(0.25 * mass)
    stiffness = np.zeros((shape.count, shape.count))
    for part, plane in zip(shape.parts, shape.planes):
        stiffness[part, part] = plane.stiffness
    where, what, how = np.concatenate(points), np.concatenate(masses), np.concatenate(shapes)
    linear = how[:, :, :shape.count]
    modal_mass = np.einsum('k,kxi,kxj->ij', what, linear, linear)
    names = tuple(f'{kind}_{k + 1}' for kind, count in zip(
        ('bend_y', 'bend_z', 'twist'), beam.modes) for k in range(count))
    return ModalData(names, where, what, how, shape.pairs, stiffness,
                     _damping(beam, modal_mass, stiffness), shape.second_stiffness(),
                     beam.length, shape.at)


def _damping(beam: Beam, mass: Array, stiffness: Array) -> Array:
    """Return Rayleigh damping plus ``2 zeta omega`` of each mode of the beam alone."""
    alpha, beta = beam.rayleigh
    squares, modes = np.linalg.eigh(np.linalg.solve(
        lower := np.linalg.cholesky(mass), np.linalg.solve(lower, stiffness).T))
    rates = 2.0 * beam.damping_ratio * np.sqrt(np.maximum(squares, 0.0))
    half = lower @ modes
    result: Array = half * rates @ half.T + alpha * mass + beta * stiffness
    return result
