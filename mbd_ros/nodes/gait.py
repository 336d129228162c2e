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

"""Node gait: legs and fins in a rhythm."""

from __future__ import annotations

from pathlib import Path
import sys

from ament_index_python.packages import get_package_share_directory
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from mbd_ros.control import Gait
from mbd_ros.control.gaits.gait import gait_from_data
from mbd_ros.control.gaits.walking import tuned, Walking
from mbd_ros.errors import MbdError
from mbd_ros.messages.fields.plain_data import read_plain
from mbd_ros.messages.fields.times import SECOND, to_nanoseconds
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.messages.states.joint_states import JointStateReader, target_state
from mbd_ros.nodes.controlling.state_senders import StateSenders
from mbd_ros.nodes.controlling.state_stream import StateStream
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.health import Health, HealthPublisher, OK, rivals, WARNING
from mbd_ros.nodes.every_node.managed import ManagedNode
from mbd_ros.nodes.every_node.robot_source import Robot, RobotSource
from mbd_ros.nodes.every_node.run import run

LIVE = ('gait', 'period', 'duty', 'amplitude', 'coupling', 'kp', 'kd')
"""Parameters that change what the legs do."""
ANY_PERIOD, USUAL, OVERTAKEN = 0, SECOND // 50, SECOND // 2
"""
Of joint states [ns]: none comes too early; until some were heard they may be this far apart; one
that is late by less is passed over without a word.
"""


class GaitNode(ManagedNode):
    """
    Answers every joint state with the efforts that move legs to their targets.

    A state that comes again is answered by the same command. Parameters take effect with the next
    state; what they cannot be leaves the gait as it is.

    ==================  ==================  =======================================================
    entity              callback group      why
    ==================  ==================  =======================================================
    joint_states        the node's default  one step after the other
    robot_description   the node's default  a robot is never changed within a step
    /diagnostics timer  the node's default  it only reads
    ==================  ==================  =======================================================

    """

    NAME = 'gait'
    _source: RobotSource

    def reset_state(self) -> None:
        """Have no legs to move."""
        self._walking: Walking | None = None
        self._numbers: tuple[object, ...] = ()
        self._stamp = -1
        self._command: Float64MultiArray | None = None
        self._steps, self._problem = 0, ''

    def configure(self) -> None:
        """Take the robot and listen for joint states."""
        self._efforts = self.create_publisher(
            Float64MultiArray, 'effort_controller/commands', qos.RELIABLE)
        self._targets = self.create_publisher(JointState, '~/targets', qos.RELIABLE)
        self._source = RobotSource(self, self._settings.robot_description, self._on_robot,
                                   floating_base=self._settings.floating_base)
        self._senders = StateSenders(
            self, StateStream(ANY_PERIOD, False, OVERTAKEN, usual=USUAL), self._on_joint_states,
            self._efforts.topic_name)
        self._health = HealthPublisher(self, self._how)

    def deactivate(self) -> None:
        """Send no efforts but zero, so that no drive goes on with the last ones."""
        if self._command is not None:
            self._command = self._commands.write(self._commands.velocities('', []), self._stamp)
            self._efforts.publish(self._command)
        self._command = None
        self._senders.stream.reset()

    def _on_robot(self, robot: Robot) -> None:
        """Move a robot; in the rhythm of the one before, if its legs are those of the gait."""
        settings = self._settings
        commands, numbers = EffortCommands(robot.model, settings.joints), self._read()
        self._walking = Walking(robot.model, self._gait(), settings.kp, settings.kd,
                                settings.coupling)
        self._reader, self._commands = JointStateReader(robot.model), commands
        self._numbers, self._problem, self._stamp = numbers, '', -1
        self.get_logger().info(f"robot '{robot.model.name}' moves in the gait "
                               f"'{settings.gait[:40]}'")

    def _read(self) -> tuple[object, ...]:
        """Return what the parameters are now."""
        return tuple(getattr(self._settings, name) for name in LIVE)

    def _gait(self) -> Gait:
        """Return the gait of the parameters."""
        settings = self._settings
        file = Path(get_package_share_directory('mbd_ros'), 'config', 'gaits',
                    f'{settings.gait}.yaml')
        text = (file.read_text(encoding='utf-8') if settings.gait.isidentifier()
                and file.is_file() else settings.gait)
        return tuned(gait_from_data(read_plain("parameter 'gait'", text)),
                     period=settings.period, duty=settings.duty, amplitude=settings.amplitude)

    def _on_joint_states(self, message: JointState, sender: bytes | None = None) -> None:
        """Answer a measured state with efforts, if it is the robot's."""
        stamp = to_nanoseconds(message.header.stamp)
        if self._walking is None or not self._senders.takes(stamp, sender):
            return
        if stamp == self._stamp and self._command is not None:   # sent again: the answer was lost
            self._efforts.publish(self._command)
            return
        numbers = self._read()
        if numbers != self._numbers:
            self._numbers = numbers
            self._change(self._walking)
        measured = self._reader.read(message)
        targets, efforts = self._walking.step(stamp / SECOND, measured.q, measured.v)
        self._command = self._commands.write(efforts, stamp)
        self._stamp = stamp
        self._senders.stream.used(stamp)
        self._efforts.publish(self._command)
        self._targets.publish(target_state(stamp, targets))
        self._steps += 1

    def _change(self, walking: Walking) -> None:
        """Take over the parameters, or say why not."""
        settings = self._settings
        try:
            walking.change(self._gait(), settings.kp, settings.kd, settings.coupling)
            self._problem = ''
        except MbdError as error:
            self._problem = str(error)
            self.get_logger().warning(f'the gait stays as it is: {error}')

    def _how(self) -> Health:
        """Return the health of the node."""
        values = {'model generation': self._source.generation, 'steps': self._steps,
                  **self._senders.figures()}
        if self._walking is None:
            return self._source.without_robot(values)
        problem = (self._problem or self._source.problem
                   or rivals(self, self._efforts.topic_name) or self._senders.problem())
        return Health(WARNING, problem, values) if problem else Health(OK, 'moving', values)


def main() -> None:
    """Run the node."""
    sys.exit(run(GaitNode))


if __name__ == '__main__':
    main()
