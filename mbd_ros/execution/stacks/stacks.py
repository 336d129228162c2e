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

"""Arrays in the place of scalars: the steps of a program for all states or bodies at once."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.stacks.steps import each, Stack, Step
from mbd_ros.model import JointType, Model
from mbd_ros.model.caches import owned
from mbd_ros.spatial import Link, Rotation, Vector3
from mbd_ros.spatial.joints import Coordinates


if TYPE_CHECKING:
    _Array = np.ndarray[Any, np.dtype[Any]]
else:
    _Array = np.ndarray


class Scalars(_Array):
    """An array that stands for a scalar; it knows the functions that ``spatial`` asks for."""

    def sine(self) -> Any:
        """Return the sine of each [rad]."""
        return np.sin(self)

    def cosine(self) -> Any:
        """Return the cosine of each [rad]."""
        return np.cos(self)

    def root(self) -> Any:
        """Return the square root of each."""
        return np.sqrt(self)

    def tanh(self) -> Any:
        """Return the hyperbolic tangent of each."""
        return np.tanh(self)

    def step(self) -> Any:
        """Return 0 where one is 0 or less, else 1."""
        return np.where(self <= 0.0, 0.0, 1.0).view(Scalars)

    @property
    def trace(self) -> Any:
        """Return what evaluates the operators of ``spatial`` that have no sign of their own."""
        return Elementwise


class Elementwise:
    """Operators of ``spatial/vector.py`` on arrays, under the names by which they are recorded."""

    @staticmethod
    def record(name: str, value: Any, other: Any) -> Any:
        """Return the result of an operator."""
        value, other = np.asarray(value), np.asarray(other)
        if name == 'or_infinite':
            return np.where((value > 0.0) & (value > other), value, np.inf).view(Scalars)
        if name == 'or_nan':
            return np.where(value <= other, np.nan, value).view(Scalars)
        return np.where(value > other, value, other).view(Scalars)


def vectors(stack: Stack) -> Vector3:
    """Return a stack (..., 3) of vectors as one record of scalars."""
    return Vector3(*(stack[..., k].view(Scalars) for k in range(3)))


def rotations(stack: Stack) -> Rotation:
    """Return a stack of rotation matrices (..., 3, 3) as one record of scalars."""
    return Rotation(*(vectors(stack[..., k]) for k in range(3)))


def vector_stack(vector: Vector3, shape: tuple[int, ...]) -> Stack:
    """Return a record as a stack (*shape, 3)."""
    return np.stack([np.broadcast_to(np.asarray(entry), shape) for entry in vector], axis=-1)


def apply(matrices: Stack, vectors: Stack) -> Stack:
    """Return the products (..., m, k) (..., k) of matrices and vectors."""
    product: Stack = (matrices @ vectors[..., None])[..., 0]
    return product


def cross_matrices(vectors: Stack) -> Stack:
    """Return for each vector (..., 3) the matrix (..., 3, 3) of its cross product."""
    found = np.zeros((*vectors.shape, 3), dtype=vectors.dtype)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        found[..., k, j], found[..., j, k] = vectors[..., i], -vectors[..., i]
    return found


def transforms(turns: Stack, places: Stack) -> Stack:
    """Return what takes accelerations (6,), angular first, of parents to bodies fixed to them."""
    return of_parts(turns, levers(turns, places))


def levers(turns: Stack, places: Stack) -> Stack:
    """Return the lower left parts (..., 3, 3) of transforms."""
    return -np.swapaxes(turns, -1, -2) @ cross_matrices(places)


def of_parts(turns: Stack, lever: Stack) -> Stack:
    """Return transforms with given lower left parts."""
    found = np.zeros((*turns.shape[:-2], 6, 6), dtype=turns.dtype)
    found[..., :3, :3] = found[..., 3:, 3:] = np.swapaxes(turns, -1, -2)
    found[..., 3:, :3] = lever
    return found


def local_links(model: Model, q: Stack, threads: int = 1) -> tuple[Stack, Stack]:
    """
    Return the poses of all bodies in their parents.

    Parameters
    ----------
    model : Model
        The robot.
    q : array
        (N, nq).
    threads : int
        Among which the bodies are shared.

    Returns
    -------
    rotations : array
        (nb, N, 3, 3) ``R_PB``: axes of the body in its parent's, as columns.
    translations : array
        (nb, N, 3) origin of the body in its parent's axes [m].

    """
    found = [(one.bodies, _link_of(one.kind)(one.rotations, one.translations, np.swapaxes(
        q.T[one.entries], 1, 2), threads=threads)) for one in _joints_of(model)]
    if len(found) == 1:
        return found[0][1]
    turns = np.empty((model.nb, len(q), 3, 3), dtype=q.dtype)
    places = np.empty((model.nb, len(q), 3), dtype=q.dtype)
    for bodies, (turn, place) in found:
        turns[bodies], places[bodies] = turn, place
    return turns, places


class _Joints(NamedTuple):
    """The bodies with one kind of joint: their fixed poses, and their entries of q (n, nq)."""

    kind: JointType
    bodies: NDArray[np.int64]
    rotations: Stack
    translations: Stack
    entries: NDArray[np.int64]


@owned()
def _joints_of(model: Model) -> list[_Joints]:
    found = []
    for kind in sorted(set(model.joint_types)):
        bodies = np.array([i for i, one in enumerate(model.joint_types) if one is kind])
        found.append(_Joints(kind, bodies, model.rotations[bodies, None], model.translations[
            bodies, None], np.array(model.q_offsets)[bodies, None] + np.arange(kind.nq)))
    return found


@cache
def _link_of(kind: JointType) -> Step:
    """Return what gives the pose of a body in its parent, by the kind of its joint."""
    @each
    def link(rotation: Stack, translation: Stack, q: Stack) -> tuple[Stack, Stack]:
        found = kind.pair(Coordinates(tuple(
            q[..., k].view(Scalars) for k in range(kind.nq)), (), (), ())).link(
                Link(rotations(rotation), vectors(translation)))
        shape = q.shape[:-1]
        return np.stack([vector_stack(found.rotation.axis(k), shape) for k in range(3)],
                        axis=-1), vector_stack(found.translation, shape)
    return link
