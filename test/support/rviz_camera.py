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

"""
The camera of a configuration of RViz: where it is, and where on the screen a point is.

After the documented behaviour of RViz's Orbit view: it looks at a focal point from a distance,
pitch and yaw, up is z of the fixed frame, 45 degrees from the upper to the lower edge. The focal
point moves with the target frame and does not turn with it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

SIZE = (1000, 750)
"""Of the picture beside the panels, for the window of the configuration [pixels]."""
NEAR = 0.01
"""What is closer is cut off [m]."""


class Camera(NamedTuple):
    """
    A camera.

    Attributes
    ----------
    eye : array
        (3,) in the fixed frame [m].
    axes : array
        (3, 3), rows: to the right, up, and back to the viewer.
    scale : float
        Pixels for a point at the distance 1 that is 1 off the middle.

    """

    eye: Any
    axes: Any
    scale: float

    def seen(self, points: Any) -> tuple[Any, Any]:
        """Return where points (n, 3) are on the screen, (n, 2) [pixels], and how deep (n,) [m]."""
        local = (np.asarray(points, dtype=float).reshape(-1, 3) - self.eye) @ self.axes.T
        depth = -local[:, 2]
        safe = np.where(depth > NEAR, depth, np.nan)[:, None]
        across = self.scale * local[:, :2] / safe
        return np.array(SIZE) / 2.0 + across * (1.0, -1.0), depth

    def shows(self, points: Any) -> Any:
        """Return which points (n, 3) are within the picture."""
        places, depth = self.seen(points)
        with np.errstate(invalid='ignore'):
            inside = ((places >= 0.0) & (places <= np.array(SIZE))).all(axis=1)
        return inside & (depth > NEAR)

    @property
    def turned_to_it(self) -> Any:
        """Return the rotation (3, 3) of what faces the camera: x to it, z up on the screen."""
        right, up, back = self.axes
        return np.column_stack((back, right, up))


def orbit(view: dict[str, Any], target: Any) -> Camera:
    """
    Return the camera of a view.

    Parameters
    ----------
    view : dict
        ``Views: Current`` of a configuration.
    target : array
        (3,): where its target frame is in the fixed one [m].

    """
    assert view['Class'] == 'rviz_default_plugins/Orbit'
    pitch, yaw, focal = view['Pitch'], view['Yaw'], view['Focal Point']
    back = np.array([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), np.sin(pitch)])
    right = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
    middle = np.array([focal[axis] for axis in 'XYZ']) + target
    angle = view.get('Field of View', np.pi / 4.0)
    return Camera(middle + view['Distance'] * back, np.array([right, np.cross(back, right), back]),
                  0.5 * SIZE[1] / np.tan(0.5 * angle))
