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

Array = NDArray[np.float64]


def extent(mechanism: Mechanism) -> tuple[NDArray[np.float64], float]:
    """
    Return the middle of the links of a robot, and how far it reaches at most.

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
    poses, ways = _from_root(mechanism)
    every = np.array([pose[:3, 3] for pose in poses.values()])
    return 0.5 * (every.min(0) + every.max(0)), max(ways.values())


def zero_poses(mechanism: Mechanism) -> dict[str, Array]:
    """Return poses (4, 4) of links in the root link, by name, where all joints are at zero."""
    return _from_root(mechanism)[0]


def _from_root(mechanism: Mechanism) -> tuple[dict[str, Array], dict[str, float]]:
    """Return these, and the length of the way to each link from joint to joint [m]."""
    joints: dict[str, list[Joint]] = {}
    for joint in mechanism.joints:
        joints.setdefault(joint.parent, []).append(joint)
    poses, ways = {mechanism.root: np.eye(4)}, {mechanism.root: 0.0}
    waiting = [mechanism.root]
    while waiting:
        link = waiting.pop()
        for joint in joints.get(link, ()):
            if joint.child not in poses:
                origin = np.eye(4)
                origin[:3, :3] = joint.origin.rotation
                origin[:3, 3] = joint.origin.translation
                poses[joint.child] = poses[link] @ origin
                ways[joint.child] = ways[link] + float(np.linalg.norm(origin[:3, 3]))
                waiting.append(joint.child)
    return poses, ways
