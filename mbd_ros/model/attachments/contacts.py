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

"""Where the links of a model touch the ground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mbd_ros.description.records.mechanism import ContactBody, Pose
from mbd_ros.model.link_frame import LinkFrame
from mbd_ros.model.loops import placed_frame


@dataclass(frozen=True, slots=True, eq=False)
class ContactPoint:
    """
    A point or sphere of a body that touches the ground.

    Attributes
    ----------
    link : str
        The link that it belongs to.
    frame : LinkFrame
        Where it is on the body; its axes do not matter.
    radius : float
        Of the sphere, 0 for a point [m].
    stiffness, damping : float
        [N/m], [N s/m].
    friction, slip_speed : float
        Coefficient of friction, and the speed over which it rises [m/s].

    """

    link: str
    frame: LinkFrame
    radius: float
    stiffness: float
    damping: float
    friction: float
    slip_speed: float

    @property
    def body(self) -> int:
        """Return the body that carries it."""
        return self.frame.body


def make_contacts(contact: ContactBody, frames: Mapping[str, LinkFrame]
                  ) -> tuple[ContactPoint, ...]:
    """Return the points of a link on the body that carries it."""
    return tuple(ContactPoint(
        contact.link, placed_frame(Pose(translation=point), frames[contact.link]), radius,
        contact.stiffness, contact.damping, contact.friction, contact.slip_speed)
        for point, radius in zip(contact.points, contact.radii))
