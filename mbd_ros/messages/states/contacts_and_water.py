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

"""What surrounds a robot as messages: forces of the ground, the current, the surface."""

from __future__ import annotations

from collections.abc import Sequence

from geometry_msgs.msg import WrenchStamped
import numpy as np
from numpy.typing import NDArray
from visualization_msgs.msg import Marker, MarkerArray

from mbd_ros.dynamics.functions.contact_forces import ContactForces
from mbd_ros.dynamics.functions.equations_of_motion import link_poses
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.messages.fields.times import to_stamp
from mbd_ros.messages.states.drawings import Color, delete_all, to_point
from mbd_ros.model import Model

Vector = NDArray[np.float64]

CONTACT, CURRENT, SURFACE = 'contact', 'current', 'surface'
"""Namespaces of the markers."""
RED: Color = (0.88, 0.23, 0.16, 1.0)
BLUE: Color = (0.15, 0.45, 0.80, 0.9)
WATER: Color = (0.25, 0.55, 0.80, 0.25)
METRES_PER_NEWTON = 0.002
"""Length of the arrow of a contact force."""
SECONDS = 2.0
"""Length of the arrows of a current: the way of the water in this time."""
SPACING, ROWS, RISE = 1.0, (-1, 0, 1), 0.5
"""Arrows of a current stand on a grid of the world around and above the robot [m]."""
EXTENT = 8.0
"""Size of what is shown of the surface [m]."""


def contact_wrenches(nanoseconds: int, model: Model, q: Vector, found: ContactForces
                     ) -> dict[str, WrenchStamped]:
    """
    Return what the ground does to each link that may touch it.

    Parameters
    ----------
    nanoseconds : int
        Time of the state.
    model : Model
        The robot.
    q : Vector
        (nq,).
    found : ContactForces
        Of that state.

    Returns
    -------
    dict of str to WrenchStamped
        By link: force and moment about its origin, in its frame.

    """
    poses = link_poses(model, q)
    sums = {point.link: np.zeros(6) for point in model.contacts}
    for point, place, force in zip(model.contacts, *found):
        pose = poses[point.link]
        moment = np.cross(place - pose[:3, 3], force)
        sums[point.link] += np.concatenate([pose[:3, :3].T @ force, pose[:3, :3].T @ moment])
    messages = {}
    for link, values in sums.items():
        one = messages[link] = WrenchStamped()
        one.header.stamp, one.header.frame_id = to_stamp(nanoseconds), link
        force, torque = one.wrench.force, one.wrench.torque
        (force.x, force.y, force.z, torque.x, torque.y, torque.z) = values.tolist()
    return messages


def surroundings_markers(nanoseconds: int, frame: str, place: Vector, fluid: Fluid | None,
                         found: ContactForces | None) -> MarkerArray:
    """
    Return what is around a robot.

    Parameters
    ----------
    nanoseconds : int
        Time of the message.
    frame : str
        The world.
    place : Vector
        Where the robot is (3,) [m].
    fluid : Fluid or None
        Around it.
    found : ContactForces or None
        What the ground does to it.

    Returns
    -------
    MarkerArray
        First one that removes all that was drawn before; then arrows of the namespaces
        ``contact`` (2 mm for each newton) and ``current`` (the way of 2 s), and a ``surface``.

    """
    drawn: list[Marker] = []

    def add(space: str, kind: int, scale: Sequence[float], color: Color) -> Marker:
        one = Marker(ns=space, id=len(drawn), type=kind, action=Marker.ADD)
        one.header.stamp, one.header.frame_id = to_stamp(nanoseconds), frame
        one.pose.orientation.w = 1.0
        one.scale.x, one.scale.y, one.scale.z = scale
        one.color.r, one.color.g, one.color.b, one.color.a = color
        drawn.append(one)
        return one

    if found is not None:
        for point, force in zip(*found):
            if force.any():
                add(CONTACT, Marker.ARROW, (0.03, 0.06, 0.08), RED).points = [
                    to_point(point), to_point(point + METRES_PER_NEWTON * force)]
    if fluid is None:
        return MarkerArray(markers=[*delete_all().markers, *drawn])
    middle = SPACING * np.round(place / SPACING)
    for x in ROWS:
        for y in ROWS:
            tail = middle + np.array([SPACING * x, SPACING * y, RISE])
            velocity = np.array(fluid.water(tail).velocity)
            if velocity.any():
                add(CURRENT, Marker.ARROW, (0.02, 0.05, 0.08), BLUE).points = [
                    to_point(tail), to_point(tail + SECONDS * velocity)]
    if fluid.surface is not None:
        one = add(SURFACE, Marker.CUBE, (EXTENT, EXTENT, 1e-3), WATER)
        one.pose.position = to_point(np.array([middle[0], middle[1], fluid.surface]))
    return MarkerArray(markers=[*delete_all().markers, *drawn])
