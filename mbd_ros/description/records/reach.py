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

"""How large a robot is, from its description alone: for cameras and handles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import Joint, Mechanism


def extent(mechanism: Mechanism) -> tuple[NDArray[np.float64], float]:
    """
    Return the middle of a robot, and how far it reaches at most.

    Parameters
    ----------
    mechanism : Mechanism
        The robot.

    Returns
    -------
    middle : array
        (3,): of the origins of its links where all joints are at zero, in the axes of the root
        link [m].
    reach : float
        Sum of the distances between joints along the longest branch [m]; without the ways of
        joints that slide.

    """
    joints: dict[str, list[Joint]] = {}
    for joint in mechanism.joints:
        joints.setdefault(joint.parent, []).append(joint)
    places = {mechanism.root: (np.eye(3), np.zeros(3), 0.0)}
    waiting = [mechanism.root]
    while waiting:
        link = waiting.pop()
        turn, place, way = places[link]
        for joint in joints.get(link, ()):
            if joint.child not in places:
                step = np.array(joint.origin.translation)
                places[joint.child] = (turn @ np.array(joint.origin.rotation),
                                       place + turn @ step, way + float(np.linalg.norm(step)))
                waiting.append(joint.child)
    every = np.array([place for _, place, _ in places.values()])
    return 0.5 * (every.min(0) + every.max(0)), max(way for _, _, way in places.values())
