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

"""Machine code: shapes, what is compiled once, what happens where it cannot be."""

import numpy as np
import pytest
from robots import chain, random_state, urdf

import mbd_ros
from mbd_ros.dynamics.algorithms.forward_dynamics import FORWARD_DYNAMICS
from mbd_ros.errors import InvalidValueError
from mbd_ros.execution import Compiled
from mbd_ros.execution.executors.compiled import rolled_machine_code
from mbd_ros.execution.ir.straight_line import SCALAR
from mbd_ros.execution.program.records import structure_of
from mbd_ros.execution.program.sweeps import LARGEST_UNROLLED
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.execution.rolled.body_classes import Kind
from mbd_ros.execution.rolled.code import rolled_code
from mbd_ros.execution.unrolled.code import trace_program
from mbd_ros.spatial import Prismatic, Revolute


def test_unknown_shape():
    with pytest.raises(InvalidValueError, match="shape is 'flat'; allowed: 'auto', 'rolled' or"):
        Compiled('flat')


def test_long_chains_are_rolled_and_share_their_code():
    chains = [mbd_ros.load(chain(LARGEST_UNROLLED + 10 * k, k)) for k in (1, 2)]
    before = rolled_machine_code.cache_info().misses
    for model in chains:
        q, v, tau = random_state(model, 1)
        qdd = mbd_ros.forward_dynamics(model, q, v, tau)
        np.testing.assert_array_equal(
            qdd, mbd_ros.forward_dynamics(model, q, v, tau, executor='rolled'))
    assert rolled_machine_code.cache_info().misses <= before + 1


def test_the_size_of_rolled_code_does_not_depend_on_the_robot():
    body = structure_of(tree_of(mbd_ros.load(chain(1, 1))).bodies[0])
    code = rolled_code(FORWARD_DYNAMICS, (Kind(Prismatic, body), Kind(Revolute, body)), SCALAR)
    assert len(code.ir.splitlines()) < 5000


def test_constants_fold_in_unrolled_code():
    """A planar arm with axes along y costs far less than one with general rotations."""
    general = mbd_ros.load(chain(3, 1))
    square = mbd_ros.load(''.join(
        ['<robot name="r"><link name="l0"/>',
         *(f'<link name="l{i}"><inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia '
           'ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>'
           f'<joint name="j{i}" type="continuous"><origin xyz="1 0 0"/><parent link="l{i - 1}"/>'
           f'<child link="l{i}"/><axis xyz="0 1 0"/></joint>' for i in (1, 2, 3)), '</robot>']))
    counts = []
    for model in (general, square):
        trace, results = trace_program(FORWARD_DYNAMICS, model)
        counts.append(len(trace.needed(results)))
    assert counts[1] < 0.4 * counts[0]


def test_batches_of_a_long_chain():
    model = mbd_ros.load(chain(60, 3))
    q, v, tau = np.random.default_rng(0).normal(size=(3, 4, 60))
    rows = [mbd_ros.forward_dynamics(model, *row) for row in zip(q, v, tau)]
    np.testing.assert_array_equal(mbd_ros.forward_dynamics(model, q, v, tau), rows)


def test_a_robot_without_moving_joints():
    model = mbd_ros.load(urdf([0], ['fixed'], 1))
    for executor in ('rolled', 'unrolled', 'interpreted'):
        assert mbd_ros.forward_dynamics(model, [], [], [], executor=executor).shape == (0,)
        np.testing.assert_array_equal(
            mbd_ros.pose(model, [], 'link000', executor=executor), np.eye(4))
