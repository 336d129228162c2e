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

"""Integration steps between published states; currents that change; loops that are open."""

from pathlib import Path

import numpy as np
import pytest
from swimmers import swimmer

from mbd_ros import Fluid, load
from mbd_ros.errors import InvalidValueError
from mbd_ros.simulation.stepper import Stepper, whole_steps


@pytest.mark.parametrize(('rate', 'publish_rate', 'step', 'steps'), [
    (1000.0, 500.0, 1_000_000, 2), (1000.0, 1000.0, 1_000_000, 1), (1000.0, 400.0, 833_333, 3),
    (1000.0, 300.0, 833_333, 4), (100.0, 500.0, 2_000_000, 1), (0.3, 0.1, 3_333_333_333, 3)])
def test_states_are_published_as_often_as_asked(rate, publish_rate, step, steps):
    assert whole_steps(rate, publish_rate) == (step, steps)
    assert steps * step == pytest.approx(1e9 / publish_rate, abs=steps)  # rounded to nanoseconds


def test_a_current_that_changes_on_the_way():
    model = swimmer('nine')
    q = np.zeros(model.nq)
    q[6] = 1.0
    one = Stepper(model, q, fluid=Fluid(current=(0.1, 0.0, 0.0)))
    other = Stepper(model, q)
    other.change_current((0.1, 0.0, 0.0))
    for stepper in (one, other):
        stepper.advance(np.zeros(model.nv), 0.01)
    np.testing.assert_array_equal(one.v, other.v)
    assert one.v[0] > 0.0
    with pytest.raises(InvalidValueError, match='current of the fluid'):
        other.change_current((0.1, 0.0))
    with pytest.raises(InvalidValueError, match=r'current is .*; allowed: none: no fluid'):
        Stepper(model, q, fluid=None).change_current((0.1, 0.0, 0.0))


def test_how_far_loops_are_open():
    model = load(Path(__file__).resolve().parents[3] / 'urdf' / 'four_bar.urdf')
    stepper = Stepper(model, [0.3, 0.0, 0.0])
    stepper.advance(np.array([1.0, 0.0, 0.0]), 0.01)
    assert stepper.violation < 1e-10   # closed to rounding
    stepper._q = stepper.q + np.array([0.0, 1e-3, 0.0])
    # The coupler of 1.24 m, turned by 1 mrad, moves its end by 1.24 mm at most.
    assert 1e-4 < stepper.violation < 2e-3
    arm = load(Path(__file__).resolve().parents[3] / 'urdf' / 'three_link_arm.urdf')
    assert Stepper(arm, np.zeros(3)).violation == 0.0
