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

"""Quantities of the whole robot: batches, errors and identities."""

from dataclasses import replace

import numpy as np
import pytest
from robots import model_of, random_state

import mbd_ros
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError, UnknownNameError

MODEL = model_of([0, 1, 2, 2], ['floating', 'spherical', 'revolute', 'planar'], 6)
STATES = [np.array(column) for column in zip(*(random_state(MODEL, seed) for seed in range(3)))]
LINK = MODEL.body_names[3]
FUNCTIONS = {
    'center_of_mass': 1, 'center_of_mass_jacobian': 1, 'centroidal_map': 1,
    'centroidal_momentum': 2, 'coriolis_matrix': 2, 'gravity_forces': 1, 'regressor': 3}


@pytest.mark.parametrize('name', FUNCTIONS)
def test_batches_are_single_states(name):
    function, inputs = getattr(mbd_ros, name), STATES[:FUNCTIONS[name]]
    single = [function(MODEL, *state) for state in zip(*inputs)]
    # The sums over bodies and axes may be taken in another order: a few roundings.
    np.testing.assert_allclose(function(MODEL, *inputs), single, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize('frame', ['world_aligned', 'local', 'world'])
def test_batches_of_frames_are_single_states(frame):
    q, v, qdd = STATES
    for function, inputs in ((mbd_ros.jacobian, (q,)), (mbd_ros.jacobian_rate, (q, v)),
                             (mbd_ros.frame_velocity, (q, v)),
                             (mbd_ros.frame_acceleration, (q, v, qdd))):
        single = [function(MODEL, *state, LINK, frame=frame) for state in zip(*inputs)]
        # As above.
        np.testing.assert_allclose(function(MODEL, *inputs, LINK, frame=frame), single,
                                   rtol=1e-12, atol=1e-12)


def test_the_jacobian_of_the_mass_centre_gives_its_velocity():
    q, v, _ = random_state(MODEL, 7)
    step = 1e-6
    ahead, behind = (mbd_ros.center_of_mass(MODEL, mbd_ros.integrate(MODEL, q, sign * step * v))
                     for sign in (1.0, -1.0))
    J = mbd_ros.center_of_mass_jacobian(MODEL, q)
    assert J.shape == (3, MODEL.nv)
    # Central differences of 1e-6: rounding 1e-16 / 1e-6 of lengths of a few metres.
    np.testing.assert_allclose(J @ v, (ahead - behind) / (2 * step), atol=1e-8)


@pytest.mark.parametrize('rotors', [0.0, 0.7])
def test_the_coriolis_matrix_belongs_to_the_mass_matrix(rotors):
    # dM/dt - 2 C is skew-symmetric; dM/dt by central differences of 1e-6, good to some 1e-9.
    model = replace(MODEL, armature=MODEL.armature + rotors)
    q, v, _ = random_state(model, 7)
    step = 1e-6
    ahead, behind = (mbd_ros.mass_matrix(model, mbd_ros.integrate(model, q, sign * step * v))
                     for sign in (1.0, -1.0))
    C = mbd_ros.coriolis_matrix(model, q, v)
    skew = (ahead - behind) / (2 * step) - 2 * C
    np.testing.assert_allclose(skew + skew.T, 0.0, atol=1e-7)
    # Sums of numbers of order 10.
    np.testing.assert_allclose(C @ v + mbd_ros.gravity_forces(model, q),
                               mbd_ros.bias_forces(model, q, v), rtol=1e-11, atol=1e-11)


def test_the_regressor_is_linear_in_the_parameters():
    q, v, qdd = random_state(MODEL, 8)
    efforts = mbd_ros.inverse_dynamics(MODEL, q, v, qdd) - MODEL.armature * qdd
    found = mbd_ros.regressor(MODEL, q, v, qdd) @ mbd_ros.inertial_parameters(MODEL).ravel()
    np.testing.assert_allclose(found, efforts, rtol=0.0, atol=1e-11 * np.abs(efforts).max())


def test_a_link_on_the_ground_does_not_move():
    model = model_of([0], ['revolute'], 1)
    q, v, qdd = random_state(model, 1)
    for frame in ('world_aligned', 'local', 'world'):
        assert not mbd_ros.jacobian(model, q, model.root, frame=frame).any()
        assert not mbd_ros.jacobian_rate(model, q, v, model.root, frame=frame).any()
        assert not mbd_ros.frame_velocity(model, q, v, model.root, frame=frame).any()
        assert not mbd_ros.frame_acceleration(model, q, v, qdd, model.root, frame=frame).any()


@pytest.mark.parametrize(('call', 'error', 'text'), [
    (lambda q, v: mbd_ros.center_of_mass(MODEL, q[1:]), ShapeError, 'q'),
    (lambda q, v: mbd_ros.coriolis_matrix(MODEL, q, v * np.nan), NotFiniteError, 'v'),
    (lambda q, v: mbd_ros.coriolis_matrix(MODEL, [q, q], [v, v, v]), ShapeError, '2 states'),
    (lambda q, v: mbd_ros.frame_velocity(MODEL, q, v, 'hand'), UnknownNameError, 'hand'),
    (lambda q, v: mbd_ros.jacobian_rate(MODEL, q, v, 'hand'), UnknownNameError, 'hand'),
    (lambda q, v: mbd_ros.pose(MODEL, q, [LINK]), UnknownNameError, 'no link named'),
    (lambda q, v: mbd_ros.jacobian(MODEL, q, LINK, frame='body'), InvalidValueError,
     "'world_aligned', 'local', 'world'"),
])
def test_bad_input_is_one_clear_error(call, error, text):
    q, v, _ = random_state(MODEL, 1)
    with pytest.raises(error, match=text):
        call(q, v)
