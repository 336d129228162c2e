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

"""What of MJCF is read, remarked and refused; the numbers are compared with MuJoCo elsewhere."""

from math import inf, pi
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mbd_ros import close_loops, constrained_dynamics, forward_dynamics, load
from mbd_ros.description import read
from mbd_ros.description.xml.roots import around
from mbd_ros.errors import DescriptionError, MbdError, UnsupportedError

ROOT = Path(__file__).resolve().parents[4]
FILES = sorted((ROOT / 'test' / 'data' / 'mjcf').glob('*.xml'))


def robot(body: str, *parts: str, root: str = 'mujoco model="m"') -> str:
    """Return a document whose one body's inside begins in line 3; the parts follow in line 4."""
    return (f'<{root}>\n<worldbody><body name="a">\n{body}\n</body></worldbody>'
            + ''.join(parts) + '</mujoco>')


def error(text: str, kind: type[MbdError] = DescriptionError) -> str:
    """Return the message with which a document is refused."""
    with pytest.raises(kind) as caught:
        read(text)
    return str(caught.value)


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_the_robot_as_urdf_is_the_same_robot(path):
    mechanism = read(path)
    again = read(mechanism.text)
    assert [link.name for link in again.links] == [link.name for link in mechanism.links]
    for one, other in zip(again.joints, mechanism.joints):
        assert (one.name, one.kind, one.parent, one.child) == (
            other.name, other.kind, other.parent, other.child)
        # Orientations are written as angles: a few roundings of numbers of order 1.
        np.testing.assert_allclose(one.origin.rotation, other.origin.rotation, atol=1e-14)
        assert one.origin.translation == other.origin.translation
        assert one.limits.upper == other.limits.upper
    assert len(again.loop_joints) == len(mechanism.loop_joints)


def test_shapes_are_passed_on():
    text = read(FILES[1]).text
    assert [text.count(f'<{kind} ') for kind in ('box', 'sphere', 'cylinder', 'capsule')] == [
        6, 2, 2, 2]   # seen, and touching


def test_names_that_are_left_out():
    mechanism = read(robot('<joint/><body><joint/><joint type="slide"/></body>',
                           root='mujoco'))
    assert mechanism.name == 'string'
    assert [joint.name for joint in mechanism.joints] == [
        'a/joint_1', 'a.body_2/joint_1', 'a.body_2/joint_2']
    assert [link.name for link in mechanism.links] == [
        'world', 'a', 'a.body_2/a.body_2/joint_1', 'a.body_2']


@pytest.mark.parametrize(('span', 'severity'), [('0 0', 'info'), ('1 -1', 'warning')])
def test_an_empty_range_is_no_limit(span, severity):
    # As in MuJoCo, where "0 0" takes back the range of a class of defaults.
    mechanism = read(robot(f'<joint name="j" range="{span}"/>', '<default><joint range="0 1"/>'
                           '</default>'))
    assert mechanism.joints[0].limits.upper == inf
    assert [str(finding) for finding in mechanism.findings] == [
        f"<string>:3: {severity}: joint 'j': the range {span.replace(' ', ' to ')} is empty, "
        'which means no limit']


def test_findings():
    mechanism = read(robot(
        '<joint name="j" stiffness="3" margin="0.1" springref="1"/><geom size="1" rgb="1 0 0"/>'
        '<geom type="box" size="1 1 1" friction="1" rgba="1 0 0 1"/><thing/>'
        '<body name="b" mocap="true"/>',
        '<option gravity="0 0 -1.62" wind="0 0 0" density="0" timestep="1"/>'
        '<actuator/><tendon><fixed/></tendon><blob/>'
        '<equality><connect body1="a" anchor="0 0 0" solref="1 1" active="false"/></equality>'))
    assert sorted(f'{f.line} {f.severity} {f.message}' for f in mechanism.findings) == [
        '3 info friction, rgba of <geom> are not used: they are of contact, fluid or viewer',
        '3 info margin of <joint> are not used: they are of contact, solver or motor',
        "3 warning attribute 'rgb' of <geom> is unknown and not used; did you mean 'rgba'?",
        "3 warning body 'a': element <thing> is unknown and not used",
        "3 warning body 'b': mocap is not used",
        '4 info <connect> is not active and not used',
        '4 info of <actuator> only armature and damping are used: efforts are those of the joints',
        '4 info solref of <connect> are not used: constraints are kept exactly, not softly',
        '4 info timestep of <option> are not used: they are for the simulator',
        '4 warning element <blob> is not used: it is unknown',
    ]


@pytest.mark.parametrize(('body', 'message'), [
    ('<joint type="hing"/>', "<joint>: type is 'hing'; allowed: hinge, slide, ball, free; did you "
     "mean 'hinge'?"),
    ('<joint name="j" axis="0 0 0"/>', "joint 'j': the axis is zero; allowed: a direction"),
    ('<joint name="j" range="1 -1" limited="true"/>', "joint 'j': the range 1 to -1 is empty"),
    ('<joint name="j" axis="0 1"/>', "joint 'j': axis=\"0 1\" has 2 words; allowed: 3 finite "
     'numbers'),
    ('<joint name="j" damping="-1"/>', 'joint \'j\': damping="-1" has a negative number'),
    ('<joint class="c"/>', "<joint> has the unknown class 'c'"),
    ('<geom type="box" size="1 1"/>', '<geom> of type box has the size 1 1; allowed: 3 positive '
     'numbers'),
    ('<geom type="capsule" fromto="0 0 0 0 0 0" size="1"/>', '<geom>: fromto gives two equal '
     'points'),
    ('<geom size="1" quat="0 0 0 0"/>', '<geom> has a quaternion of zeros; allowed: w x y z'),
    ('<geom size="1" quat="1 0 0 0" euler="1 2 3"/>', '<geom> has quat and euler; allowed: one of '
     'them'),
    ('<inertial mass="1"/>', '<inertial> has not all of pos, mass and either diaginertia or '
     'fullinertia'),
    ('<body name="a"/>', "body 'a' is defined twice; names must differ"),
    ('<attach model="m"/>', "<attach>: model 'm' does not exist"),
    ('<attach body="a"/>', '<attach> without a model has not both a prefix and either body or '
     'frame'),
    ('<attach body="a" prefix="x"/>', "<attach>: body 'a' holds this <attach>"),
    ('<attach body="late" prefix="x"/><body name="late"/>', "<attach>: body 'late' does not exist "
     'in this file'),
    ('<replicate count="0"/>', '<replicate> has the count 0; allowed: a whole number from 1, and '
     '10000 copies in the robot'),
    ('<replicate count="1e9"/>', '<replicate> has the count 1e+09; allowed: a whole number from '
     '1, and 10000 copies in the robot'),
    ('<joint name="j" damping="1 -0.5"/>', 'joint \'j\': damping="1 -0.5" has a negative number'),
    ('<joint name="j" damping="1 2 3 4"/>', 'joint \'j\': damping="1 2 3 4" has 4 words; allowed: '
     '3 finite numbers'),
    ('<geom type="hfield" hfield="h"/>', "<geom>: hfield 'h' does not exist"),
    ('<include file="x.xml"/>', "<include> of 'x.xml' in a text that has no folder; allowed: in "
     'files'),
])
def test_errors(body, message):
    assert error(robot(body)) == f'<string>:3: {message}'


@pytest.mark.parametrize(('body', 'what'), [
    ('<geom type="sdf" mesh="m"/>', 'the mass of <geom>, a sdf,'),
    ('<geom type="ellipsoid" size="1 1 1" shellinertia="true"/>', 'the mass of <geom>, a shell of '
     'the shape ellipsoid,'),
    ('<composite type="cable"/>', '<composite>'),
    ('<flexcomp type="grid"/>', '<flexcomp>'),
    ('<freejoint align="true"/><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0.1"/>',
     "body 'a' with a free joint that is aligned with an inertia"),
])
def test_unsupported(body, what):
    assert error(robot(body), UnsupportedError).startswith(
        f'<string>:3: {what} is not supported in this version; ')


@pytest.mark.parametrize(('part', 'what'), [
    ('<equality><joint joint1="j" joint2="k"/><joint joint1="k" joint2="j" polycoef="0 1 2"/>'
     '</equality>', "<joint> of the joints 'k' and 'j', which follow others already,"),
    ('<tendon><spatial name="t"/></tendon><equality><tendon tendon1="t"/></equality>',
     '<tendon> between tendons that have not two joints together,'),
    ('<equality><flex flex="f"/></equality>', '<equality> of <flex>'),
    ('<equality><joint joint1="j" joint2="k"/><joint joint1="j" joint2="k" polycoef="0 2"/>'
     '</equality>', "<joint> of the joints 'j' and 'k', which follow others already,"),
    ('<tendon><fixed name="t" armature="1"><joint joint="j"/><joint joint="k"/></fixed></tendon>',
     "armature of fixed 't', which acts on more than a single hinge or slide joint,"),
    ('<tendon><spatial armature="1" damping="2"/></tendon>', 'armature and damping of <spatial>, '
     'which acts on more than a single hinge or slide joint,'),
    ('<actuator><motor site="s" armature="1"/></actuator>', 'armature of <motor>, which acts on '
     'more than a single hinge or slide joint,'),
])
def test_unsupported_parts(part, what):
    assert error(robot('<joint name="j"/><joint name="k"/>', part), UnsupportedError).startswith(
        f'<string>:4: {what} is not supported in this version; ')


@pytest.mark.parametrize(('part', 'message'), [
    ('<equality><connect body1="a" body2="b" anchor="0 0 0"/></equality>',
     "<connect>: body2 'b' does not exist"),
    ('<equality><connect body1="a"/></equality>', '<connect> has no attribute anchor'),
    ('<equality><tendon tendon1="t"/></equality>', "<tendon>: tendon 't' does not exist"),
    ('<equality><weld site1="s" site2="t"/></equality>', "<weld>: site1 's' does not exist"),
    ('<equality><connect site1="s"/></equality>', "<connect>: site1 's' does not exist"),
    ('<equality><connect site2="s"/></equality>', "<connect>: site1 '' does not exist"),
    ('<equality><joint joint1="jj"/></equality>', "<joint>: joint 'jj' does not exist, or does not"
     ' slide or turn'),
    ('<compiler coordinate="global"/>', "<compiler>: coordinate is 'global'; allowed: local; "
     "did you mean 'local'?"),
    ('<compiler eulerseq="xyq"/>', "<compiler>: eulerseq is 'xyq'; allowed: three letters of x, y,"
     ' z, X, Y, Z'),
    ('<default><default/></default>', "<default> has the class ''; allowed: a new name"),
    ('<asset><mesh name="m" file="m.stl"/></asset><worldbody><body><geom type="mesh" mesh="m"/>'
     '</body></worldbody>', "mesh 'm': its file 'm.stl' in a text that has no folder; allowed: in "
     'files'),
    ('<asset><mesh name="m" vertex="0 0 0 1"/></asset><worldbody><body><geom type="mesh" '
     'mesh="m"/></body></worldbody>', "mesh 'm': vertex has 4 numbers; allowed: three for each"),
    ('<asset><mesh name="m" vertex="0 0 0" face="0 1 2"/></asset><worldbody><body><geom '
     'type="mesh" mesh="m"/></body></worldbody>', "mesh 'm': its faces name corners from 0 to 2; "
     'allowed: 0 to 0'),
    ('<worldbody><body><geom type="mesh" mesh="n"/></body></worldbody>', "<geom>: mesh 'n' does "
     'not exist'),
])
def test_errors_in_parts(part, message):
    assert error(robot('', part)) == f'<string>:4: {message}'


@pytest.mark.parametrize(('geom', 'shape'), [
    ('type="capsule" size="0.1 0.2"', '<capsule radius="0.1" length="0.4"/>'),
    ('type="cylinder" size="0.1 0.2"', '<cylinder radius="0.1" length="0.4"/>'),
    ('size="0.3"', '<sphere radius="0.3"/>'),
    ('type="box" size="0.1 0.2 0.3"', '<box size="0.2 0.4 0.6"/>')])
def test_shapes_have_the_sizes_of_urdf(geom, shape):
    """Full lengths, where MJCF has halves."""
    assert shape in read(robot(f'<geom {geom}/>')).text


@pytest.mark.parametrize(('joint', 'compiler', 'upper'), [
    ('', '', 1.0), ('limited="auto"', '', 1.0), ('limited="false"', '', inf),
    ('', 'autolimits="false"', inf), ('limited="true"', 'autolimits="false"', 1.0)])
def test_a_range_is_a_limit_unless_the_file_says_otherwise(joint, compiler, upper):
    mechanism = read(robot(f'<joint range="-1 1" type="slide" {joint}/>',
                           f'<compiler {compiler}/>'))
    assert mechanism.joints[0].limits.upper == upper


@pytest.mark.parametrize(('body', 'message'), [
    ('<site name="s"/><site name="s"/>', "site 's' is defined twice; names must differ"),
    ('<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>' * 2,
     "body 'a' has a further <inertial>; allowed: one")])
def test_parts_given_twice(body, message):
    assert error(robot(body)) == f'<string>:3: {message}'


@pytest.mark.parametrize(('angle', 'unit'), [('degree', pi / 180.0), ('radian', 1.0)])
def test_a_follower_counts_from_the_references_of_both_joints(angle, unit):
    """``y - y0 = a0 + a1 (x - x0)``: references in the unit of the file, a0 in radians."""
    joints = read(robot('<joint name="y" ref="30"/><joint name="x" ref="10"/>',
                        f'<compiler angle="{angle}"/><equality><joint joint1="y" joint2="x" '
                        'polycoef="0.5 2"/></equality>')).joints
    mimic = next(one.mimic for one in joints if one.name == 'y')
    assert (mimic.joint, mimic.multiplier) == ('x', 2.0)
    assert mimic.offset == pytest.approx(0.5 + (30.0 - 2.0 * 10.0) * unit)


@pytest.mark.parametrize(('part', 'mimics'), [
    ('<tendon><fixed name="t"><joint joint="x" coef="2"/><joint joint="y" coef="-4"/></fixed>'
     '</tendon><equality><tendon tendon1="t" polycoef="0.5"/></equality>',
     {'x': ('y', 2.0, 0.1 + 0.25 - 2.0 * 0.2)}),
    ('<tendon><fixed name="t"><joint joint="x" coef="2"/></fixed><fixed name="u"><joint joint="y" '
     'coef="3"/></fixed></tendon><equality><tendon tendon1="t" tendon2="u" polycoef="0.5 2"/>'
     '</equality>', {'x': ('y', 3.0, 0.1 + 0.25 - 3.0 * 0.2)}),
    # x has a leader already: y, then z, is the one that follows
    ('<equality><joint joint1="x" joint2="y"/><joint joint1="x" joint2="z" polycoef="0 2"/>'
     '</equality>', {'x': ('y', 1.0, 0.1 - 0.2), 'z': ('x', 0.5, 0.3 - 0.05)})])
def test_couplings_of_two_joints(part, mimics):
    joints = read(robot(''.join(f'<joint name="{name}" type="slide" ref="{ref}"/>' for name, ref in
                                (('x', 0.1), ('y', 0.2), ('z', 0.3))), part)).joints
    found = {joint.name: (joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset)
             for joint in joints if joint.mimic is not None}
    assert found.keys() == mimics.keys()
    for name, (leader, *numbers) in mimics.items():
        assert found[name][0] == leader
        assert found[name][1:] == pytest.approx(numbers, abs=1e-15)   # sums of three


def test_masses_are_bounded_balanced_and_scaled():
    """The order is bounds; balance of 1, 2 and 5 to their mean; 1 kg and 3 kg to 8 kg."""
    inner = ('<joint/><inertial pos="1 0 0" mass="0.5" diaginertia="1 2 5"/><body name="b">'
             '<joint/><inertial pos="0 0 0" mass="3" diaginertia="1 2 3"/></body>')
    links = read(robot(inner, '<compiler balanceinertia="true" boundmass="1" settotalmass="8"/>'
                       )).links
    found = {link.name: link.inertia for link in links if link.inertia is not None}
    assert (found['a'].mass, found['b'].mass) == (2.0, 6.0)
    assert found['a'].center == (1.0, 0.0, 0.0)
    # Eigenvectors of a 3 x 3 matrix, a few roundings of numbers up to 6.
    np.testing.assert_allclose(found['a'].tensor, 16.0 / 3.0 * np.eye(3), atol=1e-14)
    np.testing.assert_allclose(found['b'].tensor, np.diag([2.0, 4.0, 6.0]), atol=1e-14)


def test_includes(tmp_path):
    (tmp_path / 'inner').mkdir()
    path = tmp_path / 'inner' / 'm.xml'
    part = tmp_path / 'inner' / 'part.xml'
    part.write_text('<mujocoinclude>\n<worldbody>\n<body name="b"><joint axis="0 0 0"/>\n</body>'
                    '</worldbody></mujocoinclude>')
    path.write_text(robot('', '<include file="part.xml"/>'))
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value) == f'{part}:3: <joint>: the axis is zero; allowed: a direction'
    part.write_text('<mujocoinclude><include file="part.xml"/></mujocoinclude>')
    with pytest.raises(DescriptionError, match=r"'part.xml' is included twice$"):
        read(path)
    (tmp_path / 'inner' / 'link.xml').symlink_to(part)   # a way round the rule above, as in MuJoCo
    part.write_text('<mujocoinclude><worldbody><body/></worldbody></mujocoinclude>')
    path.write_text(robot('', '<include file="part.xml"/><include file="link.xml"/>'))
    assert len(read(path).links) == 4


def test_which_files_may_be_included(tmp_path):
    (tmp_path / 'inner' / 'most').mkdir(parents=True)
    path, near, far = (tmp_path / 'inner' / 'most' / 'm.xml', tmp_path / 'inner' / 'near.xml',
                       tmp_path / 'far.xml')
    for file in (near, far):
        file.write_text('<mujocoinclude><worldbody><body/></worldbody></mujocoinclude>')
    path.write_text(robot('', '<include file="../near.xml"/>'))
    assert len(read(path).links) == 3
    path.write_text(robot('', '<include file="../../far.xml"/>'))
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path}:4: <include> of '../../far.xml': the file {far} is outside of the folders this "
        f'description may read from: {tmp_path}/inner; folders=[...] of load and --folder of the '
        'command name more')
    assert len(load(path, folders=[tmp_path]).links) == 3
    (tmp_path / 'package.xml').write_text('<package/>')
    assert len(read(path).links) == 3
    (tmp_path / 'package.xml').unlink()
    link = tmp_path / 'inner' / 'most' / 'out.xml'
    link.symlink_to(far)
    path.write_text(robot('', '<include file="out.xml"/>'))
    with pytest.raises(DescriptionError, match='is outside of the folders'):
        read(path)


def test_files_that_are_installed_with_python_read_within_their_package(tmp_path, monkeypatch):
    """Wheels have no package.xml; meshes of one walker lie beside another."""
    folder = tmp_path / 'site' / 'pkg' / 'walkers' / 'assets' / 'dog'
    folder.mkdir(parents=True)
    assert around(folder / 'm.xml') == folder.parent
    (tmp_path / 'site' / 'pkg' / 'walkers' / '__init__.py').write_text('')
    assert around(folder / 'm.xml') == tmp_path / 'site' / 'pkg' / 'walkers'
    (tmp_path / 'site' / 'pkg' / '__init__.py').write_text('')
    assert around(folder / 'm.xml') == tmp_path / 'site' / 'pkg'
    (folder / '__init__.py').write_text('')
    assert around(folder / 'm.xml') == tmp_path / 'site' / 'pkg'
    assert around(tmp_path / 'site' / 'pkg' / 'm.xml') == tmp_path / 'site'
    (folder / 'package.xml').write_text('<package/>')
    assert around(folder / 'm.xml') == folder
    (folder / 'package.xml').unlink()
    monkeypatch.setenv('HOME', str(tmp_path / 'site' / 'pkg'))
    assert around(folder / 'm.xml') == tmp_path / 'site' / 'pkg' / 'walkers'


def test_no_home_folders_nor_the_whole_file_system(tmp_path, monkeypatch):
    monkeypatch.setenv('HOME', str(tmp_path / 'home' / 'me'))
    for folder, allowed in (('home/me', 'home/me'), ('home/me/robots', 'home/me/robots'),
                            ('home/me/robots/arm', 'home/me/robots'), ('other', 'other')):
        assert around(tmp_path / folder / 'm.xml') == tmp_path / allowed
    assert around(Path('/m.xml')) == Path('/')
    assert around(Path('/folder/m.xml')) == Path('/folder')


@pytest.mark.parametrize(('joint', 'ref', 'position'), [
    ('hinge', '30', 0.3 + pi / 6.0), ('slide', '0.2', 0.5)])
def test_an_equality_of_one_joint_holds_it(joint, ref, position):
    model = load(robot(f'<joint name="j" type="{joint}" axis="1 2 3" ref="{ref}"/><geom size="1" '
                       'pos=".1 .2 .3"/>', '<equality><joint name="e" joint1="j" polycoef="0.3"/>'
                       '</equality>'))
    assert [(loop.name, loop.kind) for loop in model.loops] == [('e', 'fixed')]
    q, _ = close_loops(model, [0.1], [0.0])
    np.testing.assert_allclose(q, [position], atol=1e-9)   # of order 1, by Newton's method
    assert constrained_dynamics(model, q, [0.0], [7.0]).rank == 1
    assert forward_dynamics(model, q, [0.0], [7.0]) == pytest.approx([0.0], abs=1e-9)


@pytest.mark.parametrize('degrees', [False, True])
def test_every_way_to_write_an_orientation(degrees):
    """Against SciPy; angles are degrees unless the file says otherwise."""
    def text(values):
        return ' '.join(map(repr, np.asarray(values).tolist()))
    rng = np.random.default_rng(8)
    compiler = '' if degrees else '<compiler angle="radian"/>'
    for _ in range(4):
        turn = Rotation.random(random_state=rng.integers(1 << 30))
        R, (x, y, z, w), vector = turn.as_matrix(), turn.as_quat(), turn.as_rotvec()
        angle = np.linalg.norm(vector)
        unit = np.degrees(1.0) if degrees else 1.0
        ways = [f'quat="{text(3.0 * np.array((w, x, y, z)))}"',
                f'axisangle="{text([*2.0 * vector, unit * angle])}"',
                f'euler="{text(turn.as_euler("XYZ", degrees=degrees))}"',
                f'xyaxes="{text([*2.0 * R[:, 0], *(3.0 * R[:, 1] + 0.5 * R[:, 0])])}"']
        for way in ways:
            joints = read(robot(f'<body name="b" {way}><joint/></body>', compiler)).joints
            found = next(one for one in joints if one.child.startswith('b')).origin.rotation
            np.testing.assert_allclose(found, R, atol=1e-12, err_msg=way)
        for sequence in ('zyx', 'ZXZ', 'xYz'):
            angles = rng.uniform(-3.0, 3.0, 3)
            expected = Rotation.identity()
            for letter, value in zip(sequence, angles):   # capital letters: about fixed axes
                one = Rotation.from_euler(letter.lower(), value)
                expected = expected * one if letter.islower() else one * expected
            compiler_of = (f'<compiler eulerseq="{sequence}" '
                           f'angle="{"degree" if degrees else "radian"}"/>')
            joints = read(robot(f'<body name="b" euler="{text(unit * angles)}"><joint/></body>',
                                compiler_of)).joints
            found = next(one for one in joints if one.child.startswith('b')).origin.rotation
            np.testing.assert_allclose(found, expected.as_matrix(), atol=1e-12)
        # The smallest turn that takes z there: about an axis at right angles to z.
        axis = R[:, 2]
        joints = read(robot(f'<body name="b" zaxis="{text(0.5 * axis)}"><joint/></body>')).joints
        found = Rotation.from_matrix(
            next(one for one in joints if one.child.startswith('b')).origin.rotation)
        np.testing.assert_allclose(found.as_matrix()[:, 2], axis, atol=1e-12)
        assert abs(found.as_rotvec()[2]) < 1e-12


@pytest.mark.parametrize(('file', 'message'), [
    ('m.xml', "<attach> of 'm.xml', which is this file"),
    ('none.xml', "<attach> of 'none.xml': there is no file "),
    ('part.xml', "<attach>: body 'c' does not exist in model 'p'")])
def test_what_cannot_be_attached(tmp_path, file, message):
    (tmp_path / 'part.xml').write_text('<mujoco><worldbody><body name="b"/></worldbody></mujoco>')
    path = tmp_path / 'm.xml'
    path.write_text(robot('<attach model="p" body="c"/>',
                          f'<asset><model name="p" file="{file}"/></asset>'))
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value).startswith(f'{path}:3: {message}')
    text = robot('<attach model="p"/>', '<asset><model name="p" file="p.xml"/></asset>')
    assert error(text) == ("<string>:3: <attach> of 'p.xml' in a text that has no folder; "
                           'allowed: in files')


def test_files_that_attach_each_other(tmp_path):
    for one, other in (('a', 'b'), ('b', 'a')):
        (tmp_path / f'{one}.xml').write_text(robot(
            f'<attach model="p" prefix="{one}_"/>',
            f'<asset><model name="p" file="{other}.xml"/></asset>'))
    with pytest.raises(DescriptionError, match='attach'):
        read(tmp_path / 'a.xml')


def test_exact_masses_of_meshes_by_the_compiler():
    dent = ('<asset><mesh name="m" {}vertex="0 0 0 1 0 0 0 1 0 0 0 1 0.125 0.125 0.125" '
            'face="0 2 1 0 1 3 0 3 2 1 2 4 2 3 4 3 1 4"/></asset>'
            '<compiler exactmeshinertia="true"/>')
    exact = 1000.0 / 6.0 * 3.0 * 0.125   # three tetrahedra below the dent
    for how, mass in (('', exact), ('inertia="exact" ', exact),
                      ('inertia="convex" ', 1000.0 / 6.0)):
        link = read(robot('<geom type="mesh" mesh="m"/>', dent.format(how))).links[1]
        assert link.inertia.mass == pytest.approx(mass, rel=1e-12)
