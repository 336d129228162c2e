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

"""Masses of links from their shapes, where the description gives none."""

import numpy as np
import pytest
import trimesh

import mbd_ros
from mbd_ros.description import read
from mbd_ros.errors import InvalidValueError

LINK = ('<robot name="r"><link name="base"/><link name="a">{}</link><joint name="j" '
        'type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>'
        '</robot>')
BOX = ('<{0}><origin xyz="0.1 0.2 0.3" rpy="0 0 0"/><geometry><box size="0.1 0.2 0.4"/></geometry>'
       '</{0}>')
BALL = '<{0}><geometry><sphere radius="0.1"/></geometry></{0}>'


def inertia_of(text, **options):
    mechanism = read(text, inertia='from_shapes', **options)
    again = read(mechanism.text)
    first, second = ([link.inertia and link.inertia.mass for link in one.links]
                     for one in (mechanism, again))
    assert first == second
    return mechanism.links[1].inertia, [str(finding) for finding in mechanism.findings
                                        if 'inertial' in finding.message]


def test_a_box_by_hand():
    inertia, findings = inertia_of(LINK.format(BOX.format('collision') + BALL.format('visual')))
    mass = 1000.0 * 0.1 * 0.2 * 0.4
    assert inertia.mass == pytest.approx(mass, rel=1e-15)
    assert inertia.center == (0.1, 0.2, 0.3)
    np.testing.assert_allclose(inertia.tensor, mass / 12.0 * np.diag(
        [0.2**2 + 0.4**2, 0.1**2 + 0.4**2, 0.1**2 + 0.2**2]), rtol=1e-14)
    assert findings == ["<string>:1: warning: link 'a' has no <inertial>: 8 kg are those of its "
                        '<collision> shape at 1000 kg/m^3']


def test_visual_shapes_where_none_collides():
    inertia, (finding,) = inertia_of(LINK.format(BALL.format('visual') * 2 + BALL.format(
        'collision').replace('0.1', '0')))
    assert inertia.mass == pytest.approx(2.0 * 4000.0 / 3.0 * np.pi * 1e-3)
    assert 'its 2 <visual> shapes' in finding
    assert 'a <collision> is left out: its size is [0.0] m; allowed: positive' in finding


def test_what_is_given_stays_as_it_is():
    text = LINK.format('<inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
                       'ixz="0" iyz="0"/></inertial>' + BALL.format('collision'))
    inertia, findings = inertia_of(text)
    assert (inertia.mass, findings) == (3.0, [])
    assert inertia_of(LINK.format('')) == (None, [])


def test_meshes(tmp_path):
    ring = trimesh.creation.annulus(0.1, 0.3, 0.5)
    ring.export(tmp_path / 'ring.stl')
    trimesh.Trimesh(ring.vertices, ring.faces[1:], process=False).export(tmp_path / 'open.stl')
    path = tmp_path / 'robot.urdf'
    for name, volume in (('ring', ring.volume), ('open', ring.convex_hull.volume)):
        for scale in ('', 'scale="2 2 -2"'):
            path.write_text(LINK.format(f'<collision><geometry><mesh filename="{name}.stl" {scale}'
                                        '/></geometry></collision>'))
            inertia, _ = inertia_of(path)
            assert inertia.mass == pytest.approx(   # corners have 4 bytes in the file
                1000.0 * volume * (8.0 if scale else 1.0), rel=1e-5)
    path.write_text(LINK.format('<collision><geometry><mesh filename="none.stl"/></geometry>'
                                '</collision>'))
    inertia, (finding,) = inertia_of(path)
    assert inertia is None
    assert 'no shapes that have a mass; a <collision> is left out: there is no file' in finding


def test_sdf():
    text = ('<sdf version="1.9"><model name="m"><link name="a">{}</link><joint name="j" '
            'type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz></axis>'
            '</joint></model></sdf>')
    ball = ('<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry>'
            '</collision>')
    assert mbd_ros.load(text.format(ball)).masses == [1.0]
    model = mbd_ros.load(text.format(ball), inertia='from_shapes')
    np.testing.assert_allclose(model.masses, [4.0 / 3.0 * np.pi], rtol=1e-15)
    assert mbd_ros.load(text.format(''), inertia='from_shapes').masses == [1.0]


def test_it_is_for_files_of_the_user_only():
    with pytest.raises(InvalidValueError, match="'checked' or 'unchecked'"):
        mbd_ros.model.load_text(LINK.format(''), inertia='from_shapes')
