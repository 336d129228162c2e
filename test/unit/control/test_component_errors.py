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

"""How far joints of several coordinates are from where they should be, and how fast that grows."""

import numpy as np
import pytest
from robots import model_of, random_state

from mbd_ros.control.tracking.component_errors import Component, joint_error, JointError
from mbd_ros.model.state import curved_joints, integrate


@pytest.mark.parametrize('kind', ['spherical', 'planar', 'floating'])
@pytest.mark.parametrize('seed', range(5))
def test_rates_are_those_of_the_errors(kind, seed):
    model = model_of([0, 1], ['revolute', kind], seed)
    joint, = curved_joints(model)
    (q, v, _), (p, w, _) = (random_state(model, 10 * seed + k) for k in range(2))
    found, h = joint_error(model, joint, (q, v), (p, w)), 1e-6
    ahead, behind = (joint_error(model, joint, (integrate(model, q, time * v), v),
                                 (integrate(model, p, time * w), w)) for time in (h, -h))
    # Central differences: rounding 1e-16 / 1e-6 of numbers near 5, truncation 1e-12.
    np.testing.assert_allclose((ahead.shift - behind.shift) / (2.0 * h), found.shift_rate,
                               rtol=0, atol=1e-8)
    # The turn's own rate is the difference of the angular velocities along the turn.
    along = found.turn / np.linalg.norm(found.turn)
    np.testing.assert_allclose(
        (np.linalg.norm(ahead.turn) - np.linalg.norm(behind.turn)) / (2.0 * h),
        found.turn_rate @ along, rtol=0, atol=1e-8)
    assert np.linalg.norm(found.turn_rate) > 0.1


def test_the_size_of_each_component():
    error = JointError(*(np.array(one) for one in (
        [3.0, -4.0, 12.0], [-1.0, 2.0, -2.0], [2.0, 3.0, 6.0], [4.0, 4.0, 7.0])))
    found = {component: error.size(component) for component in Component}
    assert found == {
        Component.TRANSLATION: (13.0, 3.0), Component.ROTATION: (7.0, 9.0),
        Component.X: (3.0, 1.0), Component.Y: (4.0, 2.0), Component.Z: (12.0, 2.0)}
