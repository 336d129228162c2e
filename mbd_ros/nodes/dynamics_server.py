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

"""Node dynamics_server: forward and inverse dynamics, mass matrix, joint wrenches as services."""

from __future__ import annotations

from collections.abc import Callable
import sys
from typing import Any
import warnings

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup

from mbd_ros.dynamics import compile_model
from mbd_ros.errors import LoopsOpenWarning
from mbd_ros.execution import forced
from mbd_ros.messages.dynamics import request_costs as costs
from mbd_ros.nodes.every_node.fluid_and_ground import fluid_of, VectorTopic
from mbd_ros.nodes.every_node.guard import REPEATS
from mbd_ros.nodes.every_node.health import Durations, Health, HealthPublisher, OK, WARNING
from mbd_ros.nodes.every_node.managed import ManagedNode
from mbd_ros.nodes.every_node.robot_source import Robot, RobotSource
from mbd_ros.nodes.every_node.run import run
from mbd_ros.nodes.serving.answers import Answers, SERVICES
from mbd_ros.nodes.serving.effort_streams import EffortStreams
from mbd_ros.nodes.serving.heavy_worker import HeavyWorker
from mbd_ros.nodes.serving.worker_process import Done

MOST_CODES = 1000
"""Kinds of code, by robot, that are remembered as compiled."""


class DynamicsServer(ManagedNode):
    """
    Answers questions about the dynamics of the robot.

    A request is answered with the robot that is in use when its turn comes; a description that
    comes meanwhile does not disturb it. What is wrong with a request is said in its answer.

    What a request will take is estimated before it runs. Large ones take turns by client, the
    shortest first, in a process of low priority beside the node, and checks of descriptions in
    another one, so that small ones are answered meanwhile; one beyond its budget is answered so.

    =======================  ===================  ===============================================
    entity                   callback group       why
    =======================  ===================  ===============================================
    ~/forward_dynamics,      reentrant            requests share nothing that changes, and native
    ~/inverse_dynamics,                           code runs without the interpreter's lock
    ~/mass_matrix,
    ~/joint_wrenches,
    ~/check_model
    robot_description        mutually exclusive   descriptions are taken one after the other
    joint_states,            mutually exclusive   one answer after the other, while somebody
    controller_state,                             subscribes to ~/gravity_efforts or
    their timer                                   ~/inverse_dynamics
    ~/current                the node's default   numbers that the next request reads
    /diagnostics timer       mutually exclusive   as above, it only reads
    =======================  ===================  ===============================================

    """

    NAME = 'dynamics_server'
    _source: RobotSource

    def __init__(self) -> None:
        super().__init__()
        self.num_threads: int = self._settings.num_threads
        self._large, self._checks = HeavyWorker(), HeavyWorker()

    def reset_state(self) -> None:
        """Have answered nothing."""
        self._durations = Durations()
        self._answered = 0
        self._ran: dict[str, str] = {}
        self._compiled: set[tuple[str, ...]] = set()

    def configure(self) -> None:
        """Take the robot and offer the services."""
        warnings.simplefilter('ignore', LoopsOpenWarning)   # answers say it
        self._forced = forced(self._settings.executor, self._settings.threads)
        alone = MutuallyExclusiveCallbackGroup()
        together = ReentrantCallbackGroup()
        self._source = RobotSource(self, self._settings.robot_description, self._make_ready,
                                   flexible=self._settings.flexible,
                                   gravity=self._settings.gravity, group=alone, explain=True)
        VectorTopic(self, '~/current', ('dynamics_server', 'fluid.current'), self._change_current)
        self._answers = Answers(self._settings)
        for name, kind in SERVICES.items():
            service = self.create_service(kind, f'~/{name}', self._answering(name),
                                          callback_group=together)
            service.unread_beyond = costs.OCTETS   # rosless hands it on as it came
            service.tells_client = True   # and says who asks
        EffortStreams(self, self._settings, self._source.require, alone)
        self._health = HealthPublisher(self, self._how, group=alone)

    def _make_ready(self, robot: Robot) -> None:
        """Begin to compile what the services use, so that no caller waits for it."""
        executor = self._forced or 'auto'
        fluid = fluid_of(self._settings.fluid)
        dynamics = compile_model(robot.model, gravity=self._settings.gravity or None,
                                 executor=executor, fluid=fluid)
        for prepared in (dynamics.forward_dynamics, dynamics.inverse_dynamics,
                         compile_model(robot.model, executor=executor, fluid=fluid).mass_matrix):
            assert callable(prepared)

    def _change_current(self, velocity: list[float]) -> None:
        """Answer for another current from now on, in world axes."""
        self._settings.fluid.current = velocity

    def _answering(self, name: str) -> Callable[[Any, Any], Any]:
        """Return a service callback; large requests are answered in a process beside."""
        lane = self._checks if name == 'check_model' else self._large

        async def callback(request: Any, response: Any, client: int = 0) -> Any:
            robot = self._source.robot if name == 'check_model' else self._source.require()
            model = None if robot is None else robot.model
            octets = costs.octets_unread(request)
            if octets:
                cost, code = costs.cost_of_octets(octets), None
            else:
                code = costs.code_of(request)
                cost = costs.cost_of(request, model, compiled=self._is_compiled(code, robot),
                                     executor=self._settings.executor)
                costs.require_affordable(cost, request)
            if cost <= costs.SMALL:
                ran = self._answers.fill(name, model, request, response)
            else:
                response, done = await lane.answer(
                    name, cost, model, request, self._settings, client)
                self._note(name, done)
                ran = done.ran
            self._answered += 1
            if ran is not None:
                self._durations.add(ran.duration)
                self._ran[ran.function] = ran.text
            if robot is not None and code is not None and len(self._compiled) < MOST_CODES:
                self._compiled.add((str(robot.model.generation), *code))
            return response
        return callback

    def _note(self, name: str, done: Done) -> None:
        """Count and log what went wrong in the process beside, as if it had been here."""
        if done.trace:
            self.guard.failed += 1
            self.get_logger().error(f'{name}: {done.trace}', throttle_duration_sec=REPEATS)
        elif done.refused:
            self.guard.refused += 1
        if done.refused:
            self.guard.last = f'{name}: {done.refused}'

    def close(self) -> None:
        """End the processes for large requests."""
        self._large.close()
        self._checks.close()

    def _is_compiled(self, code: tuple[str, ...], robot: Robot | None) -> bool:
        """Tell whether a request like this was answered before, or is as the node prepares it."""
        return (robot is None or not any(code[1:])
                or (str(robot.model.generation), *code) in self._compiled)

    def _how(self) -> Health:
        """Return the health of the node."""
        values = {'model generation': self._source.generation, 'answered': self._answered,
                  **self._durations.figures('computation'),
                  **{f'last {function} ran': ran for function, ran in self._ran.items()}}
        if self._source.robot is None:
            return self._source.without_robot(values)
        if self._source.problem:
            return Health(WARNING, f'new description refused: {self._source.problem}', values)
        return Health(OK, 'answering', values)


def main() -> None:
    """Run the node."""
    sys.exit(run(DynamicsServer))


if __name__ == '__main__':
    main()
