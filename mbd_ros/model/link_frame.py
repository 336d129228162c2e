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

"""A frame fixed to a body."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class LinkFrame(NamedTuple):
    """Where a frame F, of a link or joint, sits on ``body`` B (-1: the ground): R_BF, p_BoFo_B."""

    body: int
    rotation: NDArray[np.float64]
    translation: NDArray[np.float64]

    def body_pose(self, pose: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the pose (4, 4) of the body where F has a pose (4, 4) [m]."""
        body = np.eye(4)
        body[:3, :3] = pose[:3, :3] @ self.rotation.T
        body[:3, 3] = pose[:3, 3] - body[:3, :3] @ self.translation
        return body
