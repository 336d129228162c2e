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

"""Robots on axes of matplotlib."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import InvalidValueError

URDF = Path(__file__).resolve().parents[3] / 'urdf'
mpl.use('Agg')
SHAPES = """<robot name="shapes"><link name="base"/>
  <link name="arm">
    <visual><origin xyz="0.5 0 0"/><geometry><box size="1 0.2 0.4"/></geometry>
      <material name="red"><color rgba="1 0 0 0.5"/></material></visual>
    <visual><geometry><sphere radius="0.1"/></geometry></visual>
    <visual><geometry><cylinder radius="0.1" length="0.6"/></geometry></visual>
    <visual><geometry><mesh filename="nowhere.stl"/></geometry></visual>
    <inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
  </joint></robot>"""


@pytest.fixture
def axes():
    return Figure().add_subplot(projection='3d')


def corners(axes):
    """Return the corners of all triangles that were drawn (n, 3)."""
    heard = []   # versions of matplotlib keep them under several names
    for one in axes.collections:
        heard.append(np.asarray(one._faces if hasattr(one, '_faces') else one._vec[:3].T))
    return np.concatenate([faces.reshape(-1, 3) for faces in heard])


def test_shapes_are_where_the_robot_has_them(axes):
    """A box from the origin to 1 m along x, a quarter turn about z."""
    remarks = mbd_ros.draw_robot(axes, mbd_ros.load(SHAPES), [np.pi / 2])
    assert [one for one in remarks if 'nowhere.stl' in one]
    low, high = corners(axes).min(axis=0), corners(axes).max(axis=0)
    assert low == pytest.approx([-0.1, -0.1, -0.3], abs=1e-9)   # sphere and cylinder
    assert high == pytest.approx([0.1, 1.0, 0.3], abs=1e-9)


def test_the_axes_show_all_postures_with_one_scale(axes):
    model = mbd_ros.load(SHAPES)
    for turn in (0.0, np.pi):
        mbd_ros.draw_robot(axes, model, [turn], opacity=0.5)
    limits = np.array([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()])
    points = corners(axes)
    assert (limits[:, 0] <= points.min(axis=0)).all()
    assert (points.max(axis=0) <= limits[:, 1]).all()
    assert np.ptp(limits, axis=1) == pytest.approx(np.ptp(limits[0]))
    assert points[:, 0].max() == pytest.approx(1.0)
    assert points[:, 0].min() == pytest.approx(-1.0)


def test_colours_are_those_of_the_description(axes):
    mbd_ros.draw_robot(axes, mbd_ros.load(SHAPES), [0.0], opacity=0.5)
    box = axes.collections[0]._facecolor3d[:12]   # two triangles a side
    assert (box[:, 1:3] == 0.0).all() and (box[:, 0] > 0.4).all()
    assert box[:, 3] == pytest.approx(0.25)


@pytest.mark.parametrize('name', ['panda.urdf', 'stewart.urdf.xacro', 'flexible_arm.urdf'])
def test_shipped_robots_are_drawn_without_a_remark(axes, name):
    model = mbd_ros.load(URDF / name)
    assert mbd_ros.draw_robot(axes, model, mbd_ros.neutral(model)) == ()
    axes.figure.canvas.draw()


@pytest.mark.parametrize('opacity', [-0.1, 1.5, float('nan')])
def test_opacities_out_of_bounds(axes, opacity):
    with pytest.raises(InvalidValueError, match='opacity'):
        mbd_ros.draw_robot(axes, mbd_ros.load(SHAPES), [0.0], opacity=opacity)


def test_flat_axes_are_refused():
    with pytest.raises(InvalidValueError, match="projection='3d'"):
        mbd_ros.draw_robot(Figure().add_subplot(), mbd_ros.load(SHAPES), [0.0])
