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

"""A yes-or-no question that is answered while launching."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class Condition:
    """
    Decide whether an action is executed.

    Parameters
    ----------
    predicate : callable, optional
        Takes the launch context and answers; subclasses may pass their own method. Without one
        the answer is no.

    """

    def __init__(self, *, predicate: Callable[[LaunchContext], bool] | None = None) -> None:
        self._predicate = predicate

    def describe(self) -> str:
        """Return a text for people that shows what this condition is."""
        return repr(self)

    def evaluate(self, context: LaunchContext) -> bool:
        """Return the answer in this context."""
        return self._predicate is not None and bool(self._predicate(context))
