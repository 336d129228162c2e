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
Between the axes of marine craft and those of ROS: the only place where they are exchanged.

Marine craft use north, east, down (NED) for the world and forward, right, down (FRD) for bodies;
ROS (REP 103) east, north, up (ENU) and forward, left, up (FLU). Both exchanges are their own
inverses.

"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

_WORLD = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
_BODY = np.diag([1.0, -1.0, -1.0])


def exchange_world(vectors: ArrayLike) -> Array:
    """
    Return vectors of the world given in NED in ENU, and the other way round.

    Parameters
    ----------
    vectors : array_like
        (..., 3) places, velocities, forces and the like.

    Returns
    -------
    array
        (..., 3).

    """
    found: Array = np.asarray(vectors, dtype=np.float64) @ _WORLD
    return found


def exchange_body(vectors: ArrayLike) -> Array:
    """Return vectors of a body (..., 3) given in FRD in FLU, and the other way round."""
    found: Array = np.asarray(vectors, dtype=np.float64) @ _BODY
    return found


def exchange_rotation(rotation: ArrayLike) -> Array:
    """
    Return the attitude of a body from FRD in NED as that from FLU in ENU, or the other way round.

    Parameters
    ----------
    rotation : array_like
        (..., 3, 3) axes of the body in the world, as columns.

    Returns
    -------
    array
        (..., 3, 3).

    """
    found: Array = _WORLD @ np.asarray(rotation, dtype=np.float64) @ _BODY
    return found
