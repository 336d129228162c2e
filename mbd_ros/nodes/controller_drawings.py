"""What the controller draws: paths for anybody, markers for RViz."""

from __future__ import annotations

from collections import deque

from nav_msgs.msg import Path as PathMessage
import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from visualization_msgs.msg import MarkerArray

from mbd_ros.control.references import Path
from mbd_ros.control.tracker import Step, Tracker
from mbd_ros.messages.drawings import delete_all, markers, to_path
from mbd_ros.messages.joint_states import Measured
from mbd_ros.messages.times import SECOND
from mbd_ros.model import Model
from mbd_ros.nodes import qos

Vector = NDArray[np.float64]

POINTS = 200
"""Points of the desired path."""

TRACE_INTERVAL = SECOND // 20
"""Time between two points of the actual path [ns]."""

TRACE_POINTS = 300
"""Points of the actual path that are kept."""


class ControllerDrawings:
    """
    Publishes the desired path when it changes, actual path and markers five times a second.

    The latter two are made only while somebody subscribes to them.

    Parameters
    ----------
    node : Node
        The controller; its parameter ``world_frame`` names the frame.

    """

    def __init__(self, node: Node) -> None:
        self._world_frame: str = node.get_parameter('world_frame').value
        self._desired = node.create_publisher(PathMessage, '~/desired_path', qos.LATCHED)
        self._actual = node.create_publisher(PathMessage, '~/actual_path', qos.RELIABLE)
        self._markers = node.create_publisher(MarkerArray, '~/markers', qos.RELIABLE)
        self._timer = node.create_timer(0.2, self._draw)
        self._paths: list[list[Vector]] = []
        self._trace: deque[tuple[int, Vector]] = deque(maxlen=TRACE_POINTS)
        self._last: tuple[Tracker, int, Measured, Step] | None = None

    def frame(self, model: Model) -> str:
        """Return the frame of everything that is drawn."""
        fixed = model.links[model.root].body < 0
        return self._world_frame or (model.root if fixed else 'world')

    def show_path(self, tracker: Tracker, nanoseconds: int) -> None:
        """Publish what is followed from now on and remove what was drawn before."""
        self._trace.clear()
        self._last = None
        self._markers.publish(delete_all())
        self._paths = [_points_of(path) for path in tracker.paths]
        first = self._paths[0] if self._paths else []
        self._desired.publish(to_path(nanoseconds, self.frame(tracker.dyn.model),
                                      ((nanoseconds, point) for point in first)))

    def keep(self, tracker: Tracker, nanoseconds: int, measured: Measured, step: Step) -> None:
        """Remember a control step."""
        self._last = tracker, nanoseconds, measured, step
        if not self._trace or nanoseconds - self._trace[-1][0] >= TRACE_INTERVAL:
            tool = tracker.dyn.pose(measured.q, tracker.task.link)[:3, 3]
            self._trace.append((nanoseconds, tool))

    def _draw(self) -> None:
        """Publish what somebody looks at."""
        if self._last is None:
            return
        tracker, nanoseconds, measured, step = self._last
        frame = self.frame(tracker.dyn.model)
        if self._actual.get_subscription_count():
            self._actual.publish(to_path(nanoseconds, frame, self._trace))
        if self._markers.get_subscription_count():
            self._markers.publish(markers(
                nanoseconds, frame, tracker.tools(step, measured.q), paths=self._paths,
                surfaces=tracker.surfaces))


def _points_of(path: Path) -> list[Vector]:
    """Return points (3,) of a path [m] from its begin to its end, or over one turn."""
    length: float = getattr(path, 'period', 0.0) or getattr(path, 'duration', 1.0)
    return [path.at(length * index / POINTS).position for index in range(POINTS + 1)]
