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
A flexible link from the matrices of a finite-element code.

The nodes of the root are clamped. What is left of the n modes of the free link, or Craig and
Bampton's static shapes of the joints that sit on it and modes with these held, is projected onto
mass and stiffness. The nodes become mass points: row sums of the mass matrix, of nodes that turn
six points each, which have their moments of inertia, too. As integrals the matrices are kept:
modal mass, first moments and their couplings with rotations are those of the mass matrix, and only
how the moments of inertia change is that of the points.

References
----------
Craig and Bampton, Coupling of substructures for dynamic analyses, AIAA Journal 6, 1968.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
import scipy

from mbd_ros.description.records.mechanism import (
    FlexibleBody, Inertia, ModalPoint, Pose, Vector3)
from mbd_ros.description.records.modal import ShapeIntegrals
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError
from mbd_ros.model.flexible.exported import as_record
from mbd_ros.model.flexible.modal_data import Integrals
from mbd_ros.model.flexible.shape_integrals import cross_matrices, point_integrals

Array = NDArray[np.float64]

MOST = 10_000
"""Degrees of freedom of a finite-element model: dense matrices of 0.8 GB."""
ROUNDING = 1e-9
"""Of a matrix scaled to the diagonal 1: how unsymmetric it may be."""
GEOMETRIC, LOADS = 'geometric_stiffness', 12
"""The loads of a whole link: 3 accelerations, 3 angular ones, 6 products of rates."""
HELD = 1e-9
"""Least eigenvalue of a structure that is held, against that of its n-th mode."""


class FiniteElements(NamedTuple):
    """
    A finite-element model of one link.

    Attributes
    ----------
    points : (k, 3) array
        Nodes, in the frame of the link [m].
    mass, stiffness : (d k, d k) array
        By nodes, each with d = 3 displacements, or 6: displacements, then rotations.
    root : (r,) array of int
        Nodes that the link's own joint holds.
    joints : mapping of str to (s,) array of int
        Nodes that carry each joint on the link.
    loads : mapping of str to (l, d k, d k) array
        Geometric stiffness under unit loads, by the names of arrays of modal files.

    """

    points: Array
    mass: Array
    stiffness: Array
    root: NDArray[np.intp]
    joints: Mapping[str, NDArray[np.intp]]
    loads: Mapping[str, Array] = {}


class ReducedLink(NamedTuple):
    """
    What is left of it.

    Attributes
    ----------
    body : FlexibleBody
        Mass points, or integrals, and shapes.
    inertia : Inertia
        Of the mass points, or of the mass matrix, for the ``<inertial>`` of the link.
    frequencies, of_points : (n,) array
        With the root clamped [Hz]: of the matrices, reduced to the shapes, and of the points.
    loads : mapping of str to (l, n, n) array
        Geometric stiffness of the shapes.

    """

    body: FlexibleBody
    inertia: Inertia
    frequencies: Array
    of_points: Array
    loads: Mapping[str, Array] = {}


def checked(points: Array, mass: Array, stiffness: Array, root: Sequence[int],
            joints: Mapping[str, Sequence[int]], loads: Mapping[str, Array] | None = None
            ) -> FiniteElements:
    """
    Return a finite-element model, checked; arguments are those of ``FiniteElements``.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If sizes do not fit, matrices are not symmetric, or nodes do not exist.

    """
    found = {'points': np.asarray(points), 'mass': np.asarray(mass),
             'stiffness': np.asarray(stiffness)}
    for name, array in found.items():
        if array.dtype.kind not in 'fiu' or array.ndim != 2:
            raise ShapeError(name, array.shape, 'a matrix of real numbers')
        if not np.isfinite(array).all():
            raise NotFiniteError(name, 'the finite-element model', float('nan'))
    places, m, k = (np.asarray(array, np.float64) for array in found.values())
    count = len(places)
    if places.shape[1:] != (3,) or not count:
        raise ShapeError('points', places.shape, '(k, 3), one row for each node')
    for name, matrix in (('mass', m), ('stiffness', k)):
        if matrix.shape not in ((3 * count, 3 * count), (6 * count, 6 * count)) or (
                matrix.shape != m.shape):
            raise ShapeError(name, matrix.shape, f'(3 k, 3 k) or (6 k, 6 k), both alike, with '
                             f'k = {count} nodes')
        scale = np.sqrt(np.abs(np.diag(matrix)))
        off = np.abs(matrix - matrix.T) > ROUNDING * np.maximum.outer(scale, scale) ** 2
        if off.any():
            i, j = np.argwhere(off)[0]
            raise InvalidValueError(f'{name}[{i}, {j}]', float(matrix[i, j]),
                                    f'{matrix[j, i]:.9g}, as [{j}, {i}] is: a symmetric matrix')
    if len(m) > MOST:
        raise InvalidValueError('number of degrees of freedom', len(m), f'at most {MOST}')
    nodes = {name: np.asarray(values) for name, values in (('root', root), *joints.items())}
    for name, numbers in nodes.items():
        if numbers.ndim != 1 or not len(numbers) or numbers.dtype.kind not in 'iu' or not (
                (numbers >= 0) & (numbers < count)).all():
            raise InvalidValueError(f"nodes of '{name}'", numbers.tolist(),
                                    f'whole numbers from 0 to {count - 1}, at least one')
    held = nodes.pop('root')
    for name, numbers in nodes.items():
        if set(numbers.tolist()) & set(held.tolist()):
            raise InvalidValueError(f"nodes of '{name}'", numbers.tolist(), 'none of the root')
        if len(m) == 3 * count and np.linalg.matrix_rank(_rigid(places[numbers], 3)) < 6:
            raise InvalidValueError(f"nodes of '{name}'", numbers.tolist(),
                                    'three or more that are not in line, since they do not turn')
    given = {} if loads is None else dict(loads)
    for name, array in given.items():
        shape = (LOADS if name == GEOMETRIC else 3, *m.shape)
        if array.dtype.kind not in 'fiu' or array.shape != shape:
            raise ShapeError(name, array.shape, f'{shape}, of real numbers')
        if not np.isfinite(array).all():
            raise NotFiniteError(name, 'the finite-element model', float('nan'))
    return FiniteElements(places, 0.5 * (m + m.T), 0.5 * (k + k.T), held, nodes, given)


def reduced(link: str, model: FiniteElements, modes: int, *, boundary: str = 'free',
            damping_ratio: float = 0.0, integrals: bool = False) -> ReducedLink:
    """
    Reduce a finite-element model to a link that bends by a few shapes.

    Parameters
    ----------
    link : str
        Name of the link.
    model : FiniteElements
        As ``checked`` returns it.
    modes : int
        Number of shapes, 1 to 100.
    boundary : str, optional
        ``'free'``: modes of the clamped link. ``'craig_bampton'``: six static shapes for each
        joint on the link, then modes with these joints held.
    damping_ratio : float, optional
        Of every mode of the clamped link.
    integrals : bool, optional
        Whether the link is known by integrals, which keep the mass matrix, and not by mass points.

    Returns
    -------
    ReducedLink
        The link, and how well it stands for the model.

    Raises
    ------
    InvalidValueError
        If the numbers do not suit the model, the root does not hold it, or a node has no mass.

    """
    count = len(model.points)
    size = len(model.mass) // count
    free = np.setdiff1d(np.arange(count * size), _entries(model.root, size))
    statics = 6 * len(model.joints) if boundary == 'craig_bampton' else 0
    if boundary not in ('free', 'craig_bampton'):
        raise InvalidValueError('boundary', boundary, "'free' or 'craig_bampton'")
    if not max(1, statics) <= modes <= min(100, len(free)):
        raise InvalidValueError('modes', modes, f'{max(1, statics)} to {min(100, len(free))}')
    if not 0.0 <= damping_ratio < 1.0:
        raise InvalidValueError('damping_ratio', damping_ratio, 'from 0 to less than 1')
    shapes = np.zeros((count * size, modes))
    if statics:
        patches = np.concatenate([_entries(nodes, size) for nodes in model.joints.values()])
        moved = scipy.linalg.block_diag(*(
            _rigid(model.points[nodes], size) for nodes in model.joints.values()))
        inner = np.setdiff1d(free, patches)
        shapes[patches, :statics] = moved
        shapes[inner, :statics] = -np.linalg.solve(
            model.stiffness[np.ix_(inner, inner)],
            model.stiffness[np.ix_(inner, patches)] @ moved)
        free = inner
    if modes > statics:
        shapes[free, statics:] = _lowest(model, free, modes - statics)
    stiffness, mass = (shapes.T @ matrix @ shapes for matrix in (model.stiffness, model.mass))
    squares, vectors = scipy.linalg.eigh(stiffness, mass)
    rates = np.sqrt(np.maximum(squares, 0.0))
    weights = mass @ vectors
    damping = 2.0 * damping_ratio * weights * rates @ weights.T
    where, masses, displacements = _points(model, shapes)
    modal = np.einsum('k,kxi,kxj->ij', masses, displacements, displacements)
    by_points = scipy.linalg.eigvalsh(stiffness, modal)
    points = [ModalPoint(_vector(place), tuple(shape.ravel().tolist()), float(weight))
              for place, weight, shape in zip(where, masses, displacements)]
    points += [_interface(model, shapes, name, size) for name in model.joints]
    body = FlexibleBody(link, Pose(), None, tuple(points), tuple(stiffness.ravel().tolist()),
                        tuple(damping.ravel().tolist()))
    inertia = _inertia(where, masses)
    if integrals:
        rigid = _rigid(model.points, size, np.zeros(3))
        moved = shapes.reshape(count, size, -1)[:, :3]
        body = replace(
            body, integrals=_integrals(rigid.T @ model.mass @ shapes, mass,
                                       point_integrals(where, masses, displacements)),
            points=(*(ModalPoint(_vector(place), tuple(shape.ravel().tolist()))
                      for place, shape in zip(model.points, moved)), *points[len(where):]))
        inertia = _inertia_of(rigid.T @ model.mass @ rigid)
    return ReducedLink(body, inertia, rates / (2.0 * np.pi),
                       np.sqrt(np.maximum(by_points, 0.0)) / (2.0 * np.pi),
                       {name: shapes.T @ load @ shapes for name, load in model.loads.items()})


def _integrals(moments: Array, mass: Array, of_points: Integrals) -> ShapeIntegrals:
    """Return integrals with the moments (6, n), linear and angular, of a mass matrix."""
    skew = -0.5 * cross_matrices(moments[3:].T)
    couplings = of_points.couplings
    couplings = 0.5 * (couplings + couplings.transpose(0, 2, 1)) + skew
    return as_record(Integrals(moments[:3], couplings, of_points.second_couplings, mass))


def _entries(nodes: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """Return the numbers of all degrees of freedom of nodes."""
    result: NDArray[np.intp] = np.add.outer(size * nodes, np.arange(size)).ravel()
    return result


def _rigid(points: Array, size: int, about: Array | None = None) -> Array:
    """Return how nodes move (size s, 6) with a rigid body, about their middle or a point."""
    result = np.zeros((len(points), size, 6))
    arms = points - (points.mean(axis=0) if about is None else about)
    for axis, unit in enumerate(np.eye(3)):
        result[:, axis, axis] = 1.0
        result[:, :3, 3 + axis] = np.cross(unit, arms)
        if size == 6:
            result[:, 3 + axis, 3 + axis] = 1.0
    return result.reshape(-1, 6)


def _lowest(model: FiniteElements, free: NDArray[np.intp], count: int) -> Array:
    """Return the lowest modes of what is free, of modal mass 1."""
    stiffness, mass = (matrix[np.ix_(free, free)] for matrix in (model.stiffness, model.mass))
    try:
        squares, shapes = scipy.linalg.eigh(stiffness, mass, subset_by_index=[0, count - 1])
    except np.linalg.LinAlgError:
        raise InvalidValueError('mass', 'a matrix that is not positive definite', (
            'one whose every degree of freedom has mass')) from None
    if squares[0] <= HELD * squares[-1] or squares[0] <= 0.0:
        raise InvalidValueError('root', model.root.tolist(), (
            'nodes that hold the link: without stiffness it moves freely'))
    result: Array = shapes
    return result


def _points(model: FiniteElements, shapes: Array) -> tuple[Array, Array, Array]:
    """Return the mass points (p, 3), their masses (p,) and how they move (p, 3, n)."""
    count = len(model.points)
    size = len(model.mass) // count
    # [i, j, axis]: mass of node i along an axis as node j moves along it.
    along = model.mass.reshape(count, size, count, size).diagonal(axis1=1, axis2=3)
    masses = along.sum(axis=1)
    nodes = masses[:, :3].mean(axis=1)
    if nodes.min() < -ROUNDING * nodes.max():
        raise InvalidValueError('mass', f'row sums of {nodes.min():.3g} kg at node '
                                f'{int(nodes.argmin())}', 'rows that sum to a mass of 0 or more')
    moved = shapes.reshape(count, size, -1)
    some = nodes > ROUNDING * nodes.max()
    places, nodes, moved = model.points[some], nodes[some], moved[some]
    if size == 3:
        return places, nodes, moved
    turning = np.maximum(masses[some, 3:], 0.0)        # moments of inertia
    squares = 1.5 / nodes[:, None] * (turning.sum(axis=1, keepdims=True) - 2.0 * turning)
    arms = np.sqrt(np.maximum(squares, 0.0))           # m/3 (r_y^2 + r_z^2) = J_x, and so on
    levers = np.concatenate([sign * arms[:, axis, None] * np.eye(3)[axis]
                             for axis in range(3) for sign in (1.0, -1.0)])
    six = (np.tile(places, (6, 1)), np.tile(nodes, 6) / 6.0, np.tile(moved, (6, 1, 1)))
    return (six[0] + levers, six[1],
            six[2][:, :3] + np.cross(six[2][:, 3:], levers[:, :, None], axis=1))


def _interface(model: FiniteElements, shapes: Array, name: str, size: int) -> ModalPoint:
    """Return how a joint moves: as a rigid body that fits its nodes best."""
    nodes = model.joints[name]
    motion = np.linalg.lstsq(_rigid(model.points[nodes], size), shapes[_entries(nodes, size)],
                             rcond=None)[0]
    return ModalPoint(_vector(model.points[nodes].mean(axis=0)),
                      tuple(motion[:3].ravel().tolist()), 0.0,
                      tuple(motion[3:].ravel().tolist()), name)


def _inertia_of(matrix: Array) -> Inertia:
    """Return the inertia with a mass matrix (6, 6) about the origin."""
    mass = float(np.trace(matrix[:3, :3])) / 3.0
    coupled = 0.5 * (matrix[3:, :3] - matrix[3:, :3].T) / mass   # the cross product matrix of c
    center = np.array([coupled[2, 1], coupled[0, 2], coupled[1, 0]])
    moment = cross_matrices(center)
    x, y, z = (_vector(row) for row in matrix[3:, 3:] + mass * moment @ moment)
    return Inertia(mass, _vector(center), (x, y, z))


def _inertia(points: Array, masses: Array) -> Inertia:
    """Return the inertia of mass points."""
    mass = float(masses.sum())
    center = masses @ points / mass
    arms = points - center
    moments = masses @ (arms * arms)
    tensor = moments.sum() * np.eye(3) - np.einsum('k,kx,ky->xy', masses, arms, arms)
    x, y, z = (_vector(row) for row in tensor)
    return Inertia(mass, _vector(center), (x, y, z))


def _vector(values: Array) -> Vector3:
    x, y, z = values.tolist()
    return x, y, z
