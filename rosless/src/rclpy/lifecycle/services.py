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

"""How others see and steer a managed node: five services and a topic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lifecycle_msgs.msg import State, Transition, TransitionDescription, TransitionEvent
from lifecycle_msgs.srv import (
    ChangeState,
    GetAvailableStates,
    GetAvailableTransitions,
    GetState,
)

from .callback_return import TransitionCallbackReturn
from .state_machine import LifecycleState, LifecycleStateMachine, LifecycleTransition
from ..callback_groups import CallbackGroup
from ..rcl_errors import RCLError


class LifecycleServices:
    """
    The services and the topic of a managed node.

    Parameters
    ----------
    node : Node
        The node.
    state_machine : LifecycleStateMachine
        Its state.
    change_state : Callable
        Makes the transition with an id.
    callback_group : CallbackGroup
        Group of the services.

    """

    def __init__(
        self,
        node: Any,
        state_machine: LifecycleStateMachine,
        change_state: Callable[[int], TransitionCallbackReturn],
        callback_group: CallbackGroup,
    ) -> None:
        self._state_machine = state_machine
        self._change_state = change_state
        self._logger = node.get_logger()
        self._events = node.create_publisher(TransitionEvent, '~/transition_event', 10)
        for kind, name, answer in (
            (ChangeState, 'change_state', self._on_change_state),
            (GetState, 'get_state', self._on_get_state),
            (GetAvailableStates, 'get_available_states', self._on_get_available_states),
            (
                GetAvailableTransitions,
                'get_available_transitions',
                self._on_get_available_transitions,
            ),
            (GetAvailableTransitions, 'get_transition_graph', self._on_get_transition_graph),
        ):
            full_name = f'{node.get_fully_qualified_name()}/{name}'
            service = node.create_service(kind, full_name, answer, callback_group=callback_group)
            setattr(state_machine, f'service_{name}', service)

    def publish(self, transition: LifecycleTransition) -> None:
        """Publish that a transition was made; as in ROS 2, time and transition are left empty."""
        if self._events.destroyed:
            return
        start, goal = _state(transition.start), _state(transition.goal)
        self._events.publish(TransitionEvent(start_state=start, goal_state=goal))

    def _on_change_state(self, request: Any, response: Any) -> Any:
        wanted = request.transition
        try:
            number = wanted.id
            if wanted.label:
                number = self._state_machine.get_transition_by_label(wanted.label)
            response.success = self._change_state(number) == TransitionCallbackReturn.SUCCESS
        except RCLError as error:
            self._logger.error(str(error))
            response.success = False
        return response

    def _on_get_state(self, request: Any, response: Any) -> Any:
        response.current_state = _state(self._state_machine.state)
        return response

    def _on_get_available_states(self, request: Any, response: Any) -> Any:
        response.available_states = [
            State(id=number, label=label) for number, label in self._state_machine.available_states
        ]
        return response

    def _on_get_available_transitions(self, request: Any, response: Any) -> Any:
        response.available_transitions = _descriptions(self._state_machine.available_transitions)
        return response

    def _on_get_transition_graph(self, request: Any, response: Any) -> Any:
        response.available_transitions = _descriptions(self._state_machine.transition_graph)
        return response


def _state(state: LifecycleState) -> State:
    return State(id=state.state_id, label=state.label)


def _descriptions(transitions: list[LifecycleTransition]) -> list[TransitionDescription]:
    return [
        TransitionDescription(
            transition=Transition(id=each.transition_id, label=each.label),
            start_state=_state(each.start),
            goal_state=_state(each.goal),
        )
        for each in transitions
    ]
