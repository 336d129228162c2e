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


"""Quantities beside dynamics: straight-line code, loops and NumPy agree, and so do keywords."""

import multiprocessing

import numpy as np
import pytest
from robots import model_of, random_state

import mbd_ros
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError, UnknownNameError

# A floating base and a branch: all kinds of joints, few bodies, for they are compiled.
MODEL = model_of([0, 1, 1], ['floating', 'revolute', 'prismatic'], 6)
LINK = MODEL.body_names[-1]
STATES = [np.array(part) for part in zip(*(random_state(MODEL, k) for k in range(5)))]
WHOLE = {
    'center_of_mass': 1, 'center_of_mass_jacobian': 1, 'centroidal_map': 1,
    'centroidal_momentum': 2, 'coriolis_matrix': 2, 'gravity_forces': 1, 'regressor': 3,
    'energy': 2, 'link_poses': 1, 'center_of_mass_velocity_derivatives': 2,
    'centroidal_momentum_derivatives': 3, 'gravity_forces_derivatives': 1}
OF_LINKS = {
    'frame_velocity': 2, 'frame_acceleration': 3, 'jacobian_derivatives': 1,
    'frame_velocity_derivatives': 2, 'frame_acceleration_derivatives': 3}


def close(found, expected):
    """Compare after some hundred roundings of numbers below 100, in another order."""
    for one, other in zip(found, expected) if isinstance(found, tuple) else [(found, expected)]:
        np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize('executor', [None, mbd_ros.Compiled('rolled')])
@pytest.mark.parametrize('name', sorted(WHOLE))
def test_prepared_quantities(name, executor):
    dyn = mbd_ros.compile(MODEL, executor=executor)
    states = STATES[:WHOLE[name]]
    one = [part[2] for part in states]
    expected = getattr(mbd_ros.compile(MODEL, executor='interpreted'), name)(*one)
    close(getattr(dyn, name)(*one), expected)
    many = getattr(dyn, name)(*states)
    close(tuple(part[2] for part in many) if isinstance(many, tuple) else many[2], expected)
    empty = getattr(dyn, name)(*(part[:0] for part in states))
    assert len(empty[0] if isinstance(empty, tuple) else empty) == 0


@pytest.mark.parametrize('frame', ['world_aligned', 'local', 'world'])
@pytest.mark.parametrize('name', sorted(OF_LINKS))
def test_prepared_quantities_of_links(name, frame):
    states = STATES[:OF_LINKS[name]]
    one = [part[2] for part in states]
    expected = mbd_ros.compile(MODEL, executor='interpreted').of_link(name, LINK, frame)(*one)
    close(mbd_ros.compile(MODEL, executor='rolled').of_link(name, LINK, frame)(*one), expected)
    dyn = mbd_ros.compile(MODEL)
    close(dyn.of_link(name, LINK, frame)(*one), expected)
    close(getattr(dyn, name)(*one, LINK, frame), expected)
    close(getattr(mbd_ros, name)(MODEL, *one, LINK, frame=frame), expected)


def test_unknown_links_frames_and_functions():
    dyn, (q, v, _) = mbd_ros.compile(MODEL), [part[0] for part in STATES]
    with pytest.raises(UnknownNameError):
        dyn.frame_velocity(q, v, 'no')
    with pytest.raises(UnknownNameError):
        dyn.pose(q, ['no'])
    with pytest.raises(InvalidValueError, match='world_aligned'):
        dyn.frame_velocity(q, v, LINK, 'no')
    with pytest.raises(InvalidValueError, match='jacobian_rate'):
        dyn.of_link('no', LINK)


@pytest.mark.parametrize('keywords', [
    {'gravity': (1.0, 2.0, 3.0)}, {'gravity': [1.0, 2.0, 3.0]},
    {'gravity': np.array([1.0, 2.0, 3.0])}, {'dissipation': True},
    {'external_forces': {LINK: np.arange(6.0)}},
    {'external_forces': {LINK: np.arange(6.0), MODEL.body_names[0]: [1, 2, 3, 4, 5, 6]},
     'dissipation': True, 'gravity': (0.0, 0.0, -1.0)}], ids=range(6))
def test_keywords_by_machine_code(keywords):
    """As by the old way, which an executor that is named takes."""
    q, v, third = STATES
    for function, arguments in ((mbd_ros.forward_dynamics, (q, v, third)),
                                (mbd_ros.inverse_dynamics, (q, v, third)),
                                (mbd_ros.bias_forces, (q, v))):
        expected = function(MODEL, *arguments, **keywords, executor='interpreted')
        close(function(MODEL, *arguments, **keywords), expected)
        close(function(MODEL, *(part[1] for part in arguments), **keywords), expected[1])


@pytest.mark.parametrize(('force', 'error'), [
    (np.arange(5.0), ShapeError), ([np.nan] * 6, NotFiniteError), ('a', InvalidValueError)])
def test_forces_that_are_none_are_named(force, error):
    with pytest.raises(error, match='external_forces'):
        mbd_ros.forward_dynamics(MODEL, *(part[0] for part in STATES),
                                 external_forces={LINK: force})


def test_other_gravity_is_not_taken_for_a_known_one():
    q = STATES[0][0]
    gravity = np.array([0.0, 0.0, -1.0])
    once = mbd_ros.gravity_forces(MODEL, q, gravity=gravity)
    gravity *= 2.0   # the same array
    close(mbd_ros.gravity_forces(MODEL, q, gravity=gravity), 2.0 * once)


@pytest.mark.parametrize('count', [None, 4000])
def test_random_configurations_are_uniform_between_the_limits(count):
    """Drawn one by one by machine code, and as a batch by NumPy."""
    model = mbd_ros.load('package://mbd_ros/urdf/panda.urdf')
    drawn = mbd_ros.random_configuration(model, count=count) if count else np.array([
        mbd_ros.random_configuration(model) for _ in range(4000)])
    part = (drawn - model.lower) / (model.upper - model.lower)
    assert part.min() >= 0.0 and part.max() <= 1.0
    # six standard deviations of 4,000 numbers: 2e-9 for each of 7 + 49 + 70 that are looked at
    far = 6.0 / np.sqrt(len(drawn))
    centred = (part - 0.5) * np.sqrt(12.0)   # variance 1
    np.testing.assert_allclose(centred.mean(axis=0), 0.0, atol=far)
    np.testing.assert_allclose(centred.T @ centred / len(drawn), np.eye(model.nv), atol=far)
    counts = np.array([np.histogram(one, 10, (0.0, 1.0))[0] for one in part.T]) / len(drawn)
    np.testing.assert_allclose(counts, 0.1, atol=0.3 * far)   # their deviation: sqrt(0.1 * 0.9)


def _drawn(_):
    return mbd_ros.random_configuration(MODEL).tolist()


def test_random_configurations_of_two_processes_differ():
    first = mbd_ros.random_configuration(MODEL)
    assert not np.allclose(first, mbd_ros.random_configuration(MODEL))
    with multiprocessing.get_context('fork').Pool(1) as pool:
        (other,) = pool.map(_drawn, [0])
    assert not np.allclose(other, _drawn(0))
