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
Handles: what keeps an entity from being destroyed while it is used.

In ROS 2 a handle is an object of the part in C. Programs enter it in a ``with`` block, and those
with a waitable of their own take data through it; nothing else of it is here, no address least of
all.

"""

from __future__ import annotations

from collections.abc import Callable
import threading
from typing import Any

from .absent import NO_ADDRESS, NotInRosless
from .rcl_errors import InvalidHandle

DESTROYED = 'cannot use Destroyable because destruction was requested'


class Handle:
    """
    Stands for a context, clock, node or entity.

    Within a ``with`` block it is not destroyed: who destroys it meanwhile has it done at the end
    of the last such block.

    Parameters
    ----------
    owner : object
        What the handle stands for.

    """

    def __init__(self, owner: Any) -> None:
        self._owner = owner
        self._lock = threading.Lock()
        self._users = 0
        self._last: list[Callable[[], None]] = []

    @property
    def owner(self) -> Any:
        """Return what the handle stands for; not in ROS 2."""
        return self._owner

    @property
    def pointer(self) -> int:
        """Not in rosless."""
        raise NotInRosless(f'{type(self._owner).__name__}.handle.pointer: {NO_ADDRESS}')

    def destroy_when_not_in_use(self) -> None:
        """Destroy what it stands for, at the end of the last ``with`` block at the earliest."""
        self._owner.destroy()

    def when_unused(self, function: Callable[[], None]) -> None:
        """Call a function now, or at the end of the last ``with`` block; not in ROS 2."""
        with self._lock:
            if self._users:
                self._last.append(function)
                return
        function()

    def __enter__(self) -> None:
        with self._lock:
            self._owner.require_handle()
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            last, self._last = ([], self._last) if self._users else (self._last, [])
        for function in last:
            function()


class HasHandle:
    """Base of what has a handle."""

    handle_class: type[Handle] = Handle
    _handle: Handle | None = None

    @property
    def handle(self) -> Any:
        """Return the handle; entering it raises `InvalidHandle` after destruction."""
        if self._handle is None:
            self._handle = self.handle_class(self)
        return self._handle

    def require_handle(self) -> None:
        """Raise `InvalidHandle` if it was destroyed."""
        if self._is_destroyed():
            raise InvalidHandle(DESTROYED)

    def when_unused(self, function: Callable[[], None]) -> None:
        """Call a function as soon as nobody uses the handle."""
        if self._handle is None:
            function()
        else:
            self._handle.when_unused(function)

    def _is_destroyed(self) -> bool:
        return False
