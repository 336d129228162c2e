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

"""Base of the events that ask something of certain processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from launch.event import Event

if TYPE_CHECKING:
    from launch.actions.execute_local import ExecuteLocal


class ProcessTargetedEvent(Event):
    """
    Asks something of the processes that a matcher selects.

    Parameters
    ----------
    process_matcher : callable
        Takes an ExecuteLocal action; tells whether it is meant.

    """

    name = 'launch.events.process.ProcessTargetedEvent'

    def __init__(self, *, process_matcher: Callable[[ExecuteLocal], bool]) -> None:
        self.process_matcher = process_matcher
