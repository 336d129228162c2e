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

"""The ground: heights from a file, and its picture."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from visualization_msgs.msg import Marker, MarkerArray

from mbd_ros.description.xml.file_content import read_content, utf8_text
from mbd_ros.environment.contact import Ground
from mbd_ros.errors import InvalidValueError
from mbd_ros.messages.fields.plain_data import LONGEST, read_plain
from mbd_ros.messages.states.drawings import Color, delete_all, from_point, to_point

Lines = NDArray[np.float64]

GROUND = 'ground'
"""Namespace of the marker."""
SAND: Color = (0.55, 0.47, 0.33, 1.0)
REACH = 4.0
"""Half the size of what is shown of a plane, with a line for each metre [m]."""
KNOWN = ('heights', 'spacing', 'origin')
MOST_LINES = 2048
"""Lines that are drawn: those of a grid of 1,024 points."""
FARTHEST = 1e6
"""How far off they may be to be drawn [m]."""


def heights_from_file(file: str) -> dict[str, Any]:
    """
    Return the arguments of ``Ground`` that a YAML file has.

    Parameters
    ----------
    file : str
        Its path; ``~`` is the home folder. In it ``heights``, a list of rows along x, each of
        numbers along y [m], and, if wanted, ``spacing`` and ``origin`` [m].

    Returns
    -------
    dict of str to object
        As they are, for ``Ground`` to check.

    Raises
    ------
    DescriptionError
        If it cannot be read.
    InvalidValueError
        If it is too long, no YAML of plain values, or has other keys; names the file.

    """
    content = read_content(Path(os.path.expanduser(file)))
    name = f"heights of the ground in '{file}'"
    if len(content) > LONGEST:   # before it is decoded
        raise InvalidValueError(name, 'a longer file', f'at most {LONGEST} characters')
    data = read_plain(name, utf8_text(content, file))
    if not isinstance(data, dict) or 'heights' not in data or set(data) - set(KNOWN):
        raise InvalidValueError(name, sorted(data) if isinstance(data, dict) else data,
                                'heights, and if wanted spacing and origin')
    rows = data['heights']
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows) or any(
            isinstance(one, bool) for row in rows for one in row):
        raise InvalidValueError(name, rows, 'heights: a list of rows of numbers')
    return data


def ground_lines(ground: Ground) -> Lines:
    """Return lines (n, 2, 3) on the ground: between the points of its grid, or for each metre."""
    if ground.heights is not None:
        z = np.array(ground.heights) + ground.height
        axes = [start + step * np.arange(count) for start, step, count in zip(
            ground.origin, ground.spacing, z.shape)]
        grid = np.stack([*np.meshgrid(*axes, indexing='ij'), z], axis=-1)
    else:
        normal = np.array(ground.normal)
        across = np.linalg.svd(normal[None])[2][1:]
        sides = np.arange(-REACH, REACH + 0.5)
        grid = (normal * ground.height + sides[:, None, None] * across[0]
                + sides[None, :, None] * across[1])
    return np.concatenate([np.stack([one, other], axis=-2).reshape(-1, 2, 3) for one, other in (
        (grid[:-1], grid[1:]), (grid[:, :-1], grid[:, 1:]))])


def ground_marker(frame: str, ground: Ground | None) -> MarkerArray:
    """
    Return the lines of the ground in the frame of the world; without one what removes them.

    They are said once: RViz transforms what is locked to its frame anew for every picture.

    """
    if ground is None:
        return delete_all()
    one = Marker(ns=GROUND, type=Marker.LINE_LIST, action=Marker.ADD, frame_locked=True)
    one.header.frame_id = frame
    one.pose.orientation.w = 1.0
    one.scale.x = 0.01
    one.color.r, one.color.g, one.color.b, one.color.a = SAND
    one.points = [to_point(point) for point in ground_lines(ground).reshape(-1, 3)]
    return MarkerArray(markers=[one])


def lines_of_ground(message: MarkerArray) -> Lines:
    """Return the lines (n, 2, 3) of a message that can be drawn, as many as a grid has."""
    points = [from_point(point) for one in message.markers
              if one.ns == GROUND and one.type == Marker.LINE_LIST
              for point in one.points[:2 * MOST_LINES]]
    lines = np.array(points[:len(points) // 2 * 2]).reshape(-1, 2, 3)[:MOST_LINES]
    return lines[(np.abs(lines) < FARTHEST).all(axis=(1, 2))]
