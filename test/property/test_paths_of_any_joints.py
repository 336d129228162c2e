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

"""Paths of all joints of random trees: the state at a point satisfies what the path demands."""

from hypothesis import given, settings, strategies as st
import numpy as np
from robots import all_trees, random_state

from mbd_ros.control import joint_path, PathPoint
from mbd_ros.control.references.joint_coordinates import JointCoordinates
from mbd_ros.model.state import difference, integrate

SEEDS = st.integers(0, 2**16)


class Still:
    """A path that is at one point whenever it is asked."""

    def __init__(self, point):
        self.point = point

    def at(self, time):
        """Return the point."""
        return self.point


@settings(max_examples=15, deadline=None, derandomize=True)
@given(model=all_trees(max_joints=5), seed=SEEDS)
def test_a_state_is_on_the_path_made_of_it(model, seed):
    """With position, velocity and acceleration; and A takes a small step off it for phi."""
    q, v, a = random_state(model, seed)
    order = list(np.random.default_rng(seed).permutation(model.joint_names))
    coordinates = JointCoordinates(model, order)
    point = coordinates.point(q, v, a)
    constraint = joint_path(model, order, Still(PathPoint(*point)))
    A = constraint.matrix(q, v, 0.0)
    assert A.shape == (model.nv, model.nv)
    # Sums of a few products of rates of some 5 rad/s: 1e-13.
    np.testing.assert_allclose(constraint.violation(q, 0.0), 0.0, rtol=0, atol=1e-13)
    np.testing.assert_allclose(constraint.violation_rate(q, v, 0.0), 0.0, rtol=0, atol=1e-13)
    np.testing.assert_allclose(A @ a, constraint.right_side(q, v, 0.0), rtol=0, atol=1e-12)
    step = 1e-6 * a
    # What is left is of second order, 1e-12 times squares of up to 20.
    np.testing.assert_allclose(constraint.violation(integrate(model, q, step), 0.0), A @ step,
                               rtol=0, atol=1e-10)
    found, rates = np.full(model.nq, np.nan), np.full(model.nv, np.nan)
    coordinates.put(point, found, rates)
    np.testing.assert_allclose(difference(model, q, found), 0.0, rtol=0, atol=1e-14)
    np.testing.assert_allclose(rates, v, rtol=0, atol=1e-13)
