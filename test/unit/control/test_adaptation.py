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

"""What the controller learns of a robot's weight, and that learning cannot make it unstable."""

from pathlib import Path
import re

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import controller_for, default_task, Payload, TrackingLaw
from mbd_ros.control.tasks.task import law_for, Task
from mbd_ros.control.tracking.adaptation import Adaptation, MOST_MASSES
from mbd_ros.control.tracking.payload import LoadedDynamics
from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.simulation import Stepper

URDF = Path(__file__).parents[3] / 'urdf' / 'three_link_arm.urdf'
PERIOD = 0.002


def heavier(factor):
    """Return the three-link arm, with rotors, with other masses and inertias."""
    return mbd_ros.load(re.sub(
        r'(mass value=|armature value=|i[xyz]{2}=)"([^"]+)"',
        lambda found: f'{found[1]}"{float(found[2]) * factor}"', URDF.read_text()))


def learned(dyn, plant, adaptation, seconds, masses):
    """Return V along a motion on the path, and the tool's error at its end."""
    nominal, _ = controller_for(dyn, default_task('three_link_arm'),
                                q=[0.23554498, -0.87271632, 1.74543265],
                                v=[0.75642965, -0.23663815, -0.30463354])
    law = TrackingLaw(dyn, adaptation=adaptation)
    robot = Stepper(plant.model, nominal.state.q, nominal.state.v)
    values = []
    for k in range(round(seconds / PERIOD)):
        state = nominal.advance_to(k * PERIOD)
        found = law.efforts(state, robot.q, robot.v)
        s = found.error_rate + law.bandwidth * found.error
        missing = np.array((masses, 0.0)) - adaptation.estimate
        values.append(0.5 * (s @ plant.mass_matrix(robot.q) @ s
                             + missing @ (missing / adaptation.gains)))
        error = np.linalg.norm(
            dyn.pose(robot.q, 'tool')[:3, 3] - dyn.pose(state.q, 'tool')[:3, 3])
        robot.advance(found.effort, PERIOD)
    return np.array(values), error


def test_masses_are_learned_and_the_measure_of_stability_never_grows(urdf_arm):
    """V of the proof, with 20 % heavier links, and the error that is left: that of exact data."""
    adaptation = Adaptation(urdf_arm, 'tool', 5.0)
    plant = mbd_ros.compile(heavier(1.2))
    V, error = learned(urdf_arm, plant, adaptation, 2.5, 0.2)
    np.testing.assert_allclose(adaptation.estimate, (0.2, 0.0), atol=0.003)
    # Effort is constant over 2 ms: at the end what sampling costs goes up and down, 1e-3 of V(0).
    assert np.diff(V).max() < 1e-3 * V[0]
    assert V[-1] < 2e-3 * V[0]
    assert error < 1e-4   # as with exact data; without adaptation 30 mm


def test_a_load_that_nobody_told_of_is_learned(urdf_arm):
    """1.5 kg at the tool of an arm of 3 kg; the law knows of neither."""
    plant = LoadedDynamics(urdf_arm.model, Payload('tool', 1.5))
    nominal, _ = controller_for(urdf_arm, default_task('three_link_arm'),
                                q=[0.2355, -0.8727, 1.745], v=[0.756, -0.237, -0.305])
    adaptation = Adaptation(urdf_arm, 'tool', 5.0, payload=3.0)
    law = TrackingLaw(urdf_arm, adaptation=adaptation)
    q, v = nominal.state.q, nominal.state.v
    for k in range(2000):
        effort = law.efforts(nominal.advance_to(k * PERIOD), q, v).effort
        a = plant.forward_dynamics(q, v, effort)
        q, v = q + PERIOD * v + 0.5 * PERIOD**2 * a, v + PERIOD * a
    np.testing.assert_allclose(adaptation.estimate, (0.0, 1.5), atol=0.05)


@pytest.mark.parametrize(('factor', 'end'), [(2.5, MOST_MASSES), (0.3, -MOST_MASSES)])
def test_estimates_stay_within_their_bounds(urdf_arm, factor, end):
    adaptation = Adaptation(urdf_arm, 'tool', 20.0)
    learned(urdf_arm, mbd_ros.compile(heavier(factor)), adaptation, 0.5, 0.0)
    np.testing.assert_allclose(adaptation.estimate, (end, 0.0), atol=1e-12)


def test_nothing_is_learned_far_from_the_path_or_at_the_limits(urdf_arm):
    nominal, _ = controller_for(urdf_arm, default_task('three_link_arm'))
    for limits, away in ((None, 1.0), ([0.1, 0.1, 0.1], 0.01)):
        adaptation = Adaptation(urdf_arm, 'tool', 5.0)
        law = TrackingLaw(urdf_arm, adaptation=adaptation, effort_limits=limits)
        law.efforts(nominal.state, nominal.state.q + away, nominal.state.v)
        law.efforts(nominal.advance_to(0.002), nominal.state.q + away, nominal.state.v)
        assert not adaptation.estimate.any()


@pytest.mark.parametrize('robust', [0.0, 4.0])
def test_it_learns_at_the_rate_of_the_whole_feedback(urdf_arm, monkeypatch, robust):
    adaptation, rates = Adaptation(urdf_arm, 'tool', 5.0), []
    monkeypatch.setattr(type(adaptation), 'learn',
                        lambda self, *arguments: rates.append(arguments[-1]))
    law = TrackingLaw(urdf_arm, bandwidth=12.0, robust_rate=robust, adaptation=adaptation)
    nominal, _ = controller_for(urdf_arm, default_task('three_link_arm'))
    law.efforts(nominal.state, nominal.state.q, nominal.state.v)
    assert rates == [12.0 + robust]


def test_a_task_asks_for_it(urdf_arm):
    task = Task.from_data({'link': 'tool', 'path': {}, 'adaptation_rate': 2.0,
                           'payload_limit': 1.0})
    assert law_for(urdf_arm, task).adaptation is not None
    assert law_for(urdf_arm, Task()).adaptation is None


@pytest.mark.parametrize(('link', 'rate', 'payload', 'error', 'words'), [
    ('tol', 1.0, 1.0, UnknownNameError, "'tool'"),
    ('tool', -1.0, 0.0, InvalidValueError, 'adaptation_rate is -1.0'),
    ('tool', 1.0, -2.0, InvalidValueError, 'payload_limit is -2.0')])
def test_settings_are_checked(urdf_arm, link, rate, payload, error, words):
    with pytest.raises(error, match=words):
        Adaptation(urdf_arm, link, rate, payload=payload)


def test_masses_are_learned_of_a_robot_without_the_link_that_nothing_is_carried_on(urdf_arm):
    """As a robot of one's own whose last link is not called tool."""
    adaptation = Adaptation(urdf_arm, 'tol', 1.0)
    _, Y = adaptation.term(urdf_arm, np.array([0.1, 0.2, 0.3]), *np.zeros((2, 3)))
    assert Y[:, 0].any() and not Y[:, 1].any()
