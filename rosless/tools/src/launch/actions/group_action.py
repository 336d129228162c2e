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

"""Actions that belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.actions.pop_environment import PopEnvironment
from launch.actions.pop_launch_configurations import PopLaunchConfigurations
from launch.actions.push_environment import PushEnvironment
from launch.actions.push_launch_configurations import PushLaunchConfigurations
from launch.actions.reset_environment import ResetEnvironment
from launch.actions.reset_launch_configurations import ResetLaunchConfigurations
from launch.actions.set_launch_configuration import SetLaunchConfiguration
from launch.launch_description_entity import LaunchDescriptionEntity

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class GroupAction(Action):
    """
    Visit entities, with a scope of their own for launch configurations and environment.

    Parameters
    ----------
    actions : iterable of LaunchDescriptionEntity
        What to visit.
    scoped : bool
        Whether changes of configurations and environment end with the group.
    forwarding : bool
        Whether configurations and environment from outside hold inside; only where scoped.
    launch_configurations : mapping, optional
        Configurations to set at the beginning.

    """

    def __init__(
        self,
        actions: Iterable[LaunchDescriptionEntity],
        *,
        scoped: bool = True,
        forwarding: bool = True,
        launch_configurations: Mapping[Any, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.__actions = list(actions)
        self.__scoped = scoped
        self.__forwarding = forwarding
        self.__configurations = dict(launch_configurations or {})

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return what to visit, the scope included."""
        sets: list[LaunchDescriptionEntity] = [
            SetLaunchConfiguration(name, value) for name, value in self.__configurations.items()]
        if not self.__scoped:
            return [*sets, *self.__actions]
        begin: list[LaunchDescriptionEntity] = [PushLaunchConfigurations(), PushEnvironment()]
        if not self.__forwarding:
            begin += [ResetEnvironment(), ResetLaunchConfigurations(self.__configurations)]
            sets = []
        return [*begin, *sets, *self.__actions, PopEnvironment(), PopLaunchConfigurations()]

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Return what to visit."""
        return self.get_sub_entities()
