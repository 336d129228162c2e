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
Mass matrix and bias of one flexible link, by its shape integrals.

Lin's equation is that of a rigid body, with a derivative that takes the same form in all moving
axes. With the twist V = (v; w) of the axes, in these axes, and P = (p; H) the momentum and the
angular momentum about their origin::

    D P = (f; n),    D = d/dt + V x*,    V x* = [ w~   0 ]
                                                [ v~  w~ ]

In other axes, which move against these in any way, P becomes X P, and D P becomes X D P. The
momenta of a link that bends are linear in V and in the rates of its extended coordinates b, whose
modes are linear, ``(p; H) = [m 1, -s~, S; s~, J, C] (v; w; b')``. So D P, and Lagrange's equation
for b, on which axes have no influence, are, with the acceleration ``o'' = v' + w x v`` of the
origin against an inertial frame, resolved in these axes::

    [ m 1   -s~   S ] [ o'' ]   [ h_v ]   [ f ]
    [ s~     J    C ] [ w'  ] + [ h_w ] = [ n ]
    [ S^T   C^T   M ] [ b'' ]   [ h_b ]   [ Q ]

    h_v = w x (w x s) + 2 w x S b'
    h_w = w x J w + 2 sum_j b'_j G_j w
    h_b,j = -w^T G_j w + 2 sum_k b'_k w . (C_k column j)

with s = S0 + S b, J = J0 + sum_j b_j (N_j + N_j^T) + sum_jk b_j b_k N_jk, C = C0 + sum_j b_j C_j
and G_j = N_j + sum_k b_k N_kj. The coordinates b are a and products of a: ``b' = B(a) a'`` and
``b'' = B a'' + B' a'``, by which the last row is projected.

All arrays may be of complex numbers, so that derivatives follow from complex steps, or of the
symbols of a trace, so that the same text becomes machine code.

References
----------
Lin, Dynamic equation of flexible manipulator, 1995, corrected; Shabana, Dynamics of Multibody
Systems, 2005, section 5.

"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.stacks.stacks import apply
from mbd_ros.model.flexible.segments import Segment
from mbd_ros.model.flexible.shape_integrals import cross_matrices, ElasticBody
from mbd_ros.spatial.dense import factors, solve

Array = NDArray[Any]
"""Real numbers, complex ones, or symbols."""


def cross(a: Array, b: Array) -> Array:
    """Return the cross products of vectors (..., 3); quicker than NumPy's for few of them."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], -1)


def solved(matrices: Array, right: Array) -> Array:
    """Return ``M^-1 x`` of symmetric positive definite matrices (N, n, n) and x (N, n, k)."""
    if matrices.dtype != object:
        result: Array = np.linalg.solve(matrices, right)
        return result
    result = np.zeros(right.shape, object)
    for matrix, given, found in zip(matrices, right, result):
        lower, inverse = factors(matrix.tolist())
        for k, column in enumerate(given.T.tolist()):
            found[:, k] = solve(lower, inverse, column)
    return result


def mirrored(matrices: Array) -> Array:
    """Return matrices that are symmetric but for rounding with the upper triangle in both."""
    i, j = np.tril_indices(matrices.shape[1], -1)
    matrices[:, i, j] = matrices[:, j, i]  # of symbols the lower triangle is not computed then
    return matrices


class Extended(NamedTuple):
    """Extended coordinates (N, ne), their derivative by a (N, ne, nf), rates, and ``B' a'``."""

    values: Array
    by_a: Array
    rates: Array
    bias: Array


def extended(body: ElasticBody, a: Array, rates: Array) -> Extended:
    """
    Return the extended coordinates b = (a, products of a).

    Parameters
    ----------
    body : ElasticBody
        The link.
    a, rates : (N, nf) array
        Its elastic coordinates, and their rates.

    """
    count, states = body.count, len(a)
    j, k = body.pairs
    by_a = np.zeros((states, count + len(j), count), np.result_type(a, rates))
    by_a[:, range(count), range(count)] = 1.0
    rows = range(count, count + len(j))
    by_a[:, rows, j] += a[:, k]
    by_a[:, rows, k] += a[:, j]
    bias = np.zeros(by_a.shape[:2], by_a.dtype)
    bias[:, count:] = 2.0 * rates[:, j] * rates[:, k]
    return Extended(np.hstack([a, a[:, j] * a[:, k]]), by_a,
                    apply(by_a, rates), bias)


class BodyTerms(NamedTuple):
    """Mass matrix (N, 6 + nf, 6 + nf) and bias (N, 6 + nf) with elastic and damping forces."""

    mass: Array
    bias: Array


def stiffened(terms: BodyTerms, body: ElasticBody, half: Array) -> BodyTerms:
    """Return them with ``M + h D + h^2 K`` in the modal rows, h (N, 1) half a step."""
    mass, h = terms.mass.copy(), half[:, :, None]
    mass[:, 6:, 6:] = mass[:, 6:, 6:] + h * body.damping + h * h * body.stiffness
    return BodyTerms(mass, terms.bias)


def implicit_terms(terms: BodyTerms, body: ElasticBody, start: tuple[Array, Array],
                   middle: tuple[Array, Array], half: Array) -> BodyTerms:
    """Return them with the elastic and damping forces of a and rates half a step from a start."""
    (a, rates), (a_m, rates_m) = start, middle
    bias = terms.bias.copy()
    bias[:, 6:] = (bias[:, 6:] + (a + half * rates - a_m) @ body.stiffness
                   + (rates - rates_m) @ body.damping)
    return BodyTerms(terms.mass, bias)


def body_terms(segment: Segment, b: Extended | None, a: Array, rates: Array, w: Array
               ) -> BodyTerms:
    """
    Return mass matrix and bias of a segment.

    Parameters
    ----------
    segment : Segment
        A rigid or flexible body.
    b : Extended, optional
        Its extended coordinates; None for a rigid one.
    a, rates : (N, nf) array
        Elastic coordinates and their rates.
    w : (N, 3) array
        Angular velocity in its own axes [rad/s].

    Returns
    -------
    BodyTerms
        Rows force, moment about the origin, modal forces. Gravity is not in it: it is the
        acceleration of the base.

    """
    count, states = a.shape[1], len(a)
    kind = np.result_type(a, rates, w)
    s = np.zeros((states, 3), kind) + segment.first_moment
    inertia = np.zeros((states, 3, 3), kind) + segment.inertia
    mass = np.zeros((states, 6 + count, 6 + count), kind)
    bias = np.zeros((states, 6 + count), kind)
    body = segment.elastic
    if body is not None and b is not None:
        n, rotations, ne = body.couplings, body.rotation_changes, b.values.shape[1]

        def of_b(values: Array, table: Array) -> Array:  # sum_k values_k table_k
            found: Array = values @ table.reshape(ne, -1)
            return found.reshape(states, *table.shape[1:])

        changes = of_b(b.values, body.second_couplings)  # G_j - N_j
        half = of_b(b.values, n)
        s = s + b.values @ body.first_moments.T
        inertia = mirrored(inertia + half + half.transpose(0, 2, 1) + (
            b.values[:, None] @ changes.reshape(states, ne, 9)).reshape(states, 3, 3))
        coupling = body.rotations + of_b(b.values, rotations)
        turned = (n + changes) @ w[:, None, :, None]  # G_j w
        strained = np.zeros_like(b.values)
        strained[:, :count] = a @ body.stiffness
        strained[:, count:] = b.values[:, count:] @ body.second_stiffness
        forces = (strained + 2.0 * apply(of_b(b.rates, rotations).transpose(0, 2, 1), w)
                  - apply(turned[..., 0], w) + b.bias @ body.mass)
        moved = b.rates @ body.first_moments.T
        bias[:, :3] += 2.0 * cross(w, moved) + b.bias @ body.first_moments.T
        bias[:, 3:6] += 2.0 * (b.rates[:, None] @ turned[..., 0])[:, 0] + apply(coupling, b.bias)
        mass[:, :3, 6:] = body.first_moments @ b.by_a
        mass[:, 3:6, 6:] = coupling @ b.by_a
        mass[:, 6:, :6] = mass[:, :6, 6:].transpose(0, 2, 1)
        back = b.by_a.transpose(0, 2, 1)
        mass[:, 6:, 6:] = mirrored(back @ (body.mass @ b.by_a))
        bias[:, 6:] = apply(back, forces) + rates @ body.damping
    mass[:, range(3), range(3)] = segment.mass
    moment = cross_matrices(s)
    mass[:, 3:6, :3], mass[:, :3, 3:6], mass[:, 3:6, 3:6] = moment, -moment, inertia
    bias[:, :3] += cross(w, cross(w, s))
    bias[:, 3:6] += cross(w, apply(inertia, w))
    return BodyTerms(mass, bias)
