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

"""Give the nodes that follow a namespace."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions
from launch_ros.utilities.namespace_utils import make_namespace_absolute
from launch_ros.utilities.namespace_utils import prefix_namespace

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

NAMESPACE = 'ros_namespace'


class PushRosNamespace(Action):
    """
    Add to the namespace of the nodes that follow, within the same group.

    Parameters
    ----------
    namespace : text with substitutions
        The namespace; with a slash in front it replaces the one from outside.

    """

    def __init__(self, namespace: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__namespace = normalize_to_list_of_substitutions(namespace)

    @property
    def namespace(self) -> list[Any]:
        """Parts of the namespace."""
        return self.__namespace

    def execute(self, context: LaunchContext) -> None:
        """Add the namespace."""
        before = context.launch_configurations.get(NAMESPACE)
        combined = prefix_namespace(before, perform_substitutions(context, self.__namespace))
        if combined:
            context.launch_configurations[NAMESPACE] = make_namespace_absolute(combined)


PushROSNamespace = PushRosNamespace
