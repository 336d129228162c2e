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

"""What a link carries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.description.records.mechanism import (
    Inertia, Joint, Link, Matrix3, Mechanism, Pose, Vector3)
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError, UnknownNameError
from mbd_ros.model.lock import rebuilt
from mbd_ros.model.masses import merged, NO_MASS, placed
from mbd_ros.model.model import Model

NO_INERTIA = ((0.0, 0.0, 0.0),) * 3
LARGEST_MASS, REACH = 1e4, 100.0
"""Of a payload: mass [kg]; distance of its mass centre from the link, and of its parts from that
[m]."""


@dataclass(frozen=True)
class Payload:
    """
    A rigid body fixed to a link.

    Parameters
    ----------
    link : str
        Link that carries it.
    mass : float
        [kg]; zero: nothing is carried.
    center : tuple of float, optional
        Mass centre (3,) in the link's axes [m].
    inertia : tuple of rows, optional
        (3, 3) about the mass centre, in the link's axes [kg m^2].

    """

    link: str
    mass: float
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: Matrix3 = NO_INERTIA

    def check(self, model: Model) -> Payload:
        """
        Return it, checked against a robot.

        Raises
        ------
        UnknownNameError
            If the robot has no such link.
        InvalidValueError, ShapeError, NotFiniteError
            If a number is not finite or too large, the mass is negative, or the inertia is none
            of a body.

        """
        if self.link not in model.links:
            raise UnknownNameError('link', self.link, model.links)
        if not isinstance(self.mass, (int, float, np.number)) or not (
                0.0 <= self.mass <= LARGEST_MASS):
            raise InvalidValueError('mass of the payload', self.mass,
                                    f'a number not below zero, at most {LARGEST_MASS:g} [kg]')
        if np.abs(_point('center of the payload', self.center)).max() > REACH:
            raise InvalidValueError('center of the payload', self.center,
                                    f'numbers from {-REACH:g} to {REACH:g} [m]')
        inertia = np.array(self.inertia, np.float64)
        if inertia.shape != (3, 3):
            raise ShapeError('inertia of the payload', inertia.shape, '(3, 3)')
        if not np.isfinite(inertia).all():
            raise NotFiniteError('inertia of the payload', 'an entry',
                                 float(inertia[~np.isfinite(inertia)][0]))
        if np.abs(inertia).max() > self.mass * REACH**2:
            raise InvalidValueError(
                'inertia of the payload', inertia.tolist(), f'that of {self.mass:g} kg no further '
                f'than {REACH:g} m from its centre, at most {self.mass * REACH**2:g} [kg m^2]')
        moments = np.linalg.eigvalsh(inertia)
        scale = 1e-9 * np.abs(inertia).max()
        if (np.abs(inertia - inertia.T).max() > scale or moments[0] < -scale
                or moments[2] > moments[0] + moments[1] + scale):
            raise InvalidValueError(
                'inertia of the payload', inertia.tolist(), 'a symmetric tensor whose principal '
                'moments are not negative and the largest not above the sum of the others')
        return self

    def is_less_than(self, other: Payload) -> bool:
        """Return whether nothing is carried, or the same as another with less mass."""
        return self.mass == 0.0 or (self.mass <= other.mass
                                    and replace(self, mass=other.mass) == other)


def with_payload(model: Model, link: str, mass: float, center: ArrayLike = (0.0, 0.0, 0.0),
                 inertia: ArrayLike = NO_INERTIA) -> Model:
    """
    Return the robot with a rigid body fixed to one of its links.

    Parameters
    ----------
    model : Model
        The robot.
    link : str
        Link that carries it.
    mass : float
        [kg].
    center : array_like, optional
        Mass centre (3,) in the link's axes [m].
    inertia : array_like, optional
        (3, 3) about the mass centre, in the link's axes [kg m^2]; zero: a point mass.

    Returns
    -------
    Model
        The same links, joints and force laws. On a link that bends the body moves and turns with
        the place of its mass centre: a further link, fixed there, named ``'<link>/payload'``.

    Raises
    ------
    UnknownNameError
        If the robot has no such link.
    InvalidValueError, ShapeError, NotFiniteError
        If the numbers are not those of a body.
    DescriptionError
        If the link bends and is given by mass points, and none of them is there.

    """
    load = Payload(link, mass, _plain(center), _plain(inertia)).check(model)
    if model.elastic is not None and link in {body.link for body in model.mechanism.flexibles}:
        return _on_bending(model, load)
    links = tuple(_laden(one.inertia, load) if one.name == link else one.inertia
                  for one in model.mechanism.links)
    return rebuilt(model, replace(model.mechanism, links=tuple(
        replace(one, inertia=inertia) for one, inertia in zip(model.mechanism.links, links))))


def _on_bending(model: Model, load: Payload) -> Model:
    """Return a robot with a load fixed to a place of a link that bends."""
    if load.mass == 0.0:
        return model
    return rebuilt(model, with_seat(model.mechanism, load.link, load.center,
                                    Inertia(load.mass, tensor=load.inertia))[0])


def with_seat(mechanism: Mechanism, link: str, center: Vector3, inertia: Inertia | None = None
              ) -> tuple[Mechanism, str]:
    """Return a robot with a link fixed to a place (3,) of another for a payload; its name."""
    name = f'{link}/payload'
    taken = {one.name for one in mechanism.links} | {one.name for one in mechanism.joints}
    while name in taken:
        name += "'"
    return replace(mechanism, links=(*mechanism.links, Link(name, inertia)), joints=(
        *mechanism.joints, Joint(name, 'fixed', link, name, Pose(translation=center)))), name


def _laden(inertia: Inertia | None, load: Payload) -> Inertia:
    """Return the inertia of a link with its load."""
    rest = NO_MASS if inertia is None else placed(inertia, np.eye(3), np.zeros(3))
    more = placed(Inertia(load.mass, load.center, load.inertia), np.eye(3), np.zeros(3))
    whole = merged([rest, more])
    return replace(inertia or Inertia(), mass=float(whole.mass), center=_plain(whole.center),
                   tensor=_plain(whole.tensor))


def _plain(value: Any) -> Any:
    """Return an array as tuples of floats, all else as it is."""
    if isinstance(value, (str, bytes)):
        return value
    return tuple(map(_plain, value)) if np.ndim(value) else float(value)


def _point(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return a vector (3,) of finite numbers."""
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise InvalidValueError(name, value, 'three numbers') from None
    if array.shape != (3,):
        raise ShapeError(name, array.shape, '(3,), three numbers')
    for k in np.flatnonzero(~np.isfinite(array)).tolist():
        raise NotFiniteError(name, 'xyz'[k], float(array[k]))
    return array
