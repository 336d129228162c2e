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

"""What a controller does: its paths, errors and constraint forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import time

from mbd_msgs.msg import ControllerState
from nav_msgs.msg import Path
from visualization_msgs.msg import MarkerArray

from mbd_ros.messages.states.drawings import (
    from_path, from_point, lines_of, METRES_PER_NEWTON, segments_of, shapes_of)
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.page import colors
from mbd_ros.nodes.page.drawings.arrows import ConstraintForces
from mbd_ros.nodes.page.drawings.manifold import Surfaces, Violation
from mbd_ros.nodes.page.drawings.paths import DesiredPaths
from mbd_ros.nodes.page.drawings.traces import Traces
from mbd_ros.nodes.page.scales import millimetres, powers_of_ten
from mbd_ros.nodes.viewing.view import Array, Seen, Shared, View

MODES = {
    ControllerState.MODE_WAITING: 'waiting', ControllerState.MODE_TRACKING: 'tracking',
    ControllerState.MODE_WEIGHTLESS: 'gravity compensation',
    ControllerState.MODE_HOLDING: 'holding',
    ControllerState.MODE_LOST: 'joint states lost',
    ControllerState.MODE_NOT_FOLLOWING: 'the robot does not follow',
}

MEASURED = (ControllerState.MODE_TRACKING, ControllerState.MODE_HOLDING,
            ControllerState.MODE_NOT_FOLLOWING)
"""Modes in which the state of a controller holds numbers."""

STARTING = 'the controller starts'
SILENCE = 3.0
"""A controller that has said nothing for this time is not there [s]."""


class Tracking(View):
    """Desired and traced paths, constraint forces and errors, while there is a controller."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._state: ControllerState | None = None
        self._heard = 0.0
        page, node = self.page, self.node
        self._desired, self._traces = page.add(DesiredPaths), page.add(Traces)
        self._forces, self._surfaces = page.add(ConstraintForces), page.add(Surfaces)
        self._violation = page.add(Violation)
        self._errors = page.panel.add_plot(
            'Tracking error', 'm', 'distance [mm]', scaled=millimetres, logarithmic=True,
            colors=(colors.TRACED, *colors.JOINTS))
        self._rows = page.panel.add_plot(
            'Constraint violation of the nominal model', 'm or rad',
            'power of ten [m or rad]', scaled=powers_of_ten,
            colors=(colors.TRACED, colors.DESIRED), expanded=False)
        self._topic = node.create_subscription(
            ControllerState, 'controller/state', self._on_state, qos.STREAM,
            qos_overriding_options=qos.OVERRIDABLE).topic_name
        node.create_subscription(Path, 'controller/desired_path', self._on_path, qos.LATCHED,
                                 qos_overriding_options=qos.OVERRIDABLE)
        node.create_subscription(MarkerArray, 'controller/markers', self._on_markers,
                                 qos.RELIABLE, qos_overriding_options=qos.OVERRIDABLE)

    def _on_path(self, message: Path) -> None:
        self._show([from_path(message)])

    def _on_markers(self, message: MarkerArray) -> None:
        """Show surfaces that hold tools, the violation of the nominal model, and more paths."""
        violation, paths = segments_of(message, 'violation'), lines_of(message, 'trajectory')
        if not len(violation):
            return
        self._surfaces.show(shapes_of(message))
        self._violation.show(violation)
        if len(paths) > 1:   # the topic of the desired path has only the first
            self._show(paths)

    def _show(self, paths: Sequence[Array]) -> None:
        if self._desired.show(paths):
            self.page.reset_camera()

    def _on_state(self, message: ControllerState) -> None:
        """Keep what is plotted; the samples of waiting controllers hold no numbers."""
        self._state, self._heard = message, time.monotonic()
        if message.mode in MEASURED:
            now = self.timeline.seconds(message.header.stamp)
            self._traces.add([from_point(tool.actual) for tool in message.tools])
            several = len(message.tools) > 1
            if message.tools:
                self._errors.add(now, {
                    f'tool to desired point{f", {tool.link}" * several}': tool.error
                    for tool in message.tools})
            self._rows.add(now, {
                'before elimination': message.constraint_violation_before,
                'after': message.constraint_violation_after})

    def draw(self, seen: Seen) -> None:
        """Draw the constraint forces."""
        state = self._state
        tools = (state.tools if state is not None and state.mode == ControllerState.MODE_TRACKING
                 else [])
        self._forces.show([(from_point(tool.actual), METRES_PER_NEWTON * from_point(tool.force))
                           for tool in tools])

    def redraw(self, seen: Seen | None) -> None:
        """Notice a controller that has gone."""
        if (self._state is not None and time.monotonic() - self._heard > SILENCE
                and not self.node.count_publishers(self._topic)):   # else time stands still
            self._state = None
            self._errors.hide()
            self._rows.hide()

    def _runs(self, name: str) -> bool:
        """Return whether a node of this name runs where the controller would."""
        namespace = self._topic.rpartition('/')[0].rpartition('/')[0]
        return (name, namespace or '/') in self.node.get_node_names_and_namespaces()

    @property
    def status(self) -> str:
        """Return what the controller does."""
        if self._state is None:
            return (STARTING if self._runs('controller') else
                    'gait' if self._runs('gait') else 'no controller')
        return MODES.get(self._state.mode, f'unknown mode {self._state.mode}')

    @property
    def readouts(self) -> Mapping[str, str]:
        """Return how well the path is followed."""
        state = self._state
        if state is None:
            return {}
        reason = {'reason': state.message} if state.message else {}
        if state.mode not in MEASURED:
            return reason
        several = len(state.tools) > 1
        return {
            **reason,
            **{f'tracking error{f", {tool.link}" * several}': f'{1e3 * tool.error:.3f} mm'
               for tool in state.tools},
            'path time': f'{state.path_time:.1f} s',
        }

    @property
    def details(self) -> Mapping[str, str]:
        """Return figures of the last control step."""
        state = self._state
        if state is None or state.mode not in MEASURED:
            return {}
        return {
            'nominal model off the path': f'{state.constraint_violation_after:.1e} m',
            'joint power': f'{state.power:.1f} W',
            'control step': f'{1e3 * state.computation_time:.3f} ms',
            'missed deadlines': str(state.deadline_misses),
        }
