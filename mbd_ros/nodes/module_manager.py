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

"""Node module_manager: docks, undocks and moves the modules of a robot while it runs."""

from __future__ import annotations

from collections.abc import Callable
import sys
from typing import Any

from mbd_msgs.srv import AttachModule, DetachModule, GetGraph, MoveModule, SetGraph
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from std_msgs.msg import String

import mbd_ros
from mbd_ros.description.modules import (
    assemble, attach, carried_by, detach, ModuleGraph, move, read_module_graph,
    read_module_graph_file, write_module_graph)
from mbd_ros.errors import InvalidValueError, NoAnswerError
from mbd_ros.messages.states.reconfigurations import Change, read_jump, read_positions, read_twist
from mbd_ros.model import load_text, Model
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.health import Durations, Health, HealthPublisher, OK
from mbd_ros.nodes.every_node.managed import ManagedNode
from mbd_ros.nodes.every_node.run import run
from mbd_ros.nodes.reconfiguring.link_frames import LinkFrames
from mbd_ros.nodes.reconfiguring.moving_robot import MovingRobot


class ModuleManager(ManagedNode):
    """
    Owns the module graph of a robot, and with it the robot description.

    A change is a transaction: the new graph is checked, the robot compiled, the simulator carries
    the state over, and only then the description is published, under the next generation number.
    Whatever goes wrong before, the robot stays as it was.

    =======================  ===================  ===============================================
    entity                   callback group       why
    =======================  ===================  ===============================================
    ~/attach_module, ...     mutually exclusive   one change after the other
    simulator/set_model      mutually exclusive   its answer comes while a change waits for it
    joint_states             mutually exclusive   frames go on meanwhile
    /diagnostics timer       with joint_states    it only reads
    =======================  ===================  ===============================================

    """

    NAME = 'module_manager'
    num_threads = 3

    def __init__(self) -> None:
        super().__init__()
        self._generation = 0   # goes on after a cleanup: no number is given twice

    def reset_state(self) -> None:
        """Have changed nothing."""
        self._changes = 0
        self._durations = Durations()

    def configure(self) -> None:
        """Publish the robot and offer the services."""
        settings = self._settings
        graph = read_module_graph_file(settings.graph)
        self._most = settings.max_modules
        self._description = self.create_publisher(String, 'robot_description', qos.LATCHED)
        beside = MutuallyExclusiveCallbackGroup()
        self._frames = (LinkFrames(self, settings.transform_rate, beside, settings.simulator)
                        if settings.publish_transforms else None)
        self._robot = MovingRobot(self, settings.simulator, settings.simulator_timeout,
                                  MutuallyExclusiveCallbackGroup())
        generation = self._generation + 1
        self._use(graph, *self._built(graph, generation), generation)
        alone = MutuallyExclusiveCallbackGroup()
        for kind, name, answer in (
                (AttachModule, 'attach_module', self._attach),
                (DetachModule, 'detach_module', self._detach),
                (MoveModule, 'move_module', self._move),
                (SetGraph, 'set_graph', self._set_graph),
                (GetGraph, 'get_graph', self._get_graph)):
            self.create_service(kind, f'~/{name}', self._answering(answer), callback_group=alone)
        self._health = HealthPublisher(self, self._how, group=beside)

    @property
    def generation(self) -> int:
        """Return the number of the model in use."""
        return self._generation

    def _answering(self, answer: Callable[[Any, Any], None]) -> Callable[[Any, Any], Any]:
        """Return a service callback."""
        def callback(request: Any, response: Any) -> Any:
            answer(request, response)
            response.success = True
            response.model_generation = self._generation
            return response
        return callback

    def _attach(self, request: Any, response: Any) -> None:
        graph = attach(self._graph, request.module, request.type, port=request.port,
                       parent=request.parent, parent_port=request.parent_port,
                       angle=request.angle)
        body = graph.port(request.module, request.port).body
        twists = {f'{request.module}/{body}': read_twist(one) for one in request.twist}
        self._change(graph, Change(read_positions(request), twists), response)

    def _detach(self, request: Any, response: Any) -> None:
        graph = detach(self._graph, request.module)
        modules = carried_by(self._graph, request.module)
        self._change(graph, Change(), response)
        response.modules = modules

    def _move(self, request: Any, response: Any) -> None:
        graph = move(self._graph, request.module, parent=request.parent,
                     parent_port=request.parent_port, port=request.port, angle=request.angle)
        self._change(graph, Change(largest_jump=read_jump(request)), response)

    def _set_graph(self, request: Any, response: Any) -> None:
        graph = read_module_graph(request.graph, '<request>', types=self._graph.types,
                                  most=self._most)
        self._change(graph, Change(largest_jump=read_jump(request)), response)

    def _get_graph(self, request: Any, response: Any) -> None:
        response.graph = write_module_graph(self._graph)
        response.robot_description = self._text
        carriers = {one.child: one.parent for one in self._graph.connections
                    if not one.closes_loop}
        response.modules = list(self._graph.instances)
        response.inboard_modules = [carriers.get(name, '') for name in response.modules]

    def _built(self, graph: ModuleGraph, generation: int) -> tuple[str, Model]:
        """Return description and model of a graph, ready to be used by every node."""
        text = assemble(graph, generation=generation).text
        model = load_text(text)
        assert callable(mbd_ros.compile(model).forward_dynamics)
        return text, model

    def _change(self, graph: ModuleGraph, change: Change, response: Any) -> None:
        """Put a graph in the place of the one in use, everywhere or nowhere."""
        count = len(graph.instances)
        if count > self._most and count > len(self._graph.instances):
            raise InvalidValueError('modules of the robot', count,
                                    f'{self._most} at most, see the parameter max_modules')
        begin = self.get_clock().now()
        generation = self._generation + 1
        text, model = self._built(graph, generation)
        try:
            response.transfer = self._robot.exchange(text, change)
        except NoAnswerError:   # whether it has changed or will: this takes it back
            self._use(self._graph, *self._built(self._graph, generation + 1), generation + 1)
            raise
        self._use(graph, text, model, generation)
        self._changes += 1
        self._durations.add(1e-9 * (self.get_clock().now() - begin).nanoseconds)

    def _use(self, graph: ModuleGraph, text: str, model: Model, generation: int) -> None:
        """Publish a robot and keep its graph."""
        self._graph, self._text, self._generation = graph, text, generation
        if self._frames is not None:
            self._frames.use(model)
        self._description.publish(String(data=text))
        self.get_logger().info(f"robot '{graph.name}', generation {generation}: "
                               f'{len(graph.instances)} modules')

    def _how(self) -> Health:
        """Return the health of the node."""
        return Health(OK, 'ready', {
            'model generation': self._generation, 'modules': len(self._graph.instances),
            'changes': self._changes,
            **self._durations.figures('change')})


def main() -> None:
    """Run the node."""
    sys.exit(run(ModuleManager))


if __name__ == '__main__':
    main()
