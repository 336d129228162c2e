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

"""What joints carry: reference numbers, Pinocchio, free bodies, formulations."""

import json
from pathlib import Path

from hypothesis import given, settings, strategies as st
from loop_models import case_model
import numpy as np
import pinocchio as pin
import pytest
from random_loops import random_loops
from robots import all_trees, random_state, trees

import mbd_ros
from mbd_ros.dynamics.functions.joint_wrenches import wrench_names

ROOT = Path(__file__).parents[3]
PUMA = mbd_ros.load(ROOT / 'urdf' / 'puma560.urdf')
STATES = json.loads((ROOT / 'test/data/puma560.json').read_text())['models']['puma6']['states']
FORMULATIONS = ['auto', 'closed_loop', 'jourdain', 'kane', 'augmented']


def close(found, expected, part):
    expected = np.array(expected)
    np.testing.assert_allclose(found, expected, rtol=0, atol=part * np.abs(expected).max())


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('state', STATES, ids=range(len(STATES)))
def test_puma560(state, formulation):
    expected = [one['f'] + one['m'] for one in state['joint_wrench']]
    found = mbd_ros.joint_wrenches(PUMA, state['q'], state['qd'], state['tau'],
                                   formulation=formulation)
    close(found, expected, 1e-12)   # the figure of the specification; condition of M below 1e4


@settings(max_examples=30)
@given(text=trees(), seed=st.integers(0, 99))
def test_against_pinocchio(text, seed):
    model, peer = mbd_ros.load(text), pin.buildModelFromXML(text)
    q, v, tau = random_state(model, seed)
    data = peer.createData()
    place = pin.neutral(peer)
    for name, first in zip(model.joint_names, model.q_offsets):
        joint = peer.joints[peer.getJointId(name)]
        angle = q[first]
        place[joint.idx_q:joint.idx_q + joint.nq] = (
            [np.cos(angle), np.sin(angle)] if joint.nq == 2 else [angle])
    pin.rnea(peer, data, place, v, pin.aba(peer, data, place, v, tau))
    expected = [data.f[peer.getJointId(name)].vector for name in model.joint_names]
    found = mbd_ros.joint_wrenches(model, q, v, tau, executor='interpreted')
    close(found, expected, 1e-11)   # condition of M below 1e4


@settings(max_examples=15)
@given(model=all_trees(), seed=st.integers(0, 99))
def test_formulations_agree_on_trees(model, seed):
    q, v, tau = random_state(model, seed)
    pushed = {model.body_names[-1]: np.arange(6.0), model.body_names[0]: np.ones(6)}
    expected = mbd_ros.joint_wrenches(model, q, v, tau, external_forces=pushed,
                                      executor='interpreted')
    found = mbd_ros.joint_wrenches(model, q, v, tau, external_forces=pushed,
                                   formulation='augmented')
    close(found, expected, 1e-11)   # condition of M below 1e4


@pytest.mark.parametrize('executor', ['interpreted', 'unrolled', 'rolled', 'lanes', 'threads'])
def test_every_executor_gives_the_same(executor):
    q, v, tau = random_state(PUMA, 1)
    many = [np.stack([one] * 9) for one in (q, v, tau)]
    expected = mbd_ros.joint_wrenches(PUMA, q, v, tau, executor='interpreted')
    found = mbd_ros.joint_wrenches(PUMA, *many, executor=executor)
    for one in found:
        np.testing.assert_allclose(one, expected, rtol=1e-12, atol=1e-12)   # same operations


@pytest.mark.parametrize('seed', range(6))
def test_loops_springs_friction_and_external_forces(seed):
    model, q, v = random_loops(seed, 5, 2, springs=1)
    q, v = mbd_ros.close_loops(model, q, v)
    tau = np.random.default_rng(seed).normal(size=(3, model.nv))
    for keywords in ({}, {'dissipation': True}, {'gravity': (1.0, 2.0, 3.0)},
                     {'external_forces': {model.body_names[-1]: np.arange(6.0)}}):
        found, expected = (mbd_ros.joint_wrenches(model, q, v, tau, formulation=name, **keywords)
                           for name in ('augmented', 'auto'))
        assert expected.shape == (3, len(wrench_names(model)), 6)
        close(found, expected, 1e-11)   # condition of the rows below 1e3


@pytest.mark.parametrize('robot', ['tree', 'spatial10_revolute', 'fourbar_revolute'])
def test_the_ground_carries_what_moves_the_mass_center(robot):
    model = PUMA if robot == 'tree' else case_model(robot)
    rng = np.random.default_rng(2)
    q, v = 0.3 * rng.normal(size=model.nq), rng.normal(size=model.nv)
    if model.loops:
        q, v = mbd_ros.close_loops(model, q, v)
    tau = rng.normal(size=model.nv)
    wrenches = mbd_ros.joint_wrenches(model, q, v, tau)
    poses = mbd_ros.link_poses(model, q)
    force = np.zeros(3)
    for parent, link, wrench in zip(model.parents, model.body_names, wrenches):
        force += poses[link][:3, :3] @ wrench[:3] if parent < 0 else 0.0
    for loop, wrench in zip(model.loops, wrenches[model.nb:]):
        frame = loop.frame2
        turn = frame.rotation if frame.body < 0 else poses[
            model.body_names[frame.body]][:3, :3] @ model.links[
                model.body_names[frame.body]].rotation.T @ frame.rotation
        if loop.body1 < 0:
            force += turn @ wrench[:3]
        elif loop.body2 < 0:
            force -= turn @ wrench[:3]
    vdot, h = mbd_ros.forward_dynamics(model, q, v, tau), 1e-4

    def center(t):
        return mbd_ros.center_of_mass(model, q + v * t + vdot * t * t / 2)

    rate = (center(h) - 2 * center(0.0) + center(-h)) / h**2
    # Second differences: rounding of 1e-16 / h^2, and h^2 times a fourth derivative.
    expected = model.masses.sum() * (rate + np.array([0.0, 0.0, 9.81]))
    np.testing.assert_allclose(force, expected, atol=1e-4, rtol=1e-6)


def test_a_joint_that_follows_another_carries_the_coupling():
    before, joint3 = (ROOT / 'urdf' / 'puma560.urdf').read_text().split('<joint name="joint3"')
    follows = joint3.replace('</joint>', '<mimic joint="joint1" multiplier="-2"/></joint>', 1)
    model = mbd_ros.load(before + '<joint name="joint3"' + follows, mimic=True)
    q, v = mbd_ros.close_loops(model, *random_state(model, 1)[:2])
    tau = np.arange(6.0)
    found = mbd_ros.joint_wrenches(model, q, v, tau)
    assert found.shape == (6, 6)
    close(mbd_ros.joint_wrenches(model, q, v, tau, formulation='augmented'), found, 1e-11)
    vdot = mbd_ros.forward_dynamics(model, q, v, tau)
    held = mbd_ros.constrained_dynamics(model, q, v, tau).multipliers[0]
    # Along the axes: drive, coupling, less what the rotors take.
    coupled = tau + held * np.array([2.0, 0.0, 1.0, 0.0, 0.0, 0.0]) - model.armature * vdot
    close(found[:, 5], coupled, 1e-11)


def test_the_result_can_be_put_into_an_array():
    q, v, tau = random_state(PUMA, 1)
    out = np.empty((6, 6))
    assert mbd_ros.joint_wrenches(PUMA, q, v, tau, out=out) is out
    assert np.array_equal(out, mbd_ros.joint_wrenches(PUMA, q, v, tau))
