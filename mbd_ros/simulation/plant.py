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

"""A simulated robot that differs from its description: masses, payloads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
import math
from typing import Any

import numpy as np

from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.model import Model
from mbd_ros.model.attachments.payload import with_payload
from mbd_ros.model.flexible.on_segments import on_segments
from mbd_ros.model.lock import rebuilt
from mbd_ros.model.names import simple_joints
from mbd_ros.model.state import simple_entries


def plant(model: Model, *, mass_scale: float = 1.0, payload: float = 0.0, link: str = '',
          center: Sequence[float] = (0.0, 0.0, 0.0), friction: float = 0.0,
          dissipation: bool = False, sticking: Sequence[str] = (),
          sticking_friction: float = 0.0) -> Model:
    """
    Return a robot with other masses, a load and friction than its description says.

    Parameters
    ----------
    model : Model
        The robot as described.
    mass_scale : float, optional
        Factor of all masses and inertias.
    payload : float, optional
        Point mass carried by a link [kg].
    link : str, optional
        The link that carries it.
    center : sequence of float, optional
        Where on the link (3,) [m].
    friction : float, optional
        Dry friction added to every joint with one coordinate [N m or N].
    dissipation : bool, optional
        Whether the damping and the friction of the description stay.
    sticking : sequence of str, optional
        Joints with one coordinate that stick.
    sticking_friction : float, optional
        Dry friction added to these [N m or N].

    Returns
    -------
    Model
        The robot whose damping and friction are to act; the model itself if nothing differs.

    Raises
    ------
    InvalidValueError
        If a number is not positive, or negative.
    UnknownNameError
        If there is no such link or joint.

    """
    if not 0.0 < mass_scale < math.inf:
        raise InvalidValueError('mass_scale', mass_scale, 'a positive number')
    for name, value in (('payload', payload), ('friction', friction),
                        ('sticking_friction', sticking_friction)):
        if not 0.0 <= value < math.inf:
            raise InvalidValueError(name, value, 'a number not below zero')
    if mass_scale != 1.0:
        model = rebuilt(model, scaled(model.mechanism, mass_scale))
    if payload > 0.0:
        model = with_payload(model, _carrier(model, link), payload, center)
    dry = np.array(model.friction if dissipation else np.zeros(model.nv))
    dry[simple_entries(model)[1]] += friction
    places = dict(zip(simple_joints(model), simple_entries(model)[1]))
    for name in sticking:
        if name not in places:
            raise UnknownNameError('joint', name, tuple(places))
        dry[places[name]] += sticking_friction
    none = np.zeros(model.nv)
    return replace(model, friction=dry) if dissipation else replace(
        model, friction=dry, damping=none, quadratic_damping=none, cubic_damping=none)


def scaled(mechanism: Mechanism, factor: float) -> Mechanism:
    """Return a robot whose masses are some factor of what they are, as stiff and as damped."""
    links = tuple(link if link.inertia is None else replace(link, inertia=replace(
        link.inertia, mass=factor * link.inertia.mass,
        tensor=_times(factor, link.inertia.tensor))) for link in mechanism.links)
    flexibles = tuple(replace(
        one, beam=one.beam and replace(
            one.beam, linear_density=factor * one.beam.linear_density,
            torsional_inertia=factor * one.beam.torsional_inertia,
            rotary_inertia=_times(factor, one.beam.rotary_inertia),
            tip_mass=factor * one.beam.tip_mass,
            damping_ratio=one.beam.damping_ratio / math.sqrt(factor),
            rayleigh=(one.beam.rayleigh[0] / factor, one.beam.rayleigh[1])),
        points=tuple(replace(point, mass=factor * point.mass) for point in one.points),
        integrals=one.integrals and replace(one.integrals, **{
            name: _times(factor, getattr(one.integrals, name))
            for name in ('mass', 'first_moments', 'couplings', 'second_couplings')}))
        for one in mechanism.flexibles)
    return replace(mechanism, links=links, flexibles=flexibles)


def _times(factor: float, values: Any) -> Any:
    """Return a product with tuples of any depth."""
    return (tuple(_times(factor, value) for value in values) if isinstance(values, tuple)
            else factor * values)


def _carrier(model: Model, link: str) -> str:
    """Return the link of a payload, which has to move."""
    if link not in model.links:
        raise UnknownNameError('link', link, model.links)
    if on_segments(model).links[link].body < 0:
        raise InvalidValueError('link of the payload', link, 'a link that moves')
    return link
