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

"""Links that bend as markers, coloured by strain, and as frames along them."""

from __future__ import annotations

from collections.abc import Mapping

from geometry_msgs.msg import TransformStamped
import numpy as np
from numpy.typing import NDArray
from std_msgs.msg import ColorRGBA
from transforms3d.quaternions import mat2quat
from visualization_msgs.msg import Marker, MarkerArray

from mbd_ros.dynamics.functions.bent_links import BentLink
from mbd_ros.messages.fields.times import to_stamp
from mbd_ros.messages.states.drawings import delete_all, to_point

Array = NDArray[np.float64]

BENDING = 'bending'
"""Namespace of the markers."""
SCALE = np.array([0.0, 1e-4, 1e-3])
"""Strains of the colours below; metals give up at 1e-3 to 3e-3."""
COLORS = np.array([[0.70, 0.73, 0.78], [0.95, 0.78, 0.20], [0.85, 0.15, 0.12]])
"""Grey, yellow and red."""


def strain_colors(strains: Array) -> Array:
    """Return colours (k, 3) from 0 to 1 of strains (k,); grey where none is known."""
    known = np.nan_to_num(strains)
    return np.stack([np.interp(known, SCALE, column) for column in COLORS.T], axis=1)


def bending_markers(nanoseconds: int, frame: str, links: Mapping[str, BentLink]) -> MarkerArray:
    """
    Return links that bend as lines, coloured by strain; those of mass points as balls.

    Parameters
    ----------
    nanoseconds : int
        Time of the state.
    frame : str
        The world.
    links : mapping of str to BentLink
        As ``mbd_ros.bent_links`` gives them.

    Returns
    -------
    MarkerArray
        First one that removes all that was drawn before.

    """
    drawn = []
    for number, link in enumerate(links.values()):
        one = Marker(ns=BENDING, id=number, action=Marker.ADD,
                     type=Marker.SPHERE_LIST if link.of_points else Marker.LINE_STRIP)
        one.header.stamp, one.header.frame_id = to_stamp(nanoseconds), frame
        one.pose.orientation.w = 1.0
        one.scale.x = one.scale.y = one.scale.z = 2.0 * float(link.radii[0])
        one.color.a = 1.0
        one.points = [to_point(point) for point in link.points]
        one.colors = [ColorRGBA(r=r, g=g, b=b, a=1.0)
                      for r, g, b in strain_colors(link.strains).tolist()]
        drawn.append(one)
    return MarkerArray(markers=[*delete_all().markers, *drawn])


def bending_frames(nanoseconds: int, frame: str, links: Mapping[str, BentLink]
                   ) -> list[TransformStamped]:
    """
    Return a transform for every station of links that bend.

    Parameters
    ----------
    nanoseconds : int
        Time of the state.
    frame : str
        The world, the parent of all.
    links : mapping of str to BentLink
        As ``mbd_ros.bent_links`` gives them.

    Returns
    -------
    list of TransformStamped
        ``forearm/bent_0`` at its root, and so on.

    """
    transforms = []
    for name, link in links.items():
        for number, (point, turn) in enumerate(zip(link.points, link.rotations)):
            one = TransformStamped(child_frame_id=f'{name}/bent_{number}')
            one.header.stamp, one.header.frame_id = to_stamp(nanoseconds), frame
            shift, rotation = one.transform.translation, one.transform.rotation
            shift.x, shift.y, shift.z = point.tolist()
            rotation.w, rotation.x, rotation.y, rotation.z = mat2quat(turn).tolist()
            transforms.append(one)
    return transforms
