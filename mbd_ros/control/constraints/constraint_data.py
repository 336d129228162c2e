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

"""Constraints from plain data, as a parameter file or a message has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mbd_ros.control.constraints.joint_constraints import JointCoupling, JointSpeed
from mbd_ros.control.constraints.joint_paths import joint_path
from mbd_ros.control.constraints.servo_constraints import Constraint
from mbd_ros.control.constraints.surfaces import cylinder, OnSurface, plane, sphere, Surface
from mbd_ros.control.constraints.tool_constraints import (
    NoSideslip, ToolDirection, ToolOrientation, ToolPosition)
from mbd_ros.control.references.arguments import (
    mapping, mappings, number, positive_number, row, table, text, texts)
from mbd_ros.control.references.joint_trajectories import joint_trajectory
from mbd_ros.control.references.orientations import held, Orientation, Turn
from mbd_ros.control.references.path_data import (
    Kind, made_from_data, path_from_data, point, Reader)
from mbd_ros.control.references.paths import Path
from mbd_ros.dynamics import PreparedDynamics

Data = Mapping[str, Any]


def constraints_from_data(dyn: PreparedDynamics, data: Sequence[Data]) -> list[Constraint]:
    """
    Return the constraints that plain data describe.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics, ``mbd_ros.compile(model)``.
    data : sequence of mapping
        Each with a ``kind`` of ``KINDS`` and its data, e.g. ``{'kind': 'tool_position', 'link':
        'tool', 'path': {'kind': 'circle', ...}}`` or ``{'kind': 'on_surface', 'link': 'tool',
        'surfaces': [{'kind': 'plane', 'point': [0, 0, 0.5], 'normal': [0, 0, 1]}]}``.

    Returns
    -------
    list of Constraint
        One or more for each entry, in their order.

    Raises
    ------
    MbdError
        If an entry is not as it should be; says which.

    """
    found: list[Constraint] = []
    for index, entry in enumerate(mappings('constraints', data)):
        made = made_from_data(KINDS, 'constraint', entry, dyn, which=f' {index + 1}')
        found += made if isinstance(made, list) else [made]
    return found


def _pose(dyn: PreparedDynamics, link: str, path: Path, orientation: Orientation,
          point: Any = None) -> list[Constraint]:
    return [ToolPosition(dyn, link, path, point=point), ToolOrientation(dyn, link, orientation)]


def _joints(dyn: PreparedDynamics, joints: Sequence[str], **points: Any) -> Constraint:
    return joint_path(dyn.model, joints, joint_trajectory(dyn.model, joints, **points))


def _coupling(dyn: PreparedDynamics, **relation: Any) -> Constraint:
    return JointCoupling(dyn.model, **relation)


def _speed(dyn: PreparedDynamics, **relation: Any) -> Constraint:
    return JointSpeed(dyn.model, **relation)


def _path(name: str, value: Any) -> Path:
    """Return the path that a mapping describes."""
    return path_from_data(mapping(name, value))


def _orientation(name: str, value: Any) -> Orientation:
    """Return a quaternion held, or the turn between two that a mapping describes."""
    if not isinstance(value, Mapping):
        return held(row(name, value))
    turn: Orientation = made_from_data(TURNS, 'tool orientation', {'kind': 'turn', **value})
    return turn


def _surfaces(name: str, value: Any) -> list[Surface]:
    """Return the surfaces that a list of mappings describes."""
    return [made_from_data(SURFACES, 'surface', each) for each in mappings(name, value)]


def _coefficients(name: str, value: Any) -> dict[str, float]:
    """Return numbers by joint."""
    return {text(f'joint of {name}', joint): number(f"{name} of '{joint}'", each)
            for joint, each in mapping(name, value).items()}


SURFACES: Mapping[str, Kind] = {
    'plane': Kind(plane, {'point': point, 'normal': point}),
    'sphere': Kind(sphere, {'center': point, 'radius': positive_number}),
    'cylinder': Kind(cylinder, {'point': point, 'axis': point, 'radius': positive_number}),
}
"""Surfaces on which ``on_surface`` holds a point; two of them meet in a curve."""

TURNS: Mapping[str, Kind] = {
    'turn': Kind(Turn, {'start': row, 'end': row},
                 {'duration': positive_number, 'begin': number}),
}

LINK: Mapping[str, Reader] = {'link': text}
POINT: Mapping[str, Reader] = {'point': point}
KINDS: Mapping[str, Kind] = {
    'tool_position': Kind(ToolPosition, {**LINK, 'path': _path}, {'axes': text, **POINT}),
    'tool_orientation': Kind(ToolOrientation, {**LINK, 'orientation': _orientation}),
    'tool_pose': Kind(_pose, {**LINK, 'path': _path, 'orientation': _orientation}, POINT),
    'tool_direction': Kind(ToolDirection, {**LINK, 'axis': point, 'direction': point}),
    'on_surface': Kind(OnSurface, {**LINK, 'surfaces': _surfaces}, POINT),
    'joint_path': Kind(_joints, {'joints': texts, 'times': row, 'positions': table},
                       {'velocities': table, 'accelerations': table}),
    'joint_coupling': Kind(_coupling, {'coefficients': _coefficients}, {'value': number}),
    'joint_speed': Kind(_speed, {'coefficients': _coefficients}, {'value': number}),
    'no_sideslip': Kind(NoSideslip, {**LINK, 'axis': point}),
}
"""Kinds of constraint."""
