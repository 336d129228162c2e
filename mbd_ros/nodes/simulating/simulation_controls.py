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

"""Controls of a simulation: pause, step, reset, pushes, and parameters that change as it runs."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

from mbd_msgs.msg import LinkWrench
from std_srvs.srv import SetBool, Trigger

from mbd_ros.errors import NoModelError
from mbd_ros.messages.dynamics.link_wrenches import read_push
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.guard import GuardedNode
from mbd_ros.nodes.simulating.simulation_loop import SimulationLoop


class SimulationControls:
    """
    Services and a topic that act on the loop of a simulator; all in the node's default group.

    Parameters
    ----------
    node : GuardedNode
        The simulator.
    settings : SimpleNamespace
        Its parameters.
    loop : callable
        Returns the loop that runs, None without a robot.

    """

    def __init__(self, node: GuardedNode, settings: SimpleNamespace,
                 loop: Callable[[], SimulationLoop | None]) -> None:
        self._node, self._settings = node, settings
        self._find = loop
        node.create_service(SetBool, '~/pause', self._on_pause)
        node.create_service(Trigger, '~/step', self._on_step)
        node.create_service(Trigger, '~/reset', self._on_reset)
        node.create_subscription(LinkWrench, '~/push', self._on_push, qos.RELIABLE,
                                 qos_overriding_options=qos.OVERRIDABLE)

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response
                  ) -> SetBool.Response:
        """Let simulated time stand still, or go on."""
        self._loop.pause(request.data)
        response.success = True
        response.message = 'paused' if request.data else 'running'
        return response

    def _on_step(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Go on for a short time."""
        self._loop.move(self._settings.step_time)
        response.success, response.message = True, f'{self._settings.step_time:g} s, then paused'
        return response

    def _on_reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Put the robot where it began."""
        self._loop.reset()
        response.success, response.message = True, 'the robot is in its initial state'
        return response

    def _on_push(self, message: LinkWrench) -> None:
        loop = self._loop
        loop.push(read_push(message))
        if loop.braked:
            self._node.get_logger().warning(
                f"the push of '{message.link}' moves nothing: no efforts come, so the brakes hold "
                'the robot (parameter effort_timeout_action, and until the first command)',
                throttle_duration_sec=5.0)

    @property
    def _loop(self) -> SimulationLoop:
        loop = self._find()
        if loop is None:
            raise NoModelError('nothing is simulated')
        return loop
