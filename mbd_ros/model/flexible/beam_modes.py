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
Modes of beams by one finite element of high order.

Each bending plane is a Timoshenko beam along x: the slope is the section's rotation theta plus the
shear strain gamma, ``w' = theta + gamma``; without shear strain it is an Euler-Bernoulli beam. The
unknowns are the coefficients of the curvature theta' and of gamma in Legendre polynomials, so that
the clamped root is exact and the stiffness is well conditioned. Torsion is the same with the
twist rate.

References
----------
Szabo, Babuska, Finite Element Analysis, 1991 (p-version).

"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import Beam

Array = NDArray[np.float64]


class PlaneModes(NamedTuple):
    """
    Modes in one bending plane, or of torsion.

    Attributes
    ----------
    length : float
        Of the beam [m].
    rates, shears : (terms, count) array
        Coefficients of theta' and gamma of each mode in Legendre polynomials of 2 x / L - 1.
    stiffness : (count, count) array
        Modal stiffness.

    """

    length: float
    rates: Array
    shears: Array
    stiffness: Array

    def rotation(self, x: Array) -> Array:
        """Return theta (..., count) at places x, for torsion the twist."""
        return _integrals(x, self.length, len(self.rates), 1) @ self.rates

    def displacement(self, x: Array) -> Array:
        """Return w (..., count) at places x."""
        terms = len(self.rates)
        return (_integrals(x, self.length, terms, 2) @ self.rates
                + _integrals(x, self.length, terms, 1) @ self.shears)

    def slope(self, x: Array) -> Array:
        """Return w' (..., count) at places x."""
        return self.rotation(x) + _integrals(x, self.length, len(self.rates), 0) @ self.shears

    def curvature(self, x: Array) -> Array:
        """Return theta' (..., count) at places x."""
        return _integrals(x, self.length, len(self.rates), 0) @ self.rates


def stations(beam: Beam) -> tuple[Array, Array]:
    """Return places along a beam and their weights, for integrals that are exact to rounding."""
    points, weights = legendre.leggauss(2 * _terms(beam) + 8)
    return 0.5 * beam.length * (points + 1.0), 0.5 * beam.length * weights


def scale(beam: Beam, x: Array) -> Array:
    """Return the linear dimensions of the section at x against those at the root."""
    result: Array = 1.0 + (beam.taper - 1.0) * x / beam.length
    return result


def bending_modes(beam: Beam, plane: int) -> PlaneModes:
    """
    Return the modes of bending along y (plane 0) or z (plane 1).

    ``boundary='free'``: those of the beam clamped at the root and free at the tip, or with the tip
    mass there. ``'craig_bampton'``: the static shapes of a unit displacement and of a unit turn of
    the tip, then the modes with the tip held. Free modes have tip displacement 1.

    Parameters
    ----------
    beam : Beam
        The beam.
    plane : int
        0 or 1.

    Returns
    -------
    PlaneModes
        As many as ``beam.modes`` asks for.

    """
    count, terms = beam.modes[plane], _terms(beam)
    if not count:
        return _none(beam)
    x, weights = stations(beam)
    size = scale(beam, x)
    values = [_integrals(x, beam.length, terms, order) for order in range(3)]
    shear = beam.shear_stiffness[plane]
    stiffness = _gram(values[0], beam.bending_stiffness[plane] * size ** 4 * weights)
    w, theta = values[2], values[1]
    tip_w, tip_theta = (_integrals(np.array(beam.length), beam.length, terms, order)
                        for order in (2, 1))
    if shear:
        sheared = _gram(values[0], shear * size ** 2 * weights)
        none = np.zeros_like(sheared)
        stiffness = np.block([[stiffness, none], [none, sheared]])
        w, theta = np.hstack([w, values[1]]), np.hstack([theta, np.zeros_like(theta)])
        tip_w = np.append(tip_w, _integrals(np.array(beam.length), beam.length, terms, 1))
        tip_theta = np.append(tip_theta, np.zeros(terms))
    mass = _gram(w, beam.linear_density * size ** 2 * weights)
    if shear:  # of an Euler-Bernoulli beam it is in the equations, but not in its modes
        mass += _gram(theta, rotary_inertia(beam)[plane] * size ** 4 * weights)
    mass += beam.tip_mass * np.outer(tip_w, tip_w)
    if beam.boundary == 'craig_bampton':
        shapes = _fixed_interface(stiffness, mass, np.array([tip_w, tip_theta]), count)
    else:
        shapes = _lowest(stiffness, mass, count)
        shapes /= tip_w @ shapes
    shears = shapes[terms:] if shear else np.zeros((terms, count))
    return PlaneModes(beam.length, shapes[:terms], shears, shapes.T @ stiffness @ shapes)


def torsion_modes(beam: Beam) -> PlaneModes:
    """Return the modes of torsion, clamped and free or Craig-Bampton; twist 1 at the tip."""
    count, terms = beam.modes[2], _terms(beam)
    if not count:
        return _none(beam)
    x, weights = stations(beam)
    size = scale(beam, x)
    rate, twist = (_integrals(x, beam.length, terms, order) for order in (0, 1))
    stiffness = _gram(rate, beam.torsional_stiffness * size ** 4 * weights)
    mass = _gram(twist, beam.torsional_inertia * size ** 4 * weights)
    tip = _integrals(np.array(beam.length), beam.length, terms, 1)
    if beam.boundary == 'craig_bampton':
        shapes = _fixed_interface(stiffness, mass, tip[None], count)
    else:
        shapes = _lowest(stiffness, mass, count)
        shapes /= tip @ shapes
    return PlaneModes(beam.length, shapes, np.zeros((terms, count)),
                      shapes.T @ stiffness @ shapes)


def _none(beam: Beam) -> PlaneModes:
    return PlaneModes(beam.length, np.zeros((1, 0)), np.zeros((1, 0)), np.zeros((0, 0)))


def rotary_inertia(beam: Beam) -> tuple[float, float]:
    """
    Return the moments of inertia per length for bending along y and along z [kg m].

    As given, else the torsional inertia shared in the ratio of the bending stiffnesses, which is
    that of a homogeneous section.
    """
    if any(beam.rotary_inertia):
        return beam.rotary_inertia
    along_y, along_z = beam.bending_stiffness
    share = along_y / (along_y + along_z) if along_y and along_z else 0.5
    return share * beam.torsional_inertia, (1.0 - share) * beam.torsional_inertia


def _terms(beam: Beam) -> int:
    """Return the number of polynomials: more than three for each half wave."""
    return 18 + 4 * max(beam.modes)


def _integrals(x: Array, length: float, terms: int, order: int) -> Array:
    """Return the Legendre polynomials of 2 x / L - 1, integrated ``order`` times from 0 to x."""
    coefficients = legendre.legint(np.eye(terms), m=order, lbnd=-1, scl=0.5 * length)
    values: Array = np.asarray(legendre.legval(2.0 * x / length - 1.0, coefficients), np.float64)
    return np.moveaxis(values, 0, -1)


def _gram(values: Array, weights: Array) -> Array:
    return values.T @ (weights[:, None] * values)


def _lowest(stiffness: Array, mass: Array, count: int) -> Array:
    """Return the eigenvectors of lowest frequency: those of the largest 1 / omega^2."""
    lower = np.linalg.cholesky(stiffness)
    scaled = np.linalg.solve(lower, np.linalg.solve(lower, mass).T)
    _, vectors = np.linalg.eigh(0.5 * (scaled + scaled.T))
    return np.linalg.solve(lower.T, vectors[:, ::-1][:, :count])


def _fixed_interface(stiffness: Array, mass: Array, tip: Array, count: int) -> Array:
    """Return the static shapes for unit motions of the tip, then modes with the tip held."""
    flexibility = np.linalg.solve(stiffness, tip.T)
    static = flexibility @ np.linalg.inv(tip @ flexibility)
    held = np.linalg.qr(tip.T, mode='complete')[0][:, len(tip):]
    modes = held @ _lowest(held.T @ stiffness @ held, held.T @ mass @ held, count - len(tip))
    if modes.shape[1]:
        modes /= np.abs(modes).max(axis=0)
    return np.hstack([static, modes])
