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

"""Prepared objects pickle and copy as their model and settings."""

import copy
import pickle

import numpy as np
import pytest
from random_loops import random_loops
from robots import chain, random_state

import mbd_ros
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.execution import Auto, Compiled, Lanes, Threads

EXECUTORS = ['interpreted', 'compiled', 'rolled', 'unrolled', 'lanes', 'threads', 'auto',
             'threads_within_state', None, Compiled('rolled'), Lanes(2), Threads(2, Lanes(4)),
             Auto(count=1)]
WAYS = [lambda one: pickle.loads(pickle.dumps(one)), copy.copy, copy.deepcopy]


@pytest.mark.parametrize('way', WAYS, ids=['pickle', 'copy', 'deepcopy'])
@pytest.mark.parametrize('executor', EXECUTORS, ids=str)
def test_prepared_dynamics(executor, way):
    for model in (mbd_ros.load(chain(3, 2)), random_loops(4, 4, 1, cuts=('spherical',))[0]):
        q, v, tau = random_state(model, 1)
        dyn = PreparedDynamics(model, (0.0, 0.5, -1.6), executor)
        expected = dyn.forward_dynamics(q, v, tau)  # machine code is there
        dyn.jacobian(q, model.body_names[-1])
        other = way(dyn)
        assert other.executor == dyn.executor
        np.testing.assert_array_equal(other.gravity, dyn.gravity)
        # Straight-line and rolled code, both of 'auto', round differently.
        np.testing.assert_allclose(other.forward_dynamics(q, v, tau), expected, rtol=1e-9)
        other.change_gravity((0, 0, 0))
        np.testing.assert_array_equal(dyn.gravity, [0.0, 0.5, -1.6])


@pytest.mark.parametrize('way', WAYS, ids=['pickle', 'copy', 'deepcopy'])
def test_the_shared_one_after_a_call(way):
    dyn = mbd_ros.compile(mbd_ros.load(chain(2, 3)))
    dyn.energies(*random_state(dyn.model, 2)[:2])
    assert way(dyn).model.joint_names == dyn.model.joint_names
