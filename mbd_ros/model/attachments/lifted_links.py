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


"""Links whose weight is taken off, by the bodies that carry them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mbd_ros.description.records.mechanism import Link
from mbd_ros.model.link_frame import LinkFrame


@dataclass(frozen=True, slots=True)
class LiftedLink:
    """
    What takes off the weight of a link, or a share of it.

    Attributes
    ----------
    body : int
        That carries the link.
    mass : float
        Whose weight is taken off [kg].
    center : (3,) tuple
        Its centre, in the body's frame [m].

    """

    body: int
    mass: float
    center: tuple[float, float, float]


def make_lifted(link: Link, frames: Mapping[str, LinkFrame]) -> LiftedLink:
    """Return what takes off the weight of a link that has a mass."""
    frame, inertia = frames[link.name], link.inertia
    assert inertia is not None
    x, y, z = (frame.translation + frame.rotation @ inertia.center).tolist()
    return LiftedLink(frame.body, link.gravity_compensation * inertia.mass, (x, y, z))


def is_lifted(link: Link, frames: Mapping[str, LinkFrame]) -> bool:
    """Return whether a link moves and is lighter than its mass."""
    return bool(link.gravity_compensation and link.inertia is not None and link.inertia.mass
                and frames[link.name].body >= 0)
