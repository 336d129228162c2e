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

"""What is attached to a flexible link moves and turns with the shapes at its place."""

from flexible_robots import beam, fixed, HEAD, modal_link, revolute, slender
import numpy as np
import pytest

import mbd_ros

PLANE = (0.0, 0.0, 1.0)
CUTS = {
    'on the bending coupler': (revolute('j3', 'base', 'rocker', (1.0, 0.0, 0.0), PLANE)
                               + '<loop_joint name="cut" type="spherical"><link1 link="coupler" '
                               'xyz="1.2 0 0"/><link2 link="rocker" xyz="0.9 0 0"/></loop_joint>'),
    'on a link fixed to it': (revolute('j3', 'base', 'rocker', (1.0, 0.0, 0.0), PLANE)
                              + '<link name="end"/>' + fixed('tip', 'coupler', 'end', (1.2, 0, 0))
                              + '<loop_joint name="cut" type="spherical"><link1 link="end"/>'
                              '<link2 link="rocker" xyz="0.9 0 0"/></loop_joint>'),
    'at the ground': (revolute('j3', 'coupler', 'rocker', (1.2, 0.0, 0.0), PLANE)
                      + '<loop_joint name="cut" type="spherical"><link1 link="rocker" '
                      'xyz="0.9 0 0"/><link2 link="base" xyz="1 0 0"/></loop_joint>'),
    'a second joint': (revolute('j3', 'base', 'rocker', (1.0, 0.0, 0.0), PLANE)
                       + '<link name="pin"/>' + fixed('tip', 'rocker', 'pin', (0.9, 0.0, 0.0))
                       + revolute('zz', 'coupler', 'pin', (1.2, 0.0, 0.0), PLANE))}


def four_bar(cut):
    """Return a four-bar linkage whose coupler bends, with its cut somewhere."""
    parts = [HEAD, '<link name="base"/>']
    for name, length in (('crank', 0.4), ('coupler', 1.2), ('rocker', 0.9)):
        bends = ('<mbd:flexible><beam length="1.2" linear_density="0.5" bending_stiffness="40 40" '
                 'modes="2 0 0"/></mbd:flexible>' if name == 'coupler' else '')
        parts.append(f'<link name="{name}">{slender(length, 1.0, 0.05)}{bends}</link>')
    parts += [revolute('j1', 'base', 'crank', (0.0, 0.0, 0.0), PLANE),
              revolute('j2', 'crank', 'coupler', (0.4, 0.0, 0.0), PLANE), CUTS[cut]]
    return mbd_ros.load(''.join(parts) + '</robot>')


@pytest.mark.parametrize('bent', [0.0, 0.03])
def test_any_cut_of_a_four_bar(bent):
    """The same motion wherever its loop is cut; the straight beam's tip would be off by 27 %."""
    found = []
    for cut in CUTS:
        model = four_bar(cut)
        q, v = np.zeros(model.nq), np.zeros(model.nv)
        q[:3] = (1.0, -0.56, 1.4) if cut != 'at the ground' else (1.0, -0.56, 1.4 + np.pi - 0.44)
        q[3:] = bent, -0.2 * bent
        q, _ = mbd_ros.close_loops(model, q, v, known=['j1'])
        rows = mbd_ros.compile(model).loop_rows(q, v)[:, 3:]
        v[[0, 3, 4]] = 1.0, bent, -bent
        v[1:3] = -np.linalg.lstsq(rows[:, 1:3], rows @ v, rcond=None)[0]
        a = mbd_ros.forward_dynamics(model, q, v, np.zeros(model.nv), gravity=(0.0, -9.81, 0.0))
        tip = [] if bent else mbd_ros.natural_frequencies(model, q, locked=['j1']).frequencies
        found.append(np.concatenate([q[[0, 1, 3, 4]], a[[0, 1, 3, 4]], tip]))
    for other in found[1:]:   # closed to 1e-12, of frequencies of 10 Hz
        np.testing.assert_allclose(other, found[0], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize('root', ['fixed', 'continuous'])
def test_a_beam_whose_tip_is_held(root):
    """Clamped and pinned, not clamped and free: 18.03 Hz for 4.11 Hz."""
    hold = ('<loop_joint name="hold" type="distance" distance="0.5"><link1 link="base" '
            'xyz="1 0.5 0"/><link2 link="beam" xyz="1 0 0"/></loop_joint>')
    model = mbd_ros.load(beam('bending_stiffness="29.1667 0" modes="8 0 0"', joint=root,
                              links=hold))
    found = mbd_ros.natural_frequencies(model, np.zeros(model.nq),
                                        locked=[] if root == 'fixed' else ['root']).frequencies
    pinned = 3.926602312 ** 2 * np.sqrt(29.1667 / 0.54) / (2.0 * np.pi)
    assert pinned == pytest.approx(18.034, abs=1e-3)
    # free modes converge from above, as 1 / n^3 in the force at the tip; 18.09 Hz with four
    assert pinned < found[0] < 1.001 * pinned
    assert 18.08 < mbd_ros.natural_frequencies(
        mbd_ros.load(beam('bending_stiffness="29.1667 0" modes="4 0 0"', links=hold)),
        np.zeros(4)).frequencies[0] < 18.10


def test_a_fixed_beam_that_nothing_can_bend():
    """Two places of a rigid link are fixed to each other, as ever."""
    with pytest.raises(mbd_ros.errors.DescriptionError, match='fixed to each other'):
        mbd_ros.load(beam('bending_stiffness="1 0" modes="1 0 0"', links=(
            '<loop_joint name="hold" type="distance" distance="0.5"><link1 link="base" '
            'xyz="1 0.5 0"/><link2 link="beam" xyz="1 0 0"/></loop_joint>')), flexible=False)


POINTS = [(0.5, 0.0, 0.0), (1.0, 0.0, 0.0)]
SHAPES = [[0.0, 0.3, 0.0], [0.0, 1.0, 0.0]]


def of_points(inside):
    """Return a link of two mass points and one mode, which has no interface."""
    link = modal_link('beam', POINTS, [0.5, 0.5], SHAPES, [[100.0]], [[0.0]])
    return (f'{HEAD}<link name="base"/>{link}{revolute("root", "base", "beam", (0, 0, 0), PLANE)}'
            f'{inside}</robot>')


def test_attached_at_a_mass_point():
    """What does not turn may sit at a point; a spring pulls the mode as its shape there."""
    spring = ('<mbd:spring_damper name="pull" stiffness="100" length="0.5"><link1 link="base" '
              'xyz="1 1 0"/><link2 link="beam" xyz="{} 0 0"/></mbd:spring_damper>')
    model = mbd_ros.load(of_points(spring.format('1')))
    found = mbd_ros.bias_forces(model, np.zeros(2), np.zeros(2), gravity=(0.0, 0.0, 0.0))
    np.testing.assert_allclose(found, [-50.0, -50.0], rtol=1e-12)
    with pytest.raises(mbd_ros.errors.DescriptionError,
                       match=r"no <interface> for the joint 'pull'.* or a <point> at its place"):
        mbd_ros.load(of_points(spring.format('0.7')))


def test_attached_where_it_turns_needs_an_interface():
    """A thruster turns with its place, which mass points do not say; at the root nothing does."""
    fan = '<mbd:thruster name="fan"><origin xyz="{} 0 0"/><axis xyz="1 0 0"/></mbd:thruster>'
    text = of_points('')
    with pytest.raises(mbd_ros.errors.DescriptionError, match="<interface> for the joint 'fan'"):
        mbd_ros.load(text.replace('</mbd:flexible>', '</mbd:flexible>' + fan.format('1')))
    model = mbd_ros.load(text.replace('</mbd:flexible>', '</mbd:flexible>' + fan.format('0')))
    np.testing.assert_allclose(mbd_ros.thruster_map(model, [0.3, 0.1]), 0.0, atol=1e-15)
    face = ('<interface joint="fan" xyz="1 0 0" shape="0 1 0" rotation="0 0 1.5"/>')
    model = mbd_ros.load(text.replace('<stiffness', face + '<stiffness', 1).replace(
        '</mbd:flexible>', '</mbd:flexible>' + fan.format('1')))
    a = 0.1
    np.testing.assert_allclose(   # along x of the tip, which is at (1, a) and turned by 1.5 a
        mbd_ros.thruster_map(model, [0.0, a])[:, 0],
        [np.sin(1.5 * a) - a * np.cos(1.5 * a), np.sin(1.5 * a)], rtol=1e-12)


def test_contacts_of_several_elements():
    """Each point has a seat of its own; forces are told for the link, where it is bent to."""
    touch = ('<mbd:contact><point xyz="{} 0 0"/><point xyz="0.2 0 0"/><stiffness value="1000"/>'
             '</mbd:contact>')
    text = beam('bending_stiffness="20 20" modes="1 1 0"').replace(
        '</mbd:flexible>', '</mbd:flexible>' + touch.format('1') + touch.format('0.5'))
    model = mbd_ros.load(text)
    assert [one.link for one in model.contacts] == ['beam'] * 4
    q = np.array([0.0, -0.05])
    ground = mbd_ros.Ground()
    found = mbd_ros.contact_forces(model, q, np.zeros(2), ground)
    np.testing.assert_allclose(found.forces[0], [0.0, 0.0, 50.0], rtol=1e-12, atol=1e-12)
    assert 0.0 < found.forces[1, 2] == found.forces[3, 2] < found.forces[2, 2] < 50.0
    pressed = (mbd_ros.bias_forces(model, q, np.zeros(2))
               - mbd_ros.bias_forces(model, q, np.zeros(2), ground=ground))
    depth = -found.points[:, 2]
    np.testing.assert_allclose(   # linear in the mode: work is force times share of the tip
        pressed[1], found.forces[:, 2] @ depth / 0.05 + 0.0, rtol=1e-12)
