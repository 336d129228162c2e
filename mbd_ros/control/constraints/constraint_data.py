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
from mbd_ros.control.references.joint_trajectories import joint_trajectory
from mbd_ros.control.references.orientations import held, Orientation, Turn
from mbd_ros.control.references.path_data import Kind, made_from_data, path_from_data
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError

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
    for index, entry in enumerate(data):
        number = f' {index + 1}'
        if not isinstance(entry, Mapping):
            raise InvalidValueError(f'constraint{number}', entry,
                                    'a mapping with kind and its data')
        found += made_from_data(KINDS, 'constraint', entry, dyn, number=number)
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


SURFACES: Mapping[str, Kind] = {
    'plane': Kind(plane, frozenset({'point', 'normal'})),
    'sphere': Kind(sphere, frozenset({'center', 'radius'})),
    'cylinder': Kind(cylinder, frozenset({'point', 'axis', 'radius'})),
}
"""Surfaces on which ``on_surface`` holds a point; two of them meet in a curve."""

TURNS: Mapping[str, Kind] = {
    'turn': Kind(Turn, frozenset({'start', 'end'}),
                 frozenset({'duration', 'begin'})),
}

KINDS: Mapping[str, Kind] = {
    'tool_position': Kind(_position, frozenset({'link', 'path'}), frozenset({'axes', 'point'})),
    'tool_orientation': Kind(_orientation, frozenset({'link', 'orientation'})),
    'tool_pose': Kind(_pose, frozenset({'link', 'path', 'orientation'}), frozenset({'point'})),
    'tool_direction': Kind(_direction, frozenset({'link', 'axis', 'direction'})),
    'on_surface': Kind(_on_surface, frozenset({'link', 'surfaces'}), frozenset({'point'})),
    'joint_path': Kind(_joints, frozenset({'joints', 'times', 'positions'}),
                       frozenset({'velocities', 'accelerations'})),
    'joint_coupling': Kind(_coupling, frozenset({'coefficients'}), frozenset({'value'})),
    'joint_speed': Kind(_speed, frozenset({'coefficients'}), frozenset({'value'})),
    'no_sideslip': Kind(_no_sideslip, frozenset({'link', 'axis'})),
}
"""Kinds of constraint."""
