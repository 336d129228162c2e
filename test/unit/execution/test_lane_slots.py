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

"""Legs and halves of loops in the lanes of straight-line code."""

from described import bare, joint, link, robot
from loop_checks import check, random_motion, TOLERANCE
from loop_models import body_order, case_model, cases, many_legs
import numpy as np
import pytest

import mbd_ros
from mbd_ros.execution import Lanes
from mbd_ros.execution.unrolled.lane_slots import in_slots, inverse

TURNING = '<origin xyz="0.2 0 0"/><axis xyz="0 1 0"/>'


@pytest.mark.parametrize('width', [2, 4, 8])
def test_legs_of_a_platform(width):
    check(many_legs(5, 3, 1), Lanes(width), f'unrolled, {width} lanes')


@pytest.mark.parametrize('name', ['ngon15_random_tau', 'fourbar_revolute', 'spatial10_revolute'])
def test_reference_cases(name):
    model, case = case_model(name, 'revolute'), cases()[name]
    order = body_order(model)
    q, v = (np.array(case[key])[order] for key in ('q', 'qd'))
    tau = np.linspace(-1.0, 1.0, model.nv)
    expected, found = (mbd_ros.forward_dynamics(model, q, v, tau, executor=executor)
                       for executor in ('interpreted', Lanes()))
    np.testing.assert_allclose(found, expected, rtol=0.0,
                               atol=TOLERANCE * max(1.0, np.abs(expected).max()))


def test_loops_that_meet_in_a_lane():
    """A spring between legs; rows that other legs carry."""
    check(many_legs(3, 3, 2, springs=2), Lanes(4), 'unrolled, 4 lanes')


def test_orders():
    order = (4, 1, -1, -1, -1)
    assert inverse(order) == (-1, 1, -1, -1, 0)
    assert in_slots(3.0, order) == 3.0


def test_couplings_in_lanes():
    """Two fingers whose tips follow their roots: each lane has efforts of its own."""
    def finger(side):
        return (link(f'{side}1', center='0.1 0 0', moments=(0.01, 0.01, 0.01))
                + link(f'{side}2', center='0.1 0.02 0', moments=(0.01, 0.02, 0.02))
                + joint(f'{side}a', 'continuous', 'base', f'{side}1', TURNING)
                + joint(f'{side}b', 'continuous', f'{side}1', f'{side}2',
                        f'{TURNING}<mimic joint="{side}a" multiplier="0.7"/>'))

    model = mbd_ros.load(robot(bare('base'), finger('left'), finger('right')), mimic=True)
    assert len(model.loops) == 2
    check(model, Lanes(2), 'unrolled, 2 lanes')


def test_springs_of_legs_with_loops_in_lanes():
    """Inverse dynamics has the springs, but carries no rows."""
    model = many_legs(3, 2, 1, 2)
    q, v, qdd = random_motion(model)
    expected, found = (mbd_ros.compile(model, executor=executor).inverse_dynamics(q, v, qdd)
                       for executor in ('interpreted', Lanes(4)))
    np.testing.assert_allclose(found, expected, rtol=0.0,
                               atol=TOLERANCE * np.abs(expected).max())
