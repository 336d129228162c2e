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

"""Forget the launch configurations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class ResetLaunchConfigurations(Action):
    """
    Forget the launch configurations.

    Parameters
    ----------
    launch_configurations : mapping, optional
        Names and values to set afterwards, texts with substitutions; these are computed before
        the others are forgotten.

    """

    def __init__(
        self,
        launch_configurations: Mapping[Any, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._kept = dict(launch_configurations or {})

    def execute(self, context: LaunchContext) -> None:
        """Forget the configurations."""
        def text(some: Any) -> str:
            return perform_substitutions(context, normalize_to_list_of_substitutions(some))

        kept = {text(name): text(value) for name, value in self._kept.items()}
        context.launch_configurations.clear()
        context.launch_configurations.update(kept)
