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

"""A flexible link, of a beam or of mass points, by its shape integrals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from mbd_ros.description.records.mechanism import FlexibleBody, ModalPoint
from mbd_ros.description.records.modal import ShapeIntegrals
from mbd_ros.model.flexible.attachment_segments import Seat
from mbd_ros.model.flexible.modal_data import Array, Integrals, modal_data
from mbd_ros.model.flexible.shape_integrals import integrals_of
from mbd_ros.model.flexible.stations import stations_of


def by_integrals(body: FlexibleBody, seats: Iterable[Seat]) -> FlexibleBody:
    """
    Return the same link by shape integrals.

    Parameters
    ----------
    body : FlexibleBody
        A link.
    seats : iterable of Seat
        Of the joints that sit on it, and of what is attached to it.

    Returns
    -------
    FlexibleBody
        With the points that show how it bends, and an interface for each seat.

    """
    data, shown = modal_data(body), stations_of(body)
    points = [ModalPoint(_three(place), _flat(shape))
              for place, shape in zip(shown.points, shown.shapes)]
    turn, origin = np.array(body.frame.rotation), np.array(body.frame.translation)
    for joint, turns in seats:
        place = turn.T @ (np.array(joint.origin.translation) - origin)
        shape = data.shape_at(joint.name, place, turns)
        points.append(ModalPoint(_three(place), _flat(shape.displacement), 0.0,
                                 _flat(shape.rotation), joint.name))
    return replace(
        body, beam=None, points=tuple(points), stiffness=_flat(data.stiffness),
        damping=_flat(data.damping), integrals=replace(
            as_record(integrals_of(data)), pairs=tuple(data.pairs.ravel().tolist()),
            second_stiffness=_flat(data.second_stiffness)))


def as_record(found: Integrals) -> ShapeIntegrals:
    """Return integrals of linear shapes as a description has them."""
    return ShapeIntegrals(_flat(found.mass), _flat(found.first_moments), _flat(found.couplings),
                          _flat(found.second_couplings))


def _flat(array: Array) -> tuple[float, ...]:
    return tuple(array.ravel().tolist())


def _three(array: Array) -> tuple[float, float, float]:
    x, y, z = array.tolist()
    return x, y, z
