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

"""Actions of tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.utilities.absent import absent

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

_OTHERS = 'start tests beside others by ExecuteProcess, and check its exit code'
__getattr__ = absent(__name__, {'GTest': _OTHERS, 'PyTest': _OTHERS, 'Test': _OTHERS})
__all__ = ['ReadyToTest']


class ReadyToTest(Action):
    """Let the tests begin."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._callbacks: list[Callable[[], None]] = []

    def _add_callback(self, callback: Callable[[], None]) -> None:
        """Have a function called when tests can begin; for what runs them."""
        self._callbacks.append(callback)

    def execute(self, context: LaunchContext) -> None:
        """Tell what runs the tests, if there is something."""
        for callback in self._callbacks:
            callback()
