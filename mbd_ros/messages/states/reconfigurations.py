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

"""Requests to replace the robot, and answers about the state carried over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
import math
from typing import Any

from geometry_msgs.msg import Twist
from mbd_msgs.msg import StateTransfer
from mbd_msgs.srv import SetModel
import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.functions.carry_over import CarriedState
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.messages.states.joint_states import LARGEST

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Change:
    """
    What is known of the state of a robot that takes the place of another.

    Attributes
    ----------
    positions : mapping of str to float
        Of new joints [rad or m].
    twists : mapping of str to array
        (6,) of new links before they were docked [m/s, rad/s].
    largest_jump : float
        How far a link may be displaced [m].

    """

    positions: Mapping[str, float] = field(default_factory=dict)
    twists: Mapping[str, Array] = field(default_factory=dict)
    largest_jump: float = math.inf


def read_positions(request: Any) -> dict[str, float]:
    """
    Return the positions of a request by joint name.

    Raises
    ------
    ShapeError, InvalidValueError
        If there is not one for each name, a name comes twice, or one is beyond ``LARGEST``.

    """
    positions = dict(zip(_names('joint_names', request.joint_names, 'positions',
                                request.positions), map(float, request.positions)))
    for name, value in positions.items():
        if not abs(value) <= LARGEST:
            raise InvalidValueError(f"position of joint '{name}'", value,
                                    f'from {-LARGEST:g} to {LARGEST:g} [rad or m]')
    return positions


def read_jump(request: Any) -> float:
    """Return how far a link may be displaced; infinity if the request does not say."""
    value = next(iter(request.largest_jump), math.inf)
    if math.isnan(value) or value < 0.0:
        raise InvalidValueError('largest_jump', value, '0 or more [m]')
    return float(value)


def read_change(request: Any) -> Change:
    """Return what a request of ``SetModel`` says, beside the description."""
    links = _names('links', request.links, 'twists', request.twists)
    return Change(read_positions(request), dict(zip(links, map(read_twist, request.twists))),
                  read_jump(request))


def read_twist(twist: Twist) -> Array:
    """Return the six numbers of a twist, linear first."""
    linear, angular = twist.linear, twist.angular
    return np.array([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z])


def set_model_request(description: str, change: Change) -> SetModel.Request:
    """Return the request that puts a robot in the place of the one that moves."""
    request = SetModel.Request(
        robot_description=description, joint_names=list(change.positions),
        positions=[float(value) for value in change.positions.values()],
        links=list(change.twists))
    for values in change.twists.values():
        twist = Twist()
        linear, angular = twist.linear, twist.angular
        linear.x, linear.y, linear.z, angular.x, angular.y, angular.z = values.tolist()
        request.twists.append(twist)
    if math.isfinite(change.largest_jump):
        request.largest_jump = [change.largest_jump]
    return request


def state_transfer(state: CarriedState) -> StateTransfer:
    """Return the figures of a state that was carried over."""
    return StateTransfer(
        carried=True, kinetic_energy_before=state.kinetic_energy_before,
        kinetic_energy_after=state.kinetic_energy_after,
        kinetic_energy_removed=state.kinetic_energy_removed,
        position_jump=state.position_jump, rotation_jump=state.rotation_jump)


def _names(what: str, names: Sequence[str], of: str, values: Sequence[Any]) -> list[str]:
    if len(names) != len(values):
        raise ShapeError(of, (len(values),), f'({len(names)},), one for each of {what}')
    if len(set(names)) < len(names):
        raise InvalidValueError(what, list(names), 'each name once')
    return list(names)
