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

import importlib
import io
import subprocess
import sys

import numpy as np

from mbd_ros.description.urdf.yourdfpy_without_meshes import urdf_reader

TEXT = """<robot name="two"><link name="a"><inertial><origin xyz="{xyz}" rpy="{rpy}"/>
<mass value="2"/><inertia ixx="1" ixy="0.1" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="b"><visual><geometry><box size="1 2 3"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/>
<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def numbers(reader, xyz, rpy):
    text = TEXT.format(xyz=' '.join(map(repr, xyz)), rpy=' '.join(map(repr, rpy)))
    return reader.load(io.BytesIO(text.encode()), build_scene_graph=False, load_meshes=False).robot


def test_the_numbers_are_those_of_yourdfpy():
    ordinary = importlib.import_module('yourdfpy').URDF   # here: it takes a second
    rng = np.random.default_rng(0)
    for angles in (*rng.uniform(-7.0, 7.0, (50, 3)).tolist(), [0.0, 0.0, 0.0],
                   [1.5707963267948966, -1.5707963267948966, 3.141592653589793]):
        xyz = rng.normal(size=3).tolist()
        ours, theirs = (numbers(reader, xyz, angles) for reader in (urdf_reader(), ordinary))
        for mine, other in ((ours.joints[0].origin, theirs.joints[0].origin),
                            (ours.links[0].inertial.origin, theirs.links[0].inertial.origin)):
            # Products of sines and cosines, and sums of two: a few units in the last place of 1.
            np.testing.assert_allclose(mine, other, rtol=0.0, atol=1e-15)
        assert vars(ours.joints[0].limit) == vars(theirs.joints[0].limit)
        np.testing.assert_array_equal(ours.joints[0].axis, theirs.joints[0].axis)
        np.testing.assert_array_equal(ours.links[0].inertial.inertia,
                                      theirs.links[0].inertial.inertia)


def run(code):
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_reading_does_not_import_trimesh():
    # It takes longer to import than all the rest of a start, and is for meshes alone.
    code = ('import sys, mbd_ros\n'
            'model = mbd_ros.load(\'<robot name="r"><link name="a"/></robot>\')\n'
            'print([name for name in ("trimesh", "yourdfpy", "networkx") if name in sys.modules])')
    assert run(code) == '[]\n'


def test_what_else_is_asked_for_comes_from_trimesh_itself():
    text = TEXT.format(xyz='0 0 1', rpy='0 0 0')
    code = ('import io, sys\n'
            'from mbd_ros.description.urdf.yourdfpy_without_meshes import urdf_reader\n'
            f'robot = urdf_reader().load(io.BytesIO({text.encode()!r}), build_scene_graph=True)\n'
            'robot.update_cfg([0.5])\n'
            'import trimesh, yourdfpy\n'
            'print(robot.get_transform("b", "a")[2, 3], type(robot.scene) is trimesh.Scene,\n'
            '      yourdfpy.urdf.trimesh is trimesh, yourdfpy.URDF is urdf_reader())')
    assert run(code) == '1.0 True True False\n'
