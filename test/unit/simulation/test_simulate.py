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

"""Runs with efforts, loads and friction; what is recorded; what is refused."""

import numpy as np
import pytest

from mbd_ros.errors import DivergedError, InvalidValueError, NotFiniteError, ShapeError
from mbd_ros.simulation import FreeMotion, simulate, Stepper
from mbd_ros.simulation.pushes import Push


def test_records_what_was_asked_for(pendulum):
    """First and last state always, every k-th between."""
    out = simulate(pendulum, [0.1], [0.0], 1.0, step=0.1, record_every=4)
    np.testing.assert_allclose(out.time, [0, 0.4, 0.8, 1.0], rtol=0, atol=1e-15)
    assert out.q.shape == (4, 1)
    assert out.v.shape == (4, 1)
    assert out.energy.shape == (4,)
    np.testing.assert_array_equal(out.violation, np.zeros(4))


def test_steps_fill_the_duration(pendulum):
    """0.25 s in steps of at most 0.1 s are three equal ones."""
    out = simulate(pendulum, [0.1], [0.0], 0.25, step=0.1)
    np.testing.assert_allclose(np.diff(out.time), 0.25 / 3, rtol=1e-12)
    assert len(simulate(pendulum, [0.1], [0.0], 0.3, step=0.1).time) == 4


def test_constant_effort_holds_the_pendulum(pendulum):
    """Efforts equal to the gravity moment keep it where it is."""
    moment = 2 * 9.81 * 0.5 * np.sin(0.7)
    out = simulate(pendulum, [0.7], [0.0], 1.0, tau=[moment])
    # An unstable balance: rounding grows by e in 0.27 s.
    np.testing.assert_allclose(out.q, 0.7, rtol=0, atol=1e-12)


def test_effort_as_a_function_of_the_state(pendulum):
    """A damper takes energy at the rate of its power."""
    out = simulate(pendulum, [1.0], [0.0], 2.0, tau=lambda t, q, v: -0.5 * v)
    power = 0.5 * out.v[:, 0]**2
    work = np.concatenate([[0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(out.time))])
    # The trapezoid rule at 1 ms: h^2 / 12 times second derivatives of about 100 W/s^2.
    np.testing.assert_allclose(out.energy[0] - out.energy, work, rtol=0, atol=5e-5)


def test_external_force_on_a_link(pendulum):
    """A force at a link's origin on the axis does nothing; a moment there is an effort."""
    idle = simulate(pendulum, [0.3], [0.0], 0.5)
    pushed = simulate(pendulum, [0.3], [0.0], 0.5, external_forces={'link1': [5, 0, 0, 0, 0, 0]})
    np.testing.assert_allclose(pushed.q, idle.q, rtol=0, atol=1e-14)
    turned = simulate(pendulum, [0.3], [0.0], 0.5,
                      external_forces=lambda t, q, v: {'link1': [0, 0, 0, 0, t, 0]})
    driven = simulate(pendulum, [0.3], [0.0], 0.5, tau=lambda t, q, v: [t])
    np.testing.assert_allclose(turned.q, driven.q, rtol=0, atol=1e-14)


def test_dissipation_is_off_until_asked_for(rough_pendulum):
    """Without it energy stays, with it the pendulum comes to rest."""
    free = simulate(rough_pendulum, [1.0], [0.0], 1.0)
    assert np.ptp(free.energy) < 1e-9
    rough = simulate(rough_pendulum, [1.0], [0.0], 20.0, dissipation=True)
    assert (np.diff(rough.energy) <= 1e-12).all()
    assert abs(rough.v[-1, 0]) < 1e-3


def test_gravity_is_given_in_world_axes(pendulum):
    """Sideways gravity pulls the pendulum sideways."""
    out = simulate(pendulum, [0.0], [0.0], 0.01, gravity=(-9.81, 0, 0))
    assert out.v[-1, 0] > 0


class Rail:
    """A motion of its own: constant acceleration, every step put on the even millimetre."""

    def acceleration(self, t, q, v):
        """Return one."""
        return np.ones(1)

    def correct(self, t, q, v):
        """Round."""
        return np.round(q, 3), v

    def violation(self, t, q):
        """Return the distance to the grid."""
        return float(abs(q[0] - np.round(q[0], 3)))


def test_a_motion_is_corrected_after_every_step(pendulum):
    """The protocol is open: anything with three functions can be simulated."""
    out = simulate(pendulum, [0.0004], [0.0], 1.0, step=0.1, motion=Rail())
    assert out.violation[0] == pytest.approx(0.0004)
    np.testing.assert_array_equal(out.violation[1:], 0)
    np.testing.assert_allclose(out.v[:, 0], out.time, atol=1e-15)


def test_a_motion_brings_its_own_forces(pendulum):
    """Efforts beside a motion would be ignored; they are refused."""
    with pytest.raises(InvalidValueError, match=r'motion is .*Rail.*; allowed: without tau'):
        simulate(pendulum, [0.0], [0.0], 1.0, motion=Rail(), tau=[1.0])


@pytest.mark.parametrize(('arguments', 'error', 'text'), [
    (([0.1, 0.2], [0.0], 1.0), ShapeError, 'q0 has shape (2,); allowed: (1,) for one state'),
    (([[0.1]], [0.0], 1.0), ShapeError, 'q0 has shape (1, 1); allowed: (1,), one state'),
    (([0.1], [np.nan], 1.0), NotFiniteError, "v0 of joint 'joint1' is nan"),
    (([0.1], [0.0], -1.0), InvalidValueError, 'duration is -1.0; allowed: a positive time'),
    (([0.1], [0.0], 'long'), InvalidValueError, "duration is 'long'; allowed: a positive time"),
    ((['a'], [0.0], 1.0), InvalidValueError, "q0 is ['a']; allowed: 1 real numbers"),
])
def test_bad_arguments_are_named(pendulum, arguments, error, text):
    """Argument, what was found, what is allowed."""
    with pytest.raises(error) as caught:
        simulate(pendulum, *arguments)
    assert text in str(caught.value)


@pytest.mark.parametrize(('name', 'value'), [('step', 0.0), ('record_every', 0), ('tau', [1, 2])])
def test_bad_options_are_named(pendulum, name, value):
    """Options too."""
    with pytest.raises((InvalidValueError, ShapeError), match=f'^{name} '):
        simulate(pendulum, [0.1], [0.0], 1.0, **{name: value})


@pytest.mark.parametrize('method', ['RK45', 'DOP853', 'BDF', 'RK4'])
def test_names_of_methods_as_scipy_writes_them(pendulum, method):
    runs = [simulate(pendulum, [0.1], [0.0], 0.1, method=name)
            for name in (method, method.lower())]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)


def test_a_method_that_is_none(pendulum):
    with pytest.raises(InvalidValueError, match=r"method is 'euler'; allowed: 'rk4', 'dop853'"):
        simulate(pendulum, [0.1], [0.0], 0.1, method='Euler')


@pytest.mark.parametrize('times', [[0.5, 0.2], [0.0, np.nan, 1.0], [-0.1], [1.1], [], [[0.1]]])
def test_times_that_no_run_has(pendulum, times):
    """They ascend within the run."""
    with pytest.raises(InvalidValueError, match=r'^times is .*ascending times within 0 \.\.\. 1'):
        simulate(pendulum, [0.1], [0.0], 1.0, method='dop853', times=times)


@pytest.mark.parametrize('option', [{'times': [0.5]}, {'events': [lambda t, q, v: q[0]]},
                                    {'dense': True}])
def test_what_fixed_steps_do_not_offer(pendulum, option):
    """It is refused, not ignored."""
    with pytest.raises(InvalidValueError, match=r'^method is .rk4.; allowed: one with variable'):
        simulate(pendulum, [0.1], [0.0], 1.0, **option)


def test_effort_that_turns_nan_stops_the_run(pendulum):
    """The time and the reason are in the message."""
    with pytest.raises(DivergedError, match=r"from t = 0\.5 s: tau of joint 'joint1' is nan"):
        simulate(pendulum, [0.1], [0.0], 1.0, step=0.1,
                 tau=lambda t, q, v: [np.nan] if t > 0.51 else [0.0])


@pytest.mark.filterwarnings('ignore:overflow:RuntimeWarning')
def test_motion_that_explodes_stops_the_run(pendulum):
    """A damper too stiff for the step; the state before stays finite."""
    with pytest.raises(DivergedError) as caught:
        simulate(pendulum, [0.1], [1.0], 10.0, step=0.1, tau=lambda t, q, v: -1e4 * v)
    assert 0 < caught.value.time < 10


@pytest.mark.parametrize('kind', [list, tuple, np.array])
def test_times_of_any_kind(pendulum, kind):
    """Without tolerances, too."""
    out = simulate(pendulum, [0.4], [0.0], 0.2, method='rk45', times=kind([0.0, 0.1, 0.2]))
    assert out.time.tolist() == [0.0, 0.1, 0.2]


class TestStepper:
    """The robot that the simulator node moves."""

    def test_equals_simulate(self, double_pendulum):
        """Many short advances are the same as one run."""
        tau = np.array([1.0, -0.5])
        out = simulate(double_pendulum, [0.4, 0.3], [0.1, 0.0], 0.5, tau=tau)
        stepper = Stepper(double_pendulum, [0.4, 0.3], [0.1, 0.0])
        for _ in range(125):
            stepper.advance(tau, 0.004)
        assert stepper.time == pytest.approx(0.5, abs=1e-12)
        np.testing.assert_allclose(stepper.q, out.q[-1], rtol=0, atol=1e-12)
        np.testing.assert_allclose(stepper.v, out.v[-1], rtol=0, atol=1e-12)

    def test_a_push_adds_to_other_forces(self, pendulum):
        """On the link of another force and for its time alone, to rounding."""
        weight, both = [0.0, 0.0, -3.0, 0.0, 0.0, 0.0], [5.0, 0.0, -3.0, 0.0, 0.0, 0.0]
        pushed = Stepper(pendulum, [0.4], external_forces={'link1': weight})
        pushed.push(Push('link1', np.zeros(3), np.array([5.0, 0.0, 0.0]), np.zeros(3), 0.05))
        pushed.advance([0.0], 0.05)
        known = Stepper(pendulum, [0.4], external_forces=lambda t, q, v: {'link1': both})
        known.advance([0.0], 0.05)
        np.testing.assert_allclose(pushed.q, known.q, rtol=0, atol=1e-15)
        pushed.advance([0.0], 0.05)
        known = Stepper(pendulum, known.q, known.v, external_forces={'link1': weight})
        known.advance([0.0], 0.05)
        np.testing.assert_allclose(pushed.q, known.q, rtol=0, atol=1e-15)

    def test_states_handed_out_do_not_change(self, pendulum):
        """A message may keep them."""
        stepper = Stepper(pendulum, [0.4])
        q = stepper.q
        stepper.advance([0.0], 0.01)
        assert q[0] == 0.4
        assert stepper.q[0] != 0.4

    def test_bad_efforts_move_nothing(self, pendulum):
        """The state stays and the message names the joint."""
        stepper = Stepper(pendulum, [0.4])
        with pytest.raises(NotFiniteError, match="commands of joint 'joint1' is nan"):
            stepper.advance([np.nan], 0.01)
        with pytest.raises(ShapeError):
            stepper.advance([0.0, 0.0], 0.01)
        with pytest.raises(InvalidValueError, match=r'dt is -0\.1; allowed: a time'):
            stepper.advance([0.0], -0.1)
        assert stepper.time == 0
        assert stepper.q[0] == 0.4

    def test_no_time_no_motion(self, pendulum):
        """Zero is a legal time."""
        stepper = Stepper(pendulum, [0.4])
        stepper.advance([0.0], 0.0)
        assert stepper.time == 0

    @pytest.mark.filterwarnings('ignore:overflow:RuntimeWarning')
    def test_divergence_keeps_the_last_state(self, pendulum):
        """A huge effort overflows; the state before it is still there."""
        stepper = Stepper(pendulum, [0.4])
        stepper.advance([0.0], 0.01)
        with pytest.raises(DivergedError):
            stepper.advance([1e308], 100.0)
        assert np.isfinite(stepper.q).all()

    def test_new_state(self, pendulum):
        """A robot can be put somewhere else; a bad state is refused and nothing changes."""
        stepper = Stepper(pendulum, [0.4], [1.0], time=3.0)
        with pytest.raises(NotFiniteError):
            stepper.set_state([np.inf])
        assert stepper.q[0] == 0.4
        stepper.set_state([0.7], time=5.0)
        assert (stepper.time, stepper.q[0], stepper.v[0]) == (5.0, 0.7, 0.0)

    def test_loads_and_dissipation(self, rough_pendulum):
        """The same forces as simulate has."""
        loads = {'link1': [0, 0, 0, 0, 0.4, 0]}
        out = simulate(rough_pendulum, [0.4], [0.0], 0.1, external_forces=loads,
                       dissipation=True)
        stepper = Stepper(rough_pendulum, [0.4], external_forces=loads, dissipation=True)
        stepper.advance([0.0], 0.1)
        np.testing.assert_allclose(stepper.q, out.q[-1], rtol=0, atol=1e-14)


def test_free_motion_checks_constant_efforts(pendulum):
    """At construction, not at the first step."""
    from mbd_ros import compile as prepare
    with pytest.raises(ShapeError, match='tau has shape'):
        FreeMotion(prepare(pendulum), tau=[1.0, 2.0])
