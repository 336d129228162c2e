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

"""Who takes the commands of the controller: of which kind, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import GetParameters
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import NameValidationException
from rclpy.task import Future
from std_msgs.msg import Float64MultiArray

from mbd_ros.control.control_step.fused_step import Step
from mbd_ros.control.control_step.thrust_allocation import ThrustAllocation
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import InvalidValueError, MbdError
from mbd_ros.messages.fields.parameter_values import string, string_array
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.messages.states.joint_states import Measured
from mbd_ros.model import Model
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.guard import GuardedNode

LOOK = 0.5
"""Time between two looks at whether the hardware is there and has said its order [s]."""
PATIENCE = 10
"""Looks after which is asked again: it may have been started anew, or never have answered."""
ASKED = ('joints', 'interface_name')
"""Asked one by one: who has not declared all of them answers with none."""


class Hardware:
    """
    Sends commands as a forward_command_controller takes them.

    Parameters
    ----------
    node : GuardedNode
        The controller.
    settings : SimpleNamespace
        Its parameters: ``rate``, ``command_interface``, and ``hardware``, the node whose
        parameter ``joints`` gives the order.

    """

    def __init__(self, node: GuardedNode, settings: SimpleNamespace) -> None:
        self._interface: str = settings.command_interface
        self._name: str = settings.hardware
        self._period = 1.0 / settings.rate
        self._guard = node.guard
        self._publisher = node.create_publisher(
            Float64MultiArray, f'{self._interface}_controller/commands', qos.RELIABLE)
        self._model: Model | None = None
        self._thrust: ThrustAllocation | None = None
        self._needed: list[str] = []
        self._said: list[ParameterValue | None] = []
        self._answers: list[Future] = []
        self._looks = 0
        self._commands: EffortCommands | None = None
        self._last: Float64MultiArray | None = None
        self._problem = ''
        if self._name:
            try:
                self._client = node.create_client(GetParameters, f'{self._name}/get_parameters')
            except NameValidationException:
                raise InvalidValueError("parameter 'hardware'", self._name,
                                        'the name of a node, such as effort_controller') from None
            node.create_timer(LOOK, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))

    @property
    def topic_name(self) -> str:
        """Topic of the commands."""
        return self._publisher.topic_name

    @property
    def holds(self) -> bool:
        """Whether drives hold what they are told, so that nobody can lead the robot by hand."""
        return self._interface != 'effort'

    def check(self, commands: EffortCommands) -> None:
        """Refuse a robot whose actuators do not take such commands."""
        if self.holds and commands.thrusters:
            raise InvalidValueError("parameter 'command_interface'", self._interface,
                                    "'effort': the robot has thrusters")

    def use(self, model: Model, commands: EffortCommands, thrust: ThrustAllocation,
            driven: Sequence[str]) -> None:
        """Command a robot from now on, in its own order unless the hardware has another."""
        self._model, self._thrust = model, thrust
        self._needed = [*(name for name in commands.joints if name in driven),
                        *commands.thrusters]
        self._last, self._commands = None, commands
        if self._name:
            self._order()

    def missing(self) -> str:
        """Return why no commands can be sent; empty if they can."""
        if not self._publisher.get_subscription_count():
            self._forget()
            return f'no subscriber of the {self._interface} commands'
        if self._commands is None:
            return self._problem or f'{self._name} does not say its joints'
        return ''

    def send(self, stamp: int, measured: Measured, step: Step, tracker: Tracker) -> None:
        """Send what a control step asks for, in answer to a state of a time [ns]."""
        assert self._commands is not None and self._thrust is not None
        if self._interface == 'position':
            self._publish(self._commands.write_positions(
                tracker.law.positions(step.nominal, self._period), stamp))
        elif self._interface == 'velocity':
            self._publish(self._commands.write(
                tracker.law.velocities(step.nominal, step.efforts.error), stamp))
        else:
            self._publish(self._commands.write(
                self._thrust.commands(measured.q, step.effort), stamp))

    def send_again(self) -> bool:
        """Send the last command again; tell whether there is one."""
        if self._last is not None:
            self._publisher.publish(self._last)
        return self._last is not None

    def carry(self, stamp: int, measured: Measured, tracker: Tracker) -> None:
        """Send what keeps the robot where it is, at rest; drives keep their position anyway."""
        if self._commands is None or self._thrust is None or self._interface == 'position':
            return
        q = measured.q
        self._publish(self._commands.write(
            np.zeros(len(measured.v)) if self.holds
            else self._thrust.commands(q, tracker.weight(q)), stamp))

    def _publish(self, command: Float64MultiArray) -> None:
        self._last = command
        self._publisher.publish(command)

    def _forget(self) -> None:
        """Forget the order of hardware that has gone; who comes next may have another one."""
        if self._name:
            self._said, self._commands, self._problem = [], None, ''

    def _look(self) -> None:
        """Ask for the order, often while it is not known or cannot be used."""
        self._looks += 1
        if not self._client.service_is_ready():
            self._forget()
        elif self._looks > PATIENCE or (
                self.missing() and all(one.done() for one in self._answers)):
            self._ask()

    def _ask(self) -> None:
        for one in self._answers:
            self._client.remove_pending_request(one)
        self._looks, self._answers = 0, [
            self._client.call_async(GetParameters.Request(names=[name])) for name in ASKED]
        for one in self._answers:
            one.add_done_callback(self._guard.wrap(f'answer of {self._name}', self._on_answer))

    def _on_answer(self, _: Future) -> None:
        if len(self._answers) == len(ASKED) and all(one.done() for one in self._answers):
            said = [next(iter(one.result().values), None) for one in self._answers]
            if said != self._said:
                self._said = said
                self._order()

    def _order(self) -> None:
        """Take the order that the hardware has said, or keep what is wrong with it."""
        self._commands = self._last = None
        self._problem = ''
        if not self._said or self._model is None:
            return
        joints, interface = self._said
        try:
            self._commands = self._ordered(self._model, string_array(joints), string(interface))
        except MbdError as error:
            self._problem = str(error)

    def _ordered(self, model: Model, joints: list[str], interface: str) -> EffortCommands:
        if interface not in ('', self._interface):
            raise InvalidValueError("parameter 'command_interface'", self._interface,
                                    f"'{interface}', what {self._name} takes")
        left = [name for name in self._needed if name not in joints]
        if left or not joints:
            raise InvalidValueError(f"parameter 'joints' of {self._name}", joints,
                                    f'names of all that is driven: {", ".join(self._needed)}')
        return EffortCommands(model, joints)
