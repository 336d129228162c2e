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


"""Loops that other programs write beside a URDF, or as frames in it."""

from described import joint, link, robot
import numpy as np
import pytest

import mbd_ros
from mbd_ros.model import load, load_text


def frame(name, parent, xyz, rpy='0 0 0'):
    """Return a frame as exporters write it: a light link that is fixed."""
    return link(name, 1e-9, moments=(0.0, 0.0, 0.0)) + joint(
        f'{name}_frame', 'fixed', parent, name, f'<origin xyz="{xyz}" rpy="{rpy}"/>')


def four_bar(*frames):
    """Return a parallelogram in the x-y plane; its coupler ends where its rocker does, at 0."""
    origin = '<origin xyz="{}"/><axis xyz="0 0 1"/>'
    return robot('<link name="base"/>', *map(link, ('crank', 'coupler', 'rocker')),
                 joint('j1', 'continuous', 'base', 'crank', origin.format('0 0 0')),
                 joint('j2', 'continuous', 'crank', 'coupler', origin.format('0 1 0')),
                 joint('j3', 'continuous', 'base', 'rocker', origin.format('2 0 0')), *frames)


def ends(names, turn='0 0 0'):
    """Return a frame at the end of the coupler and one at the end of the rocker."""
    first, second = names
    return frame(first, 'coupler', '2 0 0', turn), frame(second, 'rocker', '0 1 0', turn)


def loaded(tmp_path, text, yaml=None):
    """Return a robot with a file beside it, and the findings that speak of loops."""
    (tmp_path / 'robot.urdf').write_text(text)
    if yaml is not None:
        (tmp_path / 'robot.yaml').write_text(yaml)
    model = load(tmp_path / 'robot.urdf')
    return model, [one for one in model.findings if one.severity != 'info']


def like(model, other):
    """Check that two robots move alike."""
    rng = np.random.default_rng(3)
    q, v = mbd_ros.close_loops(model, 0.3 * rng.standard_normal(model.nq),
                               rng.standard_normal(model.nv))
    tau = rng.standard_normal(model.nv)
    assert np.allclose(mbd_ros.forward_dynamics(model, q, v, tau),
                       mbd_ros.forward_dynamics(other, q, v, tau), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(('kind', 'same'), [('3d', 'spherical'), ('3D', 'spherical'),
                                            ('6d', 'fixed')])
def test_closed_loop_of_gepetto(tmp_path, kind, same):
    """Frames coincide, or their origins; the same loop as <loop_joint> moves alike."""
    text = four_bar(*ends(('closedloop1_A', 'closedloop1_B')))
    if same == 'fixed':   # a frame behind a joint of its own, whose name it is
        text = text.replace('closedloop1_B', 'tip').replace(
            'name="tip_frame" type="fixed"', 'name="closedloop1_B" type="continuous"')
        text = text.replace('rpy="0 0 0"/></joint>\n</robot>',
                            'rpy="0 0 0"/><axis xyz="0 0 1"/></joint>\n</robot>')
        text = text.replace('<link name="tip"><inertial><origin xyz="0 0 0"/><mass value="1e-09"/>'
                            '<inertia ixx="0.0" iyy="0.0" izz="0.0"',
                            '<link name="tip"><inertial><origin xyz="0 0 0"/><mass value="1e-09"/>'
                            '<inertia ixx="0.1" iyy="0.1" izz="0.1"')
    model, warnings = loaded(tmp_path, text, (
        f"closed_loop: [['closedloop1_A', 'closedloop1_B']]\ntype: ['{kind}']\n"
        "name_mot: ['j1']\n"))
    assert not warnings
    assert [loop.kind for loop in model.loops] == [same]
    other = load_text(text.replace('</robot>', (
        f'<loop_joint name="c" type="{same}"><link1 link="closedloop1_A"/>'
        f'<link2 link="{"tip" if same == "fixed" else "closedloop1_B"}"/></loop_joint></robot>')))
    like(model, other)
    again = load_text(model.mechanism.text)   # what nodes publish holds the loop, once
    assert len(again.loops) == 1
    like(model, again)
    assert any('name_mot' in one.message for one in model.findings)


def test_joint_types_of_gepetto(tmp_path):
    """Joints become spherical, universal or fixed, and the loop closes through them."""
    text = robot('<link name="base"/>', *map(link, 'abcd'), *(
        joint(f'j{child}', 'revolute', parent, child, (
            '<origin xyz="1 0 0"/><axis xyz="0 0 1"/>'
            '<limit lower="-1" upper="1" effort="1" velocity="1"/>'))
        for parent, child in (('base', 'a'), ('a', 'b'), ('b', 'c'), ('c', 'd'))))
    model, warnings = loaded(tmp_path, text, (
        'closed_loop: []\njoint_name: [ja, jb, jc, none, jd]\n'
        'joint_type: [SPHERICAL, UJOINT_ZY, FIXED, SPHERICAL, WEIRD]\n'))
    assert model.joint_names == ('ja', 'jb_Z', 'jb_Y', 'jd')
    assert model.nv == 6
    assert [one.message.partition(' is not used')[0] for one in warnings] == [
        "joint_type SPHERICAL of joint 'none'", "joint_type WEIRD of joint 'jd'"]
    expected = load_text(text.replace(
        'name="ja" type="revolute"', 'name="ja" type="spherical"').replace(
        'name="jc" type="revolute"', 'name="jc" type="fixed"').replace(
        joint('jb', 'revolute', 'a', 'b', (
            '<origin xyz="1 0 0"/><axis xyz="0 0 1"/>'
            '<limit lower="-1" upper="1" effort="1" velocity="1"/>')),
        '<link name="between"/>' + joint('jb_Z', 'continuous', 'a', 'between', (
            '<origin xyz="1 0 0"/><axis xyz="0 0 1"/>'))
        + joint('jb_Y', 'continuous', 'between', 'b', '<axis xyz="0 1 0"/>')))
    q = mbd_ros.neutral(expected)
    q[-3:] = 0.3, -0.4, 0.5
    assert np.array_equal(mbd_ros.mass_matrix(model, q), mbd_ros.mass_matrix(expected, q))


@pytest.mark.parametrize(('yaml', 'said'), [
    ("closed_loop: [['closedloop1_A', 'nobody']]\ntype: ['6d']", "no link or joint 'nobody'"),
    ("closed_loop: [['closedloop1_A', 'closedloop1_B']]\ntype: ['5d']", 'allowed: 3d and 6d'),
    ("closed_loop: [['closedloop1_A', 'closedloop1_B']]", 'allowed: 3d and 6d'),
    ("closed_loop: [['closedloop1_A']]\ntype: ['3d']", 'no two names'),
    ('closed_loop: !python/object 1', 'is not allowed'), ('closed_loop: [', 'well-formed')])
def test_what_is_not_certain_stays_open(tmp_path, yaml, said):
    model, warnings = loaded(tmp_path, four_bar(*ends(('closedloop1_A', 'closedloop1_B'))), yaml)
    assert not model.loops
    assert said in warnings[0].message
    assert warnings[0].file == str(tmp_path / 'robot.yaml')
    assert "'closedloop1_A' and 'closedloop1_B' stand for a loop; it is open" in (
        warnings[-1].message)


def test_a_yaml_of_something_else_is_left_alone(tmp_path):
    model, warnings = loaded(tmp_path, four_bar(), 'not_closed_loop: 1\n"broken')
    assert not warnings and not model.loops


@pytest.mark.parametrize('turn', ['0 0 0', '0.3 0 0', '3.14159265 0 1'])
def test_a_hinge_of_onshape_to_robot(tmp_path, turn):
    """Both have a further frame on the z axis; the same loop as <loop_joint> moves alike."""
    names = ('closing_loop_1', 'closing_loop_2')
    rotation = load_text(robot('<link name="l"/>', frame('f', 'l', '0 0 0', turn))).links[
        'f'].rotation
    z = rotation @ (0.0, 0.0, 0.1)
    text = four_bar(*ends(names, turn), *(
        frame(f'{name}_z', parent, ' '.join(map(str, z + end))) for name, parent, end in (
            (names[0], 'coupler', (2, 0, 0)), (names[1], 'rocker', (0, 1, 0)))))
    model, warnings = loaded(tmp_path, text)
    assert not warnings
    (loop,) = model.loops
    assert (loop.name, loop.kind) == ('closing_loop', 'revolute')
    like(model, load_text(text.replace('</robot>', (
        '<loop_joint name="closing_loop" type="revolute"><link1 link="closing_loop_1"/>'
        '<link2 link="closing_loop_2"/></loop_joint></robot>'))))
    assert len(load_text(model.mechanism.text).loops) == 1


@pytest.mark.parametrize('names', [
    ('closing_loop_1', 'closing_loop_2'), ('closedloop1_A', 'closedloop1_B'),
    ('closedloop6D_1A', 'closedloop6D_1B'), ('left_closedloop1_A_3D', 'left_closedloop1_B_3D'),
    ('closed_loop_knee_A', 'closed_loop_knee_B'), ('fermeture1_A', 'fermeture1_B')])
def test_frames_in_pairs_are_remarked(tmp_path, names):
    model, warnings = loaded(tmp_path, four_bar(*ends(names)))
    assert not model.loops
    assert [one.message.partition(' stand for')[0] for one in warnings] == [
        f"the frames '{names[0]}' and '{names[1]}'"]


def test_frames_that_are_no_pair_are_not(tmp_path):
    _, warnings = loaded(tmp_path, four_bar(*ends(('closedloop1_A', 'closedloop2_B'))))
    assert not warnings


def test_robot_yaml_beside_the_only_urdf(tmp_path):
    """It is that of a URDF of another name, unless there are two."""
    (tmp_path / 'talos.urdf').write_text(four_bar(*ends(('closedloop1_A', 'closedloop1_B'))))
    (tmp_path / 'robot.yaml').write_text(
        "closed_loop: [['closedloop1_A', 'closedloop1_B']]\ntype: ['3d']\n")
    assert len(load(tmp_path / 'talos.urdf').loops) == 1
    (tmp_path / 'other.urdf').write_text('<robot/>')
    assert not load(tmp_path / 'talos.urdf').loops
