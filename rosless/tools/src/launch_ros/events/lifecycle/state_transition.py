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

"""A transition of a managed node."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from launch.event import Event

if TYPE_CHECKING:
    from launch_ros.actions.lifecycle_node import LifecycleNode


class StateTransition(Event):
    """
    A managed node has made a transition.

    Parameters
    ----------
    action : LifecycleNode
        The action that runs the node.
    msg : lifecycle_msgs.msg.TransitionEvent
        What the node published.

    """

    name = 'launch_ros.events.lifecycle.StateTransition'

    def __init__(self, *, action: LifecycleNode, msg: Any) -> None:
        self.action = action
        self.msg = msg

    @property
    def timestamp(self) -> int:
        """Time [ns]; nodes of ROS 2 Humble leave it 0."""
        return int(self.msg.timestamp)

    @property
    def transition(self) -> str:
        """Label of the transition; nodes of ROS 2 Humble leave it empty."""
        return str(self.msg.transition.label)

    @property
    def start_state(self) -> str:
        """Label of the state before."""
        return str(self.msg.start_state.label)

    @property
    def goal_state(self) -> str:
        """Label of the state after."""
        return str(self.msg.goal_state.label)
