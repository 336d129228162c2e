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

"""What control knows of links that bend is around them as it is around the rigid robot."""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import dynamics_with, LoadedDynamics, Payload
from mbd_ros.control.control_step.bending_compensation import BendingLinks, softness_of
from mbd_ros.control.tracking.payload import reloaded
from mbd_ros.environment.surroundings import immersed, in_vacuum
from mbd_ros.errors import InvalidValueError, UnsupportedError

GRAVITY = (0.5, 1.0, -9.0)
TEXT = Path('urdf/flexible_arm.urdf').read_text().replace('</robot>', """
  <link name="lamp"/>
  <joint name="lamp_mount" type="fixed"><origin xyz="0.02 -0.05 0.1" rpy="0.3 -0.4 0.5"/>
    <parent link="elbow"/><child link="lamp"/></joint>
  <link name="grip"/>
  <joint name="grip_mount" type="fixed"><origin xyz="0.1 0.05 0" rpy="-0.2 0.6 1.1"/>
    <parent link="hand"/><child link="grip"/></joint>
</robot>""")
CENTER = (0.03, -0.04, 0.05)
TENSOR = ((0.02, 0.001, 0.0), (0.001, 0.03, -0.002), (0.0, -0.002, 0.025))
LOAD = """
  <link name="load"><inertial><origin xyz="0.03 -0.04 0.05"/><mass value="2"/>
    <inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="-0.002" izz="0.025"/></inertial></link>
  <joint name="load_mount" type="fixed"><parent link="{}"/><child link="load"/></joint>
</robot>"""
WET = TEXT
for name in ('elbow', 'hand'):
    WET = WET.replace(f'<link name="{name}">', f"""<link name="{name}">
      <mbd:fluid><origin xyz="0.01 0.02 -0.03" rpy="0.2 0.1 0.3"/><volume value="0.002"/>
        <fluid_added_mass xx="0.6" yy="0.4" zz="0.3" pp="0.002" qq="0.003" rr="0.004"/>
        <quadratic_drag force="2.9 4.8 4.1" moment="0.2 0.1 0.3"/></mbd:fluid>
      <mbd:contact><point xyz="0.02 0 0.01"/><stiffness value="1e4"/><damping value="10"/>
        <friction value="0.5"/></mbd:contact>""")


(ARM, RIGID), (WET_ARM, WET_RIGID) = (
    [mbd_ros.load(text, flexible=flexible) for flexible in (True, False)] for text in (TEXT, WET))


def state():
    """Return one of 4 joints and 10 modes, bent by millimetres."""
    rng = np.random.default_rng(7)
    return [rng.uniform(-1.0, 1.0, 14) * np.repeat([1.0, scale], [4, 10])
            for scale in (1e-2, 1e-1, 1.0)]


def agree(bending, expected):
    own = bending.dyn.inverse_dynamics(*state())
    # Numbers of up to 100 by another order of operations.
    np.testing.assert_allclose(own, expected.inverse_dynamics(*state()), rtol=1e-11, atol=1e-10)


@pytest.mark.parametrize('link', ['elbow', 'lamp', 'grip'])
def test_a_payload_bends_links_as_the_same_body_in_the_description_does(link):
    text = TEXT.replace('</robot>', LOAD.format(link))
    loaded = LoadedDynamics(RIGID, Payload(link, 1.0, CENTER, TENSOR), GRAVITY)
    bending = BendingLinks(loaded)
    bending.use(reloaded(loaded, Payload(link, 2.0, CENTER, TENSOR)))
    agree(bending, mbd_ros.compile(mbd_ros.load(text), gravity=GRAVITY))
    if link != 'lamp':
        return
    q, v, vdot = (part[:4] for part in state())
    np.testing.assert_allclose(   # and the nominal model is loaded alike
        loaded.inverse_dynamics(q, v, vdot), mbd_ros.inverse_dynamics(
            mbd_ros.load(text, flexible=False), q, v, vdot, gravity=GRAVITY),
        rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize('around', [
    {'fluid': None},
    {'fluid': mbd_ros.Fluid(density=900.0, current=(0.3, -0.2, 0.1), surface=0.6)},
    {'fluid': None, 'ground': mbd_ros.Ground(height=0.9, normal=(0.1, 0.2, 1.0))},
    {'ground': mbd_ros.Ground(heights=[[0.9, 1.0], [1.1, 0.8]], spacing=2.0, origin=(-1, -1))},
], ids=str)
def test_what_is_around_the_robot_bends_its_links(around):
    expected = mbd_ros.compile(WET_ARM, gravity=GRAVITY, **around)
    agree(BendingLinks(mbd_ros.compile(WET_RIGID, gravity=GRAVITY, **around)), expected)
    bare = mbd_ros.compile(ARM, gravity=GRAVITY).inverse_dynamics(*state())
    more = np.abs(expected.inverse_dynamics(*state()) - bare)[4:].max()
    assert more == 0.0 if around == {'fluid': None} else more > 0.1


def test_a_robot_in_a_vacuum_stays_there():
    """With joints held or a payload too."""
    dry, wet = in_vacuum(WET_RIGID), immersed(WET_RIGID, mbd_ros.Fluid())
    for change in (lambda model: mbd_ros.lock(model, {'yaw': 0.0}),
                   lambda model: mbd_ros.with_payload(model, 'hand', 1.0)):
        assert change(dry).fluids == () and len(change(wet).fluids) == 2
        assert mbd_ros.compile(change(dry)).model.laws == ()


def test_a_payload_on_a_link_that_bends_moves_with_its_place():
    for link in ('upper_arm', 'forearm'):
        none, some = Payload(link, 0.0), Payload(link, 0.5)
        loaded = LoadedDynamics(RIGID, none, GRAVITY)
        bending = BendingLinks(loaded)
        agree(bending, mbd_ros.compile(ARM, gravity=GRAVITY))
        bending.use(reloaded(loaded, some))
        agree(bending, mbd_ros.compile(mbd_ros.with_payload(ARM, link, 0.5), gravity=GRAVITY))
        with pytest.raises(UnsupportedError, match='with_payload'):
            dynamics_with(ARM, some, GRAVITY)
    with pytest.raises(InvalidValueError, match='mass of the payload'):
        Payload('forearm', -1.0).check(ARM)


SHAPES = '<point xyz="1 0 0" mass="0.3" shape="{}"/><stiffness values="{}"/>'
ALONG_Y, ALSO_Z = '0 1 0', '0 0 1 0 0 1'   # x of all modes, y, z


@pytest.mark.parametrize(('shape', 'values', 'fits'), [
    (ALONG_Y, '0', False), (ALSO_Z, '50 0 0 0', False), (ALSO_Z, '1 1 1 1', False),
    (ALSO_Z, '50 0 0 1e-6', True), (ALSO_Z, '1e12 9e2 9e2 1e-6', True)])
def test_links_without_stiffness_are_refused(shape, values, fits):
    text = f"""<robot name="r" xmlns:mbd="urn:mbd_ros"><link name="base"/><link name="beam">
      <inertial><origin xyz="0.5 0 0"/><mass value="1"/>
        <inertia ixx="0.01" iyy="0.5" izz="0.5" ixy="0" ixz="0" iyz="0"/></inertial>
      <mbd:flexible>{SHAPES.format(shape, values)}</mbd:flexible></link>
      <joint name="j" type="revolute"><parent link="base"/><child link="beam"/><axis xyz="0 0 1"/>
        <limit lower="-3" upper="3" effort="9" velocity="9"/></joint></robot>"""
    dyn = mbd_ros.compile(mbd_ros.load(text, flexible=False))
    if fits:   # however much softer one mode is than another
        a, b, _, c = map(float, values.split())
        expected = np.array([[c, -b], [-b, a]]) / (a * c - b * b)
        np.testing.assert_allclose(softness_of(mbd_ros.load(text)), expected, rtol=1e-12)
        return
    with pytest.raises(UnsupportedError, match=r"how link 'beam' of 'r' bends, .*flexible=False"):
        BendingLinks(dyn)
