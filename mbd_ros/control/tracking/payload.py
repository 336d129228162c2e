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

"""Payload and gravity of a robot, changed while it runs."""

from __future__ import annotations

from dataclasses import replace

from numpy.typing import ArrayLike

from mbd_ros.control.references.arguments import checked_point
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.environment.load import LoadInertia, LoadLaw
from mbd_ros.environment.load import NAME as LOAD
from mbd_ros.errors import InvalidValueError, UnsupportedError
from mbd_ros.model import Model
from mbd_ros.model.attachments.payload import Payload
from mbd_ros.spatial import IDENTITY, Link, RigidInertia, Symmetric3, Vector3, ZERO3
from mbd_ros.spatial.symmetric import UPPER


class LoadedDynamics(PreparedDynamics):
    """
    Prepared dynamics of a robot with a payload; another payload on the link compiles nothing.

    Parameters
    ----------
    model : Model
        The robot.
    payload : Payload
        What it carries, at first.
    gravity : tuple of float, optional
        (3,) [m/s^2].

    Raises
    ------
    UnknownNameError, InvalidValueError, ShapeError, NotFiniteError
        If the payload does not fit.
    UnsupportedError
        If its link bends: its place is part of the robot then, see ``with_payload``.

    """

    def __init__(self, model: Model, payload: Payload,
                 gravity: tuple[float, ...] | None = None) -> None:
        payload.check(model)
        if model.elastic is not None and payload.link in {
                body.link for body in model.mechanism.flexibles}:
            raise UnsupportedError(
                f"a payload that changes on link '{payload.link}' of '{model.name}', which bends,",
                'take mbd_ros.with_payload, or a rigid nominal model')
        super().__init__(_under(model, LoadLaw(payload.link)), gravity)
        self.payload = payload
        self.change_payload(payload)

    def change_payload(self, payload: Payload) -> None:
        """
        Go on with another payload on the same link.

        Raises
        ------
        UnknownNameError, InvalidValueError, ShapeError, NotFiniteError
            If the payload does not fit, or is on another link.

        """
        if payload.check(self.model).link != self.payload.link:
            raise InvalidValueError('link of the payload', payload.link,
                                    f"'{self.payload.link}', for which this is made")
        self.payload = payload
        own = RigidInertia(payload.mass, ZERO3,
                           Symmetric3(*(payload.inertia[i][j] for i, j in UPPER)))
        self.change_world(**{LOAD: LoadInertia(
            Link(IDENTITY, Vector3(*map(float, payload.center))).inertia_to_parent(own))})


def _under(model: Model, *load: LoadLaw) -> Model:
    """Return a robot with a load in the place of the one that it has."""
    return model.with_laws(*(law for law in model.laws if law.name != LOAD), *load)


def dynamics_with(model: Model, payload: Payload | None, gravity: ArrayLike | None
                  ) -> PreparedDynamics:
    """
    Return prepared dynamics of a robot with a payload, or none, under a gravity.

    Parameters
    ----------
    model : Model
        The robot.
    payload : Payload or None
        What it carries; None or without mass: nothing.
    gravity : array_like or None
        (3,) in world axes [m/s^2]; None: that of the model.

    Returns
    -------
    PreparedDynamics
        A new one.

    Raises
    ------
    MbdError
        If the payload or the gravity are not as they should be.

    """
    field = _field(model, gravity)
    if payload is None or payload.check(model).mass == 0.0:
        return PreparedDynamics(_under(model), field)
    return LoadedDynamics(model, payload, field)


def carrier(model: Model, payload: Payload | None, link: str, gravity: ArrayLike | None
            ) -> PreparedDynamics:
    """
    Return dynamics that take a payload on a link while the robot moves, at once.

    Parameters
    ----------
    model, payload, gravity
        As for ``dynamics_with``.
    link : str
        The link that is to carry, where it carries nothing yet; another one needs machine code
        of its own.

    Returns
    -------
    PreparedDynamics
        A new one; hand it to ``reloaded``.

    Raises
    ------
    MbdError
        As ``dynamics_with``.

    """
    if payload is None or payload.check(model).mass == 0.0:
        if link not in model.links:
            return dynamics_with(model, None, gravity)
        payload = Payload(link, 0.0)
    return LoadedDynamics(model, payload, _field(model, gravity))


def reloaded(dyn: PreparedDynamics, payload: Payload) -> PreparedDynamics:
    """
    Return dynamics with another payload: the same object, where its link carries it already.

    Raises
    ------
    MbdError
        If the payload does not fit the robot.

    """
    if payload.check(dyn.model).mass == 0.0 and isinstance(dyn, LoadedDynamics):
        payload = replace(payload, link=dyn.payload.link)
    if isinstance(dyn, LoadedDynamics) and payload.link == dyn.payload.link:
        dyn.change_payload(payload)
        return dyn
    other = dynamics_with(dyn.model, payload, dyn.gravity)
    other.change_world(**{name: own for name, own in dyn.world.items() if name != LOAD})
    return other


def _field(model: Model, gravity: ArrayLike | None) -> tuple[float, ...]:
    return model.gravity if gravity is None else tuple(checked_point('gravity', gravity).tolist())
