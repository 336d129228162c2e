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

"""Stiff feet of robots with closed loops, against RK4 with small steps."""

import numpy as np
import pytest

import mbd_ros
from mbd_ros import Ground
from mbd_ros.dynamics import compile_model
from mbd_ros.simulation.contact_steps import feet_at
from mbd_ros.simulation.stepper import Stepper

LIMIT = '<limit lower="-9" upper="9" effort="900" velocity="90"/></joint>'
TURNED = 'xyz="0 0 -0.3" rpy="-1.5707963267948966 0 0"'


def link(name, mass, more=''):
    return (f'<link name="{name}"><inertial><origin xyz="0 0 -0.15"/><mass value="{mass}"/>'
            '<inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>'
            f'{more}</link>')


def joint(name, parent, child, at, axis='0 1 0', kind='revolute'):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{at}"/><axis xyz="{axis}"/>{LIMIT}')


FOOT = ('<mbd:contact><point xyz="0 0 -0.3"/><stiffness value="1e6"/><damping value="2e3"/>'
        '<friction value="0.6" slip_speed="0.002"/></mbd:contact>')
HOPPER = ''.join([
    '<robot name="hopper" xmlns:mbd="urn:mbd_ros"><link name="o"/><link name="cart"/>',
    joint('along', 'o', 'cart', '0 0 0', '1 0 0', 'prismatic'),
    joint('up', 'cart', 'body', '0 0 0', '0 0 1', 'prismatic'), link('body', 8),
    joint('hip_l', 'body', 'thigh_l', '-0.1 0 0'), link('thigh_l', 1),
    joint('knee_l', 'thigh_l', 'shin_l', '0 0 -0.3'), link('shin_l', 1, FOOT),
    joint('hip_r', 'body', 'thigh_r', '0.1 0 0'), link('thigh_r', 1),
    joint('knee_r', 'thigh_r', 'shin_r', '0 0 -0.3'), link('shin_r', 1),
    f'<loop_joint name="cut" type="revolute"><link1 link="shin_l" {TURNED}/>',
    f'<link2 link="shin_r" {TURNED}/></loop_joint></robot>'])
"""A body above a leg of five bars, whose foot is where its shins meet."""
HIPS = [2, 4]


@pytest.fixture(scope='module')
def falling():
    """Return the robot, its state 5 mm above the ground, and what holds its hips."""
    model = mbd_ros.load(HOPPER)
    q, v = mbd_ros.close_loops(model, [0.0, 0.0, 0.6, -1.7, -0.6, 1.7],
                               known=['along', 'up', 'hip_l', 'hip_r'])
    q[1] = 5e-3 - mbd_ros.contact_forces(model, q, v, Ground()).points[0, 2]
    v[:2] = 0.3, -0.5
    rest = q[HIPS]

    def holding(t, q, v):
        tau = np.zeros(model.nv)
        tau[HIPS] = 400.0 * (rest - q[HIPS]) - 8.0 * v[HIPS]
        return tau
    return model, q, v, holding


@pytest.mark.parametrize('stabilization', ['projection', 'baumgarte'])
def test_a_leg_of_five_bars_lands(falling, stabilization):
    model, q, v, tau = falling
    how = {'ground': Ground(), 'tau': tau, 'stabilization': stabilization}
    fine = mbd_ros.simulate(model, q, v, 0.05, step=2e-5, method='rk4', record_every=25, **how)
    run = mbd_ros.simulate(model, q, v, 0.05, **how)   # with 0.5 ms; RK4 asks for 0.23 ms
    assert {'ground', 'integrator'} < set(run.parts) and run.parts['ground'][-1] < -0.3
    # The way of a step, once, as it lands; found a fifth of it.
    np.testing.assert_allclose(run.q, fine.q, atol=5e-4 * np.abs(fine.v).max())
    np.testing.assert_allclose(run.parts['ground'][-1], fine.parts['ground'][-1], rtol=0.05)
    # What the loop closes by is no force that was left out; rounding.
    assert np.abs(run.balance).max() < 1e-12 * run.exchanged
    # Landings are known to a step; found 2.5e-4.
    assert np.abs(run.parts['integrator']).max() < 1e-3 * run.exchanged
    if stabilization == 'projection':
        assert run.violation.max() < 1e-13   # as after every step
    else:
        assert run.violation.max() < 1e-4   # which decays; found 4e-6


def test_steps_beside_a_clock_are_the_same(falling):
    model, q, v, _ = falling
    run = mbd_ros.simulate(model, q, v, 0.02, step=1e-3, ground=Ground())
    stepper = Stepper(model, q, v, step=1e-3, ground=Ground())
    stepper.audits = True
    stepper.advance(np.zeros(model.nv), 0.02)
    np.testing.assert_allclose(stepper.q, run.q[-1], rtol=0.0, atol=1e-12)
    for name, part in {**run.parts, 'balance': run.balance}.items():
        np.testing.assert_allclose(stepper.energies[name], part[-1], rtol=0.0, atol=1e-9)


def test_how_easily_a_foot_moves_in_a_loop(falling):
    """By how much a force of one newton along the normal accelerates it."""
    model, q, v, _ = falling
    normal = np.array([0.6, 0.0, 0.8])
    place = mbd_ros.contact_forces(model, q, v, Ground()).points[0]
    arm = place - mbd_ros.pose(model, q, 'shin_l')[:3, 3]
    push = {'shin_l': np.concatenate([normal, np.cross(arm, normal)])}
    none = np.zeros(model.nv)
    pushed, free = (mbd_ros.forward_dynamics(model, q, none, none, external_forces=loads)
                    for loads in (push, None))
    J = mbd_ros.jacobian(model, q, 'shin_l')
    expected = (normal @ J[:3] + np.cross(arm, normal) @ J[3:]) @ (pushed - free)
    feet = feet_at(compile_model(model, ground=Ground(0.0, normal)), q)
    assert feet.mobility == pytest.approx(expected, rel=1e-9)
