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

"""Newton's method on constraints: quadratic where it may be plain, never worse where damped."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from mbd_ros.dynamics.loops.newton import damped_newton, newton, turned_aside


def test_plain_steps_are_those_of_heron():
    """The root of two: q - (q^2 - 2) / 2 q; the last step is small, and not taken."""
    found = list(newton(1.0, lambda q: (2.0 - q * q) / (2.0 * q), lambda q, step: q + step,
                        most=20, small=lambda step: abs(step) < 1e-12))
    assert [q for q, _ in found[:3]] == pytest.approx([1.0, 1.5, 17 / 12], rel=1e-15)
    q, step = found[-1]
    assert abs(step) < 1e-12 <= abs(found[-2][1])
    assert q == pytest.approx(2.0**0.5, rel=1e-12)   # the rest is below the square of the step


@pytest.mark.parametrize('most', [1, 3])
def test_there_are_as_many_steps_as_allowed(most):
    found = list(newton(0.0, lambda q: 1.0, lambda q, step: q + step, most=most,
                        small=lambda step: False))
    assert found == [(float(k), 1.0) for k in range(most)]


class TwoLinks:
    """Two links of length one whose tip is to be at a place; steps are shortened to a limit."""

    def __init__(self, goal, most=200, aside=True):
        self.goal, self.most, self.limit, self.left = np.array(goal), most, 0.5, aside
        self.sizes = []

    def violation(self, q):
        a, b = q[0], q[0] + q[1]
        return np.array([np.cos(a) + np.cos(b), np.sin(a) + np.sin(b)]) - self.goal

    def goes_on(self, now):
        self.sizes.append(np.linalg.norm(now.phi))
        return now.trials < self.most and self.sizes[-1] > 1e-12

    def step(self, q, phi):
        a, b = q[0], q[0] + q[1]
        A = np.array([[-np.sin(a) - np.sin(b), -np.sin(b)], [np.cos(a) + np.cos(b), np.cos(b)]])
        step = -np.linalg.lstsq(A, phi, rcond=1e-9)[0]   # singular stretched: angles below 1e-9
        return step * min(1.0, self.limit / max(np.abs(step).max(), 1e-300))

    def displaced(self, q, step):
        return q + step

    def accepts(self, trial, phi):
        return np.linalg.norm(trial) < np.linalg.norm(phi)

    def relax(self):
        self.limit = min(0.5, 2.0 * self.limit)

    def tighten(self, step, phi):
        self.limit *= 0.5
        return self.limit > 1e-6

    def aside(self):
        if not self.left:
            return None
        self.left, self.limit = False, 0.5
        return turned_aside(0.02, 2)


@settings(max_examples=60, deadline=None)
@given(st.tuples(*[st.floats(-3.0, 3.0)] * 2), st.floats(0.2, 1.9), st.floats(-3.0, 3.0))
def test_damped_steps_reach_what_can_be_reached(start, reach, angle):
    """Anywhere within reach; all but the one step aside reduce the violation."""
    problem = TwoLinks([reach * np.cos(angle), reach * np.sin(angle)])
    found = damped_newton(problem, np.array(start))
    rises = np.diff(problem.sizes) > 0.0
    # A trial that was refused leaves the violation as it was.
    assert rises.sum() <= 1
    assert np.linalg.norm(found.phi) < 1e-11
    np.testing.assert_array_equal(found.phi, problem.violation(found.q))
    assert found.steps <= found.trials + 1


def test_what_cannot_be_reached_ends_where_no_step_helps():
    """A tip that is wanted at three comes to two, nearly stretched, and no step leads farther."""
    problem = TwoLinks([3.0, 0.0], aside=False)
    found = damped_newton(problem, np.array([0.3, -0.5]))
    assert found.trials < problem.most
    assert (np.diff(problem.sizes) <= 0.0).all()
    # Full steps overshoot near there, where rows depend on each other: not to the last digit.
    assert 1.0 <= np.linalg.norm(found.phi) < 1.01


def test_a_stretched_arm_turns_aside_once():
    """Where the rows see no way inwards; the length of the way includes that step."""
    problem = TwoLinks([1.0, 0.0])
    found = damped_newton(problem, np.zeros(2))
    assert not problem.left
    assert np.linalg.norm(found.phi) < 1e-11
    assert found.way > np.linalg.norm(turned_aside(0.02, 2))
    stuck = damped_newton(TwoLinks([1.0, 0.0], aside=False), np.zeros(2))
    np.testing.assert_array_equal(stuck.q, np.zeros(2))
    assert (stuck.steps, stuck.way) == (0, 0.0)


def test_a_violation_that_is_known_is_not_computed_again():
    problem = TwoLinks([1.0, 0.5])
    asked = []
    violation = problem.violation
    problem.violation = lambda q: asked.append(q) or violation(q)
    start = np.array([0.4, -0.9])
    found = damped_newton(problem, start, violation(start))
    assert len(asked) == found.trials + (0 if problem.left else 1)
