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

"""Rotors turn with their joints alone: what each function owes them, on robots of all joints."""

from dataclasses import replace

import numpy as np
import pytest
from robots import model_of, random_state

import mbd_ros

KINDS = ['floating', 'spherical', 'planar', 'prismatic', 'revolute', 'continuous']
BARE = model_of([0, 1, 2, 2, 4, 5], KINDS, 3)
MODEL = replace(BARE, armature=np.linspace(0.1, 2.0, BARE.nv))
# 1e-12: sums of some twenty terms near 10; the condition of M is below 1e3.
CLOSE = {'rtol': 1e-11, 'atol': 1e-11}


def skew(vector):
    """Return the matrix of the cross product."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


@pytest.mark.parametrize('executor', ['interpreted', 'unrolled', 'rolled'])
def test_rotors_add_their_inertia_to_what_joints_need(executor):
    model = model_of([0, 1, 2], ['revolute', 'floating', 'prismatic'], 5)
    rotors = np.diag(np.linspace(0.1, 2.0, model.nv))
    bare, dyn = (mbd_ros.compile(one, executor=executor)
                 for one in (model, replace(model, armature=rotors.diagonal())))
    for seed in range(3):
        q, v, qdd = random_state(model, seed)
        mass = bare.mass_matrix(q) + rotors
        velocity, spin = v[1:4], v[4:7]   # of the floating joint
        drift, slopes = np.zeros(model.nv), np.zeros((model.nv, model.nv))
        drift[1:4] = np.cross(spin, velocity)
        slopes[1:4, 1:4], slopes[1:4, 4:7] = skew(spin), -skew(velocity)
        tau = bare.inverse_dynamics(q, v, qdd) + rotors @ (qdd + drift)
        np.testing.assert_allclose(dyn.mass_matrix(q), mass, **CLOSE)
        np.testing.assert_allclose(dyn.inverse_dynamics(q, v, qdd), tau, **CLOSE)
        np.testing.assert_allclose(
            dyn.bias_forces(q, v), bare.bias_forces(q, v) + rotors @ drift, **CLOSE)
        np.testing.assert_allclose(dyn.forward_dynamics(q, v, tau), qdd, **CLOSE)
        without = bare.inverse_dynamics_derivatives(q, v, qdd)
        inverse = dyn.inverse_dynamics_derivatives(q, v, qdd)
        np.testing.assert_allclose(inverse.dq, without.dq, **CLOSE)
        turned = without.dv + rotors @ slopes
        np.testing.assert_allclose(inverse.dv, turned, **CLOSE)
        np.testing.assert_allclose(inverse.dqdd, mass, **CLOSE)
        forward = dyn.forward_dynamics_derivatives(q, v, tau)
        np.testing.assert_allclose(mass @ forward.dq, -without.dq, **CLOSE)
        np.testing.assert_allclose(mass @ forward.dv, -turned, **CLOSE)
        np.testing.assert_allclose(mass @ forward.dtau, np.eye(model.nv), **CLOSE)
        assert dyn.energies(q, v)[:, 0].sum() == pytest.approx(0.5 * v @ mass @ v, rel=1e-12)


@pytest.mark.parametrize('formulation', ['closed_loop', 'jourdain', 'kane', 'augmented',
                                         'flexible'])
@pytest.mark.parametrize('model', [BARE, MODEL], ids=['bare', 'rotors'])
def test_all_formulations_agree(model, formulation):
    """Under a force on a link, with damping and friction, for one state and for many."""
    rng = np.random.default_rng(4)
    model = replace(model, damping=rng.uniform(0.1, 1.0, model.nv),
                    friction=rng.uniform(0.1, 1.0, model.nv))
    states = [np.array(part) for part in zip(*(random_state(model, k) for k in range(3)))]
    how = {'gravity': (1.0, -2.0, -9.0), 'dissipation': True, 'executor': 'interpreted',
           'external_forces': {model.body_names[-1]: rng.normal(size=(3, 6))}}
    for function in (mbd_ros.inverse_dynamics, mbd_ros.forward_dynamics, mbd_ros.joint_wrenches):
        np.testing.assert_allclose(function(model, *states, formulation=formulation, **how),
                                   function(model, *states, **how), **CLOSE)
    q, v, _ = states
    np.testing.assert_allclose(
        *(mbd_ros.bias_forces(model, q, v, formulation=name, executor='interpreted')
          for name in (formulation, 'auto')), **CLOSE)
    np.testing.assert_allclose(
        *(mbd_ros.mass_matrix(model, q, formulation=name, executor='interpreted')
          for name in (formulation, 'auto')), **CLOSE)


def test_joints_carry_their_rotors():
    """Along its axes a joint carries what drives it, less what its rotor takes."""
    for seed in range(5):
        q, v, tau = random_state(MODEL, seed)
        drift = np.zeros(MODEL.nv)   # of the first joint, which floats, and the third, planar
        drift[:3] = np.cross(v[3:6], v[:3])
        drift[9:11] = -v[11] * v[10], v[11] * v[9]
        vdot, wrenches = (function(MODEL, q, v, tau, executor='interpreted')
                          for function in (mbd_ros.forward_dynamics, mbd_ros.joint_wrenches))
        wrenches = np.roll(wrenches, 3, axis=-1)
        found = np.concatenate([
            (wrench.reshape(2, 3) @ link_to_joint(MODEL, body)).ravel()[list(kind.pair.axes)]
            for body, (wrench, kind) in enumerate(zip(wrenches, MODEL.joint_types))])
        np.testing.assert_allclose(found, tau - MODEL.armature * (vdot + drift), **CLOSE)


def link_to_joint(model, body):
    """Return the axes (3, 3) of a link in those of its body, whose z is a joint's axis."""
    return model.links[model.body_names[body]].rotation.T
