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
Mass centre, momentum and Coriolis matrix of robots with flexible links.

All for N states. A segment's twist with the rates of its elastic coordinates is ``x = T(q) v``, in
its own axes; ``T'`` and the rates of mass matrices are derivatives along v by complex steps.

"""

from __future__ import annotations

import numpy as np

from mbd_ros.dynamics.algorithms.flexible.link_inertia import Array, body_terms, extended
from mbd_ros.dynamics.algorithms.flexible.loads import inertias_around
from mbd_ros.dynamics.algorithms.flexible.loop_rows import twists
from mbd_ros.dynamics.algorithms.flexible.motion import place, Placed, tree_of_segments
from mbd_ros.execution.stacks.stacks import apply
from mbd_ros.model import Model
from mbd_ros.model.flexible.segments import Segment
from mbd_ros.model.flexible.shape_integrals import cross_matrices
from mbd_ros.model.state import configuration_rate

STEP = 1e-30
"""Of complex steps: its square is nothing beside 1, so that derivatives are exact."""


def center_of_mass(model: Model, q: Array) -> Array:
    """Return the mass centre (N, 3) of all segments [m]."""
    return _first_moment(model, _still(model, q)) / _mass(model)


def momentum_map(model: Model, q: Array) -> Array:
    """Return A (N, 6, nv): ``A v`` is the momentum about the mass centre, in world axes."""
    chain = _still(model, q)
    result = np.zeros((len(q), 6, model.nv))
    for own, columns in zip(chain, _motions(model, chain)):
        turn, origin = own.pose[:, :3, :3], own.pose[:, :3, 3]
        momenta = own.terms.mass[:, :6] @ columns
        linear = turn @ momenta[:, :3]
        result[:, :3] += linear
        result[:, 3:] += turn @ momenta[:, 3:] + cross_matrices(origin) @ linear
    center = _first_moment(model, chain) / _mass(model)
    result[:, 3:] -= cross_matrices(center) @ result[:, :3]
    return result


def center_of_mass_jacobian(model: Model, q: Array) -> Array:
    """Return J (N, 3, nv): ``J v`` is the velocity of the mass centre."""
    result: Array = momentum_map(model, q)[:, :3] / _mass(model)
    return result


def coriolis_matrix(model: Model, q: Array, v: Array, world: Array) -> Array:
    """
    Return C (N, nv, nv) with ``C v`` the velocity terms and ``dM/dt - 2 C`` skew-symmetric.

    ``C = sum T^T (M T' + B T)`` over the segments. With x = (V; a'), its matrix X of the motion
    cross product with V (zero for a'), the columns ``E_l = dM/da_l x`` for a' and zeros for V, and
    ``H m = m x* (M x)`` for twists m::

        B = (M' + E - E^T - X^T M + M X + H) / 2

    so that ``B x`` is the bias of the segment, and ``M' - 2 B`` is skew. Of rigid segments this
    is the matrix of rigid robots (``composites.coriolis_of_body``), in the axes of the body. What
    force laws add to M counts, with the columns ``dM/dx_l V`` for its changes along V.
    """
    stepped, around = along(model, q, v), inertias_around(model, _still(model, q), world)
    result = np.zeros((len(q), model.nv, model.nv))
    shift = model.nq - model.nv
    for i, (segment, own, motions) in enumerate(zip(
            tree_of_segments(model).segments, stepped, _motions(model, stepped))):
        mass, columns = own.terms.mass.real, motions.real
        x = apply(columns, v)
        size = mass.shape[1]
        own_changes = own.terms.mass.imag / STEP
        if i in around:
            added, slopes = around[i]
            mass, own_changes = mass.copy(), own_changes.copy()
            mass[:, :6, :6] += added
            own_changes[:, :6, :6] += np.einsum('nlij,nl->nij', slopes, x[:, :6])
        momenta = apply(mass[:, :6], x)
        cross, force = np.zeros((2, len(q), size, size))
        cross[:, :3, :3] = cross[:, 3:6, 3:6] = cross_matrices(x[:, 3:6])
        cross[:, :3, 3:6] = cross_matrices(x[:, :3])
        force[:, :3, 3:6] = force[:, 3:6, :3] = -cross_matrices(momenta[:, :3])
        force[:, 3:6, 3:6] = -cross_matrices(momenta[:, 3:])
        a = q[:, own.elastic.start + shift:own.elastic.stop + shift]
        changes = _by_coordinates(segment, a, x)
        if i in around:
            changes[:, :6, :6] += np.einsum('nlij,nj->nil', slopes, x[:, :6])
        back = cross.transpose(0, 2, 1)
        bias = 0.5 * (own_changes + changes - changes.transpose(0, 2, 1)
                      - back @ mass + mass @ cross + force)
        result += columns.transpose(0, 2, 1) @ (
            mass @ (motions.imag / STEP) + bias @ columns)
    return result


def _still(model: Model, q: Array) -> list[Placed]:
    return place(model, q, np.zeros((len(q), model.nv)))


def along(model: Model, q: Array, v: Array) -> list[Placed]:
    """Return all segments at rest, at configurations with a complex step along velocities v."""
    rates = np.array([configuration_rate(model, *one) for one in zip(q, v)]).reshape(q.shape)
    return _still(model, q + 1j * STEP * rates)


def _motions(model: Model, chain: list[Placed]) -> list[Array]:
    """Return T (N, 6 + n, nv) of each segment."""
    unit = np.eye(model.nv)
    return [np.concatenate([columns, unit[own.elastic][None].repeat(len(columns), 0)], axis=1)
            for own, columns in zip(chain, twists(model, chain))]


def _by_coordinates(segment: Segment, a: Array, x: Array) -> Array:
    """Return E (N, 6 + n, 6 + n): in the columns of a' ``dM/da_l x``."""
    count = a.shape[1]
    result = np.zeros((len(a), 6 + count, 6 + count))
    for k in range(count):
        moved = a + 1j * STEP * np.eye(count)[k]
        still = np.zeros_like(a)
        assert segment.elastic is not None
        terms = body_terms(segment, extended(segment.elastic, moved, still), moved, still,
                           np.zeros((len(a), 3)))
        result[:, :, 6 + k] = apply(terms.mass.imag / STEP, x)
    return result


def _mass(model: Model) -> float:
    return sum(segment.mass for segment in tree_of_segments(model).segments)


def _first_moment(model: Model, chain: list[Placed]) -> Array:
    """Return the sum of mass times position (N, 3) of all segments [kg m]."""
    result = np.zeros((len(chain[0].pose) if chain else 0, 3))
    for segment, own in zip(tree_of_segments(model).segments, chain):
        result = result + segment.mass * own.pose[:, :3, 3] + apply(
            own.pose[:, :3, :3], moment_of(own))
    return result


def moment_of(own: Placed) -> Array:
    """Return the first moment (N, 3) of a segment in its axes, as its mass matrix has it."""
    moments = own.terms.mass[:, 3:6, :3]
    return np.stack([moments[:, 2, 1], moments[:, 0, 2], moments[:, 1, 0]], axis=1)
