"""The page: a server on this machine, a scene with the robot and its paths, and the panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import contextlib
import io
import os
import threading

import numpy as np
from numpy.typing import NDArray
import viser

from mbd_ros.description.urdf.shape_extent import enclosing_ball, lowest_height
from mbd_ros.description.urdf.visuals import Shape
from mbd_ros.nodes.page import colors
from mbd_ros.nodes.page.local_server import LocalServer
from mbd_ros.nodes.page.panel import Panel
from mbd_ros.nodes.page.robot_view import RobotView
from mbd_ros.nodes.page.tool_view import ToolView
from mbd_ros.nodes.page.tube import tube

Matrix = NDArray[np.float64]

PATH_RADIUS = 0.012
"""Radius of the tube around the desired path, in radii of the robot; the trace runs inside."""

LONGEST_FAREWELL = 1.0
"""Time that browsers have to close their connections when the page ends [s]."""

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
    trace_points : int, optional
        Length of the traced path, in points.
    history : float, optional
        Time span of the plots [s].

    """

    def __init__(self, host: str, port: int, *, trace_points: int = 1500,
                 history: float = 30.0) -> None:
        os.environ.pop('_VISER_PORT_OVERRIDE', None)
        with contextlib.redirect_stdout(io.StringIO()):   # the node's log says the address
            self._server = LocalServer(host, port, label='mbd_ros', verbose=False)
        self._trace_points = trace_points
        self._tools: list[ToolView] = []
        self._robot: RobotView | None = None
        self._shapes: tuple[Shape, ...] = ()
        self._framed = False
        self._path_points: Sequence[Matrix] = ()
        self._paths: list[viser.MeshHandle] = []
        self._surfaces: tuple[Shape, ...] = ()
        self._manifold: RobotView | None = None
        self._violation: viser.LineSegmentsHandle | None = None
        self._size = 1.0
        self._build_scene()
        self.panel = Panel(self._server.gui, history=history)
        self.panel.show_desired.on_update(lambda _: self._update_visibility())
        self.panel.show_traced.on_update(lambda _: self._update_visibility())
        self.panel.show_force.on_update(lambda _: self._update_visibility())
        self.panel.show_manifold.on_update(lambda _: self._update_visibility())
        self.panel.clear.on_click(lambda _: self.clear())

    @property
    def url(self) -> str:
        """Address of the page."""
        return f'http://{self._server.get_host()}:{self._server.get_port()}'

    @property
    def port(self) -> int:
        """Port of the page; not the one asked for if that was taken."""
        return self._server.get_port()

    @property
    def watched(self) -> bool:
        """Whether any browser shows the page now."""
        return bool(self._server.get_clients())

    @property
    def idle(self) -> bool:
        """Whether nobody would see the robot move, and where to look from is settled."""
        return self._framed and not self.watched

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
        with self._server.atomic():
            if self._robot is not None:
                self._robot.remove()
            self._robot = RobotView(self._server.scene, shapes)
            self._robot.move(poses)
            self.clear()
            self._shapes, self._framed = tuple(shapes), False
            self._frame(poses)
        return self._robot.remarks

    def move(self, poses: Mapping[str, Matrix]) -> None:
        """Put the links of the robot where they are."""
        if self._robot is not None:
            with self._server.atomic():
                self._robot.move(poses)
                if not self._framed:
                    self._framed = True
                    self._frame(poses)

    def show_paths(self, paths: Sequence[Matrix]) -> None:
        """Show desired paths, each (n, 3) [m]; those with fewer than two points are left out."""
        paths = [points for points in paths if len(points) > 1]
        shown = self._path_points
        if len(paths) == len(shown) and all(map(np.array_equal, paths, shown)):
            return
        for handle in self._paths:
            handle.remove()
        self._path_points, self._framed, self._paths = paths, False, []
        for number, points in enumerate(paths):
            vertices, faces = tube(points, PATH_RADIUS * self._size)
            self._paths.append(self._server.scene.add_mesh_simple(
                f'/desired_path/{number}', vertices, faces, color=colors.DESIRED, opacity=0.55,
                cast_shadow=False, receive_shadow=False, visible=self.panel.show_desired.value))

    def add_traces(self, points: Sequence[Matrix]) -> None:
        """Lengthen the traced path of each tool to a point (3,) [m]."""
        if len(points) != len(self._tools):
            self._remove_tools()
            self._tools = [ToolView(self._server.scene, number, self._size, self._trace_points)
                           for number in range(len(points))]
        for tool, point in zip(self._tools, points):
            tool.add_trace(point)

    def show_forces(self, forces: Sequence[tuple[Matrix, Matrix]]) -> None:
        """Show an arrow at each tool: where it begins, and from there to its tip (3,) [m]."""
        with self._server.atomic():
            for tool, force in zip(self._tools, forces):
                tool.show_force(*force)

    def show_manifold(self, surfaces: Sequence[Shape], violation: Matrix) -> None:
        """
        Show surfaces that hold a point of the robot, and how far the nominal model is off.

        Parameters
        ----------
        surfaces : sequence of Shape
            In the world; those that are shown already are left alone.
        violation : (n, 2, 3) array
            Tools of the nominal model, and where the constraints want them [m].

        """
        with self._server.atomic():
            if not _alike(surfaces, self._surfaces):
                self._surfaces = tuple(surfaces)
                if self._manifold is not None:
                    self._manifold.remove()
                self._manifold = (RobotView(self._server.scene, surfaces, root='/manifold')
                                  if surfaces else None)
            if self._violation is None:
                self._violation = self._server.scene.add_line_segments(
                    '/violation', violation.astype(np.float32), colors.VIOLATION,
                    thickness=4.0, thickness_units='screen')
            else:
                self._violation.points = violation.astype(np.float32)
        self._update_visibility()

    def redraw(self) -> None:
        """Send the traced path and the plots to the browsers; a few times a second will do."""
        with self._server.atomic():
            for tool in self._tools:
                tool.redraw()
            self.panel.redraw()
        self._update_visibility()

    def clear(self) -> None:
        """Forget the traced path and the plots."""
        self._remove_tools()
        for handle in (self._manifold, self._violation):
            if handle is not None:
                handle.remove()
        self._manifold = self._violation = None
        self._surfaces = ()
        self.panel.reset()

    def _remove_tools(self) -> None:
        for tool in self._tools:
            tool.remove()
        self._tools = []

    def close(self) -> None:
        """Stop serving, without waiting long for browsers to say goodbye."""
        with contextlib.redirect_stdout(io.StringIO()):
            farewell = threading.Thread(target=self._server.stop, daemon=True)
            farewell.start()
            farewell.join(LONGEST_FAREWELL)

    def _build_scene(self) -> None:
        """Add light, ground and grid."""
        gui, scene = self._server.gui, self._server.scene
        gui.configure_theme(show_logo=False, show_share_button=False, brand_color=colors.BRAND,
                            control_width='large')
        gui.main_panel.dock_right()
        scene.set_up_direction('+z')
        scene.configure_environment_map('studio', environment_intensity=0.25)
        self._ground = scene.add_grid(
            '/ground', width=8.0, height=8.0, cell_size=0.25, section_size=1.0,
            cell_color=colors.GRID_CELL, section_color=colors.GRID_SECTION,
            plane_color=colors.GROUND, plane_opacity=1.0, shadow_opacity=0.25,
            fade_distance=30.0)

    def _frame(self, poses: Mapping[str, Matrix]) -> None:
        """Look at robot and path from the front, the right and above."""
        points = np.concatenate((np.empty((0, 3)), *self._path_points))
        middle, self._size = enclosing_ball(self._shapes, poses, points)
        lowest = lowest_height(self._shapes, poses, points)
        self._ground.position = (0.0, 0.0, lowest if lowest < -PLAY else 0.0)
        camera = self._server.initial_camera
        camera.fov = 0.7
        camera.look_at = middle
        camera.position = middle + 3.1 * self._size * np.array([0.72, -0.58, 0.38])

    def _update_visibility(self) -> None:
        """Show what the switches say."""
        for handle, switch in (*((path, self.panel.show_desired) for path in self._paths),
                               *((tool.traced, self.panel.show_traced) for tool in self._tools),
                               *((tool.force, self.panel.show_force) for tool in self._tools),
                               (self._manifold, self.panel.show_manifold),
                               (self._violation, self.panel.show_manifold)):
            if handle is not None and handle.visible != switch.value:
                handle.visible = switch.value


def _alike(some: Sequence[Shape], others: Sequence[Shape]) -> bool:
    """Tell whether shapes are the same ones in the same places."""
    return len(some) == len(others) and all(
        one.kind == other.kind and one.size == other.size and np.array_equal(one.pose, other.pose)
        for one, other in zip(some, others))
