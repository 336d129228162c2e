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

"""Goals for the controller: a slider for each joint, and a target that is dragged in the scene."""

from __future__ import annotations

from functools import partial
from typing import Any

from control_msgs.action import FollowJointTrajectory
from mbd_msgs.action import FollowPath
from mbd_msgs.msg import ControllerState
from trajectory_msgs.msg import JointTrajectory

from mbd_ros.messages.states.readouts import by_joint, joint_units, Range, ranges
from mbd_ros.messages.trajectories.simple_goals import in_frame, joint_goal, point_goal
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.robot_source import Robot
from mbd_ros.nodes.page.dragged_point import DraggedPoint
from mbd_ros.nodes.page.numbers_in import number
from mbd_ros.nodes.viewing.view import Array, Seen, Shared, View

MOST_SLIDERS = 30
"""Joints that have one; a robot with more has none."""

TIMES = (0.2, 60.0)
"""Shortest and longest motion that can be asked for [s]."""

SPEEDS = (0.01, 5.0)
"""Slowest and fastest way to a target [m/s]."""


class Goals(View):
    """Sliders that follow the robot until they are moved, and a target at the tool."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._sliders: dict[str, Any] = {}
        self._ranges: dict[str, Range] = {}
        self._moved = False
        self._links: tuple[str, ...] = ()
        self._frame = ''
        self._seen: Seen | None = None
        self._gizmo = DraggedPoint(self.page, '/target', lambda end: self.queue.put(
            'drag the target', partial(self._go, end)))
        self.calls.expect(actions=[(FollowJointTrajectory, 'controller/follow_joint_trajectory'),
                                   (FollowPath, 'controller/follow_path')])
        gui = self.page.server.gui
        with self.page.panel.control:
            self._folder = gui.add_folder('Joints', expand_by_default=False)
            with gui.add_folder('Target', expand_by_default=False):
                self._link: Any = gui.add_dropdown('link', ('tool',))
                self._speed = gui.add_slider('speed [m/s]', *SPEEDS, 0.01, 0.25)
                self._target = gui.add_checkbox(
                    'drag the target', False,
                    hint='The controller follows it by a planned path when it is let go.')
        with self._folder:
            self._time = gui.add_slider('time [s]', *TIMES, 0.1, 3.0)
            buttons = gui.add_button_group('joints', ('Move there', 'Reset sliders'))
        self.on_button(buttons, {'Move there': self._move, 'Reset sliders': self._let_go})
        self.page.panel.stop.on_click(lambda _: self.queue.put('stop', self._stop))
        for control in (self._target, self._link):
            control.on_update(lambda _: self.queue.put('target', self._show_target))
        self._stopping = self.node.resolve_topic_name('controller/joint_trajectory')
        self.node.create_subscription(ControllerState, 'controller/state', self._on_state,
                                      qos.NEWEST, qos_overriding_options=qos.OVERRIDABLE)

    def use(self, robot: Robot) -> None:
        """Offer the joints and links of another robot."""
        self._frame = robot.model.root
        for slider in self._sliders.values():
            slider.remove()
        self._ranges = ranges(robot.model)
        if len(self._ranges) > MOST_SLIDERS:
            self._ranges = {}
        units = joint_units(robot.model)
        with self._folder:
            self._sliders = {name: self.page.server.gui.add_slider(
                f'{self.page.panel.label(name)} [{units[name].position}]', place.low,
                place.high, 10.0 ** -place.decimals,
                place.nearest(0.0)) for name, place in self._ranges.items()}
        for slider in self._sliders.values():
            slider.on_update(self._touch)
        self._moved = False
        self._links = tuple(robot.model.links)
        self._link.options = tuple(map(self.page.panel.label, self._links))
        chosen = 'tool' if 'tool' in self._links else self._links[-1]
        self._link.value = self.page.panel.label(chosen)

    async def _touch(self, event: Any) -> None:
        """Let the sliders stay; at once, not in a thread, before they are put to the robot."""
        self._moved = self._moved or event.client is not None

    def _let_go(self) -> None:
        self._moved = False

    def _on_state(self, message: ControllerState) -> None:
        """Goals are in the frame of the controller: the root link, or the world if it floats."""
        self._frame = message.header.frame_id

    def draw(self, seen: Seen) -> None:
        """Remember where everything is."""
        self._seen = seen

    def redraw(self, seen: Seen | None) -> None:
        """Let the sliders follow the robot, and offer *Stop* where something listens to it."""
        listens = bool(self.node.count_subscribers(self._stopping))
        if self.page.panel.stop.visible is not listens:
            self.page.panel.stop.visible = listens
        if seen is None or self._moved or self.robot is None:
            return
        positions = by_joint(self.robot.model, seen.q, self.robot.model.q_offsets)
        for name, slider in self._sliders.items():
            slider.value = self._ranges[name].nearest(positions[name])

    def _move(self) -> None:
        """Send the joints where the sliders are."""
        time = number(self._time.value, *TIMES)
        wanted = {name: number(slider.value, *self._ranges[name][:2])
                  for name, slider in self._sliders.items()}
        positions = {name: value for name, value in wanted.items() if value is not None}
        if time is None or not positions or len(positions) < len(wanted):
            self.calls.shown.add('joint goal', 'not sent: a slider is beyond its range')
            return
        self._moved = False
        self.calls.goal(FollowJointTrajectory, 'controller/follow_joint_trajectory',
                        joint_goal(positions, time))

    def _stop(self) -> None:
        """Bring the robot to rest."""
        self.calls.publish(JointTrajectory, 'controller/joint_trajectory', JointTrajectory())

    def _chosen(self) -> str:
        """Return the link of the target; empty if a browser says what is none."""
        labels = {self.page.panel.label(name): name for name in self._links}
        return labels.get(self._link.value, '')

    def _show_target(self) -> None:
        """Put the target at the link, or take it away."""
        seen, link = self._seen, self._chosen()
        poses = {} if seen is None or not self._target.value else seen.poses
        self._gizmo.show(poses[link][:3, 3] if link in poses else None)

    def _go(self, end: Array) -> None:
        """Go where the target is let go."""
        seen, link, speed = self._seen, self._chosen(), number(self._speed.value, *SPEEDS)
        if seen is None or link not in seen.poses or speed is None:
            self.calls.shown.add('target', 'not sent: the link or the speed is not known')
            return
        frame = seen.poses.get(self._frame)   # none: the world
        self.calls.goal(FollowPath, 'controller/follow_path', point_goal(
            link, in_frame(frame, seen.poses[link][:3, 3]), in_frame(frame, end), speed))
