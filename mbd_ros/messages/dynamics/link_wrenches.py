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

"""``mbd_msgs/LinkWrench`` and pushes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Point, Vector3, Wrench, WrenchStamped
from mbd_msgs.msg import LinkWrench
import numpy as np
from numpy.typing import NDArray

from mbd_ros.messages.fields.times import SECOND
from mbd_ros.simulation.pushes import Push

Array = NDArray[np.float64]
Arrow = tuple[Array, Array]


def read_push(message: LinkWrench) -> Push:
    """Return the push of a message, unchecked."""
    point, force, moment = map(
        _vector, (message.point, message.wrench.force, message.wrench.torque))
    duration = message.duration.sec + message.duration.nanosec / SECOND
    return Push(message.link, point, force, moment, duration)


def pull(link: str, pose: Array, grabbed: Array, held: Array, stiffness: float, duration: float
         ) -> Push:
    """
    Return the push of a spring between a point of a link and a point that is held.

    Parameters
    ----------
    link : str
        The link.
    pose : array
        (4, 4) of the link in the world.
    grabbed, held : array
        (3,) in the world [m].
    stiffness : float
        [N/m].
    duration : float
        How long it acts [s].

    """
    point = pose[:3, :3].T @ (grabbed - pose[:3, 3])
    return Push(link, point, stiffness * (held - grabbed), np.zeros(3), duration)


def pull_on(link: str, pose: Array, point: Array, held: Array, stiffness: float, duration: float
            ) -> Push:
    """Return the same for a point (3,) in the axes of the link."""
    return pull(link, pose, pose[:3, :3] @ point + pose[:3, 3], held, stiffness, duration)


def wrench_arrows(wrenches: Iterable[WrenchStamped], poses: Mapping[str, Array], longest: float
                  ) -> tuple[list[Arrow], list[Arrow], float, float]:
    """
    Return wrenches in the frames of links as arrows in the world.

    Parameters
    ----------
    wrenches : iterable of WrenchStamped
        At the origins of the links that ``frame_id`` names; those of other frames,
        and those that are no numbers, are left out.
    poses : mapping of str to array
        (4, 4) of the links in the world.
    longest : float
        Length of the longest arrow of forces, and of moments [m].

    Returns
    -------
    list of (array, array)
        The forces: where each begins, and from there to its tip, (3,) in the world [m].
    list of (array, array)
        The moments.
    float, float
        The largest force [N] and moment [N m].

    """
    found = [(poses[one.header.frame_id], one.wrench) for one in wrenches
             if one.header.frame_id in poses and _is_finite(one.wrench)]
    tails = [pose[:3, 3] for pose, _ in found]
    parts = []
    for name in ('force', 'torque'):
        vectors = [pose[:3, :3] @ _vector(getattr(wrench, name)) for pose, wrench in found]
        largest = max((float(np.linalg.norm(vector)) for vector in vectors), default=0.0)
        scale = longest / largest if largest > 0.0 else 0.0
        parts.append(([(tail, scale * vector) for tail, vector in zip(tails, vectors)], largest))
    (forces, strongest), (moments, hardest) = parts
    return forces, moments, strongest, hardest


def _is_finite(wrench: Wrench) -> bool:
    return bool(np.isfinite((_vector(wrench.force), _vector(wrench.torque))).all())


def _vector(value: Point | Vector3) -> Array:
    return np.array((value.x, value.y, value.z))


def write_push(push: Push) -> LinkWrench:
    """Return a push as a message."""
    x, y, z = push.point.tolist()
    seconds, nanoseconds = divmod(round(push.duration * SECOND), SECOND)
    return LinkWrench(
        link=push.link, point=Point(x=x, y=y, z=z),
        wrench=Wrench(force=Vector3(**dict(zip('xyz', push.force.tolist()))),
                      torque=Vector3(**dict(zip('xyz', push.moment.tolist())))),
        duration=Duration(sec=seconds, nanosec=nanoseconds))
