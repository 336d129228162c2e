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

"""The nominal model in time: steps, starts, errors."""

import numpy as np
import pytest
from robots import model_of, random_state

import mbd_ros
from mbd_ros.control import (
    ConstrainedMotion, DirectElimination, Ellipse, NominalModel, PostureSpring, ToolPosition)
from mbd_ros.errors import (
    DivergedError, InvalidValueError, NotFiniteError, ShapeError)
from mbd_ros.model.state import difference

PATH = Ellipse([1, 0, 1], [0.25, 0.3, 0], [0, 1, 0.5])
START = np.radians([45.0, -45, 90])


@pytest.fixture(name='motion')
def paper_motion(urdf_arm):
    """Return the motion of the paper."""
    return ConstrainedMotion(urdf_arm, ToolPosition(urdf_arm, 'tool', PATH))


def test_on_the_ellipse_from_its_third_step(urdf_arm, motion):
    """In the default setting and in the paper's."""
    paper = ConstrainedMotion(urdf_arm, motion.constraint,
                              elimination=DirectElimination.as_printed())
    for setting, step in ((motion, 0.002), (paper, 0.01)):
        nominal = NominalModel(setting, START, step=step)
        states = [nominal.advance_to(k * step) for k in range(1, 200)]
        assert max(state.violation for state in states[2:]) < 1e-12
        assert states[0].violation_before > 0.5
        assert states[0].moved > 0.3


def test_follows_the_exact_motion(motion, reference):
    """State, acceleration and force at the stored times, from the exact start."""
    samples = reference['A_exact_motion']['samples']
    nominal = NominalModel(motion, samples[0]['q'], samples[0]['qd'])
    for sample in samples[:4]:
        state = nominal.advance_to(sample['t'])
        # The constraint fixes the whole motion: after elimination only rounding is left.
        np.testing.assert_allclose(state.q, sample['q'], rtol=0, atol=1e-12)
        np.testing.assert_allclose(state.v, sample['qd'], rtol=0, atol=1e-12)
        np.testing.assert_allclose(state.accelerations, sample['qdd'], rtol=0, atol=1e-11)
        np.testing.assert_allclose(state.constraint_force, sample['Qc'], rtol=0, atol=1e-10)
        np.testing.assert_allclose(state.multipliers, sample['lambda_'], rtol=0, atol=1e-10)
        np.testing.assert_array_equal(state.effort, state.constraint_force)
        assert state.rank == 3
        assert not state.conflicting


def test_any_time_can_be_asked_for(motion):
    """Times between steps, repeated times, times in the past."""
    nominal = NominalModel(motion, START, time=2.0, step=0.01)
    state = nominal.advance_to(2.0137)
    assert state.time == 2.0137
    assert nominal.advance_to(2.0137) is state
    assert nominal.advance_to(1.0) is state
    assert nominal.advance_to(2.0137 + 1e-10) is state
    assert nominal.advance_to(2.05).time == 2.05


def test_steps_are_not_longer_than_allowed(motion, monkeypatch):
    """The way to a time is cut into equal steps."""
    nominal = NominalModel(motion, START, step=0.01)
    steps = []
    step = motion.regular_step
    monkeypatch.setattr(motion, 'regular_step', lambda *state: steps.append(state[-1] - state[0])
                        or step(*state))
    nominal.advance_to(0.025)
    np.testing.assert_allclose(steps, [0.025 / 3] * 3, rtol=1e-9)
    nominal.advance_to(0.035)
    assert nominal.state.time == 0.035


def test_projected_start_is_on_the_path(motion):
    """The state is put on the constraint before the first step, and says how far it went."""
    nominal = NominalModel(motion, START, start='project')
    assert nominal.state.violation < 1e-13
    assert nominal.state.violation_before == pytest.approx(0.7433, abs=5e-5)
    assert nominal.state.moved > 0.5
    first = nominal.advance_to(0.002)
    assert first.violation < 1e-13
    assert first.violation_before < 1e-9  # one RK4 step of 2 ms


@pytest.mark.parametrize('degrees', [(0, 0, 0), (13.5, -0.5, 1), (13.5, -90, 0), (-120, 30, 60)])
def test_projected_start_from_singular_places(motion, degrees):
    """Edge cases 1 and 2: stretched, nearly so, above the base, on the other side."""
    nominal = NominalModel(motion, np.radians(degrees), start='project')
    state = nominal.advance_to(0.1)
    assert state.violation < 1e-12
    assert np.abs(state.v).max() < 2
    # The branch may differ: with the elbow down joint 3 is negative.
    assert abs(state.q[2]) == pytest.approx(np.radians(100), abs=0.2)


def test_path_out_of_reach_is_refused_at_the_start(urdf_arm):
    """With the distance that is left."""
    motion = ConstrainedMotion(
        urdf_arm, ToolPosition(urdf_arm, 'tool', Ellipse([5, 0, 1], [0, 0, 0], [0, 0, 0])))
    with pytest.raises(InvalidValueError, match='a start from which the constraint can be met; '
                                                r'elimination is stuck at a violation of 3.*'
                                                r'\(it began at .*\) \[m, rad\]'):
        NominalModel(motion, START, start='project')


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
def test_divergence_is_explained_and_the_last_state_kept(motion):
    """As given from a stretched arm the first step explodes; the message says what to do."""
    nominal = NominalModel(motion, np.zeros(3), step=0.002)
    with pytest.raises(DivergedError, match="start elsewhere, or with start='project'"):
        nominal.advance_to(0.02)
    assert np.isfinite(nominal.state.q).all()
    assert np.abs(nominal.state.v).max() < 1e4
    nominal.restart(START)
    assert nominal.advance_to(0.01).violation < 1e-12


@pytest.mark.parametrize(('arguments', 'error', 'text'), [
    ({'q': np.zeros(2)}, ShapeError, 'q has shape (2,); allowed: (3,)'),
    ({'q': [0, np.nan, 0]}, NotFiniteError, "q of joint 'joint2' is nan"),
    ({'q': START, 'v': [np.inf, 0, 0]}, NotFiniteError, "v of joint 'joint1' is inf"),
    ({'q': START, 'step': 0.0}, InvalidValueError, 'step is 0.0; allowed: a positive time [s]'),
    ({'q': START, 'start': 'now'}, InvalidValueError,
     "start is 'now'; allowed: as_given or project"),
])
def test_bad_starts_are_named(motion, arguments, error, text):
    """Joint and value are in the message."""
    with pytest.raises(error) as caught:
        NominalModel(motion, **arguments)
    assert text in str(caught.value)


def test_time_must_be_finite(motion):
    """A broken clock does not break the model."""
    nominal = NominalModel(motion, START)
    with pytest.raises(NotFiniteError, match='time of the nominal model is nan'):
        nominal.advance_to(np.nan)
    assert nominal.state.time == 0


def test_without_elimination_the_violation_is_reported(urdf_arm, motion):
    """Nothing is corrected, nothing is hidden."""
    free = ConstrainedMotion(urdf_arm, motion.constraint, elimination=None)
    nominal = NominalModel(free, np.radians([13.5, -50, 100]), [0.75, -0.24, -0.3], step=0.01)
    state = nominal.advance_to(1.0)
    assert state.violation == pytest.approx(0.0089, abs=1e-4)  # section 5, figure 4
    assert state.moved == 0


class TestPostureSpring:
    """More joints than rows: what the constraint leaves free has to be held."""

    POSTURE = (0.0, -0.9, 2.7, 0.0, 1.3, 0.0)

    def nominal(self, puma, applied):
        """Return a nominal model of the PUMA on a small circle."""
        path = Ellipse([0.62, 0.15, 0.78], [0, 0.1, 0], [0.05, 0, 0.05])
        motion = ConstrainedMotion(puma, ToolPosition(puma, 'tool', path), applied=applied,
                                   elimination=DirectElimination('euclidean'))
        return NominalModel(motion, self.POSTURE, start='project')

    def test_without_it_the_arm_falls(self, puma):
        """The tool is on its path all the same: the reason for the spring."""
        nominal = self.nominal(puma, None)
        state = nominal.advance_to(1.5)
        assert state.violation < 1e-12
        assert np.abs(state.q - self.POSTURE).max() > 1.0

    def test_with_it_the_arm_stays_near_the_posture(self, puma):
        """And the motion becomes periodic."""
        nominal = self.nominal(puma, PostureSpring(puma, self.POSTURE))
        first = nominal.advance_to(2 * np.pi)
        second = nominal.advance_to(4 * np.pi)
        assert np.abs(second.q - self.POSTURE).max() < 0.5
        # What is left of the start after one turn; its slowest part decays like exp(-2.6 t).
        np.testing.assert_allclose(second.q, first.q, rtol=0, atol=1e-5)
        np.testing.assert_allclose(second.effort, second.applied + second.constraint_force)
        assert second.violation < 1e-12

    def test_constraint_force_still_does_no_work_on_free_motion(self, puma):
        """The applied force is no part of Q_c."""
        nominal = self.nominal(puma, PostureSpring(puma, self.POSTURE))
        state = nominal.advance_to(0.3)
        rows = nominal.motion.constraint.matrix(state.q, state.v, state.time)
        free = np.linalg.svd(rows)[2][3:]
        # Rounding of forces of 40 N m.
        np.testing.assert_allclose(free @ state.constraint_force, 0, atol=1e-12)

    def test_holds_the_posture_at_rest(self, puma):
        """At the posture it is the weight, and nothing else."""
        q = np.array(self.POSTURE)
        spring = PostureSpring(puma, q, stiffness=[9.0, 9, 9, 1, 1, 1], damping=0.5)
        np.testing.assert_allclose(
            spring(0.0, q, np.zeros(6), puma.mass_matrix(q)),
            puma.bias_forces(q, np.zeros(6)), rtol=0, atol=1e-14)

    @pytest.mark.parametrize(('arguments', 'error', 'text'), [
        ({'posture': [0.0]}, ShapeError, 'posture has shape (1,); allowed: (6,)'),
        ({'posture': [np.nan] * 6}, NotFiniteError, "posture of joint 'joint1' is nan"),
        ({'posture': [0.0] * 6, 'stiffness': [1.0, 2.0]}, ShapeError,
         'stiffness has shape (2,); allowed: () or (6,)'),
        ({'posture': [0.0] * 6, 'stiffness': 0.0}, InvalidValueError,
         'stiffness is 0.0; allowed: positive numbers'),
        ({'posture': [0.0] * 6, 'damping': -1.0}, InvalidValueError,
         'damping is -1.0; allowed: a number not below zero'),
    ])
    def test_bad_data_are_named(self, puma, arguments, error, text):
        """Each datum says what it may be."""
        with pytest.raises(error) as caught:
            PostureSpring(puma, **arguments)
        assert text in str(caught.value)


def test_floating_base_can_be_constrained():
    """A point of a free box is led along a circle; the rest of it turns freely."""
    import mbd_ros
    from mbd_ros.model.state import neutral
    box = mbd_ros.load("""<robot name="box"><link name="box"><inertial>
        <origin xyz="0.1 0.2 0"/><mass value="3"/>
        <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/>
        </inertial></link></robot>""", floating_base=True)
    dyn = mbd_ros.compile(box)
    motion = ConstrainedMotion(
        dyn, ToolPosition(dyn, 'box', Ellipse([0, 0, 1], [0.2, 0, 0], [0, 0.2, 0])))
    nominal = NominalModel(motion, neutral(box), np.array([0, 0.2, 0, 0, 0, 1.0]))
    states = [nominal.advance_to(0.002 * k) for k in range(1, 300)]
    assert max(state.violation for state in states[2:]) < 1e-12
    assert np.linalg.norm(states[-1].q[3:]) == pytest.approx(1, abs=1e-14)
    # The path acts on the origin alone: no moment about it, hence a pure force.
    np.testing.assert_allclose(states[-1].constraint_force[3:], 0, atol=1e-12)


@pytest.mark.parametrize('kinds', [['revolute', 'revolute'], ['spherical', 'planar']])
def test_springs_set_out_from_where_the_robot_is(kinds):
    """On the way the rate is that of the target; before and after, it rests."""
    model = model_of([0, 1], kinds, 3)
    q, posture = (random_state(model, seed)[0] for seed in (1, 2))
    spring = PostureSpring(mbd_ros.compile(model), posture)
    spring.lead(q, 0.3, 0.8)
    for t, place in ((0.3, q), (1.1, posture), (9.0, posture)):
        target, rate = spring.target(t)
        # Rounding of numbers near 3.
        np.testing.assert_allclose(difference(model, target, place), 0.0, rtol=0, atol=1e-14)
        np.testing.assert_allclose(rate, 0.0, rtol=0, atol=1e-14)
    h = 1e-6
    for t in (0.35, 0.7, 1.0):
        (before, _), (_, rate), (after, _) = (spring.target(t + way) for way in (-h, 0.0, h))
        assert np.abs(rate).max() > 0.01
        # Central differences: rounding 1e-15 / 1e-6 and h^2 by third derivatives near 1000.
        np.testing.assert_allclose(difference(model, before, after) / (2.0 * h), rate, rtol=0,
                                   atol=1e-8)
