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

"""What has to hold of a robot that is controlled, whatever has disturbed it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
import math
import time
from typing import Any

from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Pose, Quaternion
from graphs import Graph
from mbd_msgs.action import FollowPath
from mbd_msgs.msg import ControllerState
from mbd_msgs.srv import MassMatrix
from processes import PATIENCE, Running
from rclpy.action import ActionClient
from rclpy.serialization import deserialize_message
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

JOINTS = ['joint1', 'joint2', 'joint3']
EFFORT_LIMIT = 200.0       # N m, of every joint in urdf/three_link_arm.urdf
TOLERANCE = 1e-3           # m; the undisturbed arm stays within 1e-5 m
RECOVERY = 10.0            # s of simulated time; two turns of a joint at approach_speed 1.5 rad/s
HOLDS = 3.0                # s after which a robot that is held is sent a goal
AGAIN = 10.0               # s after which a request is sent again
JUMP = 60.0                # s between two states: a stamp of its own, not time that has passed
LONGEST = 10_000           # octets of one command
SETTLED = 0.2              # s of simulated time that it has to go on tracking
POSE = [math.pi / 4.0, -math.pi / 4.0, math.pi / 2.0]   # where the robot begins
PATH = ('{link: tool, path: {kind: ellipse, center: [1, 0, 1], a: [0.25, 0.3, 0], b: [0, 1, 0.5], '
        'period: 6.2832}}')
TROUBLE = ('Traceback', 'internal error', 'Segmentation fault', 'core dumped')


class Efforts:
    """Every effort command that is sent, and what is wrong with any."""

    def __init__(self, graph: Graph, limit: float = EFFORT_LIMIT) -> None:
        self.count = 0
        self.wrong: list[str] = []
        self._limit = limit
        self._ours: Counter[str] = Counter()
        graph.node.create_subscription(
            Float64MultiArray, 'effort_controller/commands', self._hear, 100, raw=True)

    def ours(self, message: Float64MultiArray) -> Float64MultiArray:
        """Return a command of the test itself; it may be wrong, and the listener hears it, too."""
        self._ours[str(list(message.data))] += 1
        return message

    def _hear(self, octets: bytes) -> None:
        self.count += 1
        if len(octets) > LONGEST:   # a test's, and it takes long to look at
            return
        try:
            message = deserialize_message(octets, Float64MultiArray)
        except RuntimeError:   # a test's, too: no publisher of messages can send it
            return
        if not all(math.isfinite(one) and abs(one) <= self._limit for one in message.data):
            said = str(list(message.data))
            if self._ours[said]:
                self._ours[said] -= 1
                return
            self.wrong.append(f'efforts {said} beyond {self._limit} N m')


class Sound:
    """
    What has to hold of a robot that is controlled, whatever disturbs it.

    Parameters
    ----------
    graph : Graph
        Listens.

    Attributes
    ----------
    all : list of Running
        What was started.

    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.all: list[Running] = []
        self.states = graph.hear(ControllerState, 'controller/state', 100)
        self.efforts = Efforts(graph)
        self._goals = ActionClient(graph.node, FollowPath, 'controller/follow_path')
        self._joints = graph.node.create_publisher(
            JointTrajectory, 'controller/joint_trajectory', 10)
        self._asked, self._posed = 0.0, False

    def said(self, text: str) -> int:
        """Return how often any node has said something."""
        return sum(running.output.count(text) for running in self.all)

    def wait_for_more(self, text: str, before: int) -> None:
        """Wait until any node has said something more often than before."""
        self.graph.wait_until(lambda: self.said(text) > before, f'somebody says {text!r}')

    def wait_for_mode(self, mode: int) -> ControllerState:
        """Wait until the controller is in a mode from now on; return that state."""
        seen = len(self.states)
        return self.graph.wait_until(
            lambda: next((one for one in self.states[seen:] if one.mode == mode), None),
            f'mode {mode} of the controller; the last is '
            f'{self.states[-1].mode if self.states else None}')

    def tracks_again(self, within: float = RECOVERY) -> float:
        """
        Wait until the tool is on its path from now on.

        Parameters
        ----------
        within : float, optional
            Simulated time of unbroken tracking after which it has to be there [s].

        Returns
        -------
        float
            How long it took [s of simulated time].

        """
        progress, begin = Progress(self.states), time.monotonic()

        def recovered() -> float | None:
            took = progress.recovered()
            if took is None and time.monotonic() - begin > HOLDS:
                self._resume()
            return took

        took = self.graph.wait_until(recovered, 'the robot is on its path again')
        assert took <= within, f'the robot was on its path after {took:.2f} s, allowed {within} s'
        return took

    def _resume(self) -> None:
        """
        Send goals where the controller holds the robot: to its initial pose, then onto the path.

        It holds it after a limit, or at a singular configuration, such as the stretched arm.

        """
        state = self.states[-1] if self.states else None
        if (state is None or state.mode != ControllerState.MODE_HOLDING
                or time.monotonic() - self._asked < HOLDS):
            return
        assert state.message, 'it holds the robot and does not say why'
        self._asked, self._posed = time.monotonic(), not self._posed
        if self._posed:
            self._joints.publish(JointTrajectory(joint_names=JOINTS, points=[JointTrajectoryPoint(
                positions=POSE, time_from_start=Duration(sec=2))]))
        else:
            self._goals.send_goal_async(FollowPath.Goal(task=PATH))

    def check(self) -> None:
        """Assert that no log tells of an error of a program, and that all efforts are sound."""
        for running in self.all:
            assert_quiet(running)
        wrong, self.efforts.wrong = self.efforts.wrong, []
        assert not wrong, f'{len(wrong)} commands, such as {wrong[0]}'


class Progress:
    """How far states that come from now on have got with coming back to the path."""

    def __init__(self, states: list[ControllerState]) -> None:
        self._states = states
        self._next = len(states)
        self._begin, self._last = math.inf, -math.inf

    def recovered(self) -> float | None:
        """Return the time of unbroken tracking before the tool was on its path, None before."""
        for state in self._states[self._next:]:
            self._next += 1
            now = state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec
            if (state.mode != ControllerState.MODE_TRACKING
                    or not 0.0 <= now - self._last < JUMP):   # begun anew, or a damaged stamp
                self._begin = math.inf
            if state.mode == ControllerState.MODE_TRACKING:
                self._begin = min(self._begin, now)
                if state.tool_error < TOLERANCE and now - self._begin > SETTLED:
                    return now - self._begin
            self._last = now
        return None


def assert_quiet(running: Running) -> None:
    """Assert that a log tells of no error of the program itself."""
    for line in running.output.splitlines():
        assert not any(one in line for one in TROUBLE), f'{running.log}: {line}'


def ask(graph: Graph, kind: Any, name: str, request: Any) -> Any:
    """
    Return the answer of a service that may just have been started anew.

    For 10 s DDS takes a server that was killed for one that answers, and a request that is sent
    before the new one is discovered is lost: it is asked again.

    """
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return graph.call(kind, name, request, AGAIN)
        except AssertionError:
            if time.monotonic() > end:
                raise


def answers(graph: Graph, joints: Sequence[str] = JOINTS, *, floating: bool = False) -> Any:
    """Assert that the services answer, and return the answer."""
    answer = ask(graph, MassMatrix, 'dynamics_server/mass_matrix', question(joints, floating))
    assert answer.success, answer.message
    return answer


def question(joints: Sequence[str] = JOINTS, floating: bool = False) -> MassMatrix.Request:
    """Return a request that every robot with these joints can answer."""
    return MassMatrix.Request(
        joint_names=list(joints),
        points=[JointTrajectoryPoint(positions=[0.1] * len(joints))],
        base_poses=[Pose(orientation=Quaternion(w=1.0))] if floating else [])
