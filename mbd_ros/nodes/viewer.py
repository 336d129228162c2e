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

"""Node viewer: the robot on a page in the browser, what it does, and controls for it."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

from ament_index_python.packages import get_package_share_directory
import numpy as np
from numpy.typing import NDArray
from rclpy.clock import Clock
from rclpy.clock import ClockType
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

import mbd_ros
from mbd_ros.description.urdf.visuals import read_visuals
from mbd_ros.description.xml.packages import packages_of
from mbd_ros.errors import MbdError, UnsupportedError
from mbd_ros.messages.states.joint_states import JointStateReader
from mbd_ros.messages.states.transforms import pose_of, poses_in_world, put_joints
from mbd_ros.model.state import curved_joints, neutral
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.health import Namesakes
from mbd_ros.nodes.every_node.managed import ManagedNode
from mbd_ros.nodes.every_node.robot_source import Robot, RobotSource
from mbd_ros.nodes.every_node.run import run
from mbd_ros.nodes.viewing.view import Seen, Timeline, View

if TYPE_CHECKING:
    from mbd_ros.nodes.page.page import Page

Vector = NDArray[np.float64]


class Viewer(ManagedNode):
    """
    Shows the robot as it moves; all else on the page are the views of ``viewing``.

    Subscriptions only keep what is newest; timers send it to the browsers, and only while there
    are any.

    ============================  ==================  =============================================
    entity                        callback group      why
    ============================  ==================  =============================================
    joint_states, /tf, topics     the node's default  they keep a message, in no time
    of the views
    robot_description             the node's default  a robot is never changed within a picture
    picture and plot timers,      the node's default  as above
    that for nodes of its name
    the page's server             (threads of viser)  browsers come and go by themselves
    ============================  ==================  =============================================

    """

    NAME = 'viewer'

    def reset_state(self) -> None:
        """Have no page and no robot."""
        self._page: Page | None = None
        self._views: list[View] = []
        self._robot: Robot | None = None
        self._reader: JointStateReader | None = None
        self._base: Vector = np.zeros(0)
        self._root: Vector | None = None
        self._joint_states: JointState | None = None
        self._before: JointState | None = None   # where a simulator shows it, before any came
        self._seen: Seen | None = None
        self._timeline = Timeline()
        self._said = ''
        self._another = ''

    def configure(self) -> None:
        """Serve the page and listen."""
        settings = self._settings
        self._page, self._views = _open_page(self, settings, self._timeline)
        if self._page.port != settings.port:
            self.get_logger().warning(f'port {settings.port} is taken')
        self.get_logger().info(f'look at {self._page.url}')
        self._source = RobotSource(
            self, settings.robot_description, self._on_robot, flexible=settings.flexible)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_subscription(JointState, 'joint_states', self._on_joint_states, qos.NEWEST,
                                 qos_overriding_options=qos.OVERRIDABLE)
        self.create_subscription(JointState, 'simulator/joint_states', self._on_shown, qos.NEWEST)
        self.create_subscription(TFMessage, '/tf', self._on_transforms, qos.STREAM,
                                 qos_overriding_options=qos.OVERRIDABLE)
        self.create_timer(1.0 / settings.frame_rate, self._draw, clock=steady)
        self.create_timer(1.0 / settings.plot_rate, self._plot, clock=steady)
        self._namesakes = Namesakes(self)
        self.create_timer(1.0, self._look_for_namesakes, clock=steady)

    def deactivate(self) -> None:
        """Say on the page that it shows and does nothing for now."""
        if self._page is not None:
            self._page.panel.set_status('the viewer is inactive', {})

    def close(self) -> None:
        """Stop serving."""
        if self._page is not None:
            self._page.close()

    def _on_robot(self, robot: Robot) -> None:
        """Show a robot in its neutral position."""
        assert self._page is not None
        shapes, remarks = read_visuals(
            robot.model.mechanism,
            find_package=packages_of(robot.model.mechanism, get_package_share_directory))
        lines = {name for name, link in mbd_ros.bent_links(
            robot.model, neutral(robot.model)).items() if not link.of_points}
        shapes = tuple(shape for shape in shapes if shape.link not in lines)
        q = neutral(robot.model)
        remarks += tuple(self._page.show_robot(shapes, mbd_ros.link_poses(robot.model, q)))
        for remark in remarks:
            self.get_logger().warning(remark)
        self._reader = JointStateReader(robot.model)
        self._base, self._robot, self._root, self._seen = q, robot, None, None
        for view in self._views:
            view.robot = robot
            view.use(robot)

    def _on_joint_states(self, message: JointState) -> None:
        self._joint_states = message

    def _on_shown(self, message: JointState) -> None:
        """Keep where a simulator shows the robot until it moves: it may still be compiled."""
        if self._joint_states is None:
            self._before = message

    def _on_transforms(self, message: TFMessage) -> None:
        if self._robot is None:
            return
        root = pose_of(message.transforms, self._robot.model.root)
        self._root = self._root if root is None else root
        if self._robot.model.nq > self._robot.model.nv:
            put_joints(self._robot.model, message.transforms, self._base)

    def _look(self) -> Seen | None:
        """Return the robot as it is now, None where its joint state cannot be read."""
        message, robot = self._joint_states or self._before, self._robot
        if robot is None or message is None or self._reader is None:
            return None
        try:
            q, v, effort = self._reader.read(message, velocities=False)
        except MbdError as error:
            # Where a robot begins, its loops may still be open: the simulator closes them.
            if message is self._joint_states and str(error) != self._said:
                self._said = str(error)
                self.get_logger().warning(f'joint state not shown: {error}')
            return None
        if robot.model.nq > robot.model.nv:
            for joint in curved_joints(robot.model):
                q[joint.q] = self._base[joint.q]
        return Seen(self._timeline.seconds(message.header.stamp), q, v, effort,
                    poses_in_world(mbd_ros.link_poses(robot.model, q), self._root))

    def _draw(self) -> None:
        """Send a picture to the browsers."""
        page = self._page
        if page is None or page.idle:
            return
        seen = self._look()
        if seen is not None:
            self._seen = seen
            with page.one_picture():
                shown = seen
                for view in self._views:
                    shown = view.shown(shown)
                page.move(shown.poses)
                for view in self._views:
                    view.draw(seen)

    def _look_for_namesakes(self) -> None:
        """Say that what the page shows may be another launch's."""
        self._another = self._namesakes.look()

    def _plot(self) -> None:
        """Send plots, tables and readouts to the browsers."""
        page = self._page
        if page is None or not page.watched:
            return
        for view in self._views:
            view.redraw(self._seen)
        if self._robot is None:
            page.panel.set_status('waiting for robot_description', {})
        else:
            seen = [] if self._joint_states is not None else ['waiting for joint states']
            words = (self._robot.model.name, *seen, *(view.status for view in self._views))
            page.panel.set_status(
                ' · '.join(word for word in words if word),
                {**({'mixed with another launch': self._another} if self._another else {}),
                 **{name: text for view in self._views for name, text in view.readouts.items()}})
            page.panel.set_details({name: text for view in self._views
                                    for name, text in view.details.items()})
        page.redraw()


def _open_page(node: ManagedNode, settings: SimpleNamespace, timeline: Timeline
               ) -> tuple[Page, list[View]]:
    """Return the page and its views; viser is installed with the extra ``viewer`` only."""
    try:
        from mbd_ros.nodes.viewing.views import open_page
    except ImportError as error:
        raise UnsupportedError(
            f'the page ({error})', 'install viser: pip install viser') from error
    return open_page(node, settings, timeline)


def main() -> None:
    """Run the node."""
    sys.exit(run(Viewer))


if __name__ == '__main__':
    main()
