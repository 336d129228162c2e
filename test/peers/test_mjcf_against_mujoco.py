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

"""What is read from MJCF against what MuJoCo compiles from the same file."""

from dataclasses import replace
from pathlib import Path
import struct

from hypothesis import given, settings, strategies as st
import mujoco
from mujoco_twin import compare, to_mujoco
import numpy as np
import pinocchio as pin
import pytest
from robots import random_state, trees
import trimesh

import mbd_ros
from mbd_ros.cli.comparison import verdict
from mbd_ros.cli.comparison.mujoco_peer import MujocoPeer
from mbd_ros.description import Mechanism, read
from mbd_ros.description.records.mechanism import Limits
from mbd_ros.description.records.poses import matrix_of
from mbd_ros.description.urdf.visuals import read_visuals
from mbd_ros.description.write.mjcf import mjcf_text
from mbd_ros.description.write.urdf import urdf_text
from mbd_ros.model import build_model, Model
from mbd_ros.model.state import random_configuration

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / 'test' / 'data' / 'mjcf').glob('*.xml'))

# MuJoCo keeps inertias diagonalised, and turns quaternions into matrices, which costs some digits.
TOLERANCE = 1e-12


def tree_of(path: Path) -> tuple[Mechanism, Model]:
    """Return a robot and its spanning tree as a model."""
    mechanism = read(path)
    return mechanism, build_model(replace(mechanism, loop_joints=()))


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_poses_masses_and_bias(path):
    _, model = tree_of(path)
    peer = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(peer)
    assert model.nv == peer.nv
    rng = np.random.default_rng(2)
    for _ in range(3):
        q, v = random_configuration(model, rng), rng.normal(size=model.nv)
        data.qpos, turns = to_mujoco(model, peer, q)
        data.qvel = turns @ v
        mujoco.mj_forward(peer, data)
        for k in range(1, peer.nbody):
            pose = mbd_ros.pose(model, q, peer.body(k).name)
            np.testing.assert_allclose(pose[:3, 3], data.xpos[k], atol=TOLERANCE)
            np.testing.assert_allclose(pose[:3, :3], data.xmat[k].reshape(3, 3), atol=TOLERANCE)
        mass = np.zeros((peer.nv, peer.nv))
        mujoco.mj_fullM(peer, data, mass)
        expected = turns.T @ mass @ turns
        found = mbd_ros.mass_matrix(model, q, executor='interpreted')
        np.testing.assert_allclose(found, expected, atol=TOLERANCE * np.abs(expected).max())
        gravity = mbd_ros.bias_forces(model, q, np.zeros(model.nv), executor='interpreted')
        data.qvel = 0.0
        mujoco.mj_forward(peer, data)
        expected = turns.T @ data.qfrc_bias
        np.testing.assert_allclose(gravity, expected, atol=TOLERANCE * np.abs(expected).max())


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_limits_and_resistance(path):
    _, model = tree_of(path)
    peer = mujoco.MjModel.from_xml_path(str(path))
    for name, kind, iv in zip(model.joint_names, model.joint_types, model.v_offsets):
        joint = peer.joint(name)
        for ours, theirs in ((model.damping, joint.damping), (model.armature, joint.armature),
                             (model.friction, joint.frictionloss)):
            np.testing.assert_allclose(ours[iv:iv + kind.nv], np.resize(theirs, kind.nv))
        lower, upper = joint.range if joint.limited[0] else (-np.inf, np.inf)
        np.testing.assert_allclose((model.lower[iv], model.upper[iv]), (lower, upper), rtol=1e-15)


def test_settings_of_masses():
    """Balanced moments and a total mass, of bodies from geoms, one fixed to the world, too."""
    text = """<mujoco><compiler balanceinertia="true" boundinertia="0.01" settotalmass="7"/>
    <worldbody><geom size="1"/><body name="a" pos="0 0 1"><joint axis="0 1 0"/>
    <inertial pos="0.1 0 0.2" quat="1 2 3 4" mass="2" diaginertia="0.1 0.2 0.5"/>
    <body name="b" pos="0 0 1"><joint axis="1 0 0"/><geom type="box" size="0.1 0.2 0.001"/></body>
    </body><body name="c"><geom size="0.1"/></body></worldbody></mujoco>"""
    model = mbd_ros.load(text)
    peer = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(peer)
    mass = np.zeros((2, 2))
    for q in ((0.0, 0.0), (0.3, -1.1)):
        data.qpos = q
        mujoco.mj_forward(peer, data)
        mujoco.mj_fullM(peer, data, mass)
        found = mbd_ros.mass_matrix(model, q, executor='interpreted')
        np.testing.assert_allclose(found, mass, atol=TOLERANCE * np.abs(mass).max())


def test_equality_constraints():
    path = ROOT / 'test' / 'data' / 'mjcf' / '05_four_bar.xml'
    mechanism = read(path)
    peer = mujoco.MjModel.from_xml_path(str(path))
    loops = {loop.name: loop for loop in mechanism.loop_joints}
    assert sorted(loops) == ['here', 'pin', 'sites', 'there']
    for name, loop in loops.items():
        data = peer.equality(name).data
        first, second = matrix_of(loop.frame1), matrix_of(loop.frame2)
        if loop.kind == 'spherical' and name == 'pin':
            np.testing.assert_allclose(data[:3], first[:3, 3], atol=TOLERANCE)
            np.testing.assert_allclose(data[3:6], second[:3, 3], atol=TOLERANCE)
        elif loop.kind == 'fixed':  # anchor in the second body, its image in the first, rotation
            between = first @ np.linalg.inv(second)
            mujoco.mju_quat2Mat(turn := np.zeros(9), data[6:10] / np.linalg.norm(data[6:10]))
            np.testing.assert_allclose(between[:3, :3], turn.reshape(3, 3), atol=TOLERANCE)
            image = between[:3, :3] @ data[:3] + between[:3, 3]
            np.testing.assert_allclose(data[3:6], image, atol=TOLERANCE)
    (rocker,) = (joint for joint in mechanism.joints if joint.mimic is not None)
    assert (rocker.name, rocker.mimic.joint) == ('rocker', 'crank')
    assert (rocker.mimic.multiplier, rocker.mimic.offset) == (2.0, 0.1)


ARM = ('<mujoco>{}<worldbody><body name="a"><joint name="j" axis="0 1 0" armature="0.01" '
       'damping="0.3" frictionloss="0.2"/><geom size=".1" pos=".1 0 0"/><site name="s" '
       'pos=".1 0 .2"/><body name="b" pos="1 0 0"><joint name="k" axis="0 1 0"/><geom size=".1" '
       'mass="1" pos=".1 0 0"/><site name="t" pos="0 .1 .3"/></body></body></worldbody>{}'
       '</mujoco>')
BODY = ('<mujoco>{}<worldbody><body name="a" pos="1 2 3" euler="10 20 30">{}</body>'
        '</worldbody></mujoco>')
HEAVY = '<inertial pos=".1 .2 .3" euler="20 30 40" mass="1" diaginertia="1 2 2.5"/>'


@pytest.mark.parametrize(('parts', 'damping', 'friction'), [
    ('<actuator><motor joint="j" gear="50" armature="0.001"/></actuator>', 0.3, 0.2),
    ('<actuator><motor joint="j" gear="50" armature="0.001"/><general joint="j" gear="-2" '
     'armature="0.01" damping="0.5"/></actuator>', 0.3 + 4.0 * 0.5, 0.2),
    ('<actuator><dcmotor joint="j" gear="2" armature="0.01" motorconst="0.1 0.1" resistance="1" '
     'damping="0.5"/></actuator>', 0.3 + 4.0 * 0.5, 0.2),
    ('<actuator><position jointinparent="j" gear="3" kp="1" armature="0.1"/></actuator>', 0.3,
     0.2),
    ('<default><default class="c"><motor gear="3" armature="0.1"/></default></default>'
     '<actuator><general class="c" joint="j"/></actuator>', 0.3, 0.2),
    ('<default><tendon armature="3"/></default><tendon><fixed name="t" damping="0.7" '
     'frictionloss="0.1"><joint joint="j" coef="-2"/></fixed></tendon>', 0.3 + 4.0 * 0.7,
     0.2 + 2.0 * 0.1),
    ('<tendon><fixed name="t"><joint joint="j" coef="2"/></fixed></tendon><actuator><motor '
     'tendon="t" gear="3" armature="0.5" damping="0.1"/></actuator>', 0.3 + 36.0 * 0.1, 0.2),
    ('<option><flag damper="disable" frictionloss="disable"/></option>', 0.0, 0.0)])
def test_rotors_and_resistance_of_actuators_and_tendons(parts, damping, friction):
    model = compare(ARM.format('', parts), TOLERANCE)
    assert model.damping[0] == pytest.approx(damping, rel=1e-15)   # sums of two products
    assert model.friction[0] == pytest.approx(friction, rel=1e-15)
    again = mbd_ros.load(model.mechanism.text)
    np.testing.assert_array_equal(again.armature, model.armature)
    assert not [finding for finding in model.findings if finding.severity == 'warning']


numbers = st.lists(st.floats(0.0, 3.0).map(lambda x: round(x, 2)), min_size=1, max_size=3).map(
    lambda some: ' '.join(map(str, some)))


@given(coefficients=st.lists(numbers, min_size=5, max_size=5),
       ratios=st.lists(st.floats(-2.0, 2.0), min_size=4, max_size=4), seed=st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_damping_that_grows(coefficients, ratios, seed):
    """Of joints with defaults, by actuators and by tendons; fewer numbers keep the rest."""
    main, inner, own, pulled, driven = coefficients
    text = f"""<mujoco><default><joint damping="{main}"/><default class="c"><joint
    damping="{inner}"/></default></default><worldbody><body><joint name="j" class="c"/>
    <joint name="k" axis="0 1 0" damping="{own}"/><geom size="1"/><body><joint type="ball"/>
    <geom size="1" pos="1 0 0"/></body></body></worldbody><tendon><fixed name="t"
    damping="{pulled}"><joint joint="j" coef="{ratios[0]}"/></fixed></tendon><actuator>
    <motor joint="k" gear="{ratios[1]}" damping="{driven}"/><motor tendon="t" gear="{ratios[2]}"
    damping="{driven}"/></actuator></mujoco>"""
    model, peer = mbd_ros.load(text), mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(peer)
    data.qvel = v = np.random.default_rng(seed).normal(size=peer.nv)
    mujoco.mj_forward(peer, data)
    model = replace(model, friction=np.zeros(model.nv))
    still = np.zeros(model.nv)
    found = mbd_ros.inverse_dynamics(
        model, [*data.qpos[:2], 0.0, 0.0, 0.0, 1.0], v, still, dissipation=True,
        executor='interpreted') - mbd_ros.inverse_dynamics(
        model, [*data.qpos[:2], 0.0, 0.0, 0.0, 1.0], v, still, executor='interpreted')
    size = np.abs(data.qfrc_passive).max() + np.abs(data.qfrc_bias).max()
    np.testing.assert_allclose(found, -data.qfrc_passive, atol=1e-13 * max(size, 1.0))


@pytest.mark.parametrize('sizes', ['.5', '.5 .6', '.5 .6 .7'])
def test_fewer_numbers_than_in_a_default(sizes):
    compare('<mujoco><default><geom type="box" size=".1 .2 .3"/></default><worldbody><body name='
            f'"a"><joint name="j"/><geom size="{sizes}"/></body></worldbody></mujoco>', TOLERANCE)


def test_every_rate_of_a_ball_joint_has_its_armature():
    joint = ('<joint name="x" type="ball" armature="0.2" damping="0.3" frictionloss="0.1" '
             'pos=".1 .2 .3"/>')
    model = compare(BODY.format('', joint + HEAVY), TOLERANCE)
    for one in (model, mbd_ros.load(model.mechanism.text)):
        np.testing.assert_array_equal(one.armature, [0.2] * model.nv)
        np.testing.assert_array_equal(one.damping, [0.3] * model.nv)
        np.testing.assert_array_equal(one.friction, [0.1] * model.nv)


def test_the_armature_of_a_free_joint():
    """The rates of MuJoCo are along the axes of the world: armature resists omega x v here."""
    text = BODY.format('', '<joint name="x" type="free" armature="0.2" damping="0.3" '
                       'frictionloss="0.1"/>' + HEAVY)
    mechanism = read(text)
    model = build_model(mechanism)
    assert not [one for one in mechanism.findings if one.severity == 'warning']
    theirs, ours = MujocoPeer('', text).evaluation(mechanism, model), verdict.ours(
        model, 'interpreted')
    rng = np.random.default_rng(5)
    state = (random_configuration(model, rng), *rng.normal(size=(2, model.nv)))
    found, expected = ours(*state), theirs(*state)
    for name in ('mass_matrix', 'gravity', 'inverse_dynamics'):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name),
                                   atol=1e-11)   # numbers of order 10
    for one in (model, mbd_ros.load(mechanism.text), mbd_ros.load(mjcf_text(mechanism))):
        np.testing.assert_array_equal(one.armature, [0.2] * model.nv)
        np.testing.assert_array_equal(one.damping, [0.3] * model.nv)
        np.testing.assert_array_equal(one.friction, [0.1] * model.nv)


@pytest.mark.parametrize(('compiler', 'body', 'moved'), [
    ('', '<freejoint name="x" align="true"/>' + HEAVY, True),
    ('<compiler alignfree="true"/>', '<joint name="x" type="free"/>' + HEAVY, True),
    ('<compiler alignfree="true"/>', '<freejoint name="x"/><geom type="box" euler="20 10 30" '
     'size=".1 .2 .3" pos=".2 0 0"/><site name="s" pos="1 0 0"/>', True),
    ('<compiler alignfree="true"/>', '<freejoint name="x" align="false"/>' + HEAVY, False),
    ('', '<freejoint name="x" align="true"/><body name="c"><geom size=".1"/></body>' + HEAVY,
     False)])
def test_free_bodies_are_aligned_with_their_inertia(compiler, body, moved):
    model = compare(BODY.format(compiler, body), TOLERANCE)
    assert bool(np.abs(model.mass_centers).max() > 1e-9) is not moved


def test_what_a_frame_turns_and_moves():
    compare(BODY.format('', '<frame pos=".1 .2 .3" euler="30 40 50"><joint name="x" pos=".1 .2 .1"'
                        ' axis="1 2 3" ref="20"/><joint name="y" type="slide" axis="0 1 1" '
                        f'ref="0.2"/>{HEAVY}<frame euler="3 4 5" pos=".1 0 0"><body name="c">'
                        '<joint name="z" type="ball" pos=".1 .2 .3"/><geom size=".1" pos=".2 0 0"'
                        '/></body></frame></frame>'), TOLERANCE)


def test_a_spring_along_a_tendon():
    text = ARM.format('', '<tendon><spatial stiffness="30" damping="2" {}><site site="s"/><site '
                      'site="t"/></spatial></tendon>')
    q, v = [0.3, 0.4], [0.5, 0.6]
    for length in ('springlength="0.2"', 'springlength="0.3 0.3"', ''):
        model = mbd_ros.load(text.format(length).replace(' frictionloss="0.2"', ''))
        peer = mujoco.MjModel.from_xml_string(text.format(length).replace(
            ' frictionloss="0.2"', ''))
        data = mujoco.MjData(peer)
        data.qpos, data.qvel = q, v
        mujoco.mj_forward(peer, data)
        found = mbd_ros.forward_dynamics(model, q, v, [0.0, 0.0], dissipation=True,
                                         executor='interpreted')
        np.testing.assert_allclose(found, data.qacc, rtol=1e-11)   # of order 100, two solves
        assert not [finding for finding in model.findings if finding.severity == 'warning']


DENT = ('vertex="0 0 0 1 0 0 0 1 0 0 0 1 0.11 0.13 0.2" '
        'face="0 2 1 0 1 3 0 3 2 1 2 4 2 3 4 3 1 4"')
MESH = ('<mujoco>{}<asset><mesh name="m" {}/></asset><worldbody><body name="a"><joint name="b" '
        'type="ball"/><geom pos="1 2 3" euler="10 20 30" density="30" {}/></body></worldbody>'
        '</mujoco>')
# MuJoCo turns tensors to their principal axes, to some 1e-9 of them where moments are near.
OF_MESHES = 2e-8


@pytest.mark.parametrize('way', ['', 'inertia="legacy"', 'inertia="exact"', 'inertia="convex"',
                                 'inertia="shell"'])
@pytest.mark.parametrize('how', ['', 'scale="2 3 -4"', 'refpos=".1 .2 .3" refquat="1 2 3 4" '
                                 'scale="0.2 0.3 0.4"'])
def test_masses_of_meshes(way, how):
    compare(MESH.format('', f'{DENT} {way} {how}', 'type="mesh" mesh="m"'), OF_MESHES)
    compare(MESH.format('', f'{DENT.split(" face")[0]} {way} {how}', 'type="mesh" mesh="m" '
                        'mass="2"'), OF_MESHES)


@pytest.mark.parametrize('kind', ['type="sphere"', 'type="capsule"', 'type="cylinder"',
                                  'type="box"', 'type="ellipsoid"', ''])
def test_solids_that_are_fitted_to_meshes(kind):
    compare(MESH.format('', DENT + ' scale="1 2 3"', f'{kind} mesh="m" fitscale="1.5"'), OF_MESHES)


@pytest.mark.parametrize('geom', ['', 'density="10"', 'mass="3"', 'shellinertia="true"',
                                  'mass="3" shellinertia="true"'])
def test_a_height_field_on_a_body_that_moves(geom):
    """It weighs what a box does."""
    compare('<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 2 .3 .2" elevation="0 1 2 '
            '3"/></asset><worldbody><geom type="plane" size="1 1 1"/><body name="a"><joint name='
            f'"j" type="ball"/><geom type="hfield" hfield="h" pos=".1 .2 .3" euler="10 20 30" '
            f'{geom}/></body></worldbody></mujoco>', TOLERANCE)


@pytest.mark.parametrize('geom', ['type="sphere" size=".5"', 'type="box" size=".1 .2 .3"',
                                  'type="cylinder" size=".1 .2"', 'type="capsule" size=".1 .2"'])
def test_shells(geom):
    compare(MESH.format('', DENT, geom + ' shellinertia="true"'), TOLERANCE)


@pytest.mark.parametrize('kind', ['stl', 'obj', 'msh'])
def test_files_of_meshes(tmp_path, kind):
    solid = trimesh.creation.annulus(0.1, 0.3, 0.5, sections=7)   # not convex
    solid.apply_translation((0.3, 0.2, 0.1))
    (tmp_path / 'meshes').mkdir()
    path = tmp_path / 'meshes' / f'm.{kind}'
    if kind == 'msh':
        path.write_bytes(struct.pack('4i', len(solid.vertices), 0, 0, len(solid.faces))
                         + solid.vertices.astype('f4').tobytes()
                         + solid.faces.astype('i4').tobytes())
    else:
        solid.export(path)
    for compiler, file in (('meshdir="meshes"', f'm.{kind}'), ('', f'meshes/m.{kind}'),
                           ('assetdir="meshes" strippath="true"', f'nowhere/m.{kind}')):
        robot = tmp_path / 'robot.xml'
        robot.write_text(MESH.format(f'<compiler {compiler}/>', f'file="{file}" scale="2 2 2" '
                                     'inertia="exact"', 'type="mesh" mesh="m"'))
        compare(str(robot), OF_MESHES)


@pytest.mark.parametrize('kind', ['box', 'ellipsoid', 'capsule', 'cylinder'])
def test_two_sizes_beside_two_points(kind):
    compare(BODY.format('', '<joint name="x"/><geom fromto="1 2 3 2 1 1" size="0.1 0.2" '
                        f'type="{kind}"/>'), TOLERANCE)


LEG = ('<body name="p" pos="0 0 1"><joint name="j" axis="0 1 0"/><geom size=".1" pos="0 0 -.3"/>'
       '<site name="s"/></body>')
REPLICATED = '<mujoco><worldbody>{}</worldbody>{}</mujoco>'


def check_copies(path: str) -> None:
    """Compare poses of all bodies, names of joints and loops, and the robot."""
    peer = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(peer)
    mujoco.mj_forward(peer, data)
    model = compare(path, TOLERANCE)
    mechanism = read(path)
    named = [joint.name for joint in mechanism.joints if joint.kind != 'fixed']
    assert sorted(named) == sorted(peer.joint(k).name for k in range(peer.njnt))
    for k in range(1, peer.nbody):
        pose = mbd_ros.pose(model, np.zeros(model.nv), peer.body(k).name)
        np.testing.assert_allclose(pose[:3, 3], data.xpos[k], atol=TOLERANCE)
    assert len(mechanism.loop_joints) + sum(
        joint.mimic is not None for joint in mechanism.joints) == peer.neq


@pytest.mark.parametrize(('body', 'parts'), [
    (f'<replicate count="3" offset="0.5 0 0">{LEG}</replicate>', ''),
    (f'<replicate count="11" offset="0.5 0.1 0" euler="0 10 90" sep="-">{LEG}</replicate>', ''),
    (f'<replicate count="3" euler="0 0 90"><frame pos="1 0 0">{LEG}</frame></replicate>', ''),
    (f'<replicate count="2" offset="0 1 0" sep="y"><replicate count="2" offset="1 0 0" sep="x">'
     f'{LEG}</replicate></replicate>', ''),
    ('<body name="a"><joint name="q"/><replicate count="3" offset="0.5 0 0"><geom size=".1"/>'
     '</replicate></body>', ''),
    (f'<replicate count="2" offset="0 1 0">{LEG}</replicate>',
     '<equality><connect body1="p" anchor="0 0 0"/></equality><actuator><motor joint="j" gear="3" '
     'armature="0.1"/></actuator><tendon><fixed name="t" armature="0.2"><joint joint="j" '
     'coef="1"/></fixed></tendon>')])
def test_replicated_parts(tmp_path, body, parts):
    path = tmp_path / 'm.xml'
    path.write_text(REPLICATED.format(body, parts))
    check_copies(str(path))


PART = ('<mujoco model="sub"><compiler angle="radian" meshdir="meshes"/><default><joint '
        'armature="0.3"/><default class="c"><joint range="-1 1" axis="0 1 0"/></default></default>'
        '<asset><mesh name="m" file="m.stl"/></asset><worldbody><geom size=".3"/><body name="x" '
        'pos="0 0 1" euler="0.1 0.2 0.3" childclass="c"><joint name="j"/><geom name="g" '
        'size=".1"/><site name="s"/><frame pos="9 9 9"><body name="y" pos="0 0 1"><joint '
        'name="k"/><geom type="mesh" mesh="m" pos=".1 0 0"/></body></frame><frame name="v" pos="1 '
        '0 0"><joint name="l" axis="1 0 0"/></frame></body><body name="z">'
        '<geom size=".2"/></body><frame name="f" pos="0 1 0" euler="0.4 0 0"><geom size=".15"/>'
        '<body name="u" pos="0 0 1"><joint name="i"/><geom size=".1" pos=".1 0 0"/></body></frame>'
        '</worldbody><actuator><motor joint="j" gear="2" armature="0.1"/>'
        '</actuator><equality><joint name="e" joint1="j" joint2="k"/></equality></mujoco>')


@pytest.mark.parametrize(('body', 'parts'), [
    ('<attach model="sub" body="x" prefix="l_"/>', '<equality><joint joint1="l_j" polycoef="0.1"/>'
     '</equality>'),
    ('<frame pos="1 0 0" euler="0 0 90"><attach model="sub" body="x" prefix="l_"/></frame>', ''),
    ('<attach model="sub" prefix="l_"/>', ''),
    ('<body name="h" pos="0 1 0"><joint name="hj"/><geom size=".1"/><attach model="sub" '
     'prefix="l_"/></body>', ''),
    ('<attach model="sub" frame="f" prefix="l_"/>', ''),
    ('<body name="h" pos="0 1 0" euler="10 20 30"><geom size=".1"/><attach model="sub" frame="f" '
     'prefix="l_"/><attach model="sub" frame="v" prefix="m_"/></body>', ''),
    ('<attach model="sub" body="x" prefix="l_"/><attach model="sub" body="y" prefix="r_"/>', ''),
    ('<replicate count="2" offset="1 0 0"><attach model="sub" body="x" prefix="l_"/></replicate>',
     '')])
def test_attached_parts(tmp_path, body, parts):
    (tmp_path / 'parts' / 'meshes').mkdir(parents=True)
    trimesh.creation.box((0.1, 0.2, 0.3)).export(tmp_path / 'parts' / 'meshes' / 'm.stl')
    (tmp_path / 'parts' / 'sub.xml').write_text(PART)
    path = tmp_path / 'm.xml'
    path.write_text('<mujoco><compiler angle="degree"/><default><joint armature="0.7"/></default>'
                    '<asset><model name="sub" file="parts/sub.xml"/></asset><worldbody>'
                    f'{body}</worldbody>{parts}</mujoco>')
    check_copies(str(path))


def test_parts_of_the_same_file_once_more(tmp_path):
    """With defaults, and with actuators and tendons of what is copied."""
    path = tmp_path / 'm.xml'
    path.write_text(
        '<mujoco><default><default class="c"><joint damping="2" armature="0.1"/></default>'
        '</default><worldbody><body name="a" pos="1 0 0" childclass="c"><joint name="j"/><geom '
        'size=".1" pos=".1 0 0"/></body><frame name="f" pos="0 0 1" euler="10 0 0"><geom size=".2"'
        '/><body name="b"><joint name="k" axis="1 0 0"/><geom size=".1" pos="0 .1 0"/></body>'
        '</frame><body name="h" pos="0 1 0" euler="0 0 90"><joint name="w"/><geom size=".1"/>'
        '<attach body="a" prefix="x_"/><attach frame="f" prefix="y_"/></body></worldbody>'
        '<tendon><fixed name="t" armature="1"><joint joint="j" coef="2"/>'
        '</fixed></tendon><actuator><motor joint="j" armature="3"/></actuator></mujoco>')
    check_copies(str(path))


@settings(max_examples=15, deadline=None, derandomize=True)
@given(text=trees(max_joints=6), seed=st.integers(0, 2**16))
def test_from_mjcf_by_urdf_to_pinocchio(text, seed):
    """What nodes publish of a robot of MJCF; joints have limits, which urdfdom asks for."""
    limits = Limits(-2.0, 2.0, 3.0, 4.0)
    mechanism = read(text)
    written = mjcf_text(replace(mechanism, joints=tuple(
        replace(joint, limits=limits, kind=joint.kind.replace('continuous', 'revolute'))
        for joint in mechanism.joints)))
    again = read(written)
    for one in again.joints:
        assert one.kind == 'fixed' or (one.limits.lower, one.limits.upper) == (-2.0, 2.0)
    model = build_model(again)
    peer = pin.buildModelFromXML(urdf_text(replace(again, joints=tuple(
        replace(joint, limits=limits) for joint in again.joints))))
    data = peer.createData()
    assert sorted(peer.names[1:]) == sorted(model.joint_names)
    order = [peer.joints[peer.getJointId(name)].idx_v for name in model.joint_names]
    q, v, acceleration = random_state(model, seed)
    there, rates, accelerations = np.zeros((3, model.nv))
    there[order], rates[order], accelerations[order] = q, v, acceleration
    expected = pin.rnea(peer, data, there, rates, accelerations)[order]
    found = mbd_ros.inverse_dynamics(model, q, v, acceleration, executor='interpreted')
    # Orientations go through quaternions and angles.
    np.testing.assert_allclose(found, expected, rtol=0.0,
                               atol=1e-11 * max(1.0, np.abs(expected).max(initial=0.0)))


@pytest.mark.parametrize('parts', [
    '<equality><joint joint1="y" joint2="x" polycoef="0.1 0.7 -0.4 0.3 0.5"/></equality>',
    '<equality><joint joint1="y" joint2="x" polycoef="0 0 0 2"/></equality>',
    '<tendon><fixed name="t"><joint joint="y" coef="-2"/></fixed><fixed name="u"><joint joint="x" '
    'coef="3"/></fixed></tendon><equality><tendon tendon1="t" tendon2="u" polycoef="1 2 3 4 5"/>'
    '</equality>'])
def test_polynomials_that_joints_follow(parts):
    """How far off a state is, and in which directions, but for the factor of a tendon."""
    text = ('<mujoco><worldbody><body><joint name="x" ref="20" axis="0 1 0"/><geom size="1"/>'
            '<body><joint name="y" ref="-10"/><geom size="1"/></body></body></worldbody>'
            f'{parts}</mujoco>')
    model = mbd_ros.load(text, mimic=True)
    engine = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(engine)
    for q in np.random.default_rng(4).uniform(-1.0, 1.0, (5, 2)):
        data.qpos = q
        mujoco.mj_forward(engine, data)
        theirs = np.append(data.efc_J, data.efc_pos)
        x, y = q
        multiplier, offset, *powers = model.loops[0].coupling
        curve = np.polynomial.Polynomial([offset, multiplier, *powers])
        ours = np.array([-curve.deriv()(x), 1.0, y - curve(x)])
        # Horner's rule about another point: some roundings of numbers of order 100.
        np.testing.assert_allclose(ours * theirs[1], theirs, atol=1e-11)


def test_meshes_are_drawn_where_mujoco_shows_them(tmp_path):
    (tmp_path / 'a b').mkdir()
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)], float)
    (tmp_path / 'a b' / 'm.obj').write_text(''.join(
        f'v {x} {y} {z}\n' for x, y, z in corners) + 'f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n')
    turned = 'refpos=".1 .2 .3" refquat=".6 0 .8 0"'
    for attributes, drawn in ((turned, True), ('scale="2 2 2" ' + turned, True),
                              ('scale="1 2 3" refpos=".1 .2 .3"', True),
                              ('scale="1 2 3" ' + turned, False)):
        file = tmp_path / 'r.xml'
        file.write_text(
            '<mujoco><compiler meshdir="a b"/><asset><mesh name="m" file="m.obj" '
            f'{attributes}/><mesh name="n" file="gone.obj"/></asset><worldbody><body name="b">'
            '<joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" '
            'mesh="m" pos="1 2 3" quat=".8 .6 0 0"/><geom type="mesh" mesh="n"/></body>'
            '</worldbody></mujoco>')
        shapes, remarks = read_visuals(read(str(file)))
        shapes = [shape for shape in shapes if shape.kind == 'mesh']   # else a stand-in
        assert not remarks
        assert len(shapes) == drawn
        peer = mujoco.MjModel.from_xml_string(
            file.read_text().replace('<mesh name="n" file="gone.obj"/>', '').replace(
                '<geom type="mesh" mesh="n"/>', '').replace('meshdir="a b"', (
                    f'meshdir="{tmp_path}/a b"')))
        data = mujoco.MjData(peer)
        mujoco.mj_forward(peer, data)
        theirs = peer.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
        for shape in shapes:
            pose = shape.pose
            ours = (corners * shape.size) @ pose[:3, :3].T + pose[:3, 3]
            # MuJoCo keeps corners in 4 bytes; their order may be another.
            assert max(np.abs(theirs - one).max(axis=1).min() for one in ours) < 1e-5
