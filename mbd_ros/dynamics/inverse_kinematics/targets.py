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
What inverse kinematics is asked for.

A target says what is wanted of a link, two links, the mass centre or the joints. Its numbers come
with each call; all else, which links and which kind, is structure that machine code is made for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import math
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.errors import InvalidValueError, ShapeError, UnknownNameError
from mbd_ros.model import Model

Array = NDArray[np.float64]
AS_GIVEN = 1.1e-6
"""By which a rotation matrix or a direction may be off, as of data with 7 digits."""


class Kind(NamedTuple):
    """
    The structure of a target.

    Attributes
    ----------
    name : str
        Which rows it has; see ``residuals.py``.
    links : tuple of str
        The links that it is about.
    weighted : bool
        Whether weights of its rows come with its numbers.
    numbers : int
        How many numbers it has, weights included.

    """

    name: str
    links: tuple[str, ...]
    weighted: bool
    numbers: int


@dataclass(frozen=True, eq=False)
class Target(ABC):
    """What is wanted, with a weight for all of its rows or one for each."""

    rows: ClassVar[int]

    @abstractmethod
    def read(self, model: Model) -> tuple[Kind, Array]:
        """Return structure and numbers (n,) or (N, n); errors are of what is not as it should."""

    def _finish(self, name: str, links: tuple[str, ...], numbers: Array, weight: ArrayLike,
                called: str, rows: int) -> tuple[Kind, Array]:
        """Return the same with weights after the numbers, if they are not all one."""
        if type(weight) is float and weight == 1.0:
            return Kind(name, links, False, numbers.shape[-1]), numbers
        weights = _numbers(f'the weight of {called}', weight)
        if weights.shape not in ((), (rows,)):
            raise ShapeError(f'the weight of {called}', weights.shape, f'() or ({rows},)')
        if (weights < 0.0).any():
            raise InvalidValueError(f'the weight of {called}', weight, 'numbers, 0 or more')
        more = np.broadcast_to(weights, (*numbers.shape[:-1], rows))
        return (Kind(name, links, True, numbers.shape[-1] + rows),
                np.concatenate((numbers, more), axis=-1))


@dataclass(frozen=True, eq=False)
class PoseTarget(Target):
    """
    A pose of a link in the world.

    Parameters
    ----------
    link : str
        The link.
    pose : array_like
        (4, 4) or (N, 4, 4) [m].
    weight : array_like
        () or (6,): of position, then orientation, along the axes of the world.

    """

    link: str
    pose: ArrayLike
    weight: ArrayLike = 1.0

    def read(self, model: Model) -> tuple[Kind, Array]:
        """Return structure and numbers."""
        name = f"the target of link '{_known(model, self.link)}'"
        return self._finish('pose', (self.link,), _pose(name, self.pose), self.weight,
                            name, 6)


@dataclass(frozen=True, eq=False)
class PositionTarget(Target):
    """
    A position of a point of a link in the world.

    Parameters
    ----------
    link : str
        The link.
    position : array_like
        (3,) or (N, 3) [m].
    point : array_like
        (3,) in the link's axes [m]; its origin if left out.
    weight : array_like
        () or (3,), along the axes of the world.

    """

    link: str
    position: ArrayLike
    point: ArrayLike = (0.0, 0.0, 0.0)
    weight: ArrayLike = 1.0

    def read(self, model: Model) -> tuple[Kind, Array]:
        """Return structure and numbers."""
        name = f"the target of link '{_known(model, self.link)}'"
        wanted = _vectors(name, self.position)
        return self._finish('position', (self.link,), _joined(wanted, _vector(
            f"the point of link '{self.link}'", self.point)), self.weight, name, 3)


@dataclass(frozen=True, eq=False)
class AxisTarget(Target):
    """
    A direction in the world that an axis of a link has; turns about it are free.

    Parameters
    ----------
    link : str
        The link.
    axis : array_like
        (3,) in the link's axes.
    direction : array_like
        (3,) or (N, 3) in the world.
    weight : array_like
        () or (3,), of the difference of the two unit vectors, along the axes of the world.

    """

    link: str
    axis: ArrayLike
    direction: ArrayLike
    weight: ArrayLike = 1.0

    def read(self, model: Model) -> tuple[Kind, Array]:
        """Return structure and numbers."""
        name = f"the direction of link '{_known(model, self.link)}'"
        wanted = _unit(name, _vectors(name, self.direction))
        axis = f"the axis of link '{self.link}'"
        return self._finish('axis', (self.link,), _joined(wanted, _unit(axis, _vector(
            axis, self.axis))), self.weight, name, 3)


@dataclass(frozen=True, eq=False)
class LookAtTarget(Target):
    """
    A point in the world that lies on the positive side of an axis through a link's origin.

    Parameters
    ----------
    link : str
        The link, such as a camera.
    axis : array_like
        (3,) in the link's axes.
    point : array_like
        (3,) or (N, 3) in the world [m].
    weight : array_like
        () or (3,), of the difference of the unit vectors, along the axes of the world.

    """

    link: str
    axis: ArrayLike
    point: ArrayLike
    weight: ArrayLike = 1.0

    def read(self, model: Model) -> tuple[Kind, Array]:
        """Return structure and numbers."""
        name = f"what link '{_known(model, self.link)}' looks at"
        wanted, axis = _vectors(name, self.point), f"the axis of link '{self.link}'"
        return self._finish('look at', (self.link,), _joined(wanted, _unit(axis, _vector(
            axis, self.axis))), self.weight, name, 3)


@dataclass(frozen=True, eq=False)
class CenterOfMassTarget(Target):
    """
    A position of the mass centre of the robot in the world.

    Parameters
    ----------
    position : array_like
        (3,) or (N, 3) [m].
    weight : array_like
        () or (3,), along the axes of the world; (1, 1, 0) leaves its height free.

    """

    position: ArrayLike
    weight: ArrayLike = 1.0

    def read(self, model: Model) -> tuple[Kind, Array]:
        """Return structure and numbers."""
        name = 'the target of the mass centre'
        if not model.masses.sum() > 0.0:
            raise InvalidValueError(name, self.position, f"none: robot '{model.name}' has no mass")
        return self._finish('center of mass', (), _vectors(name, self.position), self.weight,
                            name, 3)


@dataclass(frozen=True, eq=False)
class RelativePoseTarget(Target):
    """
    A pose of a link in the axes of another one, as of two hands that hold one thing.

    Parameters
    ----------
    link, reference : str
        The links.
    pose : array_like
        (4, 4) or (N, 4, 4) of the first in the second [m].
    weight : array_like
        () or (6,): of position, then orientation, along the axes of the world.

    """

    link: str
    reference: str
    pose: ArrayLike
    weight: ArrayLike = 1.0

    def read(self, model: Model) -> tuple[Kind, Array]:
        """Return structure and numbers."""
        _known(model, self.reference)
        name = (f"the target of link '{_known(model, self.link)}' relative to "
                f"'{self.reference}'")
        return self._finish('relative pose', (self.link, self.reference),
                            _pose(name, self.pose), self.weight, name, 6)


@dataclass(frozen=True, eq=False)
class PostureTarget(Target):
    """
    Positions that joints keep near to where the other targets leave a choice.

    Parameters
    ----------
    q : array_like
        (nq,) or (N, nq) [rad, m]; what counts are joints with one coordinate.
    weight : array_like
        () or (nv,): in a differential step that of its rows beside all others. A solve reaches
        the other targets first, whatever it is, and leaves out joints where it is 0.

    """

    q: ArrayLike
    weight: ArrayLike = 1.0

    def read(self, model: Model) -> tuple[Kind, Array]:
        """Return structure and numbers."""
        q = _numbers('the posture', self.q)
        if q.ndim not in (1, 2) or q.shape[-1] != model.nq:
            raise ShapeError('the posture', q.shape, f'({model.nq},) or (N, {model.nq})')
        return self._finish('posture', (), q, self.weight, 'the posture', model.nv)


Targets: TypeAlias = 'Mapping[str, ArrayLike] | Target | Sequence[Target]'


def read_targets(model: Model, targets: Targets) -> tuple[tuple[Kind, ...], Array]:
    """
    Return the structure of targets and their numbers, (n,) of one state or (N, n).

    Raises
    ------
    InvalidValueError, ShapeError, UnknownNameError
        If a target is not as it should be.

    """
    if isinstance(targets, Mapping):
        given: list[Target] = [_of_link(model, link, target) for link, target in targets.items()]
    elif isinstance(targets, Target):
        given = [targets]
    elif isinstance(targets, (list, tuple)):
        given = list(targets)
    else:
        given = []
    if not given or not all(isinstance(one, Target) for one in given):
        raise InvalidValueError(
            'targets', targets, 'at least one: a mapping of links to poses (4, 4) and '
            'positions (3,), or a list of PoseTarget, PositionTarget, AxisTarget, LookAtTarget, '
            'CenterOfMassTarget, RelativePoseTarget and PostureTarget')
    found = [one.read(model) for one in given]
    kinds = tuple(kind for kind, _ in found)
    if [kind.name for kind in kinds].count('posture') > 1:
        raise InvalidValueError('targets', 'two postures', 'one posture')
    counts = {len(numbers) for _, numbers in found if numbers.ndim == 2}
    if len(counts - {1}) > 1:
        raise ShapeError('targets', tuple(sorted(counts)), 'as many states in all of them')
    if not counts:
        return kinds, np.concatenate([numbers for _, numbers in found])
    count = max(counts) if counts != {1} and 0 not in counts else min(counts)
    return kinds, np.concatenate([np.broadcast_to(
        numbers, (count, numbers.shape[-1])) for _, numbers in found], axis=1)


def _of_link(model: Model, link: str, target: ArrayLike) -> Target:
    """Return the target that an array means: a pose or a position."""
    _known(model, link)
    if is_plain_pose(target):
        return PoseTarget(link, target)
    shape = np.shape(_numbers(f"the target of link '{link}'", target))
    if shape[-2:] == (4, 4) and len(shape) in (2, 3):
        return PoseTarget(link, target)
    if shape[-1:] == (3,) and len(shape) in (1, 2):
        return PositionTarget(link, target)
    raise ShapeError(f"the target of link '{link}'", shape,
                     '(4, 4) or (N, 4, 4) for a pose, (3,) or (N, 3) for a position')


def _known(model: Model, link: str) -> str:
    """Return the name of a link that there is."""
    if not isinstance(link, str) or link not in model.links:
        raise UnknownNameError('link', link, model.links)
    return link


def _numbers(name: str, given: ArrayLike) -> Array:
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidValueError(name, given, 'numbers') from None
    if not np.isfinite(array).all():
        raise InvalidValueError(name, array.tolist(), 'finite numbers')
    return array


def _vectors(name: str, given: ArrayLike) -> Array:
    """Return vectors (3,) or (N, 3)."""
    array = _numbers(name, given)
    if array.ndim not in (1, 2) or array.shape[-1] != 3:
        raise ShapeError(name, array.shape, '(3,) or (N, 3)')
    return array


def _vector(name: str, given: ArrayLike) -> Array:
    array = _numbers(name, given)
    if array.shape != (3,):
        raise ShapeError(name, array.shape, '(3,)')
    return array


def _unit(name: str, vectors: Array) -> Array:
    """Return vectors of length 1 with these directions."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if not (lengths > 1e-100).all():   # shorter ones have no direction that could be told
        raise InvalidValueError(name, vectors.tolist(), 'vectors that are not zero')
    return np.asarray(vectors / lengths)


def _joined(first: Array, second: Array) -> Array:
    """Return two arrays of numbers side by side; the second one is the same for all states."""
    return np.concatenate(
        (first, np.broadcast_to(second, (*first.shape[:-1], len(second)))), axis=-1)


def is_plain_row(given: Any, size: int) -> TypeGuard[Array]:
    """Return whether numbers are one array of float64 that needs no closer look."""
    return type(given) is np.ndarray and given.shape == (size,) and (
        given.dtype == np.float64 and math.isfinite(given.dot(given)))


def is_plain_pose(target: Any) -> bool:
    """Return whether a target is one pose, an array that needs no closer look."""
    if type(target) is not np.ndarray or target.shape != (4, 4) or target.dtype != np.float64:
        return False
    (a, b, c, x), (d, e, f, y), (g, h, i, z), last = target.tolist()
    return last == [0.0, 0.0, 0.0, 1.0] and abs(x) + abs(y) + abs(z) < math.inf and (
        -AS_GIVEN < a * a + b * b + c * c - 1.0 < AS_GIVEN
        and -AS_GIVEN < d * d + e * e + f * f - 1.0 < AS_GIVEN
        and -AS_GIVEN < g * g + h * h + i * i - 1.0 < AS_GIVEN
        and -AS_GIVEN < a * d + b * e + c * f < AS_GIVEN
        and -AS_GIVEN < a * g + b * h + c * i < AS_GIVEN
        and -AS_GIVEN < d * g + e * h + f * i < AS_GIVEN
        and a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) > 0.0)


def _pose(name: str, given: ArrayLike) -> Array:
    """Return the first three rows (12,) or (N, 12) of poses."""
    if is_plain_pose(given):
        return np.asarray(given)[:3].reshape(12)
    array = _numbers(name, given)
    if array.ndim not in (2, 3) or array.shape[-2:] != (4, 4):
        raise ShapeError(name, array.shape, '(4, 4) or (N, 4, 4)')
    turns = array[..., :3, :3]
    if not (np.abs(turns @ turns.swapaxes(-1, -2) - np.eye(3)).max(initial=0.0) <= AS_GIVEN
            and (np.linalg.det(turns) > 0.0).all()
            and np.abs(array[..., 3, :] - (0.0, 0.0, 0.0, 1.0)).max(initial=0.0) <= AS_GIVEN):
        raise InvalidValueError(name, array.reshape(-1, 4, 4)[0].tolist(),
                                'a rotation matrix and a position, then 0 0 0 1')
    return array[..., :3, :].reshape(*array.shape[:-2], 12)
