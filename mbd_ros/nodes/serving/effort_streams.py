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


"""Efforts as streams, to add to those of a controller of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from control_msgs.msg import JointTrajectoryControllerState
from rclpy.callback_groups import CallbackGroup
from sensor_msgs.msg import JointState

from mbd_ros.dynamics import compile_model
from mbd_ros.errors import UnsupportedError
from mbd_ros.messages.states.feed_forward import FeedForward
from mbd_ros.model import Model
from mbd_ros.model.joints.joint_manifold import MANIFOLDS
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.fluid_and_ground import fluid_of, gravity_of
from mbd_ros.nodes.every_node.managed import ManagedNode
from mbd_ros.nodes.every_node.robot_source import Robot

LOOK = 0.5
"""Time between two looks at whether somebody subscribes [s]."""


class EffortStreams:
    """
    Publishes efforts while somebody subscribes to them, and listens only then.

    ``~/gravity_efforts`` answers each joint state with what carries the robot there;
    ``~/inverse_dynamics`` each state of a joint_trajectory_controller (``controller_state``) with
    what its reference takes.

    Parameters
    ----------
    node : ManagedNode
        The dynamics server.
    settings : SimpleNamespace
        Its parameters: ``gravity``, ``fluid``.
    require : callable
        Returns the robot in use.
    group : CallbackGroup
        Of the subscriptions and the timer.

    """

    def __init__(self, node: ManagedNode, settings: SimpleNamespace,
                 require: Callable[[], Robot], group: CallbackGroup) -> None:
        self._node, self._settings, self._require, self._group = node, settings, require, group
        self._model: Model | None = None
        self._efforts: FeedForward | None = None
        self._streams = [
            (node.create_publisher(JointState, name, qos.RELIABLE), kind, topic, callback)
            for name, kind, topic, callback in (
                ('~/gravity_efforts', JointState, 'joint_states', self._carry),
                ('~/inverse_dynamics', JointTrajectoryControllerState, 'controller_state',
                 self._lead))]
        self._heard: dict[str, Any] = {}
        node.create_timer(LOOK, self._look, callback_group=group)

    def _look(self) -> None:
        """Listen where somebody wants the answers, and only there."""
        for publisher, kind, topic, callback in self._streams:
            wanted, heard = publisher.get_subscription_count() > 0, topic in self._heard
            if wanted and not heard:
                self._heard[topic] = self._node.create_subscription(
                    kind, topic, callback, qos.STREAM, callback_group=self._group,
                    qos_overriding_options=qos.OVERRIDABLE)
            elif heard and not wanted:
                self._node.destroy_subscription(self._heard.pop(topic))

    def _carry(self, message: JointState) -> None:
        self._streams[0][0].publish(self._now().carry(message))

    def _lead(self, message: JointTrajectoryControllerState) -> None:
        self._streams[1][0].publish(self._now().lead(message))

    def _now(self) -> FeedForward:
        """Return what computes efforts of the robot in use."""
        model = self._require().model
        if model is not self._model or self._efforts is None:
            if model.loops or set(model.joint_types) & set(MANIFOLDS):
                raise UnsupportedError(
                    'a stream of efforts of a robot with closed loops, or with joints that joint '
                    'states do not hold,', 'the services and the controller take such robots')
            self._model, self._efforts = model, FeedForward(model)
        self._efforts.dynamics = compile_model(
            model, gravity=gravity_of(self._settings, model),
            fluid=fluid_of(self._settings.fluid))
        return self._efforts
