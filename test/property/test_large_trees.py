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

"""Large trees of joints of all kinds: every way to run one state gives the same answer."""

import numpy as np
import pinocchio as pin
import pytest
from robots import chain, model_of, random_state, urdf

import mbd_ros
from mbd_ros import Compiled, Lanes, Threads
from mbd_ros.dynamics.algorithms.forward_dynamics import FORWARD_DYNAMICS

LEG = ('spherical', 'revolute', 'planar', 'prismatic', 'revolute', 'floating', 'continuous',
       'spherical')
WAYS = {'rolled': (Compiled('rolled'), 'rolled'),
        'two lanes': (Lanes(2), 'rolled, 2 lanes'),
        'four lanes': (Lanes(4), 'unrolled, 4 lanes'),
        'two threads': (Threads(2, within_state=True), 'rolled, 2 threads'),
        'three threads': (Threads(3, within_state=True), 'rolled, 3 threads')}


@pytest.fixture(scope='module')
def legged():
    """Return a body with three legs of 24 joints of all kinds."""
    parents = [i for leg in range(3) for i in (0, *(1 + leg * 24 + k for k in range(23)))]
    return model_of(parents, list(LEG) * 9, 4)


@pytest.fixture(scope='module')
def expected(legged):
    state = random_state(legged, 1)
    return state, [getattr(mbd_ros, name)(legged, *state, executor='interpreted')
                   for name in ('forward_dynamics', 'inverse_dynamics')]


@pytest.mark.parametrize('way', WAYS)
def test_joints_of_all_kinds(way, legged, expected):
    executor, ran = WAYS[way]
    assert executor.kernel(FORWARD_DYNAMICS, legged).name == ran
    state, results = expected
    for name, result in zip(('forward_dynamics', 'inverse_dynamics'), results):
        found = getattr(mbd_ros, name)(legged, *state, executor=executor)
        # Other orders of sums: roundings of 1e-16 times the condition, which is below 1e5 here.
        np.testing.assert_allclose(found, result, rtol=0.0, atol=1e-11 * np.abs(result).max())
        np.testing.assert_array_equal(
            found, getattr(mbd_ros, name)(legged, *state, executor=executor))


def twins():
    parents = [i for leg in range(2) for i in (0, *(1 + leg * 40 + k for k in range(39)))]
    return urdf(parents, ['revolute', 'prismatic'] * 40, 3)


@pytest.mark.parametrize(('text', 'executors'), [
    (twins(), [Lanes(2), Threads(2, within_state=True)]), (chain(100, 3), [Lanes(2), Lanes(4)])],
    ids=['twins', 'chain'])
def test_against_pinocchio(text, executors):
    model, peer = mbd_ros.load(text), pin.buildModelFromXML(text)
    q, v, tau = random_state(model, 5)
    expected = pin.aba(peer, peer.createData(), q, v, tau)
    for executor in executors:
        found = mbd_ros.forward_dynamics(model, q, v, tau, executor=executor)
        # Two programs of their own: some 100 roundings, amplified by the condition.
        np.testing.assert_allclose(found, expected, rtol=0.0,
                                   atol=1e-9 * np.abs(expected).max())
