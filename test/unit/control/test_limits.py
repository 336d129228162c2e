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

"""Limits of joints: what is granted to planned and to measured states, at both sides."""

import math

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control.tracking.limits import Limits

INSIDE, BEYOND = 1.0 - 1e-9, 1.0 + 1e-9
AWAY = 1e-9


@pytest.fixture(scope='module')
def puma():
    return mbd_ros.load('urdf/puma560.urdf')


@pytest.fixture(scope='module')
def limits(puma):
    return Limits(puma)


def state(model, joint, position=None, velocity=0.0):
    """Return a state of rest amid the limits but for one joint."""
    q, v = 0.5 * (model.lower + model.upper), np.zeros(model.nv)
    if position is not None:
        q[joint] = position
    v[joint] = velocity
    return q, v


@pytest.mark.parametrize('joint', range(6))
@pytest.mark.parametrize('sign', [-1.0, 1.0])
def test_a_planned_velocity_may_reach_its_limit_and_not_more(puma, limits, joint, sign):
    top = puma.velocity_limits[joint]
    assert not limits.exceeded(*state(puma, joint, velocity=sign * top))
    assert not limits.too_fast(state(puma, joint, velocity=sign * top)[1])
    assert limits.too_fast(state(puma, joint, velocity=sign * top * BEYOND)[1])
    message = limits.exceeded(*state(puma, joint, velocity=sign * top * BEYOND))
    assert message == (
        f"velocity {sign * top * BEYOND:.4g} rad/s of joint '{puma.joint_names[joint]}' is beyond "
        f'its limits, {-top:.4g} to {top:.4g} rad/s')


@pytest.mark.parametrize('joint', range(6))
@pytest.mark.parametrize('sign', [-1.0, 1.0])
def test_a_measured_velocity_may_be_half_as_fast_again(puma, limits, joint, sign):
    top = 1.5 * sign * puma.velocity_limits[joint]
    for moving in (False, True):
        for part, message in ((INSIDE, ''), (BEYOND, 'velocity')):
            found = limits.exceeded(
                *state(puma, joint, velocity=part * top), measured=True, moving=moving)
            assert found.startswith(message) and bool(found) == bool(message)


@pytest.mark.parametrize('joint', range(6))
@pytest.mark.parametrize('measured', [False, True])
def test_a_measured_position_may_exceed_its_limit_by_a_hundredth(puma, limits, joint, measured):
    margin = 0.01 if measured else 0.0
    for end, sign in ((puma.upper[joint], 1.0), (puma.lower[joint], -1.0)):
        for away, message in ((-AWAY, ''), (AWAY, 'position')):
            found = limits.exceeded(
                *state(puma, joint, end + sign * (margin + away)), measured=measured)
            assert found.startswith(message) and bool(found) == bool(message)
    if not measured:
        for end in (puma.lower[joint], puma.upper[joint]):
            assert not limits.exceeded(*state(puma, joint, end))


@pytest.mark.parametrize('joint', range(6))
def test_beyond_its_limit_a_moving_joint_may_rest_or_return_but_not_go_on(puma, limits, joint):
    for end, sign in ((puma.upper[joint], 1.0), (puma.lower[joint], -1.0)):
        for outwards, goes_on in ((-0.5, True), (0.0, True), (0.999e-3, True), (1.001e-3, False)):
            found = limits.exceeded(
                *state(puma, joint, end + 0.1 * sign, outwards * sign), moving=True)
            assert bool(found) != goes_on
            assert limits.exceeded(*state(puma, joint, end + 0.1 * sign, outwards * sign))


def test_the_excess_on_scalars_is_zero_at_the_limits_and_signed_beside_them(puma):
    limits = Limits(puma)
    for joint in range(6):
        top, end = puma.velocity_limits[joint], puma.upper[joint]
        for q, v, own, widened in (
                (*state(puma, joint, velocity=top), 0.0, -min(0.01, 0.5 * top)),
                (*state(puma, joint, velocity=1.5 * top), 0.5 * top, 0.0),
                (*state(puma, joint, end), 0.0, -0.01),
                (*state(puma, joint, end + 0.01), 0.01, 0.0)):
            # The nearest other bound is farther away than these.
            found = limits.excesses(q.tolist(), v.tolist())
            assert found[0] == pytest.approx(own, abs=1e-12)
            assert found[1] <= 1e-12
            if widened == 0.0:
                assert found[1] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize('side', ['lower', 'upper'])
def test_a_joint_with_one_limit_returns_to_its_free_side(side):
    end = {'lower': 'lower="-1"', 'upper': 'upper="1"'}[side]
    other = {'lower': 'upper="1e9"', 'upper': 'lower="-1e9"'}[side]
    model = mbd_ros.load(f"""<robot name="one"><link name="a"/><link name="b">
        <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
        </inertial></link><joint name="j" type="revolute"><parent link="a"/><child link="b"/>
        <axis xyz="0 0 1"/><limit {end} {other} effort="1" velocity="1"/></joint></robot>""")
    object.__setattr__(model, {'lower': 'upper', 'upper': 'lower'}[side], np.array(
        [math.inf if side == 'lower' else -math.inf]))
    limits = Limits(model)
    sign = -1.0 if side == 'lower' else 1.0
    place = np.array([1.5 * sign])
    assert not limits.exceeded(place, np.array([-0.5 * sign]), moving=True)
    assert limits.exceeded(place, np.array([0.5 * sign]), moving=True)
