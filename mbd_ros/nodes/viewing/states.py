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

"""The state of joints and loops as tables and plots, and the energies of the robot."""

from __future__ import annotations

from collections.abc import Mapping

from mbd_ros.messages.states.readouts import (
    by_joint, energies, joint_heads, joint_rows, loop_figures, LOOP_HEADS, loop_rows, near_limits,
    units)
from mbd_ros.nodes.every_node.fluid_and_ground import gravity_of
from mbd_ros.nodes.every_node.robot_source import Robot
from mbd_ros.nodes.page import colors
from mbd_ros.nodes.page.panel import show, table
from mbd_ros.nodes.viewing.view import Seen, Shared, View


class States(View):
    """What joint states say, and what follows from them."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._readouts: dict[str, str] = {}
        self._details: dict[str, str] = {}
        panel = self.page.panel
        self._efforts = panel.add_plot('Joint efforts', 'N m or N', 'effort [N m or N]')
        self._energies = panel.add_plot(
            'Energy', 'J', 'energy [J]',
            colors=(colors.TRACED, colors.MANIFOLD, colors.FORCE))
        self._velocities = panel.add_plot('Joint velocities', 'rad/s or m/s',
                                          'velocity [rad/s or m/s]', expanded=False)
        with panel.joints:
            self._joints = self.page.server.gui.add_html('')
            self._loops = self.page.server.gui.add_html('')

    def use(self, robot: Robot) -> None:
        """Name the units that the joints of another robot have."""
        _, speed, effort = units(robot.model)
        self._efforts.measure(effort, f'effort [{effort}]')
        self._velocities.measure(speed, f'velocity [{speed}]')

    def draw(self, seen: Seen) -> None:
        """Take samples for the plots."""
        if self.robot is None:
            return
        model = self.robot.model
        self._energies.add(seen.time, energies(
            model, seen.q, seen.v, gravity_of(self.settings, model)))
        self._velocities.add(seen.time, by_joint(model, seen.v))
        if seen.effort is not None:
            self._efforts.add(seen.time, by_joint(model, seen.effort))

    def redraw(self, seen: Seen | None) -> None:
        """Fill the tables."""
        if self.robot is None or seen is None:
            return
        model = self.robot.model
        parts = energies(model, seen.q, seen.v, gravity_of(self.settings, model))
        near = near_limits(model, seen.q, seen.v, seen.effort)
        self._readouts = {'time': f'{seen.time:.1f} s', **({'near a limit': near} if near else {})}
        self._details = {
            'energy': f'{parts["kinetic"]:.2f} J kinetic, {parts["potential"]:.2f} J potential',
            **loop_figures(model, seen.q)}
        show(self._joints, table(
            joint_heads(model), joint_rows(model, seen.q, seen.v, seen.effort)))
        show(self._loops, table(LOOP_HEADS, loop_rows(model, seen.q)) if model.loops else '')

    @property
    def readouts(self) -> Mapping[str, str]:
        """Return the time, and the joints near a limit."""
        return self._readouts

    @property
    def details(self) -> Mapping[str, str]:
        """Return energies and loops."""
        return self._details
