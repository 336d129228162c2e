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

"""The states of a managed node, and the transitions between them."""

from __future__ import annotations

from collections.abc import Callable
import threading
from typing import Any, NamedTuple

from lifecycle_msgs.msg import State, Transition

from ..rcl_errors import RCLError


class LifecycleState(NamedTuple):
    """A state: its label, and its id in `lifecycle_msgs/msg/State`."""

    label: str
    state_id: int


class LifecycleTransition(NamedTuple):
    """A transition: its id in `lifecycle_msgs/msg/Transition`, its label, and its two ends."""

    transition_id: int
    label: str
    start: LifecycleState
    goal: LifecycleState


def _states() -> dict[str, LifecycleState]:
    labels: dict[str, int] = {}
    for prefix in ('PRIMARY_STATE_', 'TRANSITION_STATE_'):
        for name, value in vars(State).items():
            if name.startswith(prefix):
                labels[name.removeprefix(prefix).lower()] = value
    return {label: LifecycleState(label, value) for label, value in labels.items()}


STATES = _states()
_SUCCESS, _FAILURE, _ERROR = 'transition_success', 'transition_failure', 'transition_error'


def _table() -> tuple[LifecycleTransition, ...]:
    rows: list[tuple[int, str, str, str]] = []
    # where it starts, what it passes through, where it ends; ids of its three outcomes follow
    for number, name, start, passing, end, outcome in (
        (1, 'configure', 'unconfigured', 'configuring', 'inactive', 10),
        (2, 'cleanup', 'inactive', 'cleaningup', 'unconfigured', 20),
        (3, 'activate', 'inactive', 'activating', 'active', 30),
        (4, 'deactivate', 'active', 'deactivating', 'inactive', 40),
    ):
        rows += [
            (number, name, start, passing),
            (outcome, _SUCCESS, passing, end),
            (outcome + 1, _FAILURE, passing, start),
            (outcome + 2, _ERROR, passing, 'errorprocessing'),
        ]
    rows += [
        (Transition.TRANSITION_UNCONFIGURED_SHUTDOWN, 'shutdown', 'unconfigured', 'shuttingdown'),
        (Transition.TRANSITION_INACTIVE_SHUTDOWN, 'shutdown', 'inactive', 'shuttingdown'),
        (Transition.TRANSITION_ACTIVE_SHUTDOWN, 'shutdown', 'active', 'shuttingdown'),
        (Transition.TRANSITION_ON_SHUTDOWN_SUCCESS, _SUCCESS, 'shuttingdown', 'finalized'),
        (Transition.TRANSITION_ON_SHUTDOWN_FAILURE, _FAILURE, 'shuttingdown', 'finalized'),
        (Transition.TRANSITION_ON_SHUTDOWN_ERROR, _ERROR, 'shuttingdown', 'errorprocessing'),
        (Transition.TRANSITION_ON_ERROR_SUCCESS, _SUCCESS, 'errorprocessing', 'unconfigured'),
        (Transition.TRANSITION_ON_ERROR_FAILURE, _FAILURE, 'errorprocessing', 'finalized'),
        (Transition.TRANSITION_ON_ERROR_ERROR, _ERROR, 'errorprocessing', 'finalized'),
    ]
    return tuple(
        LifecycleTransition(number, label, STATES[start], STATES[goal])
        for number, label, start, goal in rows
    )


TRANSITIONS = _table()


class LifecycleStateMachine:
    """
    Keeps the state of a managed node.

    Parameters
    ----------
    on_transition : Callable
        Called with each transition that is made.

    """

    initialized = True
    service_change_state: Any = None   # the five services, if there are any
    service_get_state: Any = None
    service_get_available_states: Any = None
    service_get_available_transitions: Any = None
    service_get_transition_graph: Any = None

    def __init__(self, on_transition: Callable[[LifecycleTransition], None]) -> None:
        self._state = STATES['unconfigured']
        self._on_transition = on_transition
        self._lock = threading.Lock()

    @property
    def state(self) -> LifecycleState:
        """Return the present state."""
        return self._state

    @property
    def current_state(self) -> tuple[int, str]:
        """Id and label of the present state."""
        return self._state.state_id, self._state.label

    @property
    def available_states(self) -> list[tuple[int, str]]:
        """Ids and labels of all states."""
        return [(state.state_id, state.label) for state in STATES.values()]

    @property
    def available_transitions(self) -> list[LifecycleTransition]:
        """Return what is possible in the present state."""
        return [each for each in TRANSITIONS if each.start == self._state]

    @property
    def transition_graph(self) -> list[LifecycleTransition]:
        """All transitions."""
        return list(TRANSITIONS)

    def get_transition_by_label(self, label: str) -> int:
        """Return the id of a transition in the present state; raises RCLError if impossible."""
        return self._find(label).transition_id

    def trigger_transition_by_id(self, transition_id: int, publish_update: bool = True) -> None:
        """Make a transition; raises RCLError if it is not possible in the present state."""
        self._trigger(transition_id, publish_update)

    def trigger_transition_by_label(self, label: str, publish_update: bool = True) -> None:
        """Make a transition; raises RCLError if it is not possible in the present state."""
        self._trigger(label, publish_update)

    def _trigger(self, wanted: int | str, publish: bool) -> None:
        with self._lock:
            transition = self._find(wanted)
            self._state = transition.goal
        if publish:
            self._on_transition(transition)

    def _find(self, wanted: int | str) -> LifecycleTransition:
        possible = self.available_transitions
        for transition in possible:
            if wanted in (transition.transition_id, transition.label):
                return transition
        known = ', '.join(f'{each.label} [{each.transition_id}]' for each in possible)
        raise RCLError(
            f'Failed to trigger lifecycle state machine transition: {wanted!r} is not possible in '
            f'state {self._state.label} [{self._state.state_id}]; possible: {known or "nothing"}'
        )
