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

"""The robust term and the bound on the error it guarantees."""

import math
from pathlib import Path
import re

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import default_task, Payload, TrackingLaw
from mbd_ros.control.tasks.task import controller_for
from mbd_ros.control.tracking.payload import LoadedDynamics
from mbd_ros.control.tracking.robustness import gains_of, guarantee
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.simulation import Stepper

URDF = Path(__file__).parents[3] / 'urdf' / 'three_link_arm.urdf'
PERIOD = 0.002


def heavier(*factors):
    """Return the three-link arm with other masses and inertias: of all links, or link by link."""
    parts = re.split(r'(?=<inertial>)', URDF.read_text())
    assert len(parts) == 4
    links = factors if len(factors) == 3 else 3 * factors
    return mbd_ros.load(parts[0] + ''.join(
        re.sub(r'(mass value=|i[xyz]{2}=)"([^"]+)"',
               lambda found, factor=factor: f'{found[1]}"{float(found[2]) * factor}"', part)
        for factor, part in zip(links, parts[1:])))


def followed(dyn, plant, robust_rate, *, friction=0.0, seconds=2.0):
    """Return the largest tool error of the second half, the law and the nominal states."""
    nominal, _ = controller_for(dyn, default_task('three_link_arm'),
                                q=[0.23554498, -0.87271632, 1.74543265],
                                v=[0.75642965, -0.23663815, -0.30463354])
    law = TrackingLaw(dyn, robust_rate=robust_rate)
    robot = Stepper(plant, nominal.state.q, nominal.state.v)
    worst, states = 0.0, []
    for k in range(round(seconds / PERIOD)):
        state = nominal.advance_to(k * PERIOD)
        if k * PERIOD > 0.5 * seconds:
            worst = max(worst, np.linalg.norm(
                dyn.pose(robot.q, 'tool')[:3, 3] - dyn.pose(state.q, 'tool')[:3, 3]))
            states.append(state)
        effort = law.efforts(state, robot.q, robot.v).effort
        robot.advance(effort - friction * np.tanh(robot.v / 0.01), PERIOD)
    return worst, law, states


@pytest.mark.parametrize(('factors', 'friction', 'share'), [
    # The share of the bound that is reached: signs of joints' errors are lost where the error is
    # not the same part of all masses, and those of friction.
    ((1.2,), 0.0, 0.8), ((0.8,), 0.0, 0.8), ((1.2, 0.8, 1.2), 0.0, 0.4),
    ((0.8, 1.2, 0.8), 0.0, 0.4), ((1.2,), 0.5, 0.4)])
def test_the_error_stays_within_the_proven_bound(urdf_arm, factors, friction, share):
    """And the robust term makes both several times smaller."""
    plant = heavier(*factors)
    found = {}
    for rate in (0.0, 60.0):
        worst, law, states = followed(urdf_arm, plant, rate, friction=friction)
        bound = guarantee(law, mbd_ros.compile(plant), states[::20], 'tool',
                          friction=np.full(3, friction))
        assert share * bound.tool_error < worst < bound.tool_error
        if factors == (1.2,):
            assert bound.mass_excess == pytest.approx(0.2, abs=1e-9)
            # What sampling adds, the error with exact data: 0.016 mm and 0.003 mm.
            exact = followed(urdf_arm, urdf_arm.model, rate, seconds=1.0)[0]
            assert exact < 0.01 * bound.tool_error
        found[rate] = worst, bound.tool_error
    assert found[60.0][0] < 0.25 * found[0.0][0]   # 15 / (15 + 60) of it, at low frequencies
    assert found[60.0][1] < 0.25 * found[0.0][1]


def test_norms_of_the_filters():
    """Closed forms: equal roots, real roots and a damped oscillation."""
    w = 15.0
    equal = gains_of(w, 0.0, 0.0)   # f = t exp(-w t)
    # 1e-6: the trapezoidal rule
    np.testing.assert_allclose(
        equal, (w**-2, 2 / (math.e * w), 2 / w**3, 1 + 2 * math.exp(-2), 1 / w, w), rtol=1e-5)
    real = gains_of(w, 60.0, -0.2)
    assert real.position == pytest.approx(1 / (1.2 * w * (w + 60)), rel=1e-6)
    eps = 0.5   # |F| of a damped oscillation: coth(pi zeta / (2 sqrt(1 - zeta^2))) / b_0
    zeta = math.sqrt(1.0 - eps)
    assert gains_of(w, 0.0, eps).position * (1 - eps) * w * w == pytest.approx(
        1.0 / math.tanh(0.5 * math.pi * zeta / math.sqrt(1 - zeta**2)), rel=1e-6)


def test_with_exact_data_the_bound_is_zero(urdf_arm):
    worst, law, states = followed(urdf_arm, urdf_arm.model, 0.0, seconds=1.0)
    assert guarantee(law, urdf_arm, states[::20], 'tool').tool_error < 1e-12
    assert worst < 1e-4   # what sampling at 500 Hz costs, at 1.1 m/s


def test_a_payload_that_is_known_is_no_disturbance(urdf_arm):
    """As much as 3 kg at the tool of an arm of 3 kg."""
    plant = LoadedDynamics(urdf_arm.model, Payload('tool', 3.0))
    assert guarantee(TrackingLaw(plant), plant, followed(
        urdf_arm, urdf_arm.model, 0.0, seconds=0.1)[2], 'tool').tool_error == 0.0
    for load, speed, words in ((3.0, 1.5, r'approach_speed is 1.5; allowed: more than 2.2.* at j'),
                               (20.0, 1e3, 'nearer to this plant: what it does not know comes')):
        with pytest.raises(InvalidValueError, match=words):
            guarantee(TrackingLaw(urdf_arm, approach_speed=speed), LoadedDynamics(
                urdf_arm.model, Payload('tool', load)), followed(
                    urdf_arm, urdf_arm.model, 0.0, seconds=0.1)[2], 'tool')


def test_a_bound_outside_the_linear_range_is_refused(urdf_arm):
    plant = mbd_ros.compile(heavier(1.2))
    states = followed(urdf_arm, urdf_arm.model, 0.0, seconds=0.1)[2]
    with pytest.raises(InvalidValueError, match=r'approach_speed is 0.01; allowed: more than'):
        guarantee(TrackingLaw(urdf_arm, approach_speed=0.01), plant, states, 'tool')
    with pytest.raises(InvalidValueError, match=r"robust_efforts is .* at joint 'joint2'"):
        guarantee(TrackingLaw(urdf_arm, robust_rate=60.0, robust_efforts=[9.0, 0.1, 9.0]), plant,
                  states, 'tool')


def test_the_robust_term_is_bounded_and_never_drives_the_error(urdf_arm):
    nominal, _ = controller_for(urdf_arm, default_task('three_link_arm'))
    law = TrackingLaw(urdf_arm, robust_rate=80.0, robust_efforts=[1.0, 2.0, 3.0])
    rng = np.random.default_rng(8)
    for scale in (1e-4, 1e-2, 1.0):
        q = nominal.state.q + scale * rng.normal(size=3)
        v = nominal.state.v + scale * rng.normal(size=3)
        found = law.efforts(nominal.state, q, v)
        plain = TrackingLaw(urdf_arm).efforts(nominal.state, q, v)
        np.testing.assert_allclose(found.feedback - plain.feedback, found.robust, atol=1e-9)
        assert (np.abs(found.robust) <= np.array([1.0, 2.0, 3.0]) + 1e-12).all()
        approach = np.clip(7.5 * found.error, -1.5, 1.5)
        assert found.robust @ (found.error_rate + 2.0 * approach) >= 0.0
        if scale == 1e-4:
            np.testing.assert_allclose(found.robust, urdf_arm.mass_matrix(q) @ (
                80.0 * (found.error_rate + 15.0 * found.error)), rtol=1e-12)


@pytest.mark.parametrize(('arguments', 'error', 'words'), [
    ({'robust_rate': -1.0}, InvalidValueError, 'robust_rate is -1.0'),
    ({'robust_efforts': [1.0]}, ShapeError, r'robust_efforts has shape \(1,\)'),
    ({'robust_efforts': [1.0, -2.0, 1.0]}, InvalidValueError, 'robust_efforts is'),
])
def test_settings_are_checked(urdf_arm, arguments, error, words):
    with pytest.raises(error, match=words):
        TrackingLaw(urdf_arm, **arguments)
