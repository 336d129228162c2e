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

"""What is written as MJCF is the same robot to MuJoCo."""

from dataclasses import replace
from pathlib import Path

from described import bare, joint, link, robot
from hypothesis import given, settings, strategies as st
import mujoco
import numpy as np
from odd_mechanisms import odd_mechanism
import pytest
from robots import random_state, trees

import mbd_ros
from mbd_ros.description.read import read
from mbd_ros.description.records.mechanism import LoopJoint, Pose, SpringDamper
from mbd_ros.description.write.mjcf import mjcf_text
from mbd_ros.description.write.mjcf_inertia import loadable
from mbd_ros.errors import UnsupportedError

# As in test_against_mujoco.py: MuJoCo keeps inertias diagonalised, which costs two digits.
TOLERANCE = 1e-9

SHIPPED = sorted((Path(__file__).resolve().parents[2] / 'urdf').iterdir())

REFUSED = {
    'bricard.urdf': "bricard.urdf:135: writing the revolute loop joint 'corner4' as MJCF",
    'five_bar.urdf': "five_bar.urdf:128: writing the revolute loop joint 'tool' as MJCF",
    'flexible_arm.urdf': "writing the bending of link 'upper_arm' as MJCF",
    'four_bar.urdf': "four_bar.urdf:83: writing the revolute loop joint 'coupler_rocker' as MJCF",
    'puma560.urdf': "puma560.urdf:166: writing link 'link3' as MJCF, with 4.8 kg and the "
                    'principal moments of inertia 0.0125, 0.066 and 0.086 kg m^2, is not '
                    'supported in this version; MuJoCo loads only those of a rigid body: a '
                    'positive mass, positive moments, none larger than the sum of the others; ',
    'slider_crank.urdf': "slider_crank.urdf:103: writing the revolute loop joint 'crank_pin'",
    'rov.urdf': "writing the fluid around link 'hull' as MJCF",
}


@settings(max_examples=20, deadline=None, derandomize=True)
@given(text=trees(max_joints=8), seed=st.integers(0, 2**16))
def test_accelerations(text, seed):
    compare(mbd_ros.load(text), seed)


def compare(model, seed):
    peer = mujoco.MjModel.from_xml_string(mjcf_text(model.mechanism))
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    data = mujoco.MjData(peer)
    order = [peer.joint(name).dofadr[0] for name in model.joint_names]
    q, v, tau = random_state(model, seed)
    data.qpos[order], data.qvel[order], data.qfrc_applied[order] = q, v, tau
    mujoco.mj_forward(peer, data)
    found = mbd_ros.forward_dynamics(model, q, v, tau, executor='interpreted')
    scale = max(1.0, np.abs(found).max())
    np.testing.assert_allclose(data.qacc[order], found, rtol=0.0, atol=TOLERANCE * scale)


def test_loops_springs_and_couplings():
    model = mbd_ros.load("""
        <robot name="r"><link name="base"/>
        <link name="a"><inertial><mass value="1"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <link name="b"><inertial><mass value="1"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="i" type="continuous"><parent link="base"/><child link="a"/>
        <axis xyz="0 1 0"/></joint>
        <joint name="j" type="continuous"><origin xyz="1 0 0"/><parent link="base"/>
        <child link="b"/><axis xyz="0 1 0"/><mimic joint="i" multiplier="2" offset="0.5"/></joint>
        </robot>""")
    ends = [Pose(translation=(0.0, 0.0, 1.0)), Pose(translation=(-1.0, 0.0, 1.0))]
    mechanism = replace(
        model.mechanism, loop_joints=(LoopJoint('pin', 'spherical', 'a', 'b', *ends),
                                      LoopJoint('weld', 'fixed', 'a', 'b', *ends)),
        springs=(SpringDamper('spring', 'a', 'b', (0.0, 0.0, 1.0), (0.0, 0.0, 2.0), 100.0, 3.0,
                              0.25),))
    peer = mujoco.MjModel.from_xml_string(mjcf_text(mechanism))
    data = mujoco.MjData(peer)
    mujoco.mj_forward(peer, data)
    kinds = [mujoco.mjtEq(kind).name for kind in peer.eq_type]
    assert kinds == ['mjEQ_CONNECT', 'mjEQ_WELD', 'mjEQ_JOINT']
    assert list(peer.eq_data[2, :2]) == [0.5, 2.0]
    # pin 3 rows and weld 6, both closed at q = 0; the coupling misses its offset
    assert np.flatnonzero(np.abs(data.efc_pos) > 1e-12).tolist() == [9]
    assert (peer.tendon_stiffness[0], peer.tendon_damping[0]) == (100.0, 3.0)
    assert peer.tendon_lengthspring[0].tolist() == [0.25, 0.25]
    # the distance of the points is sqrt(2); the tendon pulls them together
    assert data.ten_length[0] == np.sqrt(2.0)


@pytest.mark.parametrize('file', SHIPPED, ids=lambda file: file.name)
def test_shipped_robots_load_or_convert_says_why_not(file):
    mechanism = read(file)
    if file.name in REFUSED:
        with pytest.raises(UnsupportedError) as error:
            mjcf_text(mechanism)
        assert REFUSED[file.name] in str(error.value)
        assert '\n' not in str(error.value)
    else:
        mujoco.MjModel.from_xml_string(mjcf_text(mechanism))


def test_an_arm_of_thin_rods_moves_alike():
    # One rod has no moment about itself; MuJoCo gets 4e-14 kg m^2, far below TOLERANCE.
    compare(mbd_ros.load(SHIPPED[0].parent / 'three_link_arm.urdf'), 3)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from((1e-8, 1e-6, 1e-3, 1.0)),
       kind=st.sampled_from(('rod', 'plate', 'point', 'rounded')))
def test_only_the_smallest_moment_is_raised(seed, size, kind):
    """Turning a rod end over end takes what it took, however light the rod is."""
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    small, middle = np.sort(rng.uniform(0.1, 1.0, 2)) * size
    moments = np.array({'rod': (0.0, size, size), 'plate': (small, middle, small + middle),
                        'point': (0.0, 0.0, 0.0),
                        'rounded': (small, middle, (small + middle) * (1.0 + 2e-7))}[kind])
    xx, xy, xz, yy, yz, zz = (axes @ np.diag(moments) @ axes.T)[np.triu_indices(3)].tolist()
    mechanism = read(robot(
        link('base'), '<link name="rod"><inertial><mass value="2"/><inertia '
        f'ixx="{xx!r}" ixy="{xy!r}" ixz="{xz!r}" iyy="{yy!r}" iyz="{yz!r}" izz="{zz!r}"/>'
        '</inertial></link>', joint('j', 'continuous', 'base', 'rod')))
    mujoco.MjModel.from_xml_string(mjcf_text(mechanism))   # raises for a file that it refuses
    before, after = (np.array(one.links[1].inertia.tensor)
                     for one in (mechanism, loadable(mechanism)))
    lifts = np.linalg.eigvalsh(after - before)
    rounding = 1e-15 * size   # of the products with the axes
    if kind == 'point':
        assert lifts == pytest.approx(3 * [3e-14], rel=1e-9)   # three times what it tells from 0
    else:
        assert np.abs(lifts[:2]).max() <= rounding
        assert lifts[2] <= max(4e-14, 4e-7 * size)   # as told apart from 0, and what was added
    assert read(mjcf_text(mechanism)).links[-1].inertia.tensor == loadable(
        mechanism).links[1].inertia.tensor


def test_odd_robots_load_or_are_refused():
    written, refusals = 0, []
    for seed in range(300):
        mechanism = odd_mechanism(seed)
        try:
            text = mjcf_text(mechanism)
        except UnsupportedError as error:
            refusals.append(str(error))
            continue
        mujoco.MjModel.from_xml_string(text)   # raises for a file that it refuses
        written += 1
    assert written > 75   # 102 of 300: the others have something that MuJoCo does not know
    assert not any('\n' in text for text in refusals)


@pytest.mark.parametrize(('parts', 'message'), [
    ((bare('base'), link('a'), link('b'), joint('i', 'revolute', 'base', 'a'),
      joint('f', 'floating', 'a', 'b')),
     "<string>:1: writing the floating joint 'f' as MJCF, which link 'a' carries, is not "
     "supported in this version; MuJoCo loads them on the root link 'base' only"),
    ((bare('base'), link('world'), joint('i', 'revolute', 'base', 'world')),
     "<string>:1: writing the link 'world' as MJCF is not supported in this version; MuJoCo has a "
     'body of that name already; rename the link'),
    ((bare('base'), bare('a'), link('b'), joint('i', 'revolute', 'base', 'a'),
      joint('j', 'revolute', 'a', 'b')),
     "<string>:1: writing link 'a' as MJCF, which joint 'i' moves and which has no mass, is not "
     'supported in this version; MuJoCo loads moving bodies with mass only; give it, or a link '
     'that is fixed to it, mass and inertia'),
])
def test_what_mujoco_would_refuse(parts, message):
    with pytest.raises(UnsupportedError) as error:
        mjcf_text(read(robot(*parts).replace('\n', ' ')))
    assert str(error.value) == message


def test_points_and_rods_that_are_fixed_to_others_keep_their_moments():
    text = """<robot name="r"><link name="w"/><link name="a"><inertial><mass value="1e-3"/>
      <inertia ixx="4e-7" iyy="5e-7" izz="4.7e-7" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="continuous"><parent link="w"/><child link="a"/></joint>{}</robot>"""
    parts = ''.join(
        f'<link name="{name}"><inertial><mass value="1e-9"/><inertia {moments}/></inertial></link>'
        f'<joint name="f{name}" type="fixed"><parent link="a"/><child link="{name}"/>'
        '<origin xyz="1e-3 2e-3 0" rpy="0.1 0.2 0.3"/></joint>' for name, moments in (
            ('point', 'ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"'),
            ('rod', 'ixx="1e-12" iyy="1e-12" izz="0" ixy="0" ixz="0" iyz="0"'),
            ('turned', 'ixx="2e-12" iyy="1e-12" izz="1e-12" ixy="0" ixz="0" iyz="1e-12"')))
    model = mbd_ros.load(text.format(parts))
    peer = mujoco.MjModel.from_xml_string(mjcf_text(model.mechanism))
    data = mujoco.MjData(peer)
    mujoco.mj_forward(peer, data)
    found = np.zeros((1, 1))
    mujoco.mj_fullM(peer, data, found)
    # Sums of four bodies; the moments of the least are 1e-6 of the whole.
    np.testing.assert_allclose(found, mbd_ros.mass_matrix(model, [0.0]), rtol=1e-12)
