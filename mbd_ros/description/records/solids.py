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

"""Volume and inertia of homogeneous solids, and of bodies put together from several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import pi

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.mechanism import Inertia
from mbd_ros.description.records.poses import matrix3

Array = NDArray[np.float64]


def _sphere(r: float) -> tuple[float, Sequence[float]]:
    return 4.0 / 3.0 * pi * r * r * r, (0.4 * r * r,) * 3


def _box(a: float, b: float, c: float) -> tuple[float, Sequence[float]]:
    return 8.0 * a * b * c, ((b * b + c * c) / 3.0, (a * a + c * c) / 3.0, (a * a + b * b) / 3.0)


def _cylinder(r: float, h: float) -> tuple[float, Sequence[float]]:
    across = (3.0 * r * r + 4.0 * h * h) / 12.0
    return 2.0 * pi * r * r * h, (across, across, 0.5 * r * r)


def _ellipsoid(a: float, b: float, c: float) -> tuple[float, Sequence[float]]:
    return 4.0 / 3.0 * pi * a * b * c, ((b * b + c * c) / 5.0, (a * a + c * c) / 5.0,
                                        (a * a + b * b) / 5.0)


def _capsule(r: float, h: float) -> tuple[float, Sequence[float]]:
    # A cylinder with half a ball on each end, whose mass centre is 3/8 r beyond that end.
    middle, (across, _, along) = _cylinder(r, h)
    ends, (turn, _, _) = _sphere(r)
    share = middle / (middle + ends)
    x = share * across + (1.0 - share) * (turn + h * h + 0.75 * h * r)
    return middle + ends, (x, x, share * along + (1.0 - share) * turn)


SOLIDS: dict[str, tuple[int, Callable[..., tuple[float, Sequence[float]]]]] = {
    'sphere': (1, _sphere), 'box': (3, _box), 'cylinder': (2, _cylinder),
    'ellipsoid': (3, _ellipsoid), 'capsule': (2, _capsule)}
"""
By kind: how many sizes it has, and the function of these that gives its volume [m^3] and its
principal moments per mass about the centre [m^2].

Sizes are halves, as in MJCF: radius; half edges; radius and half length; half axes; radius and
half the length between the centres of its ends.
"""


def _sphere_shell(r: float) -> tuple[float, Sequence[float]]:
    return 4.0 * pi * r * r, (2.0 / 3.0 * r * r,) * 3


def _box_shell(a: float, b: float, c: float) -> tuple[float, Sequence[float]]:
    half = np.array((a, b, c))
    faces = 8.0 * np.array((b * c, a * c, a * b))   # both faces across each axis
    area = float(faces.sum())
    # the mean square of each coordinate: all of it on the two faces across, a third elsewhere
    squares = half**2 * (faces + (area - faces) / 3.0) / area
    return area, (squares.sum() - squares).tolist()


def _cylinder_shell(r: float, h: float) -> tuple[float, Sequence[float]]:
    side, ends = 4.0 * pi * r * h, 2.0 * pi * r * r
    share = side / (side + ends)
    across = share * (0.5 * r * r + h * h / 3.0) + (1.0 - share) * (0.25 * r * r + h * h)
    return side + ends, (across, across, (share + 0.5 * (1.0 - share)) * r * r)


def _capsule_shell(r: float, h: float) -> tuple[float, Sequence[float]]:
    side, ends = 4.0 * pi * r * h, 4.0 * pi * r * r
    share = side / (side + ends)
    turn = 2.0 / 3.0 * r * r
    across = share * (0.5 * r * r + h * h / 3.0) + (1.0 - share) * (turn + h * h + h * r)
    return side + ends, (across, across, share * r * r + (1.0 - share) * turn)


SHELLS: dict[str, Callable[..., tuple[float, Sequence[float]]]] = {
    'sphere': _sphere_shell, 'box': _box_shell, 'cylinder': _cylinder_shell,
    'capsule': _capsule_shell}
"""By kind: as in ``SOLIDS``, of thin shells: their area [m^2], and moments per mass [m^2]."""


def combined(parts: Iterable[tuple[float, Array, Array]], source: Source) -> Inertia:
    """
    Return the mass properties of several bodies fixed to each other.

    Parameters
    ----------
    parts : iterable of (float, (4, 4) array, (3, 3) array)
        Mass [kg], pose of the frame at the mass centre, and inertia tensor about it in the axes of
        that frame [kg m^2].
    source : Source
        Where they were written.

    Returns
    -------
    Inertia
        In the common frame.

    """
    known = list(parts)
    mass = sum(part[0] for part in known)
    if mass == 0.0:
        return Inertia(source=source)
    with np.errstate(over='ignore', invalid='ignore'):   # what is no number is refused later
        center = sum((part[0] * part[1][:3, 3] for part in known), np.zeros(3)) / mass
        tensor = np.zeros((3, 3))
        for share, pose, own in known:
            arm = pose[:3, 3] - center
            tensor += pose[:3, :3] @ own @ pose[:3, :3].T
            tensor += share * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    x, y, z = (center + 0.0).tolist()
    return Inertia(mass, (x, y, z), matrix3(0.5 * (tensor + tensor.T) + 0.0), source)
