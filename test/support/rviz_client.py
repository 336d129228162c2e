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

"""
RViz 2 without its window: what it would subscribe to, transform, draw and complain about.

After the sources of ros2/rviz (``rviz_common``, ``rviz_default_plugins``) and
``interactive_markers``, at the state of Humble: a display subscribes with the QoS of its
configuration and transforms to the fixed frame, RobotModel at the newest time, markers at their
stamp in the next frame, paths as soon as a transform of their stamp is there. What RViz shows as
an error or a warning in the status of a display is in ``problems``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
import threading
import time
from typing import Any

from graphs import Graph
from nav_msgs.msg import Path as PathMessage
import numpy as np
from rclpy.qos import (
    DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy)
from rclpy.time import Time
from rviz_camera import Camera, orbit
from rviz_rules import (
    check_controls, check_marker, check_markers, check_menu, check_path, check_rotation)
from rviz_shapes import applied, handle_of, Line, lines_of, pose_of, solids_of
from rviz_urdf import links_of, Solid
from std_msgs.msg import String
from tf2_ros import Buffer, TransformException, TransformListener
from transforms3d.affines import compose
from transforms3d.quaternions import mat2quat, quat2mat
from visualization_msgs.msg import (
    InteractiveMarkerFeedback as Feedback, InteractiveMarkerUpdate, Marker, MarkerArray)
from visualization_msgs.srv import GetInteractiveMarkers
import yaml

CONFIG = Path(__file__).resolve().parents[2] / 'config' / 'mbd_ros.rviz'
FRAME = 0.1
"""Time between two frames [s]; RViz takes a third of it, which would show the same."""
SECOND = 10
"""Frames of a second."""
QUEUE = QoSProfile(depth=100)
"""Of interactive markers."""


class Display:
    """
    A display of the configuration.

    ``problems`` holds what its status says now, by item; ``count`` what it has drawn.
    """

    def __init__(self, name: str, rviz: RvizClient) -> None:
        self.name, self.rviz = name, rviz
        self.problems: dict[str, str] = {}
        self.count = 0

    def frame(self) -> None:
        """Do what is done in every frame."""

    def lines(self) -> list[Line]:
        """Return the lines that it draws."""
        return []

    def solids(self) -> list[Solid]:
        """Return the solids that it draws."""
        return []

    def judge(self, item: str, check: Callable[[], None]) -> bool:
        """Note what is wrong with an item, if it is; tell whether it is fine."""
        try:
            check()
        except (AssertionError, TransformException) as error:
            self.problems[item] = f'{type(error).__name__}: {error}'
            return False
        self.problems.pop(item, None)
        return True


class TopicDisplay(Display):
    """A display of one topic, with the QoS that the configuration gives."""

    def __init__(self, name: str, rviz: RvizClient, kind: Any, topic: dict[str, Any]) -> None:
        super().__init__(name, rviz)
        self.topic: str = topic['Value']
        self.profile = QoSProfile(
            depth=topic['Depth'],
            history=HistoryPolicy[topic['History Policy'].upper().replace(' ', '_')],
            reliability=ReliabilityPolicy[topic['Reliability Policy'].upper().replace(' ', '_')],
            durability=DurabilityPolicy[topic['Durability Policy'].upper().replace(' ', '_')])
        self.waiting: list[Any] = []
        self._frames = 0
        rviz.graph.node.create_subscription(kind, topic['Value'], self.waiting.append,
                                            self.profile)

    def frame(self) -> None:
        """See whether publishers offer what is asked for, and take what has come."""
        self._frames += 1
        if self._frames % SECOND == 1:
            self._look_at_publishers()
        came, self.waiting[:] = list(self.waiting), []
        for message in came:
            self.take(message)

    def _look_at_publishers(self) -> None:
        for one in self.rviz.graph.node.get_publishers_info_by_topic(self.topic):
            offered = one.qos_profile
            fits = (offered.reliability == ReliabilityPolicy.RELIABLE
                    or self.profile.reliability != ReliabilityPolicy.RELIABLE) and (
                offered.durability == DurabilityPolicy.TRANSIENT_LOCAL
                or self.profile.durability != DurabilityPolicy.TRANSIENT_LOCAL)
            if not fits:
                self.problems['Topic'] = f'{one.node_name} offers an incompatible QoS'

    def take(self, message: Any) -> None:
        """Take a message."""
        raise NotImplementedError


class RobotModel(TopicDisplay):
    """The links of a description, each where its frame is."""

    def __init__(self, name: str, rviz: RvizClient, settings: dict[str, Any]) -> None:
        super().__init__(name, rviz, String, settings['Description Topic'])
        self._links: dict[str, list[Solid]] = {}
        self._places: dict[str, Any] = {}

    def take(self, message: String) -> None:
        """Load a description."""
        def load() -> None:
            self._links = {}
            self._links = links_of(message.data)
            self.count += 1
        self.problems.clear()
        self.judge('URDF', load)

    def frame(self) -> None:
        """Put every link to where it is now."""
        super().frame()
        for link in self._links:
            def place(link: str = link) -> None:
                self._places[link] = self.rviz.transform(link, Time())
            self.judge(link, place)

    def by_link(self) -> dict[str, list[Solid]]:
        """Return the shapes of each link that has any."""
        return {link: [shape._replace(pose=self._places[link] @ shape.pose) for shape in shapes]
                for link, shapes in self._links.items() if shapes and link in self._places}

    def solids(self) -> list[Solid]:
        """Return the shapes of all links."""
        return [shape._replace(pose=self._places[link] @ shape.pose)
                for link, shapes in self._links.items() if link in self._places
                for shape in shapes]


class Paths(TopicDisplay):
    """A path as a line."""

    def __init__(self, name: str, rviz: RvizClient, settings: dict[str, Any]) -> None:
        super().__init__(name, rviz, PathMessage, settings['Topic'])
        self._color = (*(int(one) / 255.0 for one in settings['Color'].split(';')),
                       float(settings['Alpha']))
        self._points = np.zeros((0, 3))

    def frame(self) -> None:
        """Wait for the transform of the stamp, as a message filter does."""
        self.waiting[:] = self.waiting[-10:]   # its queue
        super().frame()

    def take(self, message: PathMessage) -> None:
        """Draw a path."""
        def draw() -> None:
            check_path(message)
            pose = self.rviz.transform(
                message.header.frame_id, Time.from_msg(message.header.stamp))
            points = [one.pose.position for one in message.poses]
            self._points = applied(pose, [(one.x, one.y, one.z) for one in points])
            self.count += len(points) > 1
        self.judge('Message', draw)

    def lines(self) -> list[Line]:
        """Return the line of the newest path."""
        return [Line(self._points, self._color)] if len(self._points) > 1 else []


class Markers(TopicDisplay):
    """Markers, those of namespaces that are switched off not drawn."""

    def __init__(self, name: str, rviz: RvizClient, settings: dict[str, Any]) -> None:
        super().__init__(name, rviz, MarkerArray, settings['Topic'])
        self._switches: dict[str, bool] = settings.get('Namespaces') or {}
        self.shown: dict[tuple[str, int], tuple[Any, Any]] = {}
        self._locked: dict[tuple[str, int], Any] = {}

    def take(self, message: MarkerArray) -> None:
        """Add and remove markers."""
        self.judge('Duplicate Marker Check', lambda: check_markers(message))
        for one in message.markers:
            item = one.ns, one.id
            if one.action == Marker.DELETEALL:
                self.shown, self._locked = ({
                    key: kept for key, kept in those.items() if one.ns and key[0] != one.ns}
                    for those in (self.shown, self._locked))
                continue
            self._locked.pop(item, None)
            if one.action == Marker.DELETE:
                self.shown.pop(item, None)
            elif one.frame_locked:
                self._locked[item] = one
            else:
                self._add(item, one)

    def frame(self) -> None:
        """Take what has come, and transform what is locked to its frame."""
        super().frame()
        for item, one in self._locked.items():
            self._add(item, one)

    def _add(self, item: tuple[str, int], one: Any) -> None:
        def add() -> None:
            stamp = Time() if one.frame_locked else Time.from_msg(one.header.stamp)
            self.shown[item] = one, self.rviz.transform(
                one.header.frame_id, stamp) @ pose_of(one.pose)
            self.count += 1
        self.judge(f'{one.ns}/{one.id}', add)

    def _visible(self) -> list[tuple[Any, Any]]:
        return [kept for (space, _), kept in self.shown.items() if self._switches.get(space, True)]

    def lines(self) -> list[Line]:
        """Return lines, and arrows as lines."""
        return [line for one, pose in self._visible() for line in lines_of(one, pose)]

    def solids(self) -> list[Solid]:
        """Return solids and lists of spheres."""
        return [solid for one, pose in self._visible() for solid in solids_of(one, pose)]


class Interactive(Display):
    """A client of interactive markers; ``drag`` moves one as the mouse does."""

    def __init__(self, name: str, rviz: RvizClient, settings: dict[str, Any]) -> None:
        super().__init__(name, rviz)
        self._space: str = settings['Interactive Markers Namespace']
        node = rviz.graph.node
        self.markers: dict[str, Any] = {}
        self._waiting: list[Any] = []
        self._number: int | None = None
        self._client = node.create_client(
            GetInteractiveMarkers, f'{self._space}/get_interactive_markers')
        self._feedback = node.create_publisher(Feedback, f'{self._space}/feedback', QUEUE)
        node.create_subscription(
            InteractiveMarkerUpdate, f'{self._space}/update', self._waiting.append, QUEUE)
        self._answer: Any = None

    def frame(self) -> None:
        """Ask for all markers first, then take updates, of which none may be missing."""
        if self._answer is None:
            if self._client.service_is_ready():
                self._answer = self._client.call_async(GetInteractiveMarkers.Request())
            return
        if not self._answer.done():
            return
        if self._number is None:
            response = self._answer.result()
            self._number = response.sequence_number
            for one in response.markers:
                self._add(one)
        came, self._waiting[:] = list(self._waiting), []
        newer = [update for update in came if update.seq_num > self._number]
        for update in newer:
            self._update(update)

    def _update(self, update: InteractiveMarkerUpdate) -> None:
        if update.seq_num != self._number + 1 and self.count:
            self.problems['Interactive Marker Client'] = (
                f'update {update.seq_num} after {self._number}')
        self._number = update.seq_num
        for one in update.markers:
            self._add(one)
        for pose in update.poses:
            if pose.name not in self.markers:
                self.problems[pose.name] = 'a pose of a marker that there is not'
                continue
            self.markers[pose.name].pose = pose.pose
            self.markers[pose.name].header = pose.header
        for name in update.erases:
            self.markers.pop(name, None)
        self.count += 1

    def _add(self, one: Any) -> None:
        """Take a marker; one without controls ends the display."""
        def add() -> None:
            assert one.controls, 'Marker empty.'
            assert one.scale > 0.0
            names = [control.name for control in one.controls]
            assert len(set(names)) == len(names), 'controls of one name'
            check_rotation(one.pose.orientation)
            for control in one.controls:
                check_rotation(control.orientation)
                for marker in control.markers:
                    if not marker.header.frame_id:   # RViz takes that of the whole
                        marker.header.frame_id = one.header.frame_id
                    check_marker(marker)
            check_menu(one.menu_entries)
            check_controls(one.controls)
            self.rviz.transform(one.header.frame_id, Time.from_msg(one.header.stamp))
            self.markers[one.name] = one
            self.count += 1
        self.judge(one.name, add)

    def choose(self, name: str, title: str) -> None:
        """Choose an entry of the menu of a marker, without the node that its title names."""
        self.rviz.graph.wait_until(self._feedback.get_subscription_count, 'somebody listens')
        one = self.markers[name]
        (number,) = [entry.id for entry in one.menu_entries
                     if entry.title.partition(' (')[0] == title]
        self._say(one, pose_of(one.pose), Feedback.MENU_SELECT, entry=number)

    def drag(self, name: str, *way: Any, hold: Callable[[], object] = lambda: None) -> None:
        """
        Take a marker with the mouse, move it, hold, let go.

        Each step of the way is a place (3,), or a pose (4, 4), in its frame.
        """
        self.rviz.graph.wait_until(self._feedback.get_subscription_count, 'somebody listens')
        one = self.markers[name]
        assert one.header.stamp.sec == one.header.stamp.nanosec == 0, 'or in the fixed frame'
        here = pose_of(one.pose)
        self._say(one, here, Feedback.POSE_UPDATE, Feedback.MOUSE_DOWN)
        for there in way:
            there = np.asarray(there, dtype=float)
            here = there if there.ndim == 2 else compose(there, here[:3, :3], np.ones(3))
            self._say(one, here, Feedback.POSE_UPDATE)
        hold()
        self._say(one, here, Feedback.POSE_UPDATE, Feedback.MOUSE_UP)

    def _say(self, one: Any, pose: Any, *events: int, entry: int = 0) -> None:
        for event in events:
            message = Feedback(client_id='rviz', marker_name=one.name, control_name='free',
                               event_type=event, menu_entry_id=entry)
            message.header.frame_id = one.header.frame_id
            to, turn = message.pose.position, message.pose.orientation
            to.x, to.y, to.z = pose[:3, 3].tolist()
            turn.w, turn.x, turn.y, turn.z = mat2quat(pose[:3, :3]).tolist()
            self._feedback.publish(message)

    def solids(self) -> list[Solid]:
        """Return what the controls show."""
        return [solid for name in self.markers for solid in self.solids_of(name)]

    def solids_of(self, name: str) -> list[Solid]:
        """Return what one marker shows; what faces the camera is turned to it."""
        one = self.markers[name]
        found = []
        for control in one.controls:
            pose = self._pose(one)
            if (control.orientation_mode == control.VIEW_FACING
                    and not control.independent_marker_orientation):
                pose = compose(pose[:3, 3], self.rviz.camera.turned_to_it, np.ones(3))
            for marker in control.markers:
                found += solids_of(marker, pose @ pose_of(marker.pose))
        return found

    def lines(self) -> list[Line]:
        """Return the arrows and rings that RViz adds to controls."""
        return [line for one in self.markers.values() for control in one.controls
                for line in handle_of(control, self._pose(one), one.scale)]

    def _pose(self, one: Any) -> Any:
        return self.rviz.transform(
            one.header.frame_id, Time.from_msg(one.header.stamp)) @ pose_of(one.pose)


DISPLAYS = {'RobotModel': RobotModel, 'Path': Paths, 'MarkerArray': Markers,
            'InteractiveMarkers': Interactive}
WITHOUT_TOPIC = {'Grid', 'TF'}


class RvizClient:
    """
    RViz with the shipped configuration, or a copy of it that a launch file would write.

    Parameters
    ----------
    graph : Graph
        The node of a test.
    fixed_frame : str
        What ``-f`` gives.
    ticked : iterable of str, optional
        Displays that are shown though the configuration does not.
    config : str, optional
        Text of the configuration.

    """

    def __init__(self, graph: Graph, fixed_frame: str, ticked: Iterable[str] = (),
                 config: str = '') -> None:
        self.graph, self.fixed_frame = graph, fixed_frame
        self.buffer = Buffer()
        self._listener = TransformListener(self.buffer, graph.node)
        self._lock = threading.Lock()
        self.ever: dict[str, str] = {}
        self.frames = 0
        manager = yaml.safe_load(config or CONFIG.read_text())['Visualization Manager']
        self._view = manager['Views']['Current']
        self.displays: dict[str, Any] = {}
        for settings in manager['Displays']:
            kind = settings['Class'].split('/')[1]
            if (settings['Enabled'] or settings['Name'] in ticked) and kind not in WITHOUT_TOPIC:
                self.displays[settings['Name']] = DISPLAYS[kind](settings['Name'], self, settings)
        graph.node.create_timer(FRAME, self._frame)

    def transform(self, frame: str, time: Time) -> Any:
        """Return the pose (4, 4) of a frame in the fixed one; raises TransformException."""
        assert frame, 'an empty frame_id'
        found = self.buffer.lookup_transform(self.fixed_frame, frame, time).transform
        shift, turn = found.translation, found.rotation
        check_rotation(turn)
        return compose((shift.x, shift.y, shift.z), quat2mat((turn.w, turn.x, turn.y, turn.z)),
                       np.ones(3))

    @property
    def camera(self) -> Camera:
        """Return the camera as it is now."""
        frame = self._view['Target Frame']
        target = (np.zeros(3) if frame == '<Fixed Frame>' else
                  self.transform(frame, Time())[:3, 3])
        return orbit(self._view, target)

    def _frame(self) -> None:
        with self._lock:
            for display in self.displays.values():
                display.frame()
            self.ever.update(self._problems())
            self.frames += 1

    def _problems(self) -> dict[str, str]:
        return {f'{display.name}: {item}': text for display in self.displays.values()
                for item, text in display.problems.items()}

    @property
    def problems(self) -> dict[str, str]:
        """Return what the status of displays says now, by display and item."""
        known = yaml.safe_load(self.buffer.all_frames_as_yaml()) or {}
        with self._lock:
            found = self._problems()
        if self.fixed_frame not in {*known, *(one['parent'] for one in known.values())}:
            found['Fixed Frame'] = f'Frame [{self.fixed_frame}] does not exist'
        return found

    def show(self, expected: Iterable[str], timeout: float) -> None:
        """Wait until displays draw and none complains; nothing may change that for a second."""
        end = time.monotonic() + timeout
        while True:
            drawn, problems = self.drawn(), self.problems
            missing = [name for name in expected if not drawn[name]]
            if not missing and not problems:
                break
            assert time.monotonic() < end, f'RViz shows nothing of {missing}, and {problems}'
            time.sleep(0.05)
        self.ever.clear()
        until = self.frames + SECOND
        self.graph.wait_until(lambda: self.frames > until, 'the frames of a second', timeout)
        assert not self.ever

    def drawn(self) -> dict[str, int]:
        """Return how much each display has drawn."""
        with self._lock:
            return {name: display.count for name, display in self.displays.items()}

    def scene(self) -> tuple[list[Solid], list[Line]]:
        """Return what is on the screen."""
        with self._lock:
            return ([one for display in self.displays.values() for one in display.solids()],
                    [one for display in self.displays.values() for one in display.lines()])
