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

"""Screws, gearboxes, rotors, and inertias that come from shapes, of SDFormat."""

import numpy as np
import pytest
import trimesh

import mbd_ros
from mbd_ros.description import read
from mbd_ros.description.write.sdf import sdf_text
from mbd_ros.errors import DescriptionError, UnsupportedError
from mbd_ros.model.lock import lock

BODY = ('<inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia>'
        '</inertial>')
SCREW = ('<sdf version="1.10"><model name="m"><link name="nut">' + BODY + '</link><joint name="s" '
         'type="screw"><parent>world</parent><child>nut</child>{}{}<axis><xyz>0 0 1</xyz>'
         '<dynamics><damping>0.3</damping></dynamics></axis></joint></model></sdf>')


@pytest.mark.parametrize('frame', ['', '<pose>0.1 0.2 0 0 0 1</pose>'])
@pytest.mark.parametrize(('pitch', 'rise'), [
    ('<screw_thread_pitch>0.5</screw_thread_pitch>', 0.5 / (2.0 * np.pi)),
    ('<screw_thread_pitch>-2</screw_thread_pitch>', -1.0 / np.pi),
    ('<thread_pitch>-4</thread_pitch>', 0.25), ('', 0.5 / np.pi),
    ('<thread_pitch>9</thread_pitch><screw_thread_pitch>0.5</screw_thread_pitch>', 0.25 / np.pi)])
def test_a_nut_on_a_screw_falls_by_its_weight(frame, pitch, rise):
    """(I + m r^2) angle'' = -m g r, with the advance r per angle, whether mimics are or not."""
    text = SCREW.format(frame, pitch)
    center = 0.0 if not frame else 0.1**2 + 0.2**2   # from the axis to the mass centre, squared
    turn = -2.0 * 9.81 * rise / (0.25 + 2.0 * center + 2.0 * rise**2)
    for model in (mbd_ros.load(text), mbd_ros.load(text, mimic=True),
                  mbd_ros.load(mbd_ros.load(text).mechanism.text)):
        assert model.joint_names == ('s', 's/slide')
        found = mbd_ros.constrained_dynamics(model, *np.zeros((3, 2)))
        np.testing.assert_allclose(found.accelerations, (turn, turn * rise), rtol=1e-12)
        assert not [one for one in model.findings if 'mimics' in one.message]
        assert tuple(model.damping) == (0.3, 0.0)
    assert lock(mbd_ros.load(text), {'s': 0.1, 's/slide': 0.1 * rise}).nv == 0
    again = mbd_ros.load(sdf_text(read(text)), mimic=True)
    np.testing.assert_allclose(mbd_ros.constrained_dynamics(
        again, *np.zeros((3, 2))).accelerations, (turn, turn * rise), rtol=1e-12)


def test_what_no_screw_is():
    with pytest.raises(DescriptionError, match='<thread_pitch> is 0 rad/m'):
        read(SCREW.format('', '<thread_pitch>0</thread_pitch>'))
    loop = SCREW.format('', '').replace('</model>', '<joint name="z" type="screw"><parent>world'
                                        '</parent><child>nut</child></joint></model>')
    with pytest.raises(UnsupportedError, match="of type 'screw', which closes a loop"):
        read(loop)
    with pytest.raises(DescriptionError, match="mbd:coupled is 'yes'; allowed: true or false"):
        read(read(SCREW.format('', '')).text.replace('coupled="true"', 'coupled="yes"'))


WHEELS = ('<sdf version="1.10"><model name="m"><link name="box">' + BODY + '</link>'
          '<link name="a">' + BODY + '</link><link name="b"><pose>1 0 0 0 0 0</pose>' + BODY
          + '</link><joint name="h" type="fixed"><parent>world</parent><child>box</child></joint>'
          '<joint name="ja" type="revolute"><parent>box</parent><child>a</child><axis><xyz>0 0 {}1'
          '</xyz></axis></joint><joint name="jb" type="continuous"><parent>box</parent><child>b'
          '</child><axis><xyz>0 0 {}1</xyz></axis></joint><joint name="g" type="gearbox"><parent>a'
          '</parent><child>b</child><gearbox_reference_body>{}</gearbox_reference_body>'
          '<gearbox_ratio>3</gearbox_ratio><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 {}1</xyz>'
          '</axis2></joint></model></sdf>')


@pytest.mark.parametrize('signs', [('', '', ''), ('-', '', ''), ('', '-', ''), ('', '', '-'),
                                   ('-', '-', '-')])
def test_two_wheels_of_a_gearbox(signs):
    """(I + 9 I) angle_a'' = effort_a - 3 effort_b for wheels that turn against each other."""
    text = WHEELS.format(signs[0], signs[1], 'box', signs[2])
    model = mbd_ros.load(text)
    ratio = -3.0
    for sign in signs:
        ratio = -ratio if sign else ratio
    for robot in (model, mbd_ros.load(model.mechanism.text)):
        found = mbd_ros.forward_dynamics(robot, [0.1, 0.1 * ratio], [0.0, 0.0], [1.0, 0.5])
        turn = (1.0 + ratio * 0.5) / (0.25 + 9.0 * 0.25)
        np.testing.assert_allclose(found, (turn, ratio * turn), rtol=1e-12)


def test_wheels_that_do_not_turn_in_the_housing():
    with pytest.raises(UnsupportedError, match="whose wheel 'a' has no revolute joint along its"):
        read(WHEELS.format('', '', 'a', ''))
    with pytest.raises(UnsupportedError, match="whose wheel 'b' has no revolute joint along its"):
        read(WHEELS.format('', '', 'box', '9 0 ').replace('0 0 9 0 1', '1 0 1'))
    two = WHEELS.format('', '', 'box', '')
    gear = two[two.index('<joint name="g"'):two.index('</model>')]
    with pytest.raises(UnsupportedError, match='whose joints follow others already'):
        read(two.replace('</model>', gear.replace('name="g"', 'name="k"') + '</model>'))
    with pytest.raises(DescriptionError, match="the frame 'nowhere' does not exist"):
        read(WHEELS.format('', '', 'nowhere', ''))


@pytest.mark.parametrize('prefix', ['', ' xmlns:drake="http://drake.mit.edu"'])
def test_rotors(prefix):
    text = WHEELS.format('', '', 'box', '').replace('<child>a<', (
        '<drake:rotor_inertia>1e-4</drake:rotor_inertia><drake:gear_ratio>50</drake:gear_ratio>'
        '<child>a<')).replace('<sdf', f'<sdf{prefix}')
    model = mbd_ros.load(text)
    np.testing.assert_allclose(model.armature, (0.25, 0.0), rtol=1e-15)   # one product
    assert not [one for one in model.findings if 'not used' in one.message]
    with pytest.raises(DescriptionError, match='rotor_inertia> is negative'):
        read(text.replace('1e-4', '-1e-4'))


AUTO = ('<sdf version="1.11"><model name="m"><link name="a"><inertial auto="true">{}</inertial>{}'
        '</link></model></sdf>')
SHAPE = '<collision name="c{}">{}<pose>{} 0 0 0</pose><geometry>{}</geometry></collision>'


def inertia(inside, *shapes):
    """Return mass, centre and moments of a link with an inertia from shapes."""
    text = AUTO.format(inside, ''.join(SHAPE.format(k, density, place, shape)
                                       for k, (density, place, shape) in enumerate(shapes)))
    found = read(text).links[0].inertia
    return found.mass, found.center, np.array(found.tensor)


def test_shapes_weigh_their_densities():
    box, ball = '<box><size>0.1 0.2 0.3</size></box>', '<sphere><radius>0.1</radius></sphere>'
    mass, center, tensor = inertia('', ('', '1 2 3', box))
    assert (mass, center) == (pytest.approx(6.0, rel=1e-12), (1.0, 2.0, 3.0))
    np.testing.assert_allclose(np.diag(tensor), 0.5 * np.array([0.13, 0.1, 0.05]), rtol=1e-12)
    assert inertia('<density>2</density>', ('', '0 0 0', box))[0] == pytest.approx(0.012)
    mass, center, _ = inertia('<density>9</density>', ('<density>100</density>', '0 0 0', box),
                              ('<density>200</density>', '1 0 0', ball))
    weight = 200.0 * 4.0 / 3.0 * np.pi * 1e-3
    assert mass == pytest.approx(0.6 + weight)
    assert center == pytest.approx((weight / (0.6 + weight), 0.0, 0.0))
    heavy, _, tensor = inertia('<mass>12</mass>', ('', '0 0 0', box))
    assert heavy == pytest.approx(12.0)
    np.testing.assert_allclose(np.diag(tensor), [0.13, 0.1, 0.05], rtol=1e-12)


@pytest.mark.parametrize(('shape', 'volume', 'moments'), [
    ('<cylinder><radius>0.1</radius><length>0.4</length></cylinder>', np.pi * 4e-3,
     (0.04 / 12 * 4 + 0.0025, 0.04 / 12 * 4 + 0.0025, 0.005)),
    ('<ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid>', 4 / 3 * np.pi * 6e-3,
     (0.026, 0.02, 0.01))])
def test_volumes_and_moments_of_shapes(shape, volume, moments):
    mass, _, tensor = inertia('', ('', '0 0 0', shape))
    assert mass == pytest.approx(1000.0 * volume, rel=1e-12)
    np.testing.assert_allclose(np.diag(tensor), 1000.0 * volume * np.array(moments), rtol=1e-12)


def test_a_cone_weighs_what_a_mesh_of_it_does():
    """Its tip is up, its middle at half the height; 400 sides are 4e-5 less than a circle."""
    mass, center, tensor = inertia('', (
        '', '0 0 0', '<cone><radius>0.2</radius><length>0.5</length></cone>'))
    solid = trimesh.creation.cone(0.2, 0.5, sections=400)
    assert mass == pytest.approx(1000.0 * solid.volume, rel=1e-4)
    assert center == pytest.approx((0.0, 0.0, solid.center_mass[2] - 0.25), abs=1e-5)
    np.testing.assert_allclose(tensor, 1000.0 * solid.moment_inertia, rtol=1e-4, atol=1e-6)


def test_a_mesh_weighs_what_it_encloses(tmp_path):
    solid = trimesh.creation.annulus(0.1, 0.3, 0.5, sections=7)   # not convex
    solid.apply_translation((0.3, 0.2, 0.1))
    solid.export(tmp_path / 'm.stl')
    path = tmp_path / 'robot.sdf'
    mesh = '<mesh><uri>m.stl</uri><scale>2 1 -1</scale></mesh>'
    path.write_text(AUTO.format('', SHAPE.format('', '', '0 0 0', mesh)))
    found = read(path).links[0].inertia
    solid.apply_transform(np.diag([2.0, 1.0, -1.0, 1.0]))
    # the file has floats of 4 bytes
    assert found.mass == pytest.approx(1000.0 * abs(solid.volume), rel=1e-6)
    np.testing.assert_allclose(found.center, solid.center_mass, atol=1e-6)


@pytest.mark.parametrize(('shapes', 'why'), [
    ('', 'its inertia is to come from <collision> shapes; it has none'),
    (SHAPE.format('', '', '0 0 0', '<plane/>'), 'a mass of its collision shape <plane>'),
    (SHAPE.format('', '', '0 0 0', '<box/>'), '<box> has no <size>'),
    (SHAPE.format('', '', '0 0 0', '<sphere><radius>0</radius></sphere>'), 'allowed: positive'),
    (SHAPE.format('', '<density>-1</density>', '0 0 0', '<plane/>'), 'a density of -1 kg'),
    (SHAPE.format('', '', '0 0 0', '<mesh><uri>m.stl</uri></mesh>'), 'opens no files')])
def test_shapes_without_a_mass(shapes, why):
    with pytest.raises((DescriptionError, UnsupportedError), match=why):
        read(AUTO.format('', shapes))
