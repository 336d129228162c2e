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

"""Interactive markers, which RViz shows and lets one drag: what is offered, and where it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.clock import Clock, ClockType
from rclpy.parameter import Parameter
from visualization_msgs.msg import (
    InteractiveMarker, InteractiveMarkerFeedback, InteractiveMarkerUpdate)
from visualization_msgs.srv import GetInteractiveMarkers

from mbd_ros.errors import InvalidValueError
from mbd_ros.messages.states.interactive import moved
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.guard import GuardedNode

Matrix = NDArray[np.float64]
Poses = Mapping[str, Matrix]

LOADS = (0.0, 0.5, 1.0, 2.0, 5.0)
"""Payloads of menus [kg]."""
PULLS = {'Earth': -9.81, 'Mars': -3.71, 'Moon': -1.62, 'none': 0.0}
"""Gravity along z of menus [m/s^2]."""


class Menu:
    """
    What the right mouse button offers at a marker.

    Parameters
    ----------
    node : str
        Name of the node on which its entries act; they say so.
    actions : mapping of str to callable
        What each entry does, given a name, by its title, as ``hands.entries`` takes them.

    """

    def __init__(self, node: str, actions: Mapping[str, Callable[[str], None]]) -> None:
        self._node, self._actions = node, dict(actions)

    @property
    def titles(self) -> list[str]:
        """Return the titles of the entries, such as ``Gravity (simulator)/Moon``."""
        return [f'{first} ({self._node}){slash}{rest}' for first, slash, rest in (
            title.partition('/') for title in self._actions)]

    def choose(self, message: InteractiveMarkerFeedback, name: str) -> None:
        """Do for a name what was chosen."""
        actions, number = list(self._actions.values()), message.menu_entry_id
        if not 1 <= number <= len(actions):
            raise InvalidValueError('menu_entry_id', number, f'1 to {len(actions)}')
        actions[number - 1](name)


def set_parameters(node: GuardedNode, values: Mapping[str, Any]) -> None:
    """Set parameters of a node as ``ros2 param set`` does, all or none; a refusal is logged."""
    result = node.set_parameters_atomically(
        [Parameter(name, value=value) for name, value in values.items()])
    if not result.successful:
        node.get_logger().warning(f'not set from RViz: {result.reason}')


class InteractiveServer:
    """
    Offers markers as an interactive_markers server does; who is new hears of all of them.

    Its service is there as soon as a frame is known, that is, a robot.

    Parameters
    ----------
    node : GuardedNode
        The node.
    name : str
        Name in the graph, such as ``~/target``.
    period : float
        Time between two updates while somebody listens [s].
    look : callable
        Returns the frame of markers, and where each is: (4, 4) in that frame, by name. An empty
        frame: each in the frame of its own name, with which RViz moves it without any update.
    make : callable
        Returns the marker of a frame, a name and a pose.
    on_feedback : callable
        Takes what RViz says.

    """

    def __init__(self, node: GuardedNode, name: str, period: float, *,
                 look: Callable[[], tuple[str, Poses]],
                 make: Callable[[str, str, Matrix], InteractiveMarker],
                 on_feedback: Callable[[InteractiveMarkerFeedback], None]) -> None:
        self._find, self._make = look, make
        self._number, self._sent, self._listeners = 0, InteractiveMarkerUpdate(), 0
        self._told: tuple[str, list[str]] = ('', [])   # frame and names that are known
        self._renewed = self._dropped = False
        self._on_feedback = on_feedback
        self._updates = node.create_publisher(
            InteractiveMarkerUpdate, f'{name}/update', qos.RELIABLE)
        node.create_subscription(
            InteractiveMarkerFeedback, f'{name}/feedback', self._hear, qos.RELIABLE)
        # RViz asks at once where it sees the service, once a second, and warns where no answer
        # comes: not before there is a robot, while the node may be compiling.
        self._offer = partial(node.create_service, GetInteractiveMarkers,
                              f'{name}/get_interactive_markers', self._on_request)
        self._offered = False
        node.create_timer(period, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def renew(self) -> None:
        """Send all markers again: they look otherwise."""
        self._renewed = True

    def _hear(self, message: InteractiveMarkerFeedback) -> None:
        """Hand on what RViz says; a marker that was let go there returns to where it is here."""
        self._dropped |= message.event_type == InteractiveMarkerFeedback.MOUSE_UP
        self._on_feedback(message)

    def _look(self) -> None:
        """Tell who listens where markers are."""
        listeners, self._listeners = self._listeners, self._updates.get_subscription_count()
        if self._offered and not self._listeners:
            return
        frame, poses = self._find()
        if (frame or poses) and not self._offered:
            self._offered = True
            self._offer()
        if not self._listeners:
            return
        update = moved(self._number + 1, frame, poses)
        if (self._renewed or self._told != (frame, [*poses]) or self._listeners > listeners):
            update.poses, update.markers = [], self._markers(frame, poses)
            update.erases = [name for name in self._told[1] if name not in poses]
        elif update.poses == self._sent.poses and not self._dropped:
            return
        self._number, self._sent = self._number + 1, update
        self._renewed = self._dropped = False
        self._told = frame, [*poses]
        self._updates.publish(update)

    def _markers(self, frame: str, poses: Poses) -> list[InteractiveMarker]:
        return [self._make(frame or name, name, pose) for name, pose in poses.items()]

    def _on_request(self, request: Any, response: Any) -> Any:
        """Return all markers, and the number of the last update that they include."""
        response.sequence_number = self._number
        response.markers = self._markers(*self._find())
        return response
