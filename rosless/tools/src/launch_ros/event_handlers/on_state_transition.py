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

"""Reaction to a transition of a managed node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launch.event import Event
from launch.event_handler import EventHandler
from launch.some_entities_type import SomeEntitiesType
from launch_ros.actions.lifecycle_node import LifecycleNode
from launch_ros.events.lifecycle import StateTransition


class OnStateTransition(EventHandler):
    """
    React to a transition of a managed node.

    Parameters
    ----------
    entities : entities
        What to visit.
    target_lifecycle_node : LifecycleNode, optional
        Whose transitions; of any node if omitted.
    transition, start_state, goal_state : str, optional
        Labels that the transition must have; any if omitted. Nodes of ROS 2 Humble do not say
        the label of the transition, so that only the states help.
    matcher : callable, optional
        Takes an event and decides, instead of all the above.
    **kwargs
        See ``EventHandler``.

    Raises
    ------
    RuntimeError
        If a matcher is given along with what it replaces.

    """

    def __init__(
        self,
        *,
        entities: SomeEntitiesType,
        target_lifecycle_node: LifecycleNode | None = None,
        transition: str | None = None,
        start_state: str | None = None,
        goal_state: str | None = None,
        matcher: Callable[[Event], bool] | None = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(target_lifecycle_node, (LifecycleNode, type(None))):
            raise RuntimeError('OnStateTransition expects a LifecycleNode action as its target, '
                               f"found '{target_lifecycle_node}'")
        labels = {'transition': transition, 'start_state': start_state, 'goal_state': goal_state}
        wanted = {name: label for name, label in labels.items() if label is not None}
        if matcher is not None and (wanted or target_lifecycle_node is not None):
            given = ', '.join([*wanted] or ['target_lifecycle_node'])
            raise RuntimeError(f'OnStateTransition takes either a matcher or {given}, not both')

        def is_meant(event: Event) -> bool:
            return (isinstance(event, StateTransition)
                    and target_lifecycle_node in (None, event.action)
                    and all(getattr(event, name) == label for name, label in wanted.items()))

        super().__init__(matcher=matcher or is_meant, entities=entities, **kwargs)

    @property
    def matcher_description(self) -> str:
        """Text for people: which events are meant."""
        return 'event is StateTransition'
