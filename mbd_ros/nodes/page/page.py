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

"""The page: a server on this machine, a scene with the robot and its paths, and the panel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
import contextlib
from contextlib import AbstractContextManager
import io
import os
import threading
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.urdf.shape_extent import enclosing_ball, lowest_height
from mbd_ros.description.urdf.visuals import Shape
from mbd_ros.nodes.page import colors
from mbd_ros.nodes.page.drawings.drawing import Drawing
from mbd_ros.nodes.page.local_server import LocalServer
from mbd_ros.nodes.page.panel import Panel
from mbd_ros.nodes.page.robot_view import RobotView

Matrix = NDArray[np.float64]
D = TypeVar('D', bound=Drawing)

LIGHT = 2.0
"""Intensity of the light from all sides, beside that of the lamps which cast shadows."""

LONGEST_FAREWELL = 1.0
"""Time that browsers have to close their connections when the page ends [s]."""

SECTION = 1.0
"""Distance of the thick lines of the ground [m]."""

DISTANCE = 3.1
"""Of the camera, in radii of the robot."""

AT_FIRST = 'Corner'
SIDES = {AT_FIRST: np.array([0.72, -0.58, 0.38]), 'Front': np.array([1.0, 0.0, 0.0]),
         'Side': np.array([0.0, -1.0, 0.0]), 'Top': np.array([-1e-3, 0.0, 1.0])}
"""Where the camera may be, seen from the middle of the robot, whose front is along x."""

PLAY = 0.03
"""What reaches further below the ground, such as a robot that hangs, lowers it [m]."""


class Page:
    """
    What the browser shows.

    Parameters
    ----------
    host : str
        Address to listen on.
    port : int
        Port to listen on; the next free one if it is taken.
    history : float, optional
        Time span of the plots [s].
    report : Callable, optional
        Gets a line, once a second at most, on messages of browsers that were refused; printed if
        omitted.

    """

    def __init__(self, host: str, port: int, *, history: float = 30.0,
                 report: Callable[[str], Any] = print) -> None:
        os.environ.pop('_VISER_PORT_OVERRIDE', None)
        with contextlib.redirect_stdout(io.StringIO()):   # the node's log says the address
            self.server = LocalServer(host, port, report, label='mbd_ros', verbose=False)
        self._drawings: list[Drawing] = []
        self._robot: RobotView | None = None
        self._shapes: tuple[Shape, ...] = ()
        self._drag: tuple[str, Callable[[str, Any], None]] | None = None
        self._click: Callable[[str], None] | None = None
        self._opacity = 1.0
        self._arrows: set[str] = set()
        self._framed = False
        self._middle: Matrix = np.zeros(3)
        self._size = 1.0
        self._height = 0.0
        self._poses: Mapping[str, Matrix] = {}
        self._build_scene()
        self.panel = Panel(self.server.gui, history=history)

    @property
    def url(self) -> str:
        """Address of the page."""
        return f'http://{self.server.get_host()}:{self.server.get_port()}'

    @property
    def port(self) -> int:
        """Port of the page; not the one asked for if that was taken."""
        return self.server.get_port()

    @property
    def watched(self) -> bool:
        """Whether any browser shows the page now."""
        return bool(self.server.get_clients())

    @property
    def idle(self) -> bool:
        """Whether nobody would see the robot move, and where to look from is settled."""
        return self._framed and not self.watched

    def add(self, kind: type[D]) -> D:
        """Add a drawing to the scene, its switch to the panel, and return it."""
        drawing = kind(self.server.scene)
        self._drawings.append(drawing)
        self.panel.add_switch(drawing)
        return drawing

    def show_robot(self, shapes: Sequence[Shape], poses: Mapping[str, Matrix]) -> list[str]:
        """
        Show a robot in place of the one before, and look at it.

        Parameters
        ----------
        shapes : sequence of Shape
            The robot.
        poses : mapping of str to (4, 4) array
            Where its links are.

        Returns
        -------
        list of str
            A remark for every shape that cannot be shown.

        """
        with self.server.atomic():
            if self._robot is not None:
                self._robot.remove()
            self._robot = RobotView(self.server.scene, shapes)
            self._robot.move(poses)
            self._robot.set_opacity(self._opacity)
            if self._click is not None:
                self._robot.on_click(self._click)
            self.clear()
            self._shapes = tuple(shapes)
            self.reset_camera()
            self._frame(poses)
            self._middle = self.middle_of(poses)
        return self._robot.remarks

    def move(self, poses: Mapping[str, Matrix]) -> None:
        """Put the links of the robot where they are."""
        if self._robot is not None:
            self._robot.move(poses)
            self._poses = poses
            middle = self.middle_of(poses)
            # A leap is no motion: the pose of a floating base has come, or the robot was reset.
            if not self._framed or np.linalg.norm(middle - self._middle) > self.leap:
                self._framed = True
                self._frame(poses)
            self._middle = middle
            self._put_ground()

    def recorded(self, frames: Iterable[tuple[float, Mapping[str, Matrix]]]) -> str:
        """
        Return an HTML document that plays frames of the robot that is shown.

        Parameters
        ----------
        frames : iterable of (float, mapping of str to (4, 4) array)
            How long each is shown [s], and where the links are.

        """
        recording = self.server.get_scene_serializer()
        for duration, poses in frames:
            self.move(poses)
            recording.insert_sleep(duration)
        return recording.as_html()

    def one_picture(self) -> AbstractContextManager[None]:
        """Return a context: what is drawn in it reaches the browsers at once."""
        return self.server.atomic()

    def on_drag(self, modifier: str, report: Callable[[str, Any], None]) -> None:
        """Report drags of links of the robot that is shown; see ``RobotView.on_drag``."""
        self._drag = modifier, report
        self._offer_drag()

    def on_click(self, report: Callable[[str], None]) -> None:
        """Report clicks on links of the robots that are shown from now on."""
        self._click = report

    def set_opacity(self, opacity: float) -> None:
        """Make this robot, and those after it, see-through; see ``RobotView.set_opacity``."""
        self._opacity = opacity
        if self._robot is not None:
            with self.server.atomic():
                self._robot.set_opacity(opacity)

    def look_from(self, client: Any, side: str) -> None:
        """Let one browser look at all of the robot from a side, one of ``SIDES``."""
        with client.atomic():
            client.camera.position = self._middle + DISTANCE * self._size * SIDES[side]
            client.camera.look_at = self._middle   # second: viser moves it with the position

    def show_arrows(self, name: str, shown: bool) -> None:
        """
        Note which arrows to drag are shown, by their names in the scene.

        Links are not dragged meanwhile: those before an arrow would take the mouse from it.
        """
        (self._arrows.add if shown else self._arrows.discard)(name)
        self._offer_drag()

    def _offer_drag(self) -> None:
        """Let links be dragged unless arrows are shown."""
        if self._robot is None or self._drag is None:
            return
        if self._arrows:
            self._robot.off_drag()
        else:
            self._robot.on_drag(*self._drag)

    def middle_of(self, poses: Mapping[str, Matrix]) -> Matrix:
        """Return the middle (3,) of the robot's links that are shown [m]."""
        shown = [poses[shape.link][:3, 3] for shape in self._shapes if shape.link in poses]
        return np.asarray(np.mean(shown, axis=0)) if shown else np.zeros(3)

    @property
    def middle(self) -> Matrix:
        """Middle (3,) of the robot where it was put last [m]."""
        return self._middle

    @property
    def poses(self) -> Mapping[str, Matrix]:
        """Poses (4, 4) of the links where they were put last."""
        return self._poses

    @property
    def size(self) -> float:
        """Radius of the robot [m]."""
        return self._size

    @property
    def leap(self) -> float:
        """Way of the robot's middle from one picture to the next that is no motion [m]."""
        return 0.5 * self._size

    def reset_camera(self) -> None:
        """Let browsers that come from now on see all of the robot as it is next, and its paths."""
        self._framed = False

    def redraw(self) -> None:
        """Send drawings and plots to the browsers; a few times a second will do."""
        with self.server.atomic():
            for drawing in self._drawings:
                drawing.redraw()
            self.panel.redraw()

    def clear(self) -> None:
        """Forget what was drawn and plotted."""
        for drawing in self._drawings:
            drawing.clear()
        self.panel.reset()

    def close(self) -> None:
        """Stop serving, without waiting long for browsers to say goodbye."""
        with contextlib.redirect_stdout(io.StringIO()):
            farewell = threading.Thread(target=self.server.stop, daemon=True)
            farewell.start()
            farewell.join(LONGEST_FAREWELL)

    def _build_scene(self) -> None:
        """Add light, ground and grid."""
        gui, scene = self.server.gui, self.server.scene
        gui.configure_theme(show_logo=False, show_share_button=False, brand_color=colors.BRAND,
                            control_width='large')
        gui.main_panel.dock_right()
        scene.set_up_direction('+z')
        # Light of two lamps: a picture of surroundings would be faded in once it is there, which
        # takes software that draws half a minute.
        scene.configure_environment_map(None)
        scene.add_light_hemisphere('/light', sky_color=colors.SKY, ground_color=colors.GROUND,
                                   intensity=LIGHT)
        self._ground = scene.add_grid(
            '/ground', width=8.0, height=8.0, cell_size=0.25, section_size=SECTION,
            cell_color=colors.GRID_CELL, section_color=colors.GRID_SECTION,
            plane_color=colors.GROUND, plane_opacity=1.0, shadow_opacity=0.25,
            fade_distance=30.0)

    def _put_ground(self) -> None:
        """Keep the ground below a robot that goes away, its lines where they are."""
        x, y = (SECTION * round(float(c) / SECTION) for c in self._middle[:2])
        if (x, y, self._height) != tuple(self._ground.position):
            self._ground.position = (x, y, self._height)

    def _frame(self, poses: Mapping[str, Matrix]) -> None:
        """Look at robot and drawings from the front, the right and above."""
        points = np.concatenate([np.empty((0, 3)), *(one.points for one in self._drawings)])
        middle, size = enclosing_ball(self._shapes, poses, points)
        self._size = size
        for drawing in self._drawings:
            drawing.size = size
        lowest = lowest_height(self._shapes, poses, points)
        self._height = lowest if lowest < -PLAY else 0.0
        self._put_ground()
        camera = self.server.initial_camera
        camera.fov = 0.7
        camera.look_at = middle
        camera.position = middle + DISTANCE * size * SIDES[AT_FIRST]
