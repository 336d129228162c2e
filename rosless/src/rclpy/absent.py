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

"""
What `rclpy` has and rosless has not: importable, so that annotations work, but not usable.

Whoever makes an object of such a class gets an exception that says why and what to do.

"""

from __future__ import annotations

from typing import Any

NO_ADDRESS = 'there is nothing of rclpy in C in rosless, so no address'


class NotInRosless(NotImplementedError, AttributeError):
    """Raised where something is used that rosless has not; `hasattr` finds it missing."""


class Absent:
    """Base of the classes that are not here."""

    why = ''

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotInRosless(f'{type(self).__name__} is not in rosless: {self.why}')


class NoWaitSet:
    """Base of classes whose original is a waitable; executors of rosless need no such methods."""

    why = 'executors of rosless look after entities themselves'

    def add_to_wait_set(self, wait_set: Any) -> None:
        """Not in rosless."""
        raise NotInRosless(f'add_to_wait_set: {self.why}')

    def is_ready(self, wait_set: Any) -> bool:
        """Not in rosless."""
        raise NotInRosless(f'is_ready: {self.why}')

    def take_data(self) -> Any:
        """Not in rosless."""
        raise NotInRosless(f'take_data: {self.why}')

    async def execute(self, taken_data: Any) -> None:
        """Not in rosless."""
        raise NotInRosless(f'execute: {self.why}')
