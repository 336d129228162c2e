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

"""Callback groups: which callbacks may run at the same time."""

from __future__ import annotations

import threading
from typing import Any
import weakref


class CallbackGroup:
    """Base of the groups; an entity of a node belongs to exactly one."""

    def __init__(self) -> None:
        self.entities: weakref.WeakSet[Any] = weakref.WeakSet()

    def add_entity(self, entity: Any) -> None:
        """Let an entity belong to this group."""
        self.entities.add(entity)

    def has_entity(self, entity: Any) -> bool:
        """Tell whether an entity belongs to this group."""
        return entity in self.entities

    def can_execute(self, entity: Any) -> bool:
        """Tell whether a callback of the entity may start now."""
        raise NotImplementedError

    def beginning_execution(self, entity: Any) -> bool:
        """Note that a callback of the entity starts; False if it may not."""
        raise NotImplementedError

    def ending_execution(self, entity: Any) -> None:
        """Note that a callback of the entity has ended."""
        raise NotImplementedError


class ReentrantCallbackGroup(CallbackGroup):
    """Callbacks may run at the same time, also with themselves."""

    def can_execute(self, entity: Any) -> bool:
        """Return True."""
        return True

    def beginning_execution(self, entity: Any) -> bool:
        """Return True."""
        return True

    def ending_execution(self, entity: Any) -> None:
        """Do nothing."""


class MutuallyExclusiveCallbackGroup(CallbackGroup):
    """One callback at a time; a coroutine holds the group until it returns."""

    def __init__(self) -> None:
        super().__init__()
        self._busy = threading.Lock()  # held while a callback runs, by whatever thread

    def can_execute(self, entity: Any) -> bool:
        """Tell whether no callback of the group is running."""
        return not self._busy.locked()

    def beginning_execution(self, entity: Any) -> bool:
        """Take the group; False if a callback of it is running."""
        return self._busy.acquire(blocking=False)

    def ending_execution(self, entity: Any) -> None:
        """Free the group."""
        self._busy.release()
