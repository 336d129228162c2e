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

"""Lead managed nodes through transitions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.actions import EmitEvent
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions
from launch_ros.events import matches_node_name
from launch_ros.events.lifecycle import ChangeState

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class LifecycleTransition(Action):
    """
    Lead managed nodes through transitions, each node one after the other.

    Parameters
    ----------
    lifecycle_node_names : iterable of texts with substitutions
        Full names of the nodes, which ``LifecycleNode`` actions of this launch run.
    transition_ids : iterable of int or texts with substitutions
        Constants of ``lifecycle_msgs/msg/Transition``, in order.

    Raises
    ------
    RuntimeError
        If there are no names or no transitions.

    """

    def __init__(
        self,
        *,
        lifecycle_node_names: Iterable[SomeSubstitutionsType],
        transition_ids: Iterable[int | SomeSubstitutionsType],
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.__names = [normalize_to_list_of_substitutions(name) for name in lifecycle_node_names]
        self.__transitions = [
            normalize_to_list_of_substitutions(str(number) if isinstance(number, int) else number)
            for number in transition_ids]
        if not self.__names:
            raise RuntimeError('No lifecycle_node_names provided.')
        if not self.__transitions:
            raise RuntimeError('No transition_ids provided.')

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Return the events that steer the nodes; each node is asked in order."""
        names = [perform_substitutions(context, name) for name in self.__names]
        numbers = [int(perform_substitutions(context, part)) for part in self.__transitions]
        return [EmitEvent(event=ChangeState(
            lifecycle_node_matcher=matches_node_name(name), transition_id=number))
            for name in names for number in numbers]
