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

"""A mimic joint, coupled by a row of a controller as by ``load(..., mimic=True)``."""

from described import joint, LIMIT, link, robot
import numpy as np
import pytest

import mbd_ros

GRIPPER = robot(
    link('hand'), link('left', mass=2.0), link('right', mass=3.0),
    joint('leader', 'prismatic', 'hand', 'left', f'<axis xyz="1 0 0"/>{LIMIT}'),
    joint('follower', 'prismatic', 'hand', 'right',
          f'<axis xyz="-1 0 0"/>{LIMIT}<mimic joint="leader" multiplier="0.5"/>'))


def test_fingers_that_follow_each_other():
    model = mbd_ros.load(GRIPPER)
    leader, follower = (model.joint_names.index(name) for name in ('leader', 'follower'))
    row = np.zeros((1, 2))
    row[0, [follower, leader]] = 1.0, -0.5
    force = np.zeros(2)
    force[leader] = 4.0
    zero = np.zeros(2)
    found = mbd_ros.udwadia_kalaba(model, zero, zero, force, row, [0.0]).accelerations
    # Reduced to the leader's coordinate: the mass 2 + 0.5^2 * 3 under a force of 4.
    assert found[leader] == pytest.approx(4.0 / 2.75, rel=1e-13)
    assert found[follower] == pytest.approx(2.0 / 2.75, rel=1e-13)
    coupled = mbd_ros.load(GRIPPER, mimic=True)
    assert mbd_ros.forward_dynamics(coupled, zero, zero, force) == pytest.approx(found, rel=1e-13)
