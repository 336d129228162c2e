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

"""A robot behind ros2_control, as a controller meets it: forward_command_controller and drives."""

from __future__ import annotations

from typing import Any

from graphs import Graph
import numpy as np
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from mbd_ros.messages.fields.times import SECOND, to_stamp
from mbd_ros.simulation import Stepper

LOOK = 0.002
"""Time between two looks at what has come [s]."""
SOON, LATER = 10, 500
"""Looks after which a state is sent again: before the first command, and that it got none."""


class Drives:
    """
    A forward_command_controller, a joint_state_broadcaster and a robot, in one node.

    It knows nothing of labels or of models: a command is a list in the order of its parameter
    ``joints``, of another size it is ignored, and the newest one acts until the next update. Time
    goes on by a period when a command has come since the last state, as in a simulator that is
    slower than real, so that no load of the machine changes what comes out.

    Parameters
    ----------
    graph : Graph
        Of the test, which spins the node.
    model : Model
        What moves, for drives that take efforts; of the others, only its names count.
    name : str
        Of the node, such as ``effort_controller``.
    joints : list of str
        Its order.
    interface : str
        effort, position or velocity.
    q : array
        Where the joints begin, in the order of the model [rad or m].
    rate : float
        Updates per second [Hz].
    limit : float
        Of each command: largest effort [N m], or speed of a joint [rad/s].
    names_interface : bool
        Whether it has the parameter ``interface_name``.

    """

    def __init__(self, graph: Graph, model: Any, name: str, joints: list[str], interface: str,
                 q: Any, *, rate: float = 200.0, limit: float = np.inf,
                 names_interface: bool = True) -> None:
        self._joints, self._interface, self._limit = joints, interface, limit
        self._names = list(model.joint_names)
        self._order = [self._names.index(joint) for joint in joints]
        self._plant = Stepper(model, q) if interface == 'effort' else None
        self.q, self.v = np.array(q, dtype=float), np.zeros(model.nv)
        self.period, self._time = round(SECOND / rate), 0
        self._command: Any = None
        self._answered, self._idle = False, SOON
        self._next: tuple[list[str], str] | None = None
        self.largest = 0.0   # command so far
        self.graph = graph
        self.node = Node(name, context=graph.context)
        self.node.declare_parameter('joints', joints)
        if names_interface:
            self.node.declare_parameter('interface_name', interface)
        self.node.create_subscription(
            Float64MultiArray, '~/commands', self._on_command, 10)
        self._states = self.node.create_publisher(JointState, 'joint_states', 10)
        self._timer = self.node.create_timer(LOOK, self._update)
        graph.add(self.node)

    @property
    def seconds(self) -> float:
        """Time that has passed [s]."""
        return self._time / SECOND

    @property
    def commanded(self) -> bool:
        """Whether a command has come."""
        return self._command is not None

    def take(self, joints: list[str], interface: str) -> None:
        """Take commands in another order, or of another kind, as after a new start."""
        self._next = joints, interface   # by the thread that moves the robot
        self.node.set_parameters([Parameter('joints', value=joints),
                                  Parameter('interface_name', value=interface)])

    def _on_command(self, message: Float64MultiArray) -> None:
        if len(message.data) == len(self._joints):
            self._command, self._answered = np.array(message.data), True
            self.largest = max(self.largest, float(np.abs(self._command).max()))

    def _begin_anew(self, joints: list[str], interface: str) -> None:
        """Know of no command; the next state is a new one."""
        self._joints, self._interface, self._next = joints, interface, None
        self._order = [self._names.index(joint) for joint in joints]
        self._command, self._answered = None, False
        self._time += self.period

    def _update(self) -> None:
        """Go on by a period once there is an answer, and say where the joints are."""
        if self._next is not None:
            self._begin_anew(*self._next)
        self._idle += 1
        if self._answered:
            self._move()
        elif self._idle < (SOON if self._command is None else LATER):
            return
        self._answered, self._idle = False, 0
        backwards = self._names[::-1]   # a broadcaster has an order of its own
        message = JointState(name=backwards, position=self.q[::-1].tolist(),
                             velocity=self.v[::-1].tolist())
        message.header.stamp = to_stamp(SECOND + self._time)
        self._states.publish(message)

    def _move(self) -> None:
        """Let the drives do what they are told, within their limits."""
        self._time += self.period
        h, given = self.period / SECOND, np.zeros(len(self.q))
        given[self._order] = self._command
        if self._plant is not None:
            self._plant.advance(np.clip(given, -self._limit, self._limit), h)
            self.q, self.v = self._plant.q.copy(), self._plant.v.copy()
            return
        if self._interface == 'position':
            given = (given - self.q) / h
        self.v = np.clip(given, -self._limit, self._limit)
        self.q = self.q + h * self.v
