"""Who takes the commands of the controller: of which kind, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
from rcl_interfaces.srv import GetParameters
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import NameValidationException
from rclpy.parameter import parameter_value_to_python
from rclpy.task import Future
from std_msgs.msg import Float64MultiArray

from mbd_ros.control.step.fused_step import Step
from mbd_ros.control.step.thrust_allocation import ThrustAllocation
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import InvalidValueError, MbdError
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.messages.states.joint_states import Measured
from mbd_ros.model import Model
from mbd_ros.nodes.parts import qos
from mbd_ros.nodes.parts.guard import GuardedNode

ASK = 0.5
"""Time between two questions to hardware that has not answered [s]."""


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
        self._said: tuple[list[str], str | None] | None = None
        self._commands: EffortCommands | None = None
        self._last: Float64MultiArray | None = None
        self._problem = ''
        if self._name:
            try:
                self._client = node.create_client(GetParameters, f'{self._name}/get_parameters')
            except NameValidationException:
                raise InvalidValueError("parameter 'hardware'", self._name,
                                        'the name of a node, such as effort_controller') from None
            node.create_timer(ASK, self._ask, clock=Clock(clock_type=ClockType.STEADY_TIME))

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
            if self._name:   # who comes next may have another order
                self._said = self._commands = None
                self._problem = ''
            return f'nobody subscribes to the {self._interface} commands'
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

    def _ask(self) -> None:
        """Ask for the order while it is not known, or cannot be used."""
        if self.missing() and self._client.service_is_ready():
            self._client.call_async(GetParameters.Request(
                names=['joints', 'interface_name'])).add_done_callback(
                    self._guard.wrap(f'answer of {self._name}', self._on_answer))

    def _on_answer(self, future: Future) -> None:
        joints, interface = map(parameter_value_to_python, future.result().values)
        self._said = list(joints or ()), interface
        self._order()

    def _order(self) -> None:
        """Take the order that the hardware has said, or keep what is wrong with it."""
        self._commands = self._last = None
        self._problem = ''
        if self._said is None or self._model is None:
            return
        try:
            self._commands = self._ordered(self._model, *self._said)
        except MbdError as error:
            self._problem = str(error)

    def _ordered(self, model: Model, joints: list[str], interface: str | None) -> EffortCommands:
        if interface not in (None, '', self._interface):
            raise InvalidValueError("parameter 'command_interface'", self._interface,
                                    f"'{interface}', what {self._name} takes")
        left = [name for name in self._needed if name not in joints]
        if left or not joints:
            raise InvalidValueError(f"parameter 'joints' of {self._name}", joints,
                                    f'names of all that is driven: {", ".join(self._needed)}')
        return EffortCommands(model, joints)
