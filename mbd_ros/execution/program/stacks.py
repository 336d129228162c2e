"""Arrays in the place of scalars: the steps of a program for all states or bodies at once."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mbd_ros.model import Model
from mbd_ros.spatial import Link, Rotation, Vector3
from mbd_ros.spatial.joints import Coordinates

Stack = NDArray[Any]
"""(n, N, ...): one element for each of n bodies and N states, floats or counted scalars."""

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
        """What evaluates the operators of ``spatial`` that have no sign of their own."""
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


def cross_matrices(vectors: Stack) -> Stack:
    """Return for each vector (..., 3) the matrix (..., 3, 3) of its cross product."""
    found = np.zeros((*vectors.shape, 3), dtype=vectors.dtype)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        found[..., k, j], found[..., j, k] = vectors[..., i], -vectors[..., i]
    return found


def transforms(turns: Stack, places: Stack) -> Stack:
    """Return what takes accelerations (6,), angular first, of parents to bodies fixed to them."""
    back = np.swapaxes(turns, -1, -2)
    found = np.zeros((*turns.shape[:-2], 6, 6), dtype=turns.dtype)
    found[..., :3, :3] = found[..., 3:, 3:] = back
    found[..., 3:, :3] = -back @ cross_matrices(places)
    return found


def local_links(model: Model, q: Stack) -> tuple[Stack, Stack]:
    """
    Return the poses of all bodies in their parents.

    Parameters
    ----------
    model : Model
        The robot.
    q : array
        (N, nq).

    Returns
    -------
    rotations : array
        (nb, N, 3, 3) ``R_PB``: axes of the body in its parent's, as columns.
    translations : array
        (nb, N, 3) origin of the body in its parent's axes [m].

    """
    turns = np.empty((model.nb, len(q), 3, 3), dtype=q.dtype)
    places = np.empty((model.nb, len(q), 3), dtype=q.dtype)
    for kind in sorted(set(model.joint_types)):
        bodies = np.array([i for i, one in enumerate(model.joint_types) if one is kind])
        first = np.array(model.q_offsets)[bodies]
        joint = kind.pair(Coordinates(tuple(
            q.T[first + k].view(Scalars) for k in range(kind.nq)), (), (), ()))
        link = joint.link(Link(rotations(model.rotations[bodies, None]),
                               vectors(model.translations[bodies, None])))
        shape = (len(bodies), len(q))
        turns[bodies] = np.stack([
            vector_stack(link.rotation.axis(k), shape) for k in range(3)], axis=-1)
        places[bodies] = vector_stack(link.translation, shape)
    return turns, places
