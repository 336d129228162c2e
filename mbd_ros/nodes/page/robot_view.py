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

"""The robot on the page: its shapes, moved link by link."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
import logging
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transforms3d.quaternions import mat2quat
import viser

from mbd_ros.description.records.budget import reading
from mbd_ros.description.records.mesh_file import drawn_mesh, MAX_BYTES
from mbd_ros.description.urdf.visuals import Shape
from mbd_ros.description.xml.roots import Roots
from mbd_ros.errors import one_line
from mbd_ros.nodes.page.colors import Rgb

Matrix = NDArray[np.float64]


class RobotView:
    """
    The shapes of one robot, each fixed to a frame of its link.

    Parameters
    ----------
    scene : viser.SceneApi
        Scene of the page.
    shapes : iterable of Shape
        What to show.
    root : str, optional
        Name in the scene tree; the view owns everything below it.

    """

    @reading()
    def __init__(self, scene: viser.SceneApi, shapes: Iterable[Shape], *,
                 root: str = '/robot') -> None:
        self._frame = scene.add_frame(root, show_axes=False)
        self._frames: dict[str, viser.FrameHandle] = {}
        self._shown: dict[str, bytes] = {}
        self._handles: list[tuple[str, Any]] = []
        self._paints: list[tuple[float, Callable[[float], None]]] = []
        self.remarks: list[str] = []
        for number, shape in enumerate(shapes):
            if shape.link not in self._frames:
                self._frames[shape.link] = scene.add_frame(
                    f'{root}/{len(self._frames)}', show_axes=False)
            try:
                handles = _add(scene, f'{self._frames[shape.link].name}/{number}', shape)
                self._handles.append((shape.link, handles[0]))
                own = isinstance(handles[0], viser.GlbHandle)   # materials, not the shape's colour
                self._paints.append((1.0 if own else shape.color[3], _paint(handles)))
            except Exception as error:   # a mesh reader may raise anything
                self.remarks.append(one_line(f"{shape.file} of link '{shape.link}' is not shown: "
                                             f'{str(error) or type(error).__name__}'))

    @property
    def visible(self) -> bool:
        """Whether it is shown."""
        return bool(self._frame.visible)

    @visible.setter
    def visible(self, shown: bool) -> None:
        self._frame.visible = shown

    def on_drag(self, modifier: str, report: Callable[[str, Any], None]) -> None:
        """
        Report drags of links with the mouse.

        Parameters
        ----------
        modifier : str
            Key that is held, as viser names it.
        report : callable
            Called in the thread of the server with the link and viser's event.

        """
        self.off_drag()
        for link, handle in self._handles:
            async def drag(event: Any, link: str = link) -> None:   # async: in order
                report(link, event)
            handle.on_drag('left', modifier=modifier)(drag)

    def on_click(self, report: Callable[[str], None]) -> None:
        """Report a click on a link, in the thread of the server, with the link's name."""
        for link, handle in self._handles:
            async def click(_: Any, link: str = link) -> None:
                report(link)
            handle.on_click(click)

    def set_opacity(self, opacity: float) -> None:
        """
        Make the robot see-through.

        Parameters
        ----------
        opacity : float
            From 0 (not to be seen) to 1 (as described), by which that of each shape is multiplied.

        """
        for own, paint in self._paints:
            paint(own * opacity)

    def off_drag(self) -> None:
        """Report drags no more: the mouse passes through the links."""
        for _, handle in self._handles:
            handle.remove_drag_callback()

    def move(self, poses: Mapping[str, Matrix]) -> None:
        """
        Put the links where they are.

        Parameters
        ----------
        poses : mapping of str to (4, 4) array
            Links in the world; links without shapes are passed over, as are those that rest.

        """
        for link, frame in self._frames.items():
            pose = poses.get(link)
            if pose is None:
                continue
            key = pose.tobytes()
            if self._shown.get(link) != key:
                self._shown[link] = key
                frame.wxyz = quaternion(pose[:3, :3])
                frame.position = pose[:3, 3]

    def remove(self) -> None:
        """Take the robot off the page."""
        self._frame.remove()


def _paint(handles: Sequence[Any]) -> Callable[[float], None]:
    """Return what sets the opacity of a shape; a mesh with materials gives way to a plain one."""
    plain: list[Any] = []

    def paint(opacity: float) -> None:
        solid = opacity >= 1.0
        if isinstance(handles[0], viser.GlbHandle):
            handles[0].visible = solid
            if not solid and not plain:
                plain.append(handles[1]())
            for handle in plain:
                handle.visible, handle.opacity = not solid, opacity
            return
        for handle in handles:
            handle.opacity = None if solid else opacity
    return paint


def _add(scene: viser.SceneApi, name: str, shape: Shape) -> list[Any]:
    """
    Add one shape to the scene and return its handles, the one for the mouse first.

    Behind the handle of a mesh with materials, whose opacity cannot be set, is what adds the same
    mesh in one colour.
    """
    r, g, b, alpha = shape.color
    color = (round(255 * r), round(255 * g), round(255 * b))
    opacity = None if alpha >= 1.0 else alpha
    wxyz, position = quaternion(shape.pose[:3, :3]), shape.pose[:3, 3]
    if shape.kind == 'box':
        return [scene.add_box(name, color, np.array(shape.size), opacity=opacity, wxyz=wxyz,
                              position=position)]
    if shape.kind == 'sphere':
        return [scene.add_icosphere(name, shape.size[0], color, opacity=opacity,
                                    wxyz=wxyz, position=position)]
    if shape.kind == 'mesh':
        return _add_mesh(scene, name, shape, color)
    radius, length = shape.size
    handles: list[Any] = [scene.add_cylinder(name, radius, length, color, opacity=opacity,
                                             wxyz=wxyz, position=position)]
    if shape.kind == 'capsule':
        handles += [scene.add_icosphere(f'{name}/{end}', radius, color, opacity=opacity,
                                        position=(0.0, 0.0, end))
                    for end in (-0.5 * length, 0.5 * length)]
    return handles


def _add_mesh(scene: viser.SceneApi, name: str, shape: Shape, color: Rgb) -> list[Any]:
    """Add a mesh; one without materials of its own takes the shape's colour."""
    logging.getLogger('trimesh').setLevel(logging.CRITICAL)   # it is said in one line, by us
    assert shape.file is not None
    mesh = drawn_mesh(shape.file, Roots(shape.file, max_bytes=MAX_BYTES).check)
    mesh.apply_scale(shape.size)
    wxyz, position = quaternion(shape.pose[:3, :3]), shape.pose[:3, 3]
    plain = partial(scene.add_mesh_simple, vertices=mesh.vertices, faces=mesh.faces, color=color,
                    wxyz=wxyz, position=position)
    if mesh.visual.kind in ('texture', 'vertex', 'face'):
        return [scene.add_mesh_trimesh(name, mesh, wxyz=wxyz, position=position),
                partial(plain, f'{name}_plain')]
    return [plain(name)]


def quaternion(rotation: Matrix) -> Matrix:
    """Return a rotation matrix (3, 3) as w, x, y, z."""
    return np.asarray(mat2quat(rotation), dtype=np.float64)
