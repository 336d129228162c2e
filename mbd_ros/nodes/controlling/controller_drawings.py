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

"""What the controller follows, as paths, markers and text, for RViz and the page."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
import contextlib
from functools import partial
from typing import NamedTuple

from nav_msgs.msg import Path as PathMessage
import numpy as np
from numpy.typing import NDArray
from rclpy._rclpy_pybind11 import InvalidHandle
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.task import Future
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from mbd_ros.control.control_step.fused_step import Step
from mbd_ros.control.references.paths import Path
from mbd_ros.control.tasks.followed_tools import ToolPoints
from mbd_ros.control.tasks.task import Task
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.messages.fields.times import SECOND
from mbd_ros.messages.states.drawings import delete_all, markers, to_path
from mbd_ros.messages.states.joint_states import Measured
from mbd_ros.messages.trajectories.simple_goals import write_path
from mbd_ros.model import Model
from mbd_ros.nodes.controlling.background_work import run_in_thread
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.named_topics import topic_names

Vector = NDArray[np.float64]
FEW_POINTS = 50
"""Of a path whose text a control step has time to write."""


class PathPublishers(NamedTuple):
    """Publishers of a tool's desired and actual path."""

    desired: Publisher
    actual: Publisher


POINTS = 200
"""Points of the desired path."""

TRACE_INTERVAL = SECOND // 20
"""Time between two points of the actual path [ns]."""

TRACE_POINTS = 300
"""Points of the actual path that are kept."""


class ControllerDrawings:
    """
    Publishes desired paths and their task when they change, actual ones and markers at times.

    The latter two are made five times a second, and only while somebody subscribes to them. The
    first tool of a task has ``~/desired_path`` and ``~/actual_path``; where several are followed,
    each has topics of its own below the name of its link. ``~/desired_task`` is the text of a
    goal that asks for the path.

    Parameters
    ----------
    node : Node
        The controller; its parameter ``world_frame`` names the frame.

    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._world_frame: str = node.get_parameter('world_frame').value
        self._publishers: dict[str, PathPublishers] = {}
        self._first = self._publishers_of('')
        self._task = node.create_publisher(String, '~/desired_task', qos.LATCHED)
        self._markers = node.create_publisher(MarkerArray, '~/markers', qos.RELIABLE)
        self._timer = node.create_timer(0.2, self._draw)
        self._told: Task | None = None
        self._shown = object()   # which path was begun last
        self._names: list[str] = []
        self._paths: list[list[Vector]] = []
        self._traces: list[deque[tuple[int, Vector]]] = []
        self._last: tuple[Tracker, int, Measured, Step] | None = None

    def frame(self, model: Model) -> str:
        """Return the frame of everything that is drawn."""
        fixed = model.links[model.root].body < 0
        return self._world_frame or (model.root if fixed else 'world')

    def show_path(self, tracker: Tracker, nanoseconds: int) -> None:
        """Publish what is followed from now on and remove what was drawn before."""
        self._last, self._traces, self._paths = None, [], []
        self._markers.publish(delete_all())
        paths, frame = tracker.paths, self.frame(tracker.dyn.model)
        names = topic_names(tracker.links) if len(tracker.links) > 1 else []
        empty = [self._publishers_of(name).desired for name in {*self._names} - {*names}]
        desired = [self._first.desired, *(self._publishers_of(name).desired for name in names)]
        self._names = names
        self._tell_task(tracker.task if paths else None)
        self._shown = shown = object()

        def draw() -> None:   # thousands of numbers, for which a control step has no time
            points = [_points_of(path) for path in paths]
            messages = [to_path(nanoseconds, frame, ((nanoseconds, point) for point in each))
                        for each in points]
            none = to_path(nanoseconds, frame, ())
            if self._shown is not shown:
                return
            self._paths = points
            for publisher, message in [
                    *((publisher, none) for publisher in empty),
                    *zip(desired, [*messages[:1], *messages] if messages else [none])]:
                with contextlib.suppress(InvalidHandle):   # the node was cleaned up meanwhile
                    publisher.publish(message)
        run_in_thread(draw)

    def _tell_task(self, task: Task | None) -> None:
        """Publish the text of a goal; that of a long path is written beside the control steps."""
        self._told = task
        if task is None or len(task.path.get('points', ())) <= FEW_POINTS:
            self._task.publish(String(data='' if task is None else write_path(task)))
            return

        def tell(text: Future) -> None:
            if self._told is task:
                self._task.publish(String(data=text.result()))
        run_in_thread(partial(write_path, task)).add_done_callback(tell)

    def keep(self, tracker: Tracker, nanoseconds: int, measured: Measured, step: Step,
             tools: Sequence[ToolPoints]) -> None:
        """Remember a control step, and where its tools are."""
        self._last = tracker, nanoseconds, measured, step
        if len(self._traces) != len(tools):
            self._traces = [deque(maxlen=TRACE_POINTS) for _ in tools]
        if not self._traces[0] or nanoseconds - self._traces[0][-1][0] >= TRACE_INTERVAL:
            for trace, tool in zip(self._traces, tools):
                trace.append((nanoseconds, tool.actual))

    def _draw(self) -> None:
        """Publish what somebody looks at."""
        if self._last is None:
            return
        tracker, nanoseconds, measured, step = self._last
        frame = self.frame(tracker.dyn.model)
        for name, trace in [('', self._traces[0]), *zip(self._names, self._traces)]:
            publisher = self._publishers_of(name).actual
            if publisher.get_subscription_count():
                publisher.publish(to_path(nanoseconds, frame, trace))
        if self._markers.get_subscription_count():
            self._markers.publish(markers(
                nanoseconds, frame, tracker.tools(step, measured.q), paths=self._paths,
                traces=[[point for _, point in trace] for trace in self._traces],
                surfaces=tracker.surfaces))

    def _publishers_of(self, name: str) -> PathPublishers:
        """Return the publishers of a tool, made when it is followed first; '': of the first."""
        if name not in self._publishers:
            place = f'~/{name}/' if name else '~/'
            self._publishers[name] = PathPublishers(
                self._node.create_publisher(PathMessage, f'{place}desired_path', qos.LATCHED),
                self._node.create_publisher(PathMessage, f'{place}actual_path', qos.RELIABLE))
        return self._publishers[name]


def _points_of(path: Path) -> list[Vector]:
    """Return points (3,) of a path [m] from its begin to its end, or over one turn."""
    length: float = getattr(path, 'period', 0.0) or getattr(path, 'duration', 1.0)
    return [path.at(length * index / POINTS).position for index in range(POINTS + 1)]
