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

"""Answers of dynamics_server, filled in by whichever process has the request."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any, NamedTuple

from mbd_msgs.srv import CheckModel, ForwardDynamics, InverseDynamics, JointWrenches, MassMatrix

import mbd_ros
from mbd_ros.dynamics import compile_model
from mbd_ros.dynamics.functions.effort_terms import effort_terms
from mbd_ros.dynamics.loops.closure import open_loops
from mbd_ros.errors import NoModelError
from mbd_ros.execution import choose, forced
from mbd_ros.messages.diagnostics.findings import diagnose
from mbd_ros.messages.dynamics import dynamics_answers as answers, dynamics_requests as requests
from mbd_ros.model import Model
from mbd_ros.nodes.every_node.fluid_and_ground import fluid_of, gravity_of

SERVICES = {'forward_dynamics': ForwardDynamics, 'inverse_dynamics': InverseDynamics,
            'mass_matrix': MassMatrix, 'joint_wrenches': JointWrenches, 'check_model': CheckModel}
"""Class of each service by its name."""
Terms = dict[str, Any]


class Ran(NamedTuple):
    """What has computed an answer: the function, who ran it, and how long it took [s]."""

    function: str
    text: str
    duration: float


class Answers:
    """
    Fills in answers.

    Parameters
    ----------
    settings : SimpleNamespace
        Parameters of the node: gravity, fluid, executor and threads.

    """

    def __init__(self, settings: SimpleNamespace) -> None:
        self._settings = settings
        self._forced = forced(settings.executor, settings.threads)

    def fill(self, name: str, model: Model | None, request: Any, response: Any) -> Ran | None:
        """
        Fill in an answer.

        Parameters
        ----------
        name : str
            Of the service, a key of ``SERVICES``.
        model : Model or None
            The robot in use.
        request, response : message
            Of the service.

        Returns
        -------
        Ran or None
            What has computed it; None where a description was looked at.

        Raises
        ------
        MbdError
            What is wrong with the request.

        """
        if name == 'check_model':
            diagnose(request, response, model)
            return None
        if model is None:
            raise NoModelError('the robot is not known yet')
        filled: Ran = getattr(self, f'_{name}')(model, request, response)
        return filled

    def _forward_dynamics(self, model: Model, request: Any, response: Any) -> Ran:
        """Fill the answer of ``ForwardDynamics``."""
        states = requests.read_forward(model, request)
        terms = self._terms(model, request)
        begin = time.perf_counter()
        accelerations = mbd_ros.forward_dynamics(
            model, states.q, states.v, states.driven, **terms)
        ran = self._succeed(response, model, 'forward_dynamics', states, terms, begin)
        response.message = open_loops(model, states.q)
        response.terms_included = _included(model, terms)
        answers.write_accelerations(response, request.points, states.order, accelerations)
        return ran

    def _inverse_dynamics(self, model: Model, request: Any, response: Any) -> Ran:
        """Fill the answer of ``InverseDynamics``."""
        states = requests.read_inverse(model, request)
        terms = self._terms(model, request)
        begin = time.perf_counter()
        efforts = mbd_ros.inverse_dynamics(
            model, states.q, states.v, states.driven, **terms)
        separate = effort_terms(model, states.q, states.v, states.driven,
                                **terms) if request.separate_terms else {}
        ran = self._succeed(response, model, 'inverse_dynamics', states, terms, begin)
        response.terms_included = _included(model, terms)
        answers.write_efforts(response, request.points, states.order, efforts, separate)
        return ran

    def _mass_matrix(self, model: Model, request: Any, response: Any) -> Ran:
        """Fill the answer of ``MassMatrix``."""
        states = requests.read_configurations(model, request)
        choices = {**self._chosen(requests.read_choices(request)),
                   'fluid': fluid_of(self._settings.fluid)}
        begin = time.perf_counter()
        matrices = mbd_ros.mass_matrix(model, states.q, **choices)
        ran = self._succeed(response, model, 'mass_matrix', states, choices, begin)
        answers.write_mass_matrices(response, model, states.order, matrices)
        return ran

    def _joint_wrenches(self, model: Model, request: Any, response: Any) -> Ran:
        """Fill the answer of ``JointWrenches``."""
        states = requests.read_forward(model, request)
        terms = self._terms(model, request)
        begin = time.perf_counter()
        wrenches = mbd_ros.joint_wrenches(
            model, states.q, states.v, states.driven, **terms)
        ran = self._succeed(response, model, 'joint_wrenches', states, terms, begin)
        response.terms_included = _included(model, terms)
        answers.write_joint_wrenches(response, model, wrenches)
        return ran

    def _terms(self, model: Model, request: Any) -> Terms:
        """Return what else enters the equations, and who computes."""
        terms = requests.read_terms(
            model, request, gravity_of(self._settings, model))
        return {**self._chosen(terms), 'fluid': fluid_of(self._settings.fluid)}

    def _chosen(self, choices: Terms) -> Terms:
        """Put the executor that the parameters force into choices."""
        choose(choices['executor'])   # a name that is not known is refused even if another runs
        return choices if self._forced is None else {**choices, 'executor': self._forced}

    def _succeed(self, response: Any, model: Model, function: str, states: requests.States,
                 choices: Terms, begin: float) -> Ran:
        """Fill in what all answers have, with the time since ``begin``."""
        duration = time.perf_counter() - begin
        prepared = compile_model(model, gravity=choices.get('gravity'),
                                 executor=choices['executor'],
                                 formulation=choices['formulation'], fluid=choices['fluid'])
        ran = prepared.how(function, len(states.q))
        answers.succeed(
            response, states.order, model.generation,
            formulation=prepared.formulation, executor=ran, computation_time=duration)
        return Ran(function, f'{ran} ({len(states.q)} points)', duration)


def _included(model: Model, terms: Terms) -> list[str]:
    return answers.terms_included(external_forces=terms['external_forces'] is not None,
                                  dissipation=terms['dissipation'],
                                  fluid=terms['fluid'] is not None and bool(model.fluids))
