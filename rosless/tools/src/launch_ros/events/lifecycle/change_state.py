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

"""The wish that managed nodes make a transition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launch.event import Event

# As in lifecycle_msgs/msg/Transition; not taken from there because that makes launching slower.
TRANSITIONS = (
    'CREATE', 'CONFIGURE', 'CLEANUP', 'ACTIVATE', 'DEACTIVATE', 'UNCONFIGURED_SHUTDOWN',
    'INACTIVE_SHUTDOWN', 'ACTIVE_SHUTDOWN', 'DESTROY')


class ChangeState(Event):
    """
    Let managed nodes make a transition.

    Parameters
    ----------
    lifecycle_node_matcher : callable
        Takes a ``LifecycleNode`` action; tells whether it is meant.
    transition_id : int
        A constant of ``lifecycle_msgs/msg/Transition``.

    Raises
    ------
    ValueError
        If nobody may ask for this transition.

    """

    name = 'launch_ros.events.lifecycle.ChangeState'

    valid_transitions = {number: f'TRANSITION_{name}' for number, name in enumerate(TRANSITIONS)}

    def __init__(
        self, *, lifecycle_node_matcher: Callable[[Any], bool], transition_id: int,
    ) -> None:
        if transition_id not in self.valid_transitions:
            known = ', '.join(f'{name} ({number})'
                              for number, name in self.valid_transitions.items())
            raise ValueError(f"'{transition_id}' is not the id of a transition that can be asked "
                             f'for; allowed: {known}')
        self.lifecycle_node_matcher = lifecycle_node_matcher
        self.transition_id = transition_id
