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

"""Guard conditions: callbacks that the program triggers itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .callback_groups import CallbackGroup
from .entity import Entity, Job
from .handle import Handle


class GuardConditionHandle(Handle):
    """What a waitable of one's own does with a guard condition."""

    def trigger_guard_condition(self) -> None:
        """Let it be ready."""
        self.owner.trigger()


class GuardCondition(Entity):
    """
    Runs its callback in an executor after `trigger`; make one with `Node.create_guard_condition`.

    Parameters
    ----------
    callback : Callable, optional
        What to run.
    callback_group : CallbackGroup
        Its group.
    node : Node
        Its node.

    """

    handle_class = GuardConditionHandle
    polled = True

    def __init__(
        self, callback: Callable[[], Any] | None, callback_group: CallbackGroup, node: Any
    ) -> None:
        super().__init__(callback_group, node)
        self.callback = callback
        self.triggered = False

    def trigger(self) -> None:
        """Let the callback run."""
        self.require_handle()
        self.triggered = True
        self.wake()

    def is_due(self) -> bool:
        """Tell whether it was triggered."""
        return self.triggered

    def next_job(self, executor: Any) -> Job | None:
        """Take the trigger."""
        if not self.triggered:
            return None
        self.triggered = False
        return Job(self.callback or (lambda: None))
