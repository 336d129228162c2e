"""Node viewer: robot, paths and tracking error on a page in the browser."""

from __future__ import annotations

from functools import partial
import sys
import time
from typing import TYPE_CHECKING

from ament_index_python.packages import get_package_share_directory
from mbd_msgs.msg import ControllerState
from nav_msgs.msg import Path
import numpy as np
from numpy.typing import NDArray
from rclpy.clock import Clock
from rclpy.clock import ClockType
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

import mbd_ros
from mbd_ros.description.urdf.visuals import read_visuals
from mbd_ros.description.xml.packages import find_package
from mbd_ros.errors import MbdError, UnsupportedError
from mbd_ros.messages.states.drawings import (
    from_path, from_point, lines_of, METRES_PER_NEWTON, shapes_of)
from mbd_ros.messages.states.joint_states import JointStateReader
from mbd_ros.messages.states.transforms import carried, pose_of, put_joints
from mbd_ros.model.state import curved_joints, neutral
from mbd_ros.nodes.parts import qos
from mbd_ros.nodes.parts.guard import GuardedNode
from mbd_ros.nodes.parts.parameters import declare_parameters
from mbd_ros.nodes.parts.robot_source import Robot, RobotSource
from mbd_ros.nodes.parts.run import run

if TYPE_CHECKING:
    from mbd_ros.nodes.page.page import Page

Vector = NDArray[np.float64]

MODES = {
    ControllerState.MODE_WAITING: 'waiting', ControllerState.MODE_TRACKING: 'tracking',
    ControllerState.MODE_WEIGHTLESS: 'weightless', ControllerState.MODE_HOLDING: 'holding',
    ControllerState.MODE_LOST: 'joint states lost',
    ControllerState.MODE_NOT_FOLLOWING: 'the robot does not follow',
}

MEASURED = (ControllerState.MODE_TRACKING, ControllerState.MODE_HOLDING,
            ControllerState.MODE_NOT_FOLLOWING)
"""Modes in which the state of a controller holds numbers."""

SILENCE = 3.0
"""A controller that has said nothing for this time is not there [s]."""


class Viewer(GuardedNode):
    """
    Shows the robot as it moves, the desired path, the way of its tool and the tracking error.

    Subscriptions only keep what is newest; timers send it to the browsers, and only while there
    are any.

    ============================  ==================  =============================================
    entity                        callback group      why
    ============================  ==================  =============================================
    joint_states, controller's    the node's default  they keep a message, in no time
    state and path, /tf
    robot_description             the node's default  a robot is never changed within a picture
    picture and plot timers       the node's default  as above
    the page's server             (threads of viser)  browsers come and go by themselves
    ============================  ==================  =============================================

    """

    num_threads = 1

    def __init__(self) -> None:
        super().__init__('viewer')
        self._settings = declare_parameters(self, 'viewer')
        self._page: Page | None = None
        self._robot: Robot | None = None
        self._reader: JointStateReader | None = None
        self._q: Vector = np.zeros(0)
        self._base: Vector = np.zeros(0)
        self._root: Vector | None = None
        self._joint_states: JointState | None = None
        self._state: ControllerState | None = None
        self._heard = 0.0
        self._said = ''

    def configure(self) -> None:
        """Serve the page and listen."""
        settings = self._settings
        page = self._page = _new_page(settings.host, settings.port, settings.history)
        if page.port != settings.port:
            self.get_logger().warning(f'port {settings.port} is taken')
        self.get_logger().info(f'look at {page.url}')
        self._source = RobotSource(self, settings.robot_description, self._on_robot)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_subscription(JointState, 'joint_states', self._on_joint_states, qos.NEWEST,
                                 qos_overriding_options=qos.OVERRIDABLE)
        self.create_subscription(ControllerState, 'controller/state', self._on_state, qos.STREAM,
                                 qos_overriding_options=qos.OVERRIDABLE)
        self.create_subscription(Path, 'controller/desired_path', self._on_path, qos.LATCHED,
                                 qos_overriding_options=qos.OVERRIDABLE)
        self.create_subscription(MarkerArray, 'controller/markers', self._on_markers, qos.RELIABLE,
                                 qos_overriding_options=qos.OVERRIDABLE)
        self.create_subscription(TFMessage, '/tf', self._on_transforms, qos.STREAM,
                                 qos_overriding_options=qos.OVERRIDABLE)
        self.create_timer(1.0 / settings.frame_rate, self._draw, clock=steady)
        self.create_timer(1.0 / settings.plot_rate, self._plot, clock=steady)

    def close(self) -> None:
        """Stop serving."""
        if self._page is not None:
            self._page.close()

    def _on_robot(self, robot: Robot) -> None:
        """Show a robot in its neutral position."""
        assert self._page is not None
        shapes, remarks = read_visuals(
            robot.model.mechanism,
            find_package=partial(find_package, index=get_package_share_directory))
        q = neutral(robot.model)
        remarks += tuple(self._page.show_robot(shapes, mbd_ros.link_poses(robot.model, q)))
        for remark in remarks:
            self.get_logger().warning(remark)
        self._reader = JointStateReader(robot.model)
        self._q, self._base, self._robot, self._root = q, q.copy(), robot, None

    def _on_joint_states(self, message: JointState) -> None:
        self._joint_states = message

    def _on_transforms(self, message: TFMessage) -> None:
        if self._robot is None:
            return
        root = pose_of(message.transforms, self._robot.model.root)
        self._root = self._root if root is None else root
        if self._robot.model.nq > self._robot.model.nv:
            put_joints(self._robot.model, message.transforms, self._base)

    def _on_path(self, message: Path) -> None:
        assert self._page is not None
        self._page.show_paths([from_path(message)])

    def _on_markers(self, message: MarkerArray) -> None:
        """Show surfaces that hold tools, the violation of the nominal model, and more paths."""
        violation, paths = lines_of(message, 'violation'), lines_of(message, 'trajectory')
        if self._page is None or not violation:
            return
        self._page.show_manifold(shapes_of(message), np.array(violation))
        if len(paths) > 1:   # the topic of the desired path has only the first
            self._page.show_paths(paths)

    def _on_state(self, message: ControllerState) -> None:
        """Keep what is plotted; the samples of waiting controllers hold no numbers."""
        assert self._page is not None
        self._state, self._heard = message, time.monotonic()
        if message.mode in MEASURED:
            self._page.add_traces([from_point(tool.actual) for tool in message.tools])
            farthest = max((tool.error for tool in message.tools), default=0.0)
            self._page.panel.add_sample(message.path_time, farthest,
                                        message.joint_names, message.effort_total,
                                        (message.constraint_violation_before,
                                         message.constraint_violation_after), message.energy)

    def _draw(self) -> None:
        """Send a picture to the browsers."""
        page, message, robot = self._page, self._joint_states, self._robot
        if page is None or robot is None or message is None or page.idle:
            return
        assert self._reader is not None
        try:
            q = self._reader.read(message, velocities=False).q
        except MbdError as error:
            if str(error) != self._said:
                self._said = str(error)
                self.get_logger().warning(f'joint state not shown: {error}')
            return
        if robot.model.nq > robot.model.nv:
            for joint in curved_joints(robot.model):
                q[joint.q] = self._base[joint.q]
        page.move(carried(mbd_ros.link_poses(robot.model, q), self._root))
        state = self._state
        if state is not None and state.mode == ControllerState.MODE_TRACKING:
            page.show_forces([(from_point(tool.actual), METRES_PER_NEWTON * from_point(tool.force))
                              for tool in state.tools])

    def _plot(self) -> None:
        """Send plots and readouts to the browsers."""
        page = self._page
        if page is None or not page.watched:
            return
        if time.monotonic() - self._heard > SILENCE:
            self._state = None
        page.panel.show_controller(self._state is not None)
        if self._robot is None:
            page.panel.set_status('waiting for robot_description', {})
        else:
            name, state = self._robot.model.name, self._state
            if state is None:
                page.panel.set_status(f'{name} · no controller', {})
            else:
                mode = MODES.get(state.mode, f'unknown mode {state.mode}')
                page.panel.set_status(f'{name} · {mode}', _readouts(state))
        page.redraw()


def _new_page(host: str, port: int, history: float) -> Page:
    """Return the page; viser is installed with the extra ``viewer`` only."""
    try:
        from mbd_ros.nodes.page.page import Page
    except ImportError as error:
        raise UnsupportedError(
            f'the page ({error})', 'install viser: pip install viser') from error
    return Page(host, port, history=history)


def _readouts(state: ControllerState) -> dict[str, str]:
    """Return the figures beside the plots."""
    reason = {'reason': state.message} if state.message else {}
    if state.mode not in MEASURED:
        return reason
    several = len(state.tools) > 1
    return {
        **reason,
        **{f'tracking error{f", {tool.link}" * several}': f'{1e3 * tool.error:.3f} mm'
           for tool in state.tools},
        'nominal model off the path': f'{state.constraint_violation_after:.1e} m',
        'energy': f'{state.energy:.2f} J, power {state.power:.1f} W',
        'path time': f'{state.path_time:.1f} s',
        'control step': f'{1e3 * state.computation_time:.3f} ms',
        'missed deadlines': str(state.deadline_misses),
    }


def main() -> None:
    """Run the node."""
    sys.exit(run(Viewer))


if __name__ == '__main__':
    main()
