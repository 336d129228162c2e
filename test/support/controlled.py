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

"""A robot with a controller that a test gives goals to."""

from __future__ import annotations

import re
from typing import Any

from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTrajectoryControllerState
from mbd_msgs.action import FollowPath
from mbd_msgs.msg import ControllerState
from rclpy.action import ActionClient
from sensor_msgs.msg import JointState


class ControlledRobot:
    """
    A simulated robot with its controller, which has nothing to follow yet.

    Parameters
    ----------
    graph : Graph
        A node of the test.
    controller : Running
        The controller.

    """

    def __init__(self, graph: Any, controller: Any) -> None:
        self.graph, self.controller = graph, controller
        self.states = graph.hear(ControllerState, 'controller/state')
        self.standard = graph.hear(JointTrajectoryControllerState, 'controller/controller_state')
        self.joint_states = graph.hear(JointState, 'joint_states')
        self.joints = ActionClient(graph.node, FollowJointTrajectory,
                                   'controller/follow_joint_trajectory')
        self.paths = ActionClient(graph.node, FollowPath, 'controller/follow_path')
        self.feedback: list[Any] = []
        self.wait_for_mode(ControllerState.MODE_WEIGHTLESS)

    def wait_for_mode(self, mode: int) -> ControllerState:
        """Wait until the controller is in a mode and return its state."""
        def last() -> Any:
            return self.states and self.states[-1].mode == mode
        try:
            self.graph.wait_until(last, f'mode {mode}')
        except AssertionError:
            raise AssertionError(f'{mode} is not the mode of {self.states[-1:]}: '
                                 f'{self.controller.output}') from None
        return self.states[-1]

    def wait(self, future: Any, what: str) -> Any:
        """Return the result of a future."""
        self.graph.wait_until(future.done, what)
        return future.result()

    def answer(self, client: ActionClient, goal: Any) -> Any:
        """Send a goal and return its handle."""
        assert client.wait_for_server(60.0)
        return self.wait(client.send_goal_async(
            goal, feedback_callback=lambda message: self.feedback.append(message.feedback)),
            'the goal is answered')

    def send(self, client: ActionClient, goal: Any) -> Any:
        """Send a goal and return its handle, accepted."""
        handle = self.answer(client, goal)
        assert handle.accepted
        return handle

    def assert_rejected(self, client: ActionClient, goal: Any, words: str) -> None:
        """Send a goal that is rejected; the reason is in the log and in the diagnostics."""
        assert not self.answer(client, goal).accepted
        self.controller.wait_for(r'rejected: .*' + re.escape(words))

    def result(self, handle: Any) -> tuple[int, Any]:
        """Return status and result of a goal."""
        answer = self.wait(handle.get_result_async(), 'the goal ends')
        return answer.status, answer.result

    def carried_out(self, client: ActionClient, goal: Any) -> tuple[int, Any]:
        """Send a goal and return its status and result."""
        return self.result(self.send(client, goal))
