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


"""Fixed links merged: the robot moves as before, with all that was on them."""

from described import LIMIT, link, robot
import numpy as np
import pytest

import mbd_ros
from mbd_ros.cli.command import main
from mbd_ros.description.write.merge_fixed import merge_fixed

WET = ('<mbd:fluid><origin xyz="0.1 0.2 0" rpy="0 0.4 0"/><volume value="0.002"/>'
       '<fluid_added_mass xx="1" yy="2" zz="3" pp="0.1" qq="0.2" rr="0.3"/>'
       '<quadratic_drag force="3 4 5" moment="0.1 0.2 0.3"/></mbd:fluid>')
TOUCHES = ('<mbd:contact><point xyz="0.1 -0.2 -2"/><stiffness value="900"/></mbd:contact>')
PUSHES = ('<mbd:thruster name="t"><origin xyz="0.1 0 0.2"/><axis xyz="0 0.6 0.8"/>'
          '</mbd:thruster>')
SHAPE = '<visual><origin xyz="0 0 1"/><geometry><sphere radius="0.1"/></geometry></visual>'


def pose(rng):
    """Return an <origin> anywhere."""
    return '<origin xyz="{} {} {}" rpy="{} {} {}"/>'.format(*rng.uniform(-0.7, 0.7, 6))


def composed(rng, count=9, loops=True):
    """Return a tree of moving and fixed links, with something on the fixed ones."""
    parts, things = [], [WET, TOUCHES, PUSHES, SHAPE]
    for k in range(count):
        kind = 'fixed' if k % 3 else 'continuous'
        parent = f'l{rng.integers(k)}' if k else 'base'
        moments = tuple(rng.uniform(1.0, 1.5, 3))
        inside = things.pop() if kind == 'fixed' and things else ''
        parts += [link(f'l{k}', rng.uniform(0.5, 2.0), '{} {} {}'.format(
            *rng.uniform(-0.3, 0.3, 3)), moments).replace('</link>', f'{inside}</link>'),
            f'<joint name="j{k}" type="{kind}"><parent link="{parent}"/><child link="l{k}"/>'
            f'{pose(rng)}<axis xyz="{" ".join(map(str, rng.standard_normal(3)))}"/></joint>']
    if loops:
        free = mbd_ros.load(robot('<link name="base"/>', *parts,
                                  attributes=' xmlns:mbd="urn:mbd_ros"'))
        end = mbd_ros.pose(free, rng.uniform(-1, 1, free.nq), 'l8') @ (0.1, 0, 0, 1)
        parts += [f'<loop_joint name="c" type="distance" distance="{np.linalg.norm(end[:3])}">'
                  '<link1 link="l8" xyz="0.1 0 0"/><link2 link="base"/></loop_joint>',
                  '<mbd:spring_damper name="s" stiffness="70" damping="3" length="0.1"><link1 '
                  'link="l5" xyz="0 0.1 0"/><link2 link="base"/></mbd:spring_damper>']
    return robot('<link name="base"/>', *parts, attributes=' xmlns:mbd="urn:mbd_ros"')


@pytest.mark.parametrize('seed', range(6))
def test_the_merged_robot_moves_alike(tmp_path, seed, capsys):
    """By file: mass matrix, loops, springs, water, ground and thrusters; only links are gone."""
    rng = np.random.default_rng(seed)
    (tmp_path / 'r.urdf').write_text(composed(rng, loops=seed % 2 == 0))
    assert main(['convert', str(tmp_path / 'r.urdf'), '-o', str(tmp_path / 'm.urdf'),
                 '--merge-fixed']) == 0
    said = capsys.readouterr().err
    model, merged = (mbd_ros.load(tmp_path / f'{name}.urdf') for name in 'rm')
    assert all(one.kind != 'fixed' for one in merged.mechanism.joints)
    assert len(merged.links) == 1 + model.nb
    for name in model.links.keys() - merged.links.keys():
        assert f"link '{name}' is part of link" in said
    order = [merged.joint_names.index(name) for name in model.joint_names]
    q, v = rng.uniform(-1, 1, model.nq), rng.uniform(-1, 1, model.nv)
    if model.loops:
        q, v = mbd_ros.close_loops(model, q, v)
    tau = rng.uniform(-1, 1, model.nv)
    around = {'fluid': mbd_ros.Fluid(1000.0, (0.3, 0.1, 0.0)), 'ground': mbd_ros.Ground(-1.0)}
    # Rounding of a few additions and rotations, and of 17 digits in the file.
    into = np.argsort(order)
    new_q, new_v, new_tau = q[into], v[into], tau[into]   # fixed joints took part in the order
    assert np.allclose(mbd_ros.mass_matrix(merged, new_q)[np.ix_(order, order)],
                       mbd_ros.mass_matrix(model, q), rtol=1e-12, atol=1e-12)
    assert np.allclose(mbd_ros.forward_dynamics(merged, new_q, new_v, new_tau, **around)[order],
                       mbd_ros.forward_dynamics(model, q, v, tau, **around), rtol=1e-9, atol=1e-9)
    for name in merged.links:
        assert np.allclose(mbd_ros.pose(merged, new_q, name), mbd_ros.pose(model, q, name),
                           atol=1e-12)
    (one,), (other,) = model.mechanism.thrusters, merged.mechanism.thrusters
    assert np.allclose(mbd_ros.pose(merged, new_q, other.link) @ (*other.point, 1.0),
                       mbd_ros.pose(model, q, one.link) @ (*one.point, 1.0), atol=1e-12)
    assert np.allclose(mbd_ros.pose(merged, new_q, other.link) @ (*other.axis, 0.0),
                       mbd_ros.pose(model, q, one.link) @ (*one.axis, 0.0), atol=1e-12)
    assert len(merged.contacts) == len(model.contacts)
    assert 'sphere radius' in merged.mechanism.text


@pytest.mark.parametrize('form', ['xml', 'sdf'])
def test_other_formats(tmp_path, form):
    """Of the same robot, without what they have no words for."""
    rng = np.random.default_rng(1)
    text = composed(rng, loops=False)
    for part in (WET, TOUCHES, PUSHES):
        text = text.replace(part, '')
    (tmp_path / 'r.urdf').write_text(text)
    assert main(['convert', str(tmp_path / 'r.urdf'), '-o', str(tmp_path / f'm.{form}'),
                 '--merge-fixed']) == 0
    model, merged = mbd_ros.load(tmp_path / 'r.urdf'), mbd_ros.load(tmp_path / f'm.{form}')
    assert len(merged.links) <= 2 + model.nb   # SDFormat has the world, too
    q = rng.uniform(-1, 1, model.nq)
    assert merged.joint_names == model.joint_names
    assert np.allclose(mbd_ros.mass_matrix(merged, q), mbd_ros.mass_matrix(model, q), rtol=1e-9)


def test_what_stays_fixed(tmp_path):
    """What is fixed to a link that bends, and a second fluid."""
    bends = ('<mbd:flexible><beam length="0.8" linear_density="0.3" bending_stiffness="310 310"/>'
             '</mbd:flexible>')

    def fixed(parent, child):
        return (f'<joint name="{parent}{child}" type="fixed"><parent link="{parent}"/>'
                f'<child link="{child}"/></joint>')

    def on(name, inside):
        return link(name).replace('</link>', f'{inside}</link>')
    model = mbd_ros.load(robot(
        '<link name="base"/>', on('beam', bends), link('tip'), link('on_tip'), on('wet', WET),
        on('wetter', WET), f'<joint name="j" type="revolute"><parent link="base"/>'
        f'<child link="beam"/>{LIMIT}</joint>', fixed('beam', 'tip'), fixed('tip', 'on_tip'),
        f'<joint name="k" type="revolute"><parent link="base"/><child link="wet"/>{LIMIT}'
        '</joint>', fixed('wet', 'wetter'), attributes=' xmlns:mbd="urn:mbd_ros"'))
    found = merge_fixed(model.mechanism, {}, [])
    assert [one.name for one in found.mechanism.links] == ['base', 'beam', 'tip', 'wet', 'wetter']
    assert {one.name for one in found.mechanism.joints} == {'j', 'beamtip', 'k', 'wetwetter'}


def test_sensors_move_along_and_the_rest_is_said(tmp_path, capsys):
    """Gazebo's poses are in the link; its friction was that of the link alone."""
    (tmp_path / 'r.urdf').write_text(robot(
        link('base'), link('camera'), '<joint name="j" type="fixed"><parent link="base"/><child '
        'link="camera"/><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/></joint>',
        '<gazebo reference="camera"><mu1>0.2</mu1><sensor name="s" type="camera"><pose>1 0 0 0 0 '
        '0</pose></sensor></gazebo>', '<gazebo reference="base"><mu1>0.3</mu1></gazebo>'))
    main(['convert', str(tmp_path / 'r.urdf'), '--merge-fixed'])
    said = capsys.readouterr()
    assert '<gazebo reference="base">\n    <sensor' in said.out
    pose_text = said.out.partition('<pose>')[2].partition('</pose>')[0]
    assert np.allclose([float(word) for word in pose_text.split()],
                       [1, 1, 0, 0, 0, 0.5 * np.pi], atol=1e-15)
    assert "<gazebo reference='camera'>: <mu1> left out" in said.err
    assert '<mu1>0.3</mu1>' in said.out
    assert main(['convert', str(tmp_path / 'r.urdf'), '--merge-fixed', '--to', 'loops.yaml']) == 1
