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

"""What takes part in the transitions of a managed node."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from .callback_return import TransitionCallbackReturn
from .state_machine import LifecycleState


class ManagedEntity:
    """Base of what takes part in transitions; each callback gets the state before."""

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take part in configuring."""
        return TransitionCallbackReturn.SUCCESS

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take part in cleaning up."""
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take part in shutting down."""
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take part in activating."""
        return TransitionCallbackReturn.SUCCESS

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take part in deactivating."""
        return TransitionCallbackReturn.SUCCESS

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take part in handling an error."""
        return TransitionCallbackReturn.SUCCESS


class SimpleManagedEntity(ManagedEntity):
    """An entity that only notes whether its node is active."""

    def __init__(self) -> None:
        self._enabled = False

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Note that the node is active."""
        self._enabled = True
        return TransitionCallbackReturn.SUCCESS

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Note that the node is not active any more."""
        self._enabled = False
        return TransitionCallbackReturn.SUCCESS

    @property
    def is_activated(self) -> bool:
        """Whether the node is active."""
        return self._enabled

    @staticmethod
    def when_enabled(
        wrapped: Callable[..., Any] | None = None,
        *,
        when_not_enabled: Callable[..., Any] | None = None,
    ) -> Any:
        """
        Decorate a method so that it does nothing while the node is not active.

        Parameters
        ----------
        wrapped : Callable, optional
            The method.
        when_not_enabled : Callable, optional
            What to call instead.

        """

        def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(method)
            def guarded(self: SimpleManagedEntity, *args: Any, **kwargs: Any) -> Any:
                if self._enabled:
                    return method(self, *args, **kwargs)
                if when_not_enabled is not None:
                    when_not_enabled()
                return None

            return guarded

        return decorate if wrapped is None else decorate(wrapped)
