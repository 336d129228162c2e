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

"""A controller's goals without nodes or DDS: an ideal robot, time in exact steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
import time as clock
from types import SimpleNamespace
from typing import Any

from control_msgs.action import FollowJointTrajectory
import numpy as np
from rclpy.task import Future
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import mbd_ros
from mbd_ros.control import default_task
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.messages.fields.times import SECOND, to_stamp
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.messages.states.joint_states import Measured
from mbd_ros.nodes.controlling.controller_goals import Controlled, ControllerGoals
from mbd_ros.nodes.every_node.parameters import parameters_file, read_declarations

ARM = Path(__file__).resolve().parents[2] / 'urdf' / 'three_link_arm.urdf'
NAMES = ['joint1', 'joint2', 'joint3']
PERIOD = 0.002


class Handle:
    """Stands for the handle of a goal."""

    def __init__(self, request: Any) -> None:
        self.request, self.goal_id = request, SimpleNamespace(uuid=id(self).to_bytes(16, 'big'))
        self.is_cancel_requested, self.is_active = False, True
        self.status, self.result, self.feedback = '', None, []
        self.execute, self.waiting = lambda: None, None
        self.publish_feedback = self.feedback.append

    def __del__(self) -> None:
        if self.waiting is not None:
            self.waiting.close()

    def poll(self) -> None:
        """See whether there is a result."""
        try:
            if self.result is None and self.waiting is not None:
                self.waiting.send(None)
        except StopIteration as stop:
            self.result = stop.value

    def _end(self, status: str) -> None:
        self.status, self.is_active = status, False

    def succeed(self) -> None:
        self._end('succeeded')

    def abort(self) -> None:
        self._end('aborted')

    def canceled(self) -> None:
        self._end('canceled')


class DefaultGroupQueue:
    """Do at once what is to be done between callbacks."""

    def take(self, work: Callable[[], object]) -> Future:
        done = Future()
        try:
            done.set_result(work())
        except Exception as error:  # as the real one
            done.set_exception(error)
        return done


class TimedArm:
    """
    A robot that does exactly what its reference does, with a controller's goals.

    ``said`` is what was logged; ``times``, ``q``, ``v``, ``a``, ``efforts`` the reference of each
    step so far. Settings are parameters of the controller by name.
    """

    def __init__(self, text: str = '', start: tuple[float, ...] = (0.3, 0.3, 0.4), *,
                 begin: int = 5 * SECOND, lag: float = 0.0, **settings: Any) -> None:
        self.text = text or ARM.read_text(encoding='utf-8')
        self.model = mbd_ros.load(self.text)
        self.names = list(self.model.joint_names)
        self.settings = SimpleNamespace()
        for one in read_declarations(parameters_file('controller')):
            groups, values = one.name.split('.'), self.settings
            if one.name != 'constraints' and groups[0] != 'constraints':
                for group in groups[:-1]:
                    values = vars(values).setdefault(group, SimpleNamespace())
                setattr(values, groups[-1], one.default)
        vars(self.settings).update(settings)
        self.parameters: dict[str, Any] = {}
        self.said: list[str] = []
        self.servers: dict[str, Any] = {}
        self.waiting: list[Handle] = []
        self.topics: dict[str, Callable[[Any], None]] = {}
        self.services: dict[str, Callable[..., Any]] = {}
        dyn = mbd_ros.compile(self.model)
        q = np.array(start[:self.model.nq], float)
        self.task = replace(default_task('three_link_arm'), path={}, constraints=())
        self.tracker = Tracker(dyn, self.task, q, np.zeros(self.model.nv))
        self.commands = EffortCommands(self.model, [])
        self.begin, self.now = begin, 0.0
        # How the robot is off its reference: a time behind, a way, a velocity.
        self.lag, self.shift, self.drift = lag, 0.0, 0.0
        self.measured = Measured(q, np.zeros(self.model.nv), None)
        self.times: list[float] = []
        self.q: list[Any] = []
        self.v: list[Any] = []
        self.a: list[Any] = []
        self.efforts: list[Any] = []
        self.tracker.stop(0.0, q, np.zeros(self.model.nv))
        self.begins = 0
        self.guard = SimpleNamespace(wrap=lambda name, callback: callback)
        self.goals = ControllerGoals(self, self, self.settings, None, DefaultGroupQueue())
        self.step()

    @property
    def nanoseconds(self) -> int:
        return self.begin + round(self.now * SECOND)

    # What the goals ask of a node.
    def create_action_server(self, kind: Any, name: str, result: Any, **callbacks: Any) -> Any:
        self.servers[name] = SimpleNamespace(result=result, **callbacks)

    def create_subscription(self, kind: Any, topic: str, callback: Any, qos: Any,
                            prepare: Any = lambda message: message) -> Any:
        self.topics[topic] = lambda message: callback(prepare(message))

    def create_service(self, kind: Any, name: str, callback: Any, **more: Any) -> Any:
        self.services[name] = callback

    def create_publisher(self, kind: Any, topic: str, qos: Any) -> Any:
        return SimpleNamespace(publish=lambda message: None)

    def get_logger(self) -> Any:
        def say(text: str, **more: Any) -> None:
            self.said.append(text)
        return SimpleNamespace(info=say, warning=say, error=say)

    def has_parameter(self, name: str) -> bool:
        return name in self.parameters

    def declare_parameter(self, name: str, value: Any, descriptor: Any) -> Any:
        self.parameters[name] = value

    def get_parameter(self, name: str) -> Any:
        return SimpleNamespace(value=self.parameters[name])

    # What they ask of the controller.
    def controlled(self) -> Controlled:
        return Controlled(self.tracker, self.commands, self.task, self.measured,
                          self.nanoseconds, self.now)

    def begun(self) -> None:
        self.begins += 1

    def step(self) -> None:
        """Take a control step at the present time."""
        step = self.goals.fed(self.tracker.step(self.now, self.measured.q, self.measured.v))
        nominal = step.nominal
        self.measured = Measured(nominal.q - self.lag * nominal.v - self.shift,
                                 nominal.v - self.drift, None)
        tools = self.tracker.tools(step, self.measured.q)
        self.goals.look(self.nanoseconds, self.measured, step, tools, report=False)
        for handle in self.waiting:
            handle.poll()
        self.times.append(self.now)
        self.q.append(nominal.q.copy())
        self.v.append(nominal.v.copy())
        self.a.append(nominal.accelerations.copy())
        self.efforts.append(step.effort.copy())

    def run(self, duration: float) -> None:
        """Let time pass."""
        for _ in range(round(duration / PERIOD)):
            self.now += PERIOD
            self.step()

    def send(self, goal: Any, name: str = '~/follow_joint_trajectory') -> Handle:
        """Send a goal and return its handle; raises why it is rejected."""
        server = self.servers[name]
        done(server.decide(goal))
        handle = Handle(goal)
        try:
            done(server.begin(handle))
        except mbd_ros.MbdError as error:
            handle.abort()
            handle.result = server.result_of(error)
        else:
            handle.waiting = server.result(handle)
            self.waiting.append(handle)
        return handle

    def publish(self, message: Any, topic: str = '~/joint_trajectory') -> None:
        """Send a message to the controller."""
        self.topics[topic](message)

    def trajectory(self, *points: tuple[float, dict[str, Any]], stamp: float | None = None,
                   names: list[str] | None = None, frame: str = '') -> JointTrajectory:
        """Return a trajectory; ``stamp`` is from now on [s], not given: zero."""
        message = JointTrajectory(joint_names=names or self.names)
        message.header.frame_id = frame
        if stamp is not None:
            message.header.stamp = to_stamp(self.nanoseconds + round(stamp * SECOND))
        for moment, values in points:
            point = JointTrajectoryPoint(**{
                key: [float(x) for x in row] for key, row in values.items()})
            point.time_from_start.sec, point.time_from_start.nanosec = divmod(
                round(moment * SECOND), SECOND)
            message.points.append(point)
        return message

    def goal(self, *points: tuple[float, dict[str, Any]], **more: Any) -> Any:
        """Return a goal with a trajectory."""
        return FollowJointTrajectory.Goal(trajectory=self.trajectory(*points, **more))

    def largest(self, since: float = 0.0) -> tuple[float, float]:
        """Return the largest velocity and acceleration of a joint since a time [s]."""
        at = int(np.searchsorted(self.times, since))
        return (float(np.abs(self.v[at:]).max()), float(np.abs(self.a[at:]).max()))


def done(coroutine: Any) -> Any:
    """Run a coroutine to its end."""
    end = clock.monotonic() + 60.0
    while clock.monotonic() < end:
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value
        clock.sleep(1e-3)
    raise AssertionError('it does not end')
