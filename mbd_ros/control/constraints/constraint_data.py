"""Constraints from plain data, as a parameter file or a message has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mbd_ros.control.constraints.curved_joint_paths import joint_path
from mbd_ros.control.constraints.joint_constraints import JointCoupling, JointSpeed
from mbd_ros.control.constraints.servo_constraints import Constraint
from mbd_ros.control.constraints.surfaces import cylinder, OnSurface, plane, sphere
from mbd_ros.control.constraints.tool_constraints import (
    AXES, NoSideslip, ToolDirection, ToolOrientation, ToolPosition)
from mbd_ros.control.references.arguments import (
    mapping, mappings, number, positive_number, row, table, text, texts)
from mbd_ros.control.references.joint_trajectories import joint_trajectory
from mbd_ros.control.references.orientations import held, Orientation, Turn
from mbd_ros.control.references.path_data import (
    Kind, made_from_data, path_from_data, point, Reader)
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
        found += made_from_data(KINDS, 'constraint', entry, dyn, which=f' {index + 1}')
    return found


def _position(dyn: PreparedDynamics, link: str, path: Data, axes: str = AXES,
              point: Any = None) -> list[Constraint]:
    return [ToolPosition(dyn, link, path_from_data(path), axes=axes, point=point)]


def _orientation(dyn: PreparedDynamics, link: str, orientation: Any) -> list[Constraint]:
    return [ToolOrientation(dyn, link, _orientation_from_data(orientation))]


def _pose(dyn: PreparedDynamics, link: str, path: Data, orientation: Any, point: Any = None
          ) -> list[Constraint]:
    return [*_position(dyn, link, path, point=point), *_orientation(dyn, link, orientation)]


def _orientation_from_data(data: Any) -> Orientation:
    """Return a quaternion held, or the turn between two."""
    if not isinstance(data, Mapping):
        return held(data)
    turn: Orientation = made_from_data(TURNS, 'tool orientation', {'kind': 'turn', **data})
    return turn


def _on_surface(dyn: PreparedDynamics, link: str, surfaces: Sequence[Data], point: Any = None
                ) -> list[Constraint]:
    return [OnSurface(dyn, link, [made_from_data(SURFACES, 'surface', each) for each in surfaces],
                      point=point)]


def _direction(dyn: PreparedDynamics, link: str, axis: Any, direction: Any) -> list[Constraint]:
    return [ToolDirection(dyn, link, axis, direction)]


def _joints(dyn: PreparedDynamics, joints: Sequence[str], times: Any, positions: Any,
            velocities: Any = None, accelerations: Any = None) -> list[Constraint]:
    return [joint_path(dyn.model, joints, joint_trajectory(
        dyn.model, joints, times, positions, velocities, accelerations))]


def _coupling(dyn: PreparedDynamics, coefficients: Data, value: float = 0.0) -> list[Constraint]:
    return [JointCoupling(dyn.model, coefficients, value)]


def _speed(dyn: PreparedDynamics, coefficients: Data, value: float = 0.0) -> list[Constraint]:
    return [JointSpeed(dyn.model, coefficients, value)]


def _no_sideslip(dyn: PreparedDynamics, link: str, axis: Any) -> list[Constraint]:
    return [NoSideslip(dyn, link, axis)]


def _orientation_of(name: str, value: Any) -> Any:
    """Return a quaternion, or the mapping that describes a turn."""
    return value if isinstance(value, Mapping) else row(name, value)


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
    'tool_position': Kind(_position, {**LINK, 'path': mapping}, {'axes': text, **POINT}),
    'tool_orientation': Kind(_orientation, {**LINK, 'orientation': _orientation_of}),
    'tool_pose': Kind(
        _pose, {**LINK, 'path': mapping, 'orientation': _orientation_of}, POINT),
    'tool_direction': Kind(_direction, {**LINK, 'axis': point, 'direction': point}),
    'on_surface': Kind(_on_surface, {**LINK, 'surfaces': mappings}, POINT),
    'joint_path': Kind(_joints, {'joints': texts, 'times': row, 'positions': table},
                       {'velocities': table, 'accelerations': table}),
    'joint_coupling': Kind(_coupling, {'coefficients': _coefficients}, {'value': number}),
    'joint_speed': Kind(_speed, {'coefficients': _coefficients}, {'value': number}),
    'no_sideslip': Kind(_no_sideslip, {**LINK, 'axis': point}),
}
"""Kinds of constraint."""
