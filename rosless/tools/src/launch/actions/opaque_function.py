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

"""Call a function while launching."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.event_handler import as_entities
from launch.launch_description_entity import LaunchDescriptionEntity

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class OpaqueFunction(Action):
    """
    Call a function; visit the entities it returns.

    Parameters
    ----------
    function : callable
        Takes the launch context, then ``args`` and ``kwargs``; returns entities or None.
    args : iterable, optional
        Further positional arguments.
    kwargs : mapping, optional
        Keyword arguments.

    """

    def __init__(
        self,
        *,
        function: Callable[..., Any],
        args: Iterable[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
        **left_over_kwargs: Any,
    ) -> None:
        super().__init__(**left_over_kwargs)
        if not callable(function):
            raise TypeError(f"OpaqueFunction expected a function, found '{function}'")
        self.__function = function
        self.__args = tuple(args or ())
        self.__kwargs = dict(kwargs or {})

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Call the function."""
        return as_entities(self.__function(context, *self.__args, **self.__kwargs))
