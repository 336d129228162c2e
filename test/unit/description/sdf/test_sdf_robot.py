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

"""SDFormat: the same robot as in URDF, and what is remarked and refused."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import random_state, trees
from scipy.spatial.transform import Rotation

import mbd_ros
from mbd_ros.description import Mechanism, read
from mbd_ros.description.records.mechanism import Pose
from mbd_ros.description.records.poses import matrix_of, pose_from, pose_of, roll_pitch_yaw
from mbd_ros.description.records.zero_poses import zero_poses
from mbd_ros.description.write.loops import numbers_text
from mbd_ros.errors import DescriptionError, MbdError, UnsupportedError
from mbd_ros.model import build_model


def pose_text(matrix: np.ndarray) -> str:
    """Return a pose as six numbers."""
    pose = pose_from(matrix)
    return numbers_text((*pose.translation, *roll_pitch_yaw(pose.rotation)))


def as_sdf(mechanism: Mechanism, rng: np.random.Generator) -> str:
    """Return a robot as SDFormat, somewhere in its model."""
    start = matrix_of(pose_of(rng.normal(size=3), rng.normal(size=3)))
    return (f'<sdf version="1.9"><model name="random">{parts_of(mechanism, start, rng)}</model>'
            '</sdf>')


def parts_of(mechanism: Mechanism, start: np.ndarray, rng: np.random.Generator) -> str:
    """
    Return links and joints in SDFormat: links in the model, some by way of a frame.

    The frame of a joint is shifted along its axis and turned, which changes no motion.
    """
    poses = zero_poses(mechanism.root, mechanism.joints)
    parts = []
    for number, link in enumerate(mechanism.links):
        here = start @ poses[link.name]
        pose = f'<pose>{pose_text(here)}</pose>'
        if number % 3 == 1:
            parts.append(f'<frame name="f{number}"><pose>{pose_text(start)}</pose></frame>')
            pose = f'<pose relative_to="f{number}">{pose_text(poses[link.name])}</pose>'
        inertia = link.inertia
        entries = ''.join(f'<{tag}>{inertia.tensor[i][j]!r}</{tag}>' for tag, i, j in (
            ('ixx', 0, 0), ('ixy', 0, 1), ('ixz', 0, 2), ('iyy', 1, 1), ('iyz', 1, 2),
            ('izz', 2, 2)))
        parts.append(f'<link name="{link.name}">{pose}<inertial><pose>'
                     f'{numbers_text(inertia.center)} 0 0 0</pose><mass>{inertia.mass!r}</mass>'
                     f'<inertia>{entries}</inertia></inertial></link>')
    for number, joint in enumerate(mechanism.joints):
        shift = 0.0 if number % 2 else rng.normal()
        frame = matrix_of(pose_of(shift * np.array(joint.axis), rng.normal(size=3)))
        axis = (start @ poses[joint.child])[:3, :3] @ joint.axis
        expressed = ' expressed_in="__model__"'
        if number % 3:
            axis, expressed = frame[:3, :3].T @ joint.axis, ''
        limit = (f'<limit><lower>{joint.limits.lower!r}</lower><upper>{joint.limits.upper!r}'
                 '</upper></limit>' if joint.kind != 'continuous' else '')
        axes = '' if joint.kind == 'fixed' else (
            f'<axis><xyz{expressed}>{numbers_text(axis)}</xyz>{limit}</axis>')
        parts.append(f'<joint name="{joint.name}" type="{joint.kind}"><parent>{joint.parent}'
                     f'</parent><child>{joint.child}</child><pose>{pose_text(frame)}</pose>{axes}'
                     '</joint>')
    return ''.join(parts)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(text=trees(max_joints=8), seed=st.integers(0, 2**16))
def test_the_same_robot_as_in_urdf(text, seed):
    there = read(text)
    model = mbd_ros.load(text)
    other = mbd_ros.load(as_sdf(there, np.random.default_rng(seed)))
    assert other.joint_names == model.joint_names
    q, v, _ = random_state(model, seed)
    how = {'executor': 'interpreted'}
    # Poses there and back through angles, and sums over a chain of eight bodies.
    np.testing.assert_allclose(mbd_ros.mass_matrix(other, q, **how),
                               mbd_ros.mass_matrix(model, q, **how), rtol=0.0, atol=1e-11)
    tip = there.joints[-1].child
    np.testing.assert_allclose(mbd_ros.pose(other, q, tip, **how),
                               mbd_ros.pose(model, q, tip, **how), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(mbd_ros.bias_forces(other, q, v, **how),
                               mbd_ros.bias_forces(model, q, v, **how), rtol=0.0, atol=1e-10)


def held(how: str, parts: str, placed: np.ndarray, inner: np.ndarray, root: str, tip: str) -> str:
    """Return a file that holds a robot to the world in one of several ways."""
    name = {'nested': 'm::', 'placed': 'm::'}.get(how, '')
    fix = (f'<joint name="hold" type="fixed"><parent>world</parent><child>{name}{root}</child>'
           '</joint>')
    pose, within = (f'<pose>{pose_text(matrix)}</pose>' for matrix in (placed, inner))
    ground = '<model name="g"><static>true</static><link name="l"/></model>'
    return '<sdf version="1.10">' + {
        'alone': f'<model name="m">{pose}{parts}{fix}</model>',
        'in a world': f'<world name="w">{ground}<model name="m">{pose}{parts}{fix}'
                      '</model></world>',
        'relative': f'<world name="w"><frame name="f">{pose}</frame><model name="m"><pose '
                    f'relative_to="f">{pose_text(inner)}</pose>{parts}{fix}</model></world>',
        'by a frame': f'<model name="m" placement_frame="{tip}">{pose}{parts}{fix}</model>',
        'by the world': f'<world name="w"><model name="m">{pose}{parts}</model>'
                        f'{fix.replace(f">{root}<", f">m::{root}<")}</world>',
        'by the ground': f'<world name="w">{ground}<model name="m">{pose}{parts}</model>'
                         + fix.replace(f'>{root}<', f'>m::{root}<').replace('world', 'g::l')
                         + '</world>',
        'nested': f'<model name="o">{pose}<model name="m">{within}{parts}</model>{fix}</model>',
        'placed': f'<model name="o">{pose}<model name="m" placement_frame="{tip}">{within}{parts}'
                  f'</model>{fix}</model>',
    }[how] + '</sdf>'


HOLDS = ('alone', 'in a world', 'relative', 'by a frame', 'by the world', 'by the ground',
         'nested', 'placed')


@settings(max_examples=40, deadline=None, derandomize=True)
@given(text=trees(max_joints=4), seed=st.integers(0, 2**16), how=st.sampled_from(HOLDS))
def test_where_a_held_model_stands_in_the_world_counts(text, seed, how):
    there, rng = read(text), np.random.default_rng(seed)
    model = mbd_ros.load(text)
    start, placed, inner = (matrix_of(pose_of(rng.normal(size=3), rng.normal(size=3)))
                            for _ in range(3))
    tip = there.joints[-1].child
    parts = parts_of(there, start, rng)
    other = mbd_ros.load(held(how, parts, placed, inner, there.root, tip))
    name = 'm::' if how in ('nested', 'placed') else ''
    assert other.joint_names == tuple(name + joint for joint in model.joint_names)
    # Where the root link stands, by hand.
    at_zero = start @ zero_poses(there.root, there.joints)[tip]
    root = {'nested': placed @ inner, 'relative': placed @ inner,
            'by a frame': placed @ np.linalg.inv(at_zero),
            'placed': placed @ inner @ np.linalg.inv(at_zero)}.get(how, placed) @ start
    q, v, _ = random_state(model, seed)
    gravity = np.array([0.0, 0.0, -9.81])
    run = {'executor': 'interpreted'}
    # Poses there and back through angles, of positions of some metres.
    np.testing.assert_allclose(
        mbd_ros.pose(other, q, name + tip, **run),
        root @ mbd_ros.pose(model, q, tip, **run), rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(
        mbd_ros.bias_forces(other, q, v, gravity=gravity, **run),
        mbd_ros.bias_forces(model, q, v, gravity=root[:3, :3].T @ gravity, **run),
        rtol=0.0, atol=1e-9)


LINKS = '<link name="a"><inertial><mass>1</mass></inertial></link>' \
        '<link name="b"><pose>1 0 0 0 0 0</pose><inertial><mass>1</mass></inertial></link>\n'


def model_of(*parts: str, version: str = '1.9') -> str:
    """Return a document whose parts begin in line 3."""
    return (f'<sdf version="{version}"><model name="m">\n{LINKS}' + ''.join(parts)
            + '</model></sdf>')


def joint(kind: str, inside: str = '', parent: str = 'a', name: str = 'j') -> str:
    """Return a joint to link b."""
    return (f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>b</child>{inside}'
            '</joint>')


def error(text: str, kind: type[MbdError] = DescriptionError) -> str:
    """Return the message with which a document is refused."""
    with pytest.raises(kind) as caught:
        read(text)
    return str(caught.value)


def test_the_world_and_two_axes():
    mechanism = read(model_of(
        joint('universal', '<pose>0 0 0.5 0 0 0</pose><axis><xyz>1 0 0</xyz></axis><axis2>'
              '<xyz>0 1 0</xyz></axis2>'),
        '<joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>'))
    assert mechanism.root == 'world'
    assert [link.name for link in mechanism.links[:3]] == ['world', 'a', 'b']
    assert [(j.name, j.kind, j.parent, j.child) for j in mechanism.joints] == [
        ('j/axis1', 'continuous', 'a', 'b/j/axis1'),
        ('j/axis2', 'continuous', 'b/j/axis1', 'b/j/axis2'),
        ('j/fixed', 'fixed', 'b/j/axis2', 'b'), ('w', 'fixed', 'world', 'a')]
    model = build_model(mechanism)
    turned = mbd_ros.pose(model, np.array([np.pi / 2, 0.0]), 'b')
    # b hangs 0.5 m below a joint at (1, 0, 0.5), which turns about x.
    np.testing.assert_allclose(turned[:3, 3], [1.0, 0.5, 0.5], atol=1e-15)


@pytest.mark.parametrize(('attributes', 'turn'), [
    ('', '0.2 -0.4 0.7'), ('degrees="false"', '0.2 -0.4 0.7'),
    *((f'degrees="{word}"', ' '.join(map(repr, np.degrees([0.2, -0.4, 0.7]).tolist())))
      for word in ('true', '1')),
    ('rotation_format="quat_xyzw"', ' '.join(map(repr, (
        2.0 * Rotation.from_euler('xyz', [0.2, -0.4, 0.7]).as_quat()).tolist())))])
def test_every_way_to_write_a_pose(attributes, turn):
    """About fixed axes x, y, z in turn; quaternions of any length."""
    mechanism = read(model_of(
        joint('fixed'), f'<link name="k"><pose {attributes}>1 2 3 {turn}</pose></link>',
        '<joint name="w" type="fixed"><parent>a</parent><child>k</child></joint>'))
    pose = matrix_of(next(one for one in mechanism.joints if one.name == 'w').origin)
    np.testing.assert_allclose(
        pose[:3, :3], Rotation.from_euler('xyz', [0.2, -0.4, 0.7]).as_matrix(), atol=1e-14)
    np.testing.assert_allclose(pose[:3, 3], [1.0, 2.0, 3.0], atol=1e-14)


def test_a_second_joint_closes_a_loop():
    mechanism = read(model_of(
        joint('revolute', '<axis><xyz>0 0 1</xyz></axis>'),
        '<link name="c"><pose>0 1 0 0 0 0</pose></link>', joint('ball', '', 'c', 'k'),
        '<joint name="l" type="revolute"><parent>a</parent><child>c</child></joint>'))
    (loop,) = mechanism.loop_joints
    assert (loop.name, loop.kind, loop.link1, loop.link2) == ('k', 'spherical', 'c', 'b')
    assert (loop.frame1, loop.frame2) == (Pose(translation=(1.0, -1.0, 0.0)), Pose())
    again = read(mechanism.text)
    assert replace(again.loop_joints[0], source=loop.source) == loop


def test_limits_and_resistance():
    (found,) = read(model_of(joint(
        'prismatic', '<axis><xyz>0 0 2</xyz><limit><lower>-inf</lower><upper>2</upper><effort>-1'
        '</effort><velocity>3</velocity></limit><dynamics><damping>0.1</damping><friction>0.2'
        '</friction></dynamics><mimic joint="x"><multiplier>2</multiplier><reference>3</reference>'
        '</mimic></axis>'))).joints
    assert (found.limits.lower, found.limits.upper) == (-np.inf, 2.0)
    assert (found.limits.effort, found.limits.velocity) == (np.inf, 3.0)
    assert (found.dynamics.damping, found.dynamics.friction) == (0.1, 0.2)
    assert (found.mimic.multiplier, found.mimic.offset) == (2.0, -6.0)


def test_what_the_format_says_where_the_file_says_nothing():
    """Defaults of inertial.sdf and mimic.sdf: 1 kg, the unit tensor; 1 (leader - 0) + 0."""
    mechanism = read(model_of(
        joint('revolute', '<axis><xyz>0 0 1</xyz><mimic joint="l"/></axis>'),
        '<link name="c"><inertial/></link>',
        '<joint name="l" type="revolute"><parent>a</parent><child>c</child></joint>'))
    inertia, = (link.inertia for link in mechanism.links if link.name == 'c')
    assert (inertia.mass, inertia.center) == (1.0, (0.0, 0.0, 0.0))
    np.testing.assert_array_equal(inertia.tensor, np.eye(3))
    mimic, = (one.mimic for one in mechanism.joints if one.name == 'j')
    assert (mimic.multiplier, mimic.offset) == (1.0, 0.0)


def test_findings():
    text = model_of(
        '<plugin/><static>true</static><thing/>',
        joint('fixed', '<axis/><sensor name="s"/>'),
        '<joint name="k" type="revolute"><parent>b</parent><child>c</child><axis><xyz>1 0 0</xyz>'
        '<dynamics><spring_stiffness>3</spring_stiffness></dynamics><limit><uper>1</uper>'
        '<dissipation>1</dissipation></limit></axis></joint>')
    text = text.replace('</inertial></link>\n', '</inertial><gravity>false</gravity><sensor/>'
                        '<visual name="v"><geometry><mesh/></geometry></visual>'
                        '</link><link name="c"/>\n')
    assert sorted(f'{f.severity} {f.message}' for f in read(text).findings) == [
        "info joint 'j': <axis> is not used: a joint of type fixed has none",
        "info joint 'j': <sensor> is not used: sensors are not part of the mechanism",
        "info joint 'k': <dissipation> is not used: limits are those of the position, not springs",
        "info link 'b': <sensor> is not used: sensors are not part of the mechanism",
        "info link 'b': a visual of shape <mesh> is not drawn; drawn are: box, sphere, cylinder, "
        'capsule',
        "info link 'c' has no <inertial>; SDFormat's default, 1 kg and 1 kg m^2, is used",
        "info model 'm': <plugin> is not used: it is for the simulator",
        "info the root link 'a' is fixed to nothing; where the model stands in the world is not "
        'used',
        "warning joint 'k': element <uper> is unknown and not used; did you mean <upper>?",
        "warning model 'm' is static; it is read as if it could move",
        "warning model 'm': element <thing> is unknown and not used",
    ]


@pytest.mark.parametrize(('part', 'message'), [
    (joint('hinge'), "<string>:3: joint 'j' has the unknown type 'hinge'; allowed: revolute, "
     'continuous, prismatic, fixed, ball, universal, revolute2, screw, gearbox'),
    ('<joint name="j" type="fixed"><child>b</child></joint>', "<string>:3: joint 'j' has no "
     '<parent>'),
    (joint('fixed', parent='c'), "<string>:3: joint 'j': the frame 'c' does not exist"),
    (joint('revolute', '<axis><xyz>0 0 0</xyz></axis>'), "<string>:3: joint 'j': <axis><xyz> is "
     "'0 0 0'; allowed: a direction"),
    *((joint('revolute', f'<axis><xyz>{words}</xyz></axis>'),
       f"<string>:3: joint 'j': <axis><xyz> is '{words}'; allowed: a direction")
      for words in ('up', '0 1', '0 0 1 0', 'nan 0 1', '')),
    (joint('revolute', '<axis><limit><lower>2</lower><upper>1</upper></limit></axis>'),
     "<string>:3: joint 'j': lower=2 is above upper=1"),
    (joint('fixed', '<pose>1 2 3</pose>'), "<string>:3: joint 'j': <pose>1 2 3</pose> has 3 "
     'words; allowed: 6 finite numbers'),
    (joint('fixed', '<pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose>'),
     "<string>:3: joint 'j': <pose> has a quaternion of zeros; allowed: x y z w"),
    ('<frame name="f"><pose relative_to="g"/></frame><frame name="g"><pose relative_to="f"/>'
     '</frame>' + joint('fixed', '<pose relative_to="f"/>'),
     "<string>:3: the frame 'f' is given relative to itself"),
    ('<frame name="a"/>', "<string>:3: frame 'a' has no name, a reserved name, or that of another "
     'link, joint or frame'),
    ('', "<string>:2: the links 'a', 'b' are no joint's child; allowed: one root link, to which "
     'all others are connected'),
])
def test_errors(part, message):
    assert error(model_of(part)) == message


@pytest.mark.parametrize(('part', 'what'), [
    ('<drake:ball_constraint/>', "<drake:ball_constraint> in model 'm'"),
])
def test_unsupported(part, what):
    assert error(model_of(part), UnsupportedError).startswith(f'<string>:3: {what}')


def test_unknown_entries_of_a_tensor_are_remarked():
    text = model_of(joint('fixed')).replace('<mass>1</mass>', (
        '<mass>1</mass><inertia><ixx>2</ixx><iyx>1</iyx></inertia>'), 1)
    assert any('iyx' in finding.message for finding in read(text).findings)


def test_one_model():
    assert error('<sdf version="1.9"/>') == '<string>:1: <sdf> has 0 models; allowed: one'
    world = '<sdf version="3"><world name="w"><model name="m"><link name="a"/></model><light/>' \
            '</world></sdf>'
    assert [f.message for f in read(world).findings][:2] == [
        "the SDFormat version '3' is unknown; it is read as 1.12",
        '<light> is not used: it is not part of the robot']


def test_files(tmp_path: Path):
    path = tmp_path / 'm.sdf'
    path.write_text(model_of(joint('fixed')))
    assert mbd_ros.load(path).name == 'm'


def test_a_frame_of_the_model_is_fixed_to_its_canonical_link():
    text = model_of('<frame name="f"/>', joint('fixed', parent='f'))
    assert read(text).joints[0].parent == 'a'
    text = text.replace(' name="m"', ' name="m" canonical_link="b"').replace('>b<', '>a<')
    assert read(text).joints[0].parent == 'b'


TWO = ('<sdf version="1.9"><world name="w"><model name="one"><link name="a"/></model>'
       '<model name="two"><link name="b"/></model></world></sdf>')


def test_one_model_of_several_is_named():
    assert error(TWO) == ("<string>:1: <sdf> has 2 models that are not static: 'one', 'two'; "
                          "allowed: one, or load(..., model='NAME')")
    assert mbd_ros.load(TWO, model='two').mechanism.root == 'b'
    with pytest.raises(DescriptionError, match="named 'tow'; did you mean 'two'"):
        mbd_ros.load(TWO, model='tow')
    with pytest.raises(MbdError, match='SDFormat'):
        mbd_ros.load('<robot name="r"><link name="a"/></robot>', model='r')


@pytest.mark.parametrize(('text', 'said'), [
    ('<sdf version="1.10"><world name="w"><model name="m"><link name="a"/></model>'
     '<model name="n"><static>true</static><link name="b"/></model>'
     '<joint name="j" type="fixed"><parent>m::a</parent><child>x::b</child></joint></world></sdf>',
     "joint 'j' of the world connects model 'm' with 'x::b'"),
    ('<sdf version="1.10"><world name="w"><model name="m"><pose relative_to="f"/>'
     '<link name="a"/></model><frame name="f"><pose relative_to="m"/></frame></world></sdf>',
     'which is given relative to it'),
    ('<sdf version="1.9"><model name="m" placement_frame="b"><link name="a"/></model></sdf>',
     "the frame 'b' does not exist"),
    ('<sdf version="1.9"><model name="m"><link name="a"/><model name="n" placement_frame="b">'
     '<link name="c"/></model><joint name="j" type="fixed"><parent>a</parent><child>n::c</child>'
     '</joint></model></sdf>', "the frame 'n::b' does not exist"),
])
def test_places_that_do_not_exist(text, said):
    assert said in error(text)
