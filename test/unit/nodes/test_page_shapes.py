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

"""Geometry of the page: the tube around the path, and rotations."""

import numpy as np
import pytest
import trimesh

from mbd_ros.description.urdf.visuals import Shape
from mbd_ros.nodes.page.drawings.tube import SIDES, tube
from mbd_ros.nodes.page.page import Page
from mbd_ros.nodes.page.robot_view import quaternion

CIRCLE = np.array([[np.cos(t), np.sin(t), 0.5] for t in np.linspace(0.0, 2.0 * np.pi, 65)])


@pytest.mark.parametrize('line', [
    CIRCLE, np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 2.0]]),
    np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])])
def test_every_vertex_of_a_tube_is_at_its_radius(line):
    vertices, faces = tube(line, 0.1)
    rings = vertices.reshape(len(line), SIDES, 3)
    distances = np.linalg.norm(rings - line[:, None], axis=2)
    assert distances == pytest.approx(0.1, abs=1e-6)   # float32
    assert faces.shape == (2 * SIDES * (len(line) - 1), 3)
    assert faces.max() == len(vertices) - 1


def test_a_closed_tube_ends_where_it_begins():
    vertices, _ = tube(CIRCLE, 0.1)
    rings = vertices.reshape(len(CIRCLE), SIDES, 3)
    assert np.allclose(rings[0], rings[-1], atol=1e-3)


def test_points_that_coincide_do_no_harm():
    vertices, _ = tube(np.zeros((3, 3)), 0.1)
    assert np.isfinite(vertices).all()


def test_quaternions_are_w_x_y_z():
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert quaternion(turn) == pytest.approx([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])


def test_meshes_with_materials_keep_them_until_the_robot_is_made_see_through(tmp_path):
    """Whatever opacity the description gives beside the mesh."""
    box = trimesh.creation.box()
    box.visual.vertex_colors = np.tile([200, 30, 30, 255], (8, 1))
    box.export(tmp_path / 'box.ply')
    page = Page('127.0.0.1', 8422)
    try:
        shapes = [Shape('a', 'mesh', (1.0, 1.0, 1.0), np.eye(4), (1.0, 1.0, 1.0, 0.5),
                        tmp_path / 'box.ply'),
                  Shape('a', 'box', (1.0, 1.0, 1.0), np.eye(4), (1.0, 1.0, 1.0, 0.5))]
        assert page.show_robot(shapes, {'a': np.eye(4)}) == []
        (_, mesh), (_, solid) = page._robot._handles
        for opacity in (1.0, 0.4, 1.0):
            page.set_opacity(opacity)
            assert mesh.visible is (opacity == 1.0)
            assert solid.opacity == pytest.approx(0.5 * opacity)
    finally:
        page.close()
