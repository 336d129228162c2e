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

"""Motions of robots with flexible links: references, energy, and stiff integration."""

import flexible_robots
import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import (
    DivergedError, InvalidValueError, LargeDeflectionWarning, ShapeError)
from mbd_ros.simulation.coded_steps import LinearEfforts

STILL = (0.0, 0.0, 0.0)


@pytest.mark.parametrize(('extra', 'key'), [
    ('stiffening="kinetic"', 'foreshortening x'),
    ('stiffening="false"', 'linear_modes x=[q1,q2,a11,a12,a21,a22]')])
def test_the_two_link_arm(extra, key):
    reference = flexible_robots.reference('two_link')['trajectory']
    model = mbd_ros.load(flexible_robots.two_link_arm(extra=extra))

    def torque(t, q, v):
        wave = np.sin(2.0 * np.pi * t) if t < 1.0 else 0.0
        return np.array([6.0 * wave, -2.5 * wave, 0.0, 0.0, 0.0, 0.0])

    count = len(reference['t']) if 'kinetic' in extra else 4
    run = mbd_ros.simulate(
        model, reference[key][0], np.zeros(6), reference['t'][count - 1], tau=torque,
        gravity=STILL, method='dop853', rtol=1e-10, atol=1e-12, times=reference['t'][:count])
    np.testing.assert_allclose(run.q, reference[key][:count], rtol=0, atol=1e-9)
    assert np.abs(run.balance).max() < 1e-9  # of 8 J
    tip = reference['tip2_linear' if 'false' in extra else 'tip2_foreshortening'][:count]
    np.testing.assert_allclose(mbd_ros.pose(model, run.q, 'payload')[:, :2, 3], tip, atol=1e-9)
    finite_elements = np.array(reference['exudyn q1 q2 tip2x tip2y'])[:count, 2:]
    assert np.abs(tip - finite_elements).max() < 2e-3  # modes, 2 a link: 1.5 mm in 2 s


@pytest.mark.parametrize('extra', ['', 'boundary="craig_bampton"'])
def test_the_two_link_arm_is_within_a_millimetre_of_finite_elements(extra):
    """With three shapes a link, by default; 16 elements a link."""
    reference = flexible_robots.reference('two_link')['trajectory']
    model, start = mbd_ros.load(flexible_robots.two_link_arm(modes=3, extra=extra)), np.zeros(8)
    start[1] = 0.25 * np.pi

    class Torques:
        def __call__(self, t, q, v):
            return self.linear(np.array([t])).offset[0]

        def linear(self, times):
            wave = np.where(times < 1.0, np.sin(2.0 * np.pi * times), 0.0)
            return LinearEfforts(wave[:, None] * np.array([6.0, -2.5, *np.zeros(6)]),
                                 np.zeros(8), np.zeros(8))

    run = mbd_ros.simulate(model, start, 0 * start, 2.0, tau=Torques(), gravity=STILL, step=1e-3,
                           record_every=20)
    np.testing.assert_allclose(run.time, reference['t'], atol=1e-12)
    tip = mbd_ros.pose(model, run.q, 'payload')[:, :2, 3]
    assert np.linalg.norm(tip - np.array(
        reference['exudyn q1 q2 tip2x tip2y'])[:, 2:], axis=1).max() < 1e-3
    assert np.abs(run.balance).max() < 1e-4   # of 8 J; the rule is of order 2


def spun_up(name, modes, until, extra=''):
    """Return times, tip deflections and the reference of a beam whose rotation is given."""
    case = flexible_robots.reference('single')['spin_up'][name]
    p = case['model']
    model = mbd_ros.load(flexible_robots.beam(
        f'bending_stiffness="{p["EI"]!r} 0" modes="{modes} 0 0" {extra}', p['L'], p['rhoA'],
        'continuous'))

    class SpinUp:
        """The joint follows its law; the elastic coordinates move as they must."""

        def acceleration(self, t, q, v):
            turn = 2.0 * np.pi / p['Ts']
            qdd = np.zeros(model.nv)
            if t < p['Ts']:
                qdd[0] = p['Omega'] / p['Ts'] * (1.0 - np.cos(turn * t))
            return mbd_ros.hybrid_dynamics(model, q, v, np.zeros(model.nv), qdd, given=['root'],
                                           gravity=STILL).qdd

        def correct(self, t, q, v):
            return q, v

        def violation(self, t, q):
            return 0.0

    times = np.array(case['t'])
    times = times[times <= until]
    rest = np.zeros(model.nv)
    run = mbd_ros.simulate(model, rest, rest, until, motion=SpinUp(), method='dop853', rtol=1e-6,
                           atol=1e-8, times=times, gravity=STILL)
    return times, run.q[:, 1:].sum(axis=1), case  # modes are 1 at the tip


@pytest.mark.parametrize('name', ['kane_8m', 'simo_vu_quoc_10m'])
def test_spin_up(name):
    times, tip, case = spun_up(name, 2, 7.0)
    expected = np.array(case['tip_u2_stiffened_modal']['2'])[:len(times)]
    peak = np.abs(expected).max()
    # Here the energies of second order in the slope, there stiffness of first order in a: 0.08 %.
    assert np.abs(tip - expected).max() < 1e-3 * peak
    cables = np.array(case['tip_u2_exudyn_ANCF32'])[:len(times)]
    assert np.abs(tip - cables).max() < 2e-3 * peak


def test_spin_up_without_stiffening_is_wrong():
    times, tip, case = spun_up('kane_8m', 2, 8.0, 'stiffening="false"')
    wrong = case['tip_u2_without_stiffening_4modes']
    # Two modes beside four: 0.5 % of what grows without end.
    np.testing.assert_allclose(tip, np.interp(times, wrong['t'], wrong['u2']), atol=0.01)
    assert tip[-1] < -1.2


def test_energy_with_stiff_modes_and_damping():
    model = mbd_ros.load(flexible_robots.four_joint_arm())
    q = np.zeros(model.nq)
    q[:4] = (0.0, -0.9, 1.2, 0.3)
    q[4:] = mbd_ros.static_deflection(model, q)
    q[5] += 1e-3  # an oscillation that modal damping takes from
    run = mbd_ros.simulate(model, q, np.zeros(model.nv), 0.004, rtol=1e-6, atol=1e-8)
    lost = np.ptp(run.energy)
    assert lost > 1e-5
    assert np.abs(run.balance).max() < 1e-3 * lost  # tolerances of the run


def test_a_large_deflection_is_told():
    model = mbd_ros.load(flexible_robots.beam(
        'bending_stiffness="1 1" modes="1 1 0"', joint='fixed'))
    with pytest.warns(LargeDeflectionWarning, match=r"^link 'beam' bends by 0\.\d+ of its length "
                      r'in state 0; its linear modes are valid up to 0\.1$'):
        mbd_ros.static_deflection(model, np.zeros(2))


def test_forward_dynamics_follows_hybrid_dynamics():
    model = mbd_ros.load(flexible_robots.four_joint_arm())
    q = np.concatenate([[0.2, -0.7, 0.9, 0.1], 1e-3 * np.ones(10)])
    v = np.concatenate([[0.5, 0.4, -0.3, 0.2], np.zeros(10)])
    qdd = np.concatenate([[1.0, -2.0, 0.5, 3.0], np.zeros(10)])
    found = mbd_ros.hybrid_dynamics(model, q, v, np.zeros(14), qdd, given=model.joint_names)
    np.testing.assert_allclose(found.qdd[:4], qdd[:4])
    np.testing.assert_allclose(found.tau[4:], 0.0)
    np.testing.assert_allclose(
        mbd_ros.inverse_dynamics(model, q, v, qdd, actuated=model.joint_names), found.tau)
    vdot = mbd_ros.forward_dynamics(model, q, v, found.tau)
    np.testing.assert_allclose(vdot, found.qdd, atol=1e-10 * np.abs(vdot).max())


def bent_arm():
    """Return the four-joint arm, bent by its weight and then some."""
    model = mbd_ros.load(flexible_robots.four_joint_arm())
    q = np.zeros(model.nq)
    q[:4] = (0.0, -0.9, 1.2, 0.3)
    q[4:] = mbd_ros.static_deflection(model, q)
    return model, q


@pytest.mark.parametrize('moves', [False, True])
def test_the_midpoint_rule(moves):
    model, q = bent_arm()
    tau = np.zeros(model.nv)
    tau[:4] = (1.0, -20.0, -5.0, 0.5)
    efforts = (lambda t, place, v: tau * np.cos(10.0 * t) - 0.02 * abs(tau) * v) if moves else tau
    exact = mbd_ros.simulate(model, q, np.zeros(model.nv), 0.1, tau=efforts, method='dop853',
                             rtol=1e-9, atol=1e-11)
    errors = []
    for step in (1e-3, 1e-4, 5e-5):
        run = mbd_ros.simulate(model, q, np.zeros(model.nv), 0.1, tau=efforts, step=step)
        assert len(run.time) == 1 + round(0.1 / step)
        errors.append(np.abs(run.q[-1, :4] - exact.q[-1, :4]).max())
        assert np.abs(run.balance).max() < 60.0 * step ** 2 * 2.0  # 2 J are exchanged
    # Modes of 1400 Hz begin to be resolved by the last two steps; there it is of order 2.
    assert errors[0] < 5e-4 and errors[1] / errors[2] == pytest.approx(4.0, rel=0.1)


def test_the_midpoint_rule_on_a_floating_base():
    hull = flexible_robots.point_mass('hull', 3.0).replace(
        'ixx="0.0" ixy="0.0" ixz="0.0" iyy="0.0" iyz="0.0" izz="0.0"',
        'ixx="1" ixy="0.1" ixz="0.2" iyy="1.3" iyz="0" izz="1.4"')
    model = mbd_ros.load(
        f'{flexible_robots.HEAD}{hull}<link name="beam">{flexible_robots.slender(1.0, 0.5)}'
        '<mbd:flexible><beam length="1" linear_density="0.5" bending_stiffness="30 30" '
        f'modes="1 1 0"/></mbd:flexible></link>'
        f'{flexible_robots.fixed("weld", "hull", "beam", (0.2, 0.0, 0.0))}</robot>',
        floating_base=True)
    q, v = np.concatenate([[0.0] * 6, [1.0, 0.01, 0.02]]), np.zeros(8)
    v[3:6] = (1.0, 2.0, -1.0)
    exact = mbd_ros.simulate(model, q, v, 0.5, method='dop853', gravity=STILL)
    run = mbd_ros.simulate(model, q, v, 0.5, gravity=STILL)
    assert np.linalg.norm(run.q[-1, 3:7]) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=1e-4)  # step^2 (30 rad/s)^2 0.1
    slow = mbd_ros.compile(model, executor='interpreted')
    middle = mbd_ros.compile(model).midpoint(q, v, 0 * v, [1e-3], q, v)
    np.testing.assert_allclose(slow.midpoint(q, v, 0 * v, [1e-3], q, v), middle, atol=1e-14)
    stepper = mbd_ros.simulation.Stepper(model, q, v, gravity=STILL)
    stepper.advance(np.zeros(8), 0.5)
    np.testing.assert_allclose(stepper.q, run.q[-1], atol=1e-9)  # normalized at each step
    with pytest.raises(DivergedError, match='the state after the next step is not finite'):
        mbd_ros.simulate(model, q, v, 0.01, tau=np.full(8, 1e300))


def test_the_midpoint_rule_is_for_flexible_links():
    model = mbd_ros.load('urdf/puma560.urdf')
    with pytest.raises(InvalidValueError, match=r"^method is 'midpoint'; allowed: another"):
        mbd_ros.simulate(model, np.zeros(6), np.zeros(6), 0.1, method='midpoint')


class Told:
    """A torque that grows, asked for one time or told for many; ``gain``: of a spring as well."""

    gain = 0.0

    def __call__(self, t, q, v):
        return np.array([np.sin(9.0 * t) - self.gain * q[0], *np.zeros(len(v) - 1)])

    def linear(self, times):
        offset = np.zeros((len(times), 6))
        offset[:, 0] = np.sin(9.0 * times)
        return LinearEfforts(offset, self.gain * np.eye(6)[0], np.zeros(6))


@pytest.mark.parametrize('gain', [0.0, 2.0])
def test_efforts_that_are_told_for_many_steps(gain):
    """They go to machine code at once, unless they depend on the state."""
    model, law = mbd_ros.load(flexible_robots.two_link_arm()), Told()
    law.gain = gain
    found, expected = (mbd_ros.simulate(
        model, np.zeros(6), np.zeros(6), 0.3, tau=tau, gravity=STILL, step=1e-3)
        for tau in (law, law.__call__))
    np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=1e-13)   # the same sums
    assert np.abs(found.balance).max() < 1e-6   # of 0.5 J
    model = mbd_ros.load(flexible_robots.two_link_arm(modes=1))
    with pytest.raises(ShapeError, match=r'offset of linear efforts'):
        mbd_ros.simulate(model, np.zeros(4), np.zeros(4), 0.1, tau=law, gravity=STILL, step=1e-3)
