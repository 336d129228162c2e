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

"""Joints matched by name at the border, by index inside."""

from __future__ import annotations

from collections.abc import Sequence

from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.model.joints.joint_type import JointType
from mbd_ros.model.model import Model


def indices(model: Model, names: Sequence[str]) -> list[int]:
    """
    Return where in a list of names each joint of the model stands.

    Parameters
    ----------
    model : Model
        The robot.
    names : sequence of str
        Names of its joints with one coordinate, each exactly once.

    Returns
    -------
    list of int
        ``[names.index(joint) for joint in ...]`` in the order of the model.

    Raises
    ------
    UnknownNameError
        If there is no joint of a name.
    InvalidValueError
        If a joint is named twice, left out, or has more than one coordinate.

    """
    wanted = simple_joints(model)
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        if name in places:
            raise InvalidValueError('joint_names', list(names),
                                    f"each joint once; '{name}' is there twice")
        if name not in model.joint_names:
            raise UnknownNameError('joint', name, wanted)
        places[name] = place
    missing = [name for name in wanted if name not in places]
    if missing:
        raise InvalidValueError('joint_names', list(names), 'all joints; missing: '
                                + ', '.join(missing))
    if len(places) > len(wanted):
        extra = [name for name in names if name not in wanted]
        raise InvalidValueError('joint_names', list(names), 'joints with one coordinate, not '
                                + ', '.join(extra))
    return [places[name] for name in wanted]


def position_units(model: Model) -> tuple[str, ...]:
    """Return the unit, with a blank before, of what each velocity variable is the rate of."""
    units = [''] * model.nv   # none where several coordinates, or modes, are of one name
    for kind, place in zip(model.joint_types, model.v_offsets):
        if kind.is_simple:
            units[place] = ' m' if kind is JointType.PRISMATIC else ' rad'
    return tuple(units)


def simple_joints(model: Model) -> tuple[str, ...]:
    """Return the names of the joints with one coordinate: revolute and prismatic ones."""
    return tuple(name for name, kind in zip(model.joint_names, model.joint_types)
                 if kind.is_simple)
