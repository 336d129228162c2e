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
    with pytest.raises(UnsupportedError, match="'z' of type 'screw', which closes a loop"):
        read(loop)
    with pytest.raises(DescriptionError, match="mbd:coupled is 'yes'; allowed: true or false"):
        read(read(SCREW.format('', '')).text.replace('coupled="true"', 'coupled="yes"'))


LEAD = ('<joint name="axle" type="revolute"><parent>world</parent><child>shaft</child><axis><xyz>'
        '0 0 1</xyz></axis></joint>',
        '<joint name="rail" type="prismatic"><parent>world</parent><child>nut</child><axis><xyz>0 '
        '0 1</xyz><limit><effort>5</effort></limit></axis></joint>',
        '<joint name="thread" type="screw"><parent>shaft</parent><child>nut</child>{}'
        '<screw_thread_pitch>0.5</screw_thread_pitch><axis><xyz>0 0 1</xyz></axis></joint>')


@pytest.mark.parametrize('order', [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
@pytest.mark.parametrize('place', ['', '<pose>0 0 0.3 0 0 1</pose>'])
def test_a_lead_screw(order, place):
    """(m + I / r^2) z'' = -m g for a nut on rails, r its advance per angle of the shaft."""
    parts = ''.join(LEAD[k] for k in order).format(place)
    mechanism = read(f'<sdf version="1.10"><model name="m"><link name="shaft">{BODY}</link><link '
                     f'name="nut">{BODY}</link>{parts}</model></sdf>')
    assert [loop.name for loop in mechanism.loop_joints] == ['rail']
    assert any("'rail' closes a loop" in one.message for one in mechanism.findings)
    model = mbd_ros.load(mechanism.text)
    rise = 0.5 / (2.0 * np.pi)
    found = mbd_ros.constrained_dynamics(model, *np.zeros((3, 3)))
    accelerations = dict(zip(model.joint_names, found.accelerations))
    fall = -2.0 * 9.81 / (2.0 + 0.25 / rise**2)
    assert accelerations['thread/slide'] == pytest.approx(fall, rel=1e-11)
    turn = -fall / rise   # the nut does not turn
    assert accelerations['axle'] == pytest.approx(turn, rel=1e-11)


CHAIN = ('<sdf version="1.10"><model name="m"><link name="a">{0}</link><link name="b"><pose>0.3 '
         '0.2 0.1 1 0 0.5</pose>{0}</link><link name="c"><pose>0.1 0.5 0 0 0.4 0</pose>{0}</link>'
         '<joint name="h" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 1 0'
         '</xyz></axis></joint>{1}{2}</model></sdf>')
LINKED = ('<joint name="{0}" type="{1}"><parent>{2}</parent><child>{3}</child><pose relative_to="'
          '__model__">0.2 0.1 0.3 0.1 0.2 0.3</pose><screw_thread_pitch>0.5</screw_thread_pitch>'
          '<axis><xyz>{4}</xyz><limit><lower>-1</lower><upper>2</upper></limit></axis></joint>')


@pytest.mark.parametrize('kind', ['revolute', 'prismatic', 'screw'])
@pytest.mark.parametrize('turned', [(True, False), (False, True), (True, True)])
def test_joints_that_lead_away_from_a_link_alone(kind, turned):
    """A joint whose parent nothing leads to is the same with its links and its axis turned."""
    def written(turns):
        parts = [LINKED.format(name, kind, *(ends[::-1] if turn else ends),
                               '0 -0.6 -0.8' if turn else '0 0.6 0.8')
                 for name, ends, turn in zip('jk', ('ab', 'bc'), turns)]
        return mbd_ros.load(CHAIN.format(BODY, *parts))
    model, expected = written(turned), written((False, False))
    assert set(model.joint_names) == set(expected.joint_names)
    assert sum('is read as one from' in one.message for one in model.findings) == sum(turned)
    order = [model.joint_names.index(name) for name in expected.joint_names]
    rng = np.random.default_rng(2)
    q, v, a = rng.normal(size=(3, model.nv))
    for link in 'abc':
        np.testing.assert_allclose(mbd_ros.pose(model, q[np.argsort(order)], link),
                                   mbd_ros.pose(expected, q, link), atol=1e-13)   # of order 1
    ours = mbd_ros.inverse_dynamics(model, *(part[np.argsort(order)] for part in (q, v, a)),
                                    executor='interpreted')
    theirs = mbd_ros.inverse_dynamics(expected, q, v, a, executor='interpreted')
    if kind != 'screw':   # of coupled ones the loads are shared
        np.testing.assert_allclose(ours[order], theirs, atol=1e-12 * np.abs(theirs).max())
    np.testing.assert_array_equal(model.lower[order], expected.lower)


def test_links_that_nothing_connects():
    with pytest.raises(DescriptionError, match="the links 'world', 'c' are no joint's child"):
        read(CHAIN.format(BODY, LINKED.format('j', 'revolute', 'b', 'a', '0 1 0'), ''))


TWO_AXES = ('<sdf version="1.10"><model name="m"><link name="a">{0}</link><link name="b">{0}'
            '</link><joint name="ja" type="ball"><parent>world</parent><child>a</child></joint>'
            '<joint name="jb" type="revolute"><parent>world</parent><child>b</child><axis><xyz>0 '
            '1 0</xyz><limit><effort>1</effort></limit></axis></joint><joint name="c" type="{1}">'
            '<parent>a</parent><child>b</child><pose>0.3 0 0 0 0 0</pose><axis><xyz>1 0 0</xyz>'
            '</axis><axis2><xyz>{2}</xyz></axis2></joint></model></sdf>')


def test_two_axes_close_a_loop():
    """As Hooke's joint, whatever it is called; one that cannot, as it has an angle, is kept."""
    loops = [read(TWO_AXES.format(BODY, kind, '0 0.6 0.8')).loop_joints
             for kind in ('universal', 'revolute2')]
    assert [(loop.name, loop.kind) for (loop,) in loops] == [('c', 'universal')] * 2
    assert loops[0][0].frame2 == loops[1][0].frame2
    for kind in ('universal', 'revolute2'):
        mechanism = read(TWO_AXES.format(BODY, kind, '0.6 0.8 0'))
        assert [(loop.name, loop.kind) for loop in mechanism.loop_joints] == [('jb', 'revolute')]
        assert mbd_ros.load(mechanism.text).nv == 5
    again = TWO_AXES.format(BODY, 'revolute2', '0.6 0.8 0').replace('"jb" type="revolute"', (
        '"jb" type="revolute2"')).replace('</limit></axis>', (
            '</limit></axis><axis2><xyz>0.6 0.8 0</xyz></axis2>'))
    with pytest.raises(UnsupportedError, match=r"of type 'revolute2', which closes a loop, .*not "
                       'at right angles'):
        read(again)


def test_a_joint_in_gazebo_of_two_axes():
    text = read(TWO_AXES.format(BODY, 'universal', '0 0.6 0.8')).text
    text = text[:text.index('<loop_joint')] + (
        '<gazebo><joint name="c" type="revolute2"><parent>a</parent><child>b</child><pose>0.3 0 0 '
        '0 0 0</pose><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 0.6 0.8</xyz></axis2></joint>'
        '</gazebo></robot>')
    (loop,) = read(text).loop_joints
    assert loop.kind == 'universal'


def test_what_is_cut_says_what_is_lost():
    text = TWO_AXES.format(BODY, 'revolute', '1 0 0').replace('<xyz>1 0 0</xyz></axis>', (
        '<xyz>1 0 0</xyz><dynamics><damping>1</damping></dynamics></axis>'))
    (loop,) = read(text).loop_joints
    assert loop.name == 'c'   # jb has a limit of effort
    assert any("'c' closes a loop: its damping" in one.message for one in read(text).findings)


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


HOUSED = ('<sdf version="1.10"><model name="m"><link name="box">{0}</link><link name="a"><pose>0.'
          '2 0.1 0 0.3 0.2 0.1</pose>{0}</link><link name="b"><pose>1 0 0 0.5 0 0.4</pose>{0}</li'
          'nk><joint name="h" type="revolute"><parent>world</parent><child>box</child><axis><xyz>'
          '0.6 0 0.8</xyz></axis></joint><joint name="ja" type="revolute"><parent>box</parent><ch'
          'ild>a</child><pose>0.1 0 0 0 0 0</pose><axis><xyz expressed_in="__model__">{1}</xyz></'
          'axis></joint><joint name="jb" type="continuous"><parent>box</parent><child>b</child><a'
          'xis><xyz expressed_in="__model__">{2}</xyz></axis></joint>{3}</model></sdf>')
GEAR = ('<joint name="g" type="gearbox"><parent>a</parent><child>b</child><gearbox_reference_body>'
        'box</gearbox_reference_body><gearbox_ratio>{2}</gearbox_ratio><axis><xyz expressed_in='
        '"__model__">{0}</xyz></axis><axis2><xyz expressed_in="__model__">{1}</xyz></axis2>'
        '</joint>')
AXES = ('0 0.6 0.8', '1 0 0')
BACK = ('0 -0.6 -0.8', '-1 0 0')


@pytest.mark.parametrize('ratio', [3.0, -0.5])
@pytest.mark.parametrize(('axles', 'gear'), [(AXES, AXES), (BACK, AXES), (AXES, BACK),
                                             ((AXES[0], BACK[1]), AXES), (AXES, (AXES[0], BACK[1])
                                                                          )])
def test_a_gearbox_in_a_housing_that_turns(axles, gear, ratio):
    """
    A multiplier on a row from Jacobians of the wheels, which is SDFormat's sentence.

    The angular velocity of b in the box about ``axis2`` is -ratio times that of a about ``axis``.
    """
    text = HOUSED.format(BODY, *axles, '{}')
    model = mbd_ros.load(text.format(GEAR.format(*gear, ratio)))
    free = mbd_ros.load(text.format(''))
    assert model.joint_names == free.joint_names
    rng = np.random.default_rng(3)
    turns = dict.fromkeys(model.joint_names, 0.0)
    for turns['h'] in (0.0, 0.7):
        q = np.array(list(turns.values()))
        box = mbd_ros.pose(free, q, 'box')[:3, :3]
        rows = [box @ np.array(axis.split(), float) @ (mbd_ros.jacobian(free, q, wheel)
                                                       - mbd_ros.jacobian(free, q, 'box'))[3:]
                for wheel, axis in zip('ab', gear)]
        row = rows[1] + ratio * rows[0]
        null = np.linalg.svd(row[None])[2][1:].T
        v, tau = null @ rng.normal(size=2), rng.normal(size=3)
        matrix = np.block([[mbd_ros.mass_matrix(free, q), row[:, None]], [row, 0.0]])
        expected = np.linalg.solve(matrix, [*(tau - mbd_ros.bias_forces(free, q, v)), 0.0])[:3]
        found = mbd_ros.forward_dynamics(model, q, v, tau)
        # condition of the matrix below 1e3
        np.testing.assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())


def test_axles_of_wheels_are_not_cut():
    """A rod, fixed to the wheel by a joint of no freedom, leads to it, too, and is cut."""
    rod = ('<link name="rod">' + BODY + '</link><joint name="r" type="revolute"><parent>world'
           '</parent><child>rod</child><axis><xyz>0 0 1</xyz></axis></joint><joint name="w" '
           'type="fixed"><parent>rod</parent><child>a</child></joint></model>')
    mechanism = read(WHEELS.format('', '', 'box', '').replace('</model>', rod))
    assert [loop.name for loop in mechanism.loop_joints] == ['w']


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
    (SHAPE.format('', '', '0 0 0', '<mesh><uri>m.stl</uri></mesh>'), 'opens no files'),
    (SHAPE.format('', '', '0 0 0', '<mesh><uri>m.stl</uri><submesh><name>a</name></submesh></mesh>'
                  ), 'a mass of a <submesh>'),
    (SHAPE.format('', '', '0 0 0', '<heightmap><uri>m.png</uri></heightmap>'),
     'a mass of its collision shape <heightmap>'),
    (SHAPE.format('', '', '0 0 0', '<mesh optimization="convex_hull"><uri>m.stl</uri></mesh>'),
     "a mass of a mesh with optimization='convex_hull'")])
def test_shapes_without_a_mass(shapes, why):
    with pytest.raises((DescriptionError, UnsupportedError), match=why):
        read(AUTO.format('', shapes))
