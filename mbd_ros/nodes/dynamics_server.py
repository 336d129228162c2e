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
import time
from typing import Any
import warnings

from mbd_msgs.srv import CheckModel, ForwardDynamics, InverseDynamics, JointWrenches, MassMatrix
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup

import mbd_ros
from mbd_ros.dynamics import compile_model
from mbd_ros.dynamics.api.effort_terms import effort_terms
from mbd_ros.dynamics.loops.closure import open_loops
from mbd_ros.errors import LoopsOpenWarning
from mbd_ros.execution import choose, forced
from mbd_ros.messages.basics.findings import diagnose
from mbd_ros.messages.dynamics import (
    dynamics_answers as answers, dynamics_requests as requests, request_costs as costs)
from mbd_ros.nodes.parts.effort_streams import EffortStreams
from mbd_ros.nodes.parts.health import Durations, ERROR, Health, HealthPublisher, OK, WARNING
from mbd_ros.nodes.parts.managed import ManagedNode
from mbd_ros.nodes.parts.robot_source import Robot, RobotSource
from mbd_ros.nodes.parts.run import run
from mbd_ros.nodes.parts.surroundings import fluid_of, gravity_of, VectorTopic
from mbd_ros.nodes.parts.turns import Turns

MOST_CODES = 1000
"""Kinds of code, by robot, that are remembered as compiled."""
Terms = dict[str, Any]


class DynamicsServer(ManagedNode):
    """
    Answers questions about the dynamics of the robot.

    A request is answered with the robot that is in use when its turn comes; a description that
    comes meanwhile does not disturb it. What is wrong with a request is said in its answer.

    What a request will take is estimated before it runs. Large ones take turns, the shortest
    first, and checks of descriptions have a lane of their own, so that a thread is left for small
    ones and the timer; one beyond its budget is answered so.

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
        self._large = Turns(max(1, self.num_threads - 2))
        self._checks = Turns(1) if self.num_threads > 2 else self._large

    def forget(self) -> None:
        """Have answered nothing."""
        self._durations = Durations()
        self._answered = 0
        self._ran: dict[str, str] = {}
        self._compiled: set[tuple[str, ...]] = set()

    def configure(self) -> None:
        """Take the robot and offer the services."""
        warnings.simplefilter('ignore', LoopsOpenWarning)   # answers say it
        self._forced_name = self._settings.executor
        self._forced = forced(self._settings.executor, self._settings.threads)
        alone = MutuallyExclusiveCallbackGroup()
        together = ReentrantCallbackGroup()
        self._source = RobotSource(self, self._settings.robot_description, self._make_ready,
                                   flexible=self._settings.flexible,
                                   gravity=self._settings.gravity, group=alone, explain=True)
        VectorTopic(self, '~/current', ('dynamics_server', 'fluid.current'), self._change_current)
        for kind, name, answer in (
                (ForwardDynamics, 'forward_dynamics', self._forward_dynamics),
                (InverseDynamics, 'inverse_dynamics', self._inverse_dynamics),
                (MassMatrix, 'mass_matrix', self._mass_matrix),
                (JointWrenches, 'joint_wrenches', self._joint_wrenches)):
            self.create_service(kind, f'~/{name}', self._answering(self._with_robot(answer)),
                                callback_group=together)
        self.create_service(CheckModel, '~/check_model', self._answering(
            lambda robot, request, response: diagnose(
                request, response, None if robot is None else robot.model)),
            callback_group=together)
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

    def _with_robot(self, answer: Callable[[Robot, Any, Any], None]
                    ) -> Callable[[Robot | None, Any, Any], None]:
        """Return what answers only where there is a robot."""
        return lambda robot, request, response: answer(
            robot or self._source.require(), request, response)

    def _answering(self, answer: Callable[[Robot | None, Any, Any], None]
                   ) -> Callable[[Any, Any], Any]:
        """Return a service callback; large requests wait for their turn."""
        async def callback(request: Any, response: Any) -> Any:
            robot = self._source.robot
            cost = costs.cost_of(request, None if robot is None else robot.model,
                                 compiled=self._is_compiled(request, robot),
                                 executor=self._forced_name)
            if cost <= costs.SMALL:
                return respond(request, response)
            costs.require_affordable(cost, request)
            lane = self._checks if isinstance(request, CheckModel.Request) else self._large
            costs.require_room(len(lane), lane.cost)
            async with lane.of(cost):
                return respond(request, response)

        def respond(request: Any, response: Any) -> Any:
            robot = self._source.robot
            answer(robot, request, response)
            self._answered += 1
            if robot is not None and len(self._compiled) < MOST_CODES:
                self._compiled.add((str(robot.model.generation), *costs.code_of(request)))
            return response
        return callback

    def _is_compiled(self, request: Any, robot: Robot | None) -> bool:
        """Tell whether a request like this was answered before, or is as the node prepares it."""
        code = costs.code_of(request)
        return (robot is None or not any(code[1:])
                or (str(robot.model.generation), *code) in self._compiled)

    def _forward_dynamics(self, robot: Robot, request: Any, response: Any) -> None:
        """Fill the answer of ``ForwardDynamics``."""
        states = requests.read_forward(robot.model, request)
        terms = self._terms(robot, request)
        begin = time.perf_counter()
        accelerations = mbd_ros.forward_dynamics(
            robot.model, states.q, states.v, states.driven, **terms)
        self._succeed(response, robot, 'forward_dynamics', states, terms, begin)
        response.message = open_loops(robot.model, states.q)
        response.terms_included = _included(robot, terms)
        answers.write_accelerations(response, request.points, states.order, accelerations)

    def _inverse_dynamics(self, robot: Robot, request: Any, response: Any) -> None:
        """Fill the answer of ``InverseDynamics``."""
        states = requests.read_inverse(robot.model, request)
        terms = self._terms(robot, request)
        begin = time.perf_counter()
        efforts = mbd_ros.inverse_dynamics(
            robot.model, states.q, states.v, states.driven, **terms)
        separate = effort_terms(robot.model, states.q, states.v, states.driven,
                                **terms) if request.separate_terms else {}
        self._succeed(response, robot, 'inverse_dynamics', states, terms, begin)
        response.terms_included = _included(robot, terms)
        answers.write_efforts(response, request.points, states.order, efforts, separate)

    def _mass_matrix(self, robot: Robot, request: Any, response: Any) -> None:
        """Fill the answer of ``MassMatrix``."""
        states = requests.read_configurations(robot.model, request)
        choices = {**self._chosen(requests.read_choices(request)),
                   'fluid': fluid_of(self._settings.fluid)}
        begin = time.perf_counter()
        matrices = mbd_ros.mass_matrix(robot.model, states.q, **choices)
        self._succeed(response, robot, 'mass_matrix', states, choices, begin)
        answers.write_mass_matrices(response, robot.model, states.order, matrices)

    def _joint_wrenches(self, robot: Robot, request: Any, response: Any) -> None:
        """Fill the answer of ``JointWrenches``."""
        states = requests.read_forward(robot.model, request)
        terms = self._terms(robot, request)
        begin = time.perf_counter()
        wrenches = mbd_ros.joint_wrenches(
            robot.model, states.q, states.v, states.driven, **terms)
        self._succeed(response, robot, 'joint_wrenches', states, terms, begin)
        response.terms_included = _included(robot, terms)
        answers.write_joint_wrenches(response, robot.model, wrenches)

    def _terms(self, robot: Robot, request: Any) -> Terms:
        """Return what else enters the equations, and who computes."""
        terms = requests.read_terms(
            robot.model, request, gravity_of(self._settings, robot.model))
        return {**self._chosen(terms), 'fluid': fluid_of(self._settings.fluid)}

    def _chosen(self, choices: Terms) -> Terms:
        """Put the executor that the parameters force into choices."""
        choose(choices['executor'])   # a name that is not known is refused even if another runs
        return choices if self._forced is None else {**choices, 'executor': self._forced}

    def _succeed(self, response: Any, robot: Robot, function: str, states: requests.States,
                 choices: Terms, begin: float) -> None:
        """Fill in what all answers have, with the time since ``begin``."""
        duration = time.perf_counter() - begin
        self._durations.add(duration)
        prepared = compile_model(robot.model, gravity=choices.get('gravity'),
                                 executor=choices['executor'],
                                 formulation=choices['formulation'], fluid=choices['fluid'])
        ran = prepared.how(function, len(states.q))
        self._ran[function] = f'{ran} ({len(states.q)} points)'
        answers.succeed(
            response, states.order, robot.model.generation,
            formulation=prepared.formulation, executor=ran, computation_time=duration)

    def _how(self) -> Health:
        """Return the health of the node."""
        values = {'model generation': self._source.generation, 'answered': self._answered,
                  **self._durations.figures('computation'),
                  **{f'last {function} ran': ran for function, ran in self._ran.items()}}
        if self._source.robot is None:
            return Health(ERROR, f'no robot: {self._source.problem}', values)
        if self._source.problem:
            return Health(WARNING, f'new description refused: {self._source.problem}', values)
        return Health(OK, 'answering', values)


def _included(robot: Robot, terms: Terms) -> list[str]:
    return answers.terms_included(external_forces=terms['external_forces'] is not None,
                                  dissipation=terms['dissipation'],
                                  fluid=terms['fluid'] is not None and bool(robot.model.fluids))


def main() -> None:
    """Run the node."""
    sys.exit(run(DynamicsServer))


if __name__ == '__main__':
    main()
