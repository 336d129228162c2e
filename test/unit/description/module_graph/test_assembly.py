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

"""Modules as links and joints: against an independent program, and against plain geometry."""

from dataclasses import replace
import json
from pathlib import Path

from hypothesis import given, settings, strategies as st
from modules import ARM, CUBE, cubes, docked, document
import numpy as np
import pytest
from robots import random_state
from swimmers import REFERENCE
from transforms3d.axangles import axangle2mat
from transforms3d.quaternions import mat2quat

import mbd_ros
from mbd_ros.description import read
from mbd_ros.description.modules import (
    assemble, read_module_graph, read_module_graph_file)
from mbd_ros.description.records.mechanism import Pose
from mbd_ros.model.build import build_model

ROOT = Path(__file__).resolve().parents[4]
PAPER = json.loads((ROOT / 'test' / 'data' / 'modules.json').read_text())
FILES = {'nine': 'nine_modules', 'quadruped': 'quadruped'}


def model_of(text):
    return build_model(assemble(read_module_graph(text, 'robot.yaml')))


def homogeneous(pose):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = pose.rotation, pose.translation
    return matrix


def turn(axis, angle):
    matrix = np.eye(4)
    matrix[:3, :3] = axangle2mat(axis, angle)
    return matrix


@pytest.mark.parametrize('name', FILES)
def test_accelerations_of_the_robots_of_the_paper(name):
    """Their frames have z down: the world they are in, with z up, is turned about x."""
    model, moving = shipped(name), PAPER['robots'][name]['moving']
    for state in PAPER['robots'][name]['states']:
        found, energy = accelerations(model, moving, state, None)
        # two programs in double precision; accelerations up to 1e2
        assert found == pytest.approx(np.array(state['udot']), rel=1e-10, abs=1e-10)
        assert energy.kinetic == pytest.approx(state['kinetic'], rel=1e-11)
    for state in REFERENCE['robots'][name]['states']:
        east, north, up = np.array(state['current']) * [1.0, -1.0, -1.0]
        found, energy = accelerations(model, moving, state, mbd_ros.Fluid(
            current=(east, north, up)))
        wanted = state['results']['+added mass, current']
        # The coefficients of the files have 12 digits.
        assert found == pytest.approx(np.array(wanted['udot']), rel=1e-9, abs=1e-9)
        assert energy.kinetic == pytest.approx(wanted['kinetic'], rel=1e-9)


def shipped(name):
    """Return a robot of config/modules with its base at the world's origin."""
    graph = read_module_graph_file(ROOT / 'config' / 'modules' / f'{FILES[name]}.yaml')
    upside_down = replace(graph.base.pose, translation=(0.0, 0.0, 0.0))
    return build_model(assemble(replace(graph, base=replace(graph.base, pose=upside_down))))


def accelerations(model, moving, state, fluid):
    """Return accelerations in the order of the paper, base first in its world, and energies."""
    bodies = [body.partition('/')[0] for body in model.body_names]
    q_of = [model.q_offsets[bodies.index(module)] for module in moving]
    v_of = [model.v_offsets[bodies.index(module)] for module in moving]
    rotation = np.array(state['R0'])
    w, x, y, z = mat2quat(rotation)
    u = np.array(state['u'])
    q, v, tau = np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv)
    q[:7], q[q_of] = [*state['p0'], x, y, z, w], state['q']
    v[:3], v[3:6], v[v_of] = rotation.T @ u[:3], u[3:6], u[6:]
    tau[v_of] = state['tau']
    vdot = mbd_ros.forward_dynamics(model, q, v, tau, gravity=(0.0, 0.0, -9.8), fluid=fluid)
    return ([*rotation @ (vdot[:3] + np.cross(v[3:6], v[:3])), *vdot[3:6], *vdot[v_of]],
            mbd_ros.energy(model, q, v, fluid=fluid))


@pytest.mark.parametrize('name', FILES)
def test_robots_of_the_paper_stand_upright(name):
    """Above the ground, mass centres of the base below its middle."""
    model = mbd_ros.load(ROOT / 'config' / 'modules' / f'{FILES[name]}.yaml')
    pose = mbd_ros.pose(model, mbd_ros.neutral(model), 's0/hull')
    assert pose[2, 2] == pytest.approx(-1.0)
    assert pose[2, 3] > 0.9


@given(st.floats(-3.0, 3.0), st.sampled_from(['0', '90 deg']), st.sampled_from(['left', 'top']),
       st.sampled_from(['start', 'swing', 'rigid']))
@settings(max_examples=20, deadline=None)
def test_docked_ports_face_each_other(position, angle, port, start):
    """The ports' origins coincide, x is opposite, and the angle and the joint turn the mark."""
    graph = read_module_graph(
        document('a: cube, b: cube', docked(f'a.{port}', f'b.{start}', angle)), 'robot.yaml')
    model = build_model(assemble(graph))
    q = np.full(model.nq, position)
    inner = homogeneous(graph.port('a', port).pose)
    outer = mbd_ros.pose(model, q, 'b/hull') @ homogeneous(graph.port('b', start).pose)
    facing = turn((1, 0, 0), np.radians(float(angle.split()[0]))) @ turn((0, 0, 1), np.pi)
    axis = {'start': (0, 0, 1), 'swing': (0.6, 0, 0.8)}.get(start)
    motion = np.eye(4) if axis is None else turn(axis, position)
    assert model.nq == (axis is not None)
    # products of a few rotations in double precision
    assert np.allclose(outer, inner @ facing @ motion, rtol=0.0, atol=1e-14)


def test_a_module_docked_by_its_other_end_is_the_same_module():
    """By foot or by hand, with a joint on either side: the relative pose of its bodies agrees."""
    foot, hand = (model_of(document('a: cube, b: arm', docked('a.front', f'b.{port}'),
                                    types=CUBE + ARM)) for port in ('foot', 'hand'))
    assert foot.joint_names == ('b/elbow',)
    assert hand.joint_names == ('b/hand', 'b/elbow')
    for bend in (-1.0, 0.7):
        relative = []
        for model in (foot, hand):
            q = np.full(model.nq, 0.4)
            q[-1] = bend
            lower, upper = (mbd_ros.pose(model, q, f'b/{body}') for body in ('lower', 'upper'))
            relative.append(np.linalg.inv(lower) @ upper)
        assert np.allclose(*relative, rtol=0.0, atol=1e-14)   # rounding of a few products
    elbow = hand.mechanism.joints[[one.name for one in hand.mechanism.joints].index('b/elbow')]
    assert (elbow.limits.lower, elbow.limits.upper) == (-2.0, np.radians(100.0))
    assert hand.armature.tolist() == [0.0, 0.01]


def test_mass_properties_do_not_depend_on_the_port():
    """The locked robot has the same total mass and energy whichever way the module is docked."""
    text = document('a: cube, b: arm', docked('a.front', 'b.hand'), types=CUBE + ARM)
    model = model_of(text)
    assert model.masses.sum() == pytest.approx(2.5)   # of the ground-fixed cube nothing moves
    graph = read_module_graph(text, 'robot.yaml')
    assert [link.name for link in assemble(graph).links] == [
        'a/hull', 'b/hand_frame', 'b/lower', 'b/upper', 'b/elbow_frame']


@pytest.mark.parametrize(('motion', 'pose', 'root', 'joints'), [
    ('fixed', '', 'a/hull', ()),
    ('fixed', ', position: [1, 2, 3], orientation: [0, 0, 90 deg]', 'world', ()),
    ('floating', '', 'world', ('floating_base',)),
    ('floating', ', position: [1, 2, 3], orientation: [0, 0, 90 deg]', 'world',
     ('floating_base',)),
])
def test_the_base(motion, pose, root, joints):
    model = model_of(document('a: cube').replace('motion: fixed', f'motion: {motion}{pose}'))
    assert (model.root, model.joint_names) == (root, joints)
    if pose:
        assert np.allclose(mbd_ros.pose(model, mbd_ros.neutral(model), 'a/hull'),
                           [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])


RING = (docked('a.left', 'b.rigid'), docked('b.front', 'c.start'),
        'parent: a.front, child: c.top, closes_loop: true')


@pytest.mark.parametrize(('port', 'kind'), [('top', 'fixed'), ('swing', 'revolute')])
def test_a_ring_becomes_a_loop_joint(port, kind):
    closing = f'parent: a.front, child: c.{port}, closes_loop: true'
    mechanism = assemble(read_module_graph(
        document('a: cube, b: cube, c: cube', *RING[:2], closing), 'robot.yaml'))
    assert [joint.name for joint in mechanism.joints] == ['b/rigid', 'c/start']
    (loop,) = mechanism.loop_joints
    assert (loop.name, loop.kind, loop.link1, loop.link2) == (
        f'c/{port}', kind, 'a/hull', 'c/hull')
    assert loop.source.line is not None
    if kind == 'fixed':
        assert loop.frame2 == read_module_graph(document('a: cube'), '').types['cube'].ports[
            'top'].pose
        assert loop.frame1 == Pose(((-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)),
                                   (0.2, 0.0, 0.0))
    else:   # z of both frames is the axis of the port's joint, seen from either side
        axis = np.array([0.6, 0.0, 0.8])
        assert np.allclose(np.array(loop.frame2.rotation)[:, 2], axis * [-1, 1, 1])
        assert np.allclose(np.array(loop.frame1.rotation)[:, 2], axis * [-1, 1, 1])
    assert f'<loop_joint name="c/{port}" type="{kind}">' in mechanism.text


def test_a_ring_may_be_closed_before_its_modules_are_connected():
    first, last = (assemble(read_module_graph(
        document('a: cube, b: cube, c: cube', *order), 'robot.yaml'))
        for order in ((RING[2], *RING[:2]), RING))
    assert [joint.name for joint in first.joints] == [joint.name for joint in last.joints]
    assert first.loop_joints[0].name == last.loop_joints[0].name


def test_what_a_port_joint_loses_where_it_closes_a_ring():
    text = document('a: cube, b: cube, c: cube', *RING[:2],
                    'parent: a.front, child: c.swing, closes_loop: true')
    assert assemble(read_module_graph(text, 'robot.yaml')).findings == ()
    text = text.replace('axis: [0.6, 0, 0.8]', 'axis: [0.6, 0, 0.8], limits: {effort: 3}, '
                        'dynamics: {friction: 1}')
    line = next(k for k, row in enumerate(text.splitlines(), 1) if 'closes_loop' in row)
    what = "port joint 'c/swing' closes a loop: it has no coordinate, and its"
    assert [(f.severity, f.message, f.line) for f in
            assemble(read_module_graph(text, 'robot.yaml')).findings] == [
        ('warning', f'{what} damping, friction and armature are not used', line),
        ('info', f'{what} limits are not used', line)]


@given(cubes())
@settings(max_examples=15, deadline=None)
def test_the_urdf_of_a_robot_is_the_same_robot(text):
    mechanism = assemble(read_module_graph(text, 'robot.yaml'), generation=7)
    again = read(mechanism.text)
    assert again.generation == 7
    assert not [one for one in again.findings if one.severity != 'info']
    first, second = build_model(mechanism), build_model(again)
    assert first.joint_names == second.joint_names
    q, v, tau = random_state(first, 3)
    # angles in the text have all digits, their cosines rounding
    assert mbd_ros.inverse_dynamics(first, q, v, tau) == pytest.approx(
        mbd_ros.inverse_dynamics(second, q, v, tau), rel=1e-9, abs=1e-9)


def test_limits_and_dynamics_are_in_the_urdf():
    mechanism = assemble(read_module_graph(
        document('a: cube, b: arm', docked('a.front', 'b.foot'), types=CUBE + ARM), 'r.yaml'))
    (elbow,) = [one for one in read(mechanism.text).joints if one.kind == 'revolute']
    limits, dynamics = elbow.limits, elbow.dynamics
    assert (limits.lower, limits.upper, limits.velocity, limits.effort) == (
        -2.0, np.radians(100.0), 3.0, 20.0)
    assert (dynamics.damping, dynamics.friction, dynamics.armature) == (0.1, 0.05, 0.01)
