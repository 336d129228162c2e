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

"""Poses of the links with all joints at zero, or elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import Joint
from mbd_ros.description.records.poses import matrix_of

Array = NDArray[np.float64]


def zero_poses(root: str, joints: Iterable[Joint],
               moved: Mapping[str, Array] | None = None) -> dict[str, Array]:
    """
    Return the poses of all links in the frame of the root, homogeneous (4, 4), at q = 0.

    Parameters
    ----------
    root : str
        Name of the root link.
    joints : iterable of Joint
        Those of the spanning tree.
    moved : mapping of str to (4, 4) array, optional
        What moves the child of a joint from there, by the name of the joint.

    """
    moved = moved or {}
    carried: dict[str, list[Joint]] = defaultdict(list)
    for joint in joints:
        carried[joint.parent].append(joint)
    poses = {root: np.eye(4)}
    waiting = [root]
    while waiting:
        parent = waiting.pop()
        for joint in carried[parent]:
            poses[joint.child] = poses[parent] @ matrix_of(joint.origin)
            if joint.name in moved:
                poses[joint.child] = poses[joint.child] @ moved[joint.name]
            waiting.append(joint.child)
    return poses
