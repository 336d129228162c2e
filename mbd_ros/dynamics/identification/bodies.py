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
Parameters of rigid bodies by construction, and the convex problem that finds them.

A body's parameters (mass, first moment, inertia about its origin) belong to a rigid body where its
pseudo-inertia is positive definite::

    P = [ (tr I / 2) 1 - I   m c ]
        [      (m c)^T         m ]

P is linear in them. The distance from the description P0 is the divergence of log-determinants
``tr(P0^-1 P) - log det(P0^-1 P) - 4``: zero at P0, infinite where P is no body, the same in all
frames and units. The sum of squares of a linear regression and of such distances is convex, and
Newton's method with its exact derivatives finds the one minimum. Numbers that cannot be negative
(damping, dry friction, rotor inertia) are pseudo-inertias of one row.

References
----------
Wensing, Kim, Slotine, Linear matrix inequalities for physically consistent inertial parameter
identification, 2018; Lee, Wensing, Park, Geometric robot dynamic identification: a convex
programming approach, 2020.

"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LEAST_SIZE = 1e-3
"""[m]: a body without extent gets the inertia of so small a ball, so that it can change at all."""
LEAST_MASS = 1e-6
"""[kg]."""
ENOUGH = 0.1
"""Part of the decrease a Newton step promises that it has to keep."""
STEPS = 200
"""Newton steps at most; 5 to 20 are usual."""


def _basis() -> Array:
    """Return the pseudo-inertias (10, 4, 4) of unit parameters."""
    found = np.zeros((10, 4, 4))
    found[0, 3, 3] = 1.0
    for k in range(3):
        found[1 + k, k, 3] = found[1 + k, 3, k] = 1.0
    for place, (i, j) in zip(range(4, 10), ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))):
        inertia = np.zeros((3, 3))
        inertia[i, j] = inertia[j, i] = 1.0
        found[place, :3, :3] = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    return found


BASIS = _basis()


def matrices(parameters: Array) -> Array:
    """Return the pseudo-inertias (..., 4, 4) of parameters (..., 10)."""
    return np.asarray(np.tensordot(parameters, BASIS, 1))


def parameters_of(pseudo: Array) -> Array:
    """Return the parameters (10,) of a pseudo-inertia (4, 4)."""
    second = pseudo[:3, :3]
    inertia = np.trace(second) * np.eye(3) - second
    return np.concatenate(([pseudo[3, 3]], pseudo[:3, 3], inertia[
        [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]))


def as_body(parameters: Array) -> Array:
    """Return the nearest pseudo-inertia (4, 4) of parameters (10,) that is positive definite."""
    pseudo = matrices(parameters)
    pseudo[3, 3] = mass = max(float(parameters[0]), LEAST_MASS)
    moment = pseudo[:3, 3]
    least = np.linalg.eigvalsh(pseudo[:3, :3] - np.outer(moment, moment) / mass)[0]
    pseudo[:3, :3] += max(mass * LEAST_SIZE ** 2 - least, 0.0) * np.eye(3)
    return pseudo


def inertia_matrix(entries: Array) -> Array:
    """Return the matrix (3, 3) of xx, xy, yy, xz, yz, zz."""
    xx, xy, yy, xz, yz, zz = entries
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@dataclass(frozen=True)
class Prior:
    """
    What is known before: bodies, then numbers above zero, then numbers of either sign.

    Parameters
    ----------
    bodies : array
        (B, 4, 4) pseudo-inertias.
    positive : array
        (p,) sizes that are usual.
    free : array
        (f,) standard deviations about zero; infinite where nothing is known.
    ease : float
        Weight of numbers beside that of bodies.

    """

    bodies: Array
    positive: Array
    free: Array
    ease: float

    @property
    def start(self) -> Array:
        """Return the unknowns (10 B + p + f,) of least distance."""
        return np.concatenate((*(parameters_of(one) for one in self.bodies), self.positive,
                               np.zeros_like(self.free)))

    def parts(self, x: Array) -> tuple[Array, Array, Array]:
        """Return parameters (B, 10), positive and free numbers of unknowns."""
        bodies, after = 10 * len(self.bodies), 10 * len(self.bodies) + len(self.positive)
        return x[:bodies].reshape(-1, 10), x[bodies:after], x[after:]

    def distance(self, x: Array) -> float:
        """Return the distance from what is known; infinite where x is no body."""
        bodies, positive, free = self.parts(x)
        pseudo = matrices(bodies)
        if not (positive > 0.0).all():
            return np.inf
        try:
            factors = np.linalg.cholesky(pseudo)
        except np.linalg.LinAlgError:
            return np.inf
        near = np.linalg.inv(self.bodies)
        _, described = np.linalg.slogdet(self.bodies)
        logs = 2.0 * np.log(np.einsum('bii->bi', factors)).sum() - described.sum()
        ratio = positive / self.positive
        return float((near * pseudo).sum() - logs - 4.0 * len(bodies) + self.ease * (
            (ratio - np.log(ratio) - 1.0).sum() + 0.5 * ((free / self.free) ** 2).sum()))

    def derivatives(self, x: Array) -> tuple[Array, Array]:
        """Return the gradient and the Hessian of the distance."""
        bodies, positive, free = self.parts(x)
        count = len(bodies)
        inverse = np.linalg.inv(matrices(bodies))
        gradient = np.empty_like(x)
        gradient[:10 * count] = np.einsum(
            'kij,bji->bk', BASIS, np.linalg.inv(self.bodies) - inverse).ravel()
        after = 10 * count + len(positive)
        gradient[10 * count:after] = self.ease * (1.0 / self.positive - 1.0 / positive)
        gradient[after:] = self.ease * free / self.free ** 2
        hessian = np.zeros((len(x), len(x)))
        slopes = inverse[:, None] @ BASIS
        blocks = slopes.reshape(count, 10, 16) @ slopes.swapaxes(2, 3).reshape(
            count, 10, 16).swapaxes(1, 2)
        for b in range(count):
            own = slice(10 * b, 10 * b + 10)
            hessian[own, own] = blocks[b]
        rest = np.arange(10 * count, len(x))
        hessian[rest, rest] = self.ease * np.concatenate(
            (1.0 / positive ** 2, 1.0 / self.free ** 2))
        return gradient, hessian


@dataclass(frozen=True)
class Squares:
    """
    A sum of squares ``|A x - b|^2 / 2`` by its products.

    Parameters
    ----------
    gram : array
        (n + 1, n + 1): ``[A b]^T [A b]``.

    """

    gram: Array

    def of(self, x: Array) -> float:
        """Return ``|A x - b|^2``."""
        y = np.append(x, -1.0)
        return float(max(y @ self.gram @ y, 0.0))


def minimum(squares: Squares, prior: Prior, weight: float, start: Array | None = None,
            precision: float = 1e-6) -> Array:
    """
    Return the unknowns of the least ``squares / 2 + weight * distance``.

    Parameters
    ----------
    squares : Squares
        Of the unknowns.
    prior : Prior
        What is known before.
    weight : float
        Of the prior, above zero.
    start : array, optional
        Unknowns within the bodies to begin with; the prior's if left out.
    precision : float
        Decrease of the distance below which it ends.

    """
    gram, right = squares.gram[:-1, :-1], squares.gram[:-1, -1]
    x = prior.start if start is None else start

    def value(at: Array) -> float:
        return float(0.5 * at @ gram @ at - right @ at + weight * prior.distance(at))

    now = value(x)
    for _ in range(STEPS):
        gradient, hessian = prior.derivatives(x)
        gradient = gram @ x - right + weight * gradient
        step = -solved(gram + weight * hessian, gradient)
        decrease = -float(gradient @ step)
        if decrease <= precision * weight + 1e-15 * abs(now):   # the second is of rounding
            break
        size, then = 1.0, np.inf
        while size > 1e-9:
            then = value(x + size * step)
            if then <= now - ENOUGH * size * decrease:
                break
            size *= 0.5
        else:
            break   # below rounding
        x, now = x + size * step, then
    return x


def solved(matrix: Array, right: Array) -> Array:
    """Return the solution of a symmetric positive system, scaled to ones on the diagonal."""
    scale = 1.0 / np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    scaled = matrix * scale * scale[:, None] + 1e-15 * np.eye(len(matrix))
    found = np.linalg.solve(scaled, (right.T * scale).T)
    return np.asarray((found.T * scale).T)
