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

"""Recordings as they come: jitter, noise, friction, currents, loads, loops, feet, degrees."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from robots import urdf
from scipy import signal, stats

import mbd_ros
from mbd_ros.dynamics.identification.bodies import as_body
from mbd_ros.dynamics.identification.recording import low_pass, ORDER, proposed_cutoff
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.execution.threads import matrix_products
from mbd_ros.model.lock import rebuilt

URDF = Path(__file__).resolve().parents[3] / 'urdf'
ARM = mbd_ros.load(URDF / 'panda.urdf')
JITTER = (0.003, 0.007)
"""[s] between samples, evenly spread."""


def motion(nv, time, seed):
    """Return q, v and qdd (N, nv) of five sines for each joint."""
    rng = np.random.default_rng(seed)
    sizes, phases = rng.normal(size=(5, nv)) * 0.5, rng.uniform(0.0, 6.0, (5, nv))
    rates = 0.4 * np.arange(1, 6)[:, None, None]
    angles = rates * time[:, None] + phases[:, None]
    return tuple((sizes[:, None] * part).sum(axis=0) for part in (
        np.sin(angles), rates * np.cos(angles), -rates ** 2 * np.sin(angles)))


def stamps(count, seed):
    return np.cumsum(np.random.default_rng(seed).uniform(*JITTER, count))


def disturbed(model, seed):
    """Return a robot with masses up to 40 % and mass centres 1 cm off."""
    rng = np.random.default_rng(seed)
    return rebuilt(model, replace(model.mechanism, links=tuple(
        link if link.inertia is None else replace(link, inertia=replace(
            link.inertia, mass=link.inertia.mass * rng.uniform(0.7, 1.4),
            center=tuple(np.array(link.inertia.center) + rng.normal(size=3) * 0.01)))
        for link in model.mechanism.links)))


class Recorded:
    """A simulated recording of a disturbed arm with friction, rotors and offsets, and noise."""

    def __init__(self, seed, count=4000, noise=0.1):
        rng = np.random.default_rng(seed + 100)
        self.true = disturbed(ARM, seed)
        self.time = stamps(count, seed)
        self.q, self.v, self.qdd = motion(ARM.nv, self.time, seed + 10)
        self.damping, self.friction = rng.uniform(0.1, 1.0, (2, ARM.nv))
        self.rotors, self.offset = rng.uniform(0.05, 0.2, ARM.nv), rng.normal(size=ARM.nv) * 0.3
        self.armature = ARM.armature + self.rotors
        self.exact = self.efforts(self.q, self.v, self.qdd)
        self.tau = self.exact + noise * rng.normal(size=self.exact.shape)
        self.noisy = self.q + 2e-5 * rng.normal(size=self.q.shape)   # encoders of 17 bits

    def efforts(self, q, v, qdd):
        return (mbd_ros.inverse_dynamics(self.true, q, v, qdd) + self.damping * v
                + self.friction * np.tanh(v / 0.01) + self.rotors * qdd + self.offset)

    def error(self, found):
        """Return the relative error of efforts on another motion."""
        state = motion(ARM.nv, np.linspace(0.0, 10.0, 500), 99)
        exact = self.efforts(*state)
        return np.linalg.norm(found.predict(*state) - exact) / np.linalg.norm(exact)


@pytest.mark.parametrize('seed', [0, 2])
def test_true_parameters_are_within_three_standard_deviations(seed):
    """From noisy positions alone, at jittering stamps, by default settings."""
    run = Recorded(seed)
    found = mbd_ros.identify(ARM, run.noisy, None, run.tau, time=run.time)
    for name, first in (('damping', 0), ('friction', 0), ('armature', 1), ('offset', 0)):
        # The first rotor cannot be told from the link that turns with it.
        far = np.abs(getattr(found, name) - getattr(run, name)) / getattr(found.deviations, name)
        assert far[first:].max() < 3.0, name
    true = mbd_ros.inertial_parameters(run.true)
    assert (np.abs(found.parameters - true) < 3.0 * found.deviations.parameters).all()
    # The estimate is of use: masses of the last links to a fifth or better.
    assert (found.deviations.parameters[2:, 0] < 0.6 * found.parameters[2:, 0]).all()
    assert run.error(found) < 0.01   # noise of 0.1 N m, averaged, beside 15 N m
    assert 1.0 < found.cutoff < 20.0   # the motion ends at 0.32 Hz, samples are 5 ms apart
    assert found.rank == found.base and np.linalg.norm(found.gravity[:2]) < 0.03
    for row in found.parameters:
        assert np.linalg.eigvalsh(as_body(row))[0] > 0.0


def test_deviations_are_those_of_the_normal_law():
    """Of six robots and motions, all numbers: as many beyond two and three as it says."""
    far = []
    for seed in range(3, 9):
        run = Recorded(seed)
        found = mbd_ros.identify(ARM, run.noisy, None, run.tau, time=run.time)
        pairs = [(getattr(found, name), getattr(run, name), getattr(found.deviations, name))
                 for name in ('damping', 'friction', 'armature', 'offset')]
        pairs.append((found.parameters, mbd_ros.inertial_parameters(run.true),
                      found.deviations.parameters))
        far += [np.abs((one - true) / sure).ravel() for one, true, sure in pairs]
    far = np.concatenate(far)
    for sigmas in (2.0, 3.0):
        beyond = 2.0 * stats.norm.sf(sigmas)
        # one of a thousand such tests would fail if numbers were independent of each other
        assert (far > sigmas).sum() <= stats.binom.ppf(0.999, len(far), beyond), sigmas
    assert (far > 1.0).mean() > 0.1   # and they are not just large: 0.32 of exact ones


def test_runs_outliers_interruptions_and_stamps_that_go_back():
    run = Recorded(1)
    tau, time = run.tau.copy(), run.time.copy()
    rng = np.random.default_rng(3)
    tau[rng.integers(0, 4000, 40), rng.integers(0, 7, 40)] += 300.0
    time[2500:] += 1.0
    time[1000] = time[999]
    runs = [np.split(one, [1800]) for one in (run.q, run.v, tau, time)]
    found = mbd_ros.identify(ARM, *runs[:3], time=runs[3])
    assert run.error(found) < 0.01
    said = ' '.join(finding.message for finding in found.findings)
    assert '1 of 2200 states' not in said and '1 of 1800 states passed over' in said
    assert '1 interruptions of up to 1' in said and 'outliers were passed over' in said
    assert len(found.findings) == 3


def test_motor_currents_and_their_constants():
    run = Recorded(4)
    # The bodies are as described: they say how large constants are.
    exact = mbd_ros.inverse_dynamics(ARM, run.q, run.v, run.qdd) + run.damping * run.v
    constants = np.array([9.0, -11.0, 7.0, 5.0, 4.0, 3.0, 3.5])   # one is wired the other way
    noise = 0.005 * np.random.default_rng(5).normal(size=exact.shape)
    found = mbd_ros.identify(ARM, run.q, run.v, exact / constants + noise, qdd=run.qdd,
                             currents=True)
    assert (np.abs(found.constants - constants) < 3.0 * found.deviations.constants).all()
    np.testing.assert_allclose(found.constants, constants, rtol=0.15)
    assert found.damping[1] > 0.5 * run.damping[1]   # it takes energy there, too
    state = motion(ARM.nv, np.linspace(0.0, 10.0, 500), 99)
    ratio = found.predict(*state) / found.constants * constants
    true = mbd_ros.inverse_dynamics(ARM, *state) + run.damping * state[1]
    assert np.linalg.norm(ratio - true) < 0.02 * np.linalg.norm(true)


def test_a_payload_alone():
    """Ten parameters of a tool, in the axes of a link that is fixed to the last body."""
    run = Recorded(5)
    center, inertia = np.array((0.02, -0.03, 0.11)), np.diag((0.012, 0.011, 0.004))
    laden = mbd_ros.with_payload(ARM, 'tool', 2.0, center, inertia)
    tau = mbd_ros.inverse_dynamics(laden, run.q, run.v, run.qdd, dissipation=True)
    tau = tau + 0.05 * np.random.default_rng(6).normal(size=tau.shape)
    found = mbd_ros.identify(ARM, run.q, run.v, tau, qdd=run.qdd, payload='tool', joints=False)
    about_origin = inertia + 2.0 * (center @ center * np.eye(3) - np.outer(center, center))
    true = np.concatenate(([2.0], 2.0 * center, about_origin[[0, 0, 1, 0, 1, 2],
                                                             [0, 1, 1, 2, 2, 2]]))
    assert found.parameters.shape == (1, 10)
    assert (np.abs(found.parameters[0] - true) < 3.0 * found.deviations.parameters[0]).all()
    assert abs(found.parameters[0, 0] - 2.0) < 0.01
    # The model carries the tool.
    np.testing.assert_allclose(found.model.masses.sum() - ARM.masses.sum(),
                               found.parameters[0, 0], rtol=1e-9)
    np.testing.assert_allclose(mbd_ros.inverse_dynamics(found.model, run.q[0], run.v[0],
                                                        run.qdd[0], dissipation=True),
                               found.predict(run.q[0], run.v[0], run.qdd[0]), atol=0.2)


def test_driven_joints_of_a_closed_loop():
    model = mbd_ros.load(URDF / 'four_bar.urdf')
    leader = model.coordinate_names[0]
    time = np.arange(150) * 0.02
    q, v = [], []
    at = mbd_ros.close_loops(model, mbd_ros.neutral(model))[0]
    for t in time:
        at = at.copy()
        at[0] = 0.4 * np.sin(1.3 * t) + 0.3 * np.sin(2.9 * t)
        rate = np.zeros(model.nv)
        rate[0] = 0.52 * np.cos(1.3 * t) + 0.87 * np.cos(2.9 * t)
        at, rate = mbd_ros.close_loops(model, at, rate, known=[leader])
        q.append(at)
        v.append(rate)
    q, v = np.array(q), np.array(v)
    qdd = np.gradient(v, time, axis=0)
    true = disturbed(model, 3)
    tau = mbd_ros.inverse_dynamics(true, q, v, qdd, actuated=[leader])
    found = mbd_ros.identify(model, q, v, tau, qdd=qdd, actuated=[leader], joints=False)
    assert found.error < 1e-3   # of efforts that one robot made exactly
    np.testing.assert_allclose(found.predict(q, v, qdd), tau,
                               atol=2e-3 * np.abs(tau).max())
    assert mbd_ros.inverse_dynamics(model, q, v, qdd, actuated=[leader]) != pytest.approx(
        tau, rel=0.02)
    with pytest.raises(InvalidValueError, match='actuated'):
        mbd_ros.identify(model, q, v, tau, qdd=qdd, actuated=model.joint_names[:2])


def test_driven_joints_that_follow_each_other_leave_others_open():
    text = ('<robot name="r">' + ''.join(
        f'<link name="l{i}"><inertial><origin xyz="0.2 0 0"/><mass value="1"/><inertia ixx="0.1" '
        'ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>' for i in range(4))
        + ''.join(f'<joint name="j{i}" type="continuous"><parent link="l{i - 1}"/>'
                  f'<child link="l{i}"/><axis xyz="0 0 1"/>' + '<mimic joint="j1"/>' * (i == 2)
                  + '</joint>'
                  for i in (1, 2, 3)) + '</robot>')
    model = mbd_ros.load(text, mimic=True)
    rows = np.random.default_rng(1).normal(size=(20, 3))
    rows[:, 1] = rows[:, 0]
    with pytest.raises(InvalidValueError, match='that determine all others'):
        mbd_ros.identify(model, rows, rows, rows, qdd=rows, actuated=['j1', 'j2'])


def test_feet_on_the_ground_weigh_a_floating_robot():
    model = mbd_ros.load(urdf([0, 1, 2], ['revolute'] * 3, 5), floating_base=True)
    rng = np.random.default_rng(8)
    true = disturbed(model, 8)
    q = np.array([mbd_ros.random_configuration(model, rng) for _ in range(200)])
    v, qdd = rng.normal(size=(2, 200, model.nv))
    foot = model.body_names[-1]
    needed = mbd_ros.inverse_dynamics(true, q, v, qdd)
    # A force at the last link that leaves nothing for the base to do.
    jacobian = mbd_ros.jacobian(model, q, foot)
    force = np.linalg.solve(jacobian[:, :, :6].swapaxes(1, 2), needed[:, :6, None])[:, :, 0]
    tau = needed - np.einsum('nij,ni->nj', jacobian, force)
    np.testing.assert_allclose(tau[:, :6], 0.0, atol=1e-7)   # rounding of the solution
    found = mbd_ros.identify(model, q, v, tau, qdd=qdd, external_forces={foot: force})
    assert found.model.masses.sum() == pytest.approx(true.masses.sum(), rel=1e-3)
    assert found.deviations.offset[:6].max() == 0.0 and not len(found.deviations.tilt)


def test_degrees_and_milliseconds_are_noticed():
    run = Recorded(0, count=400)
    for q, v, time, text in (
            (np.degrees(run.q), np.degrees(run.v), run.time, 'look like degrees'),
            (run.q, np.degrees(run.v), run.time, 'velocities in degrees'),
            (run.q, run.v, 1e3 * run.time, 'milliseconds')):
        found = mbd_ros.identify(ARM, q, v, run.tau, time=time)
        assert any(text in finding.message for finding in found.findings), text
    found = mbd_ros.identify(ARM, run.q, run.v, run.tau, time=run.time)
    assert not any('look' in finding.message or 'times' in finding.message
                   for finding in found.findings)


def test_friction_that_is_larger_at_rest():
    run = Recorded(6)
    extra = 0.5 * np.tanh(run.v / 0.01) * np.exp(-(run.v / 0.2) ** 2)
    plain = mbd_ros.identify(ARM, run.q, run.v, run.exact + extra, qdd=run.qdd)
    found = mbd_ros.identify(ARM, run.q, run.v, run.exact + extra, qdd=run.qdd,
                             friction='stribeck')
    assert found.error < 0.7 * plain.error and (found.stribeck > 0.2).all()
    assert plain.stribeck_speed is None and found.stribeck_speed > 0.0


def test_the_cutoff_lies_between_motion_and_noise():
    rng = np.random.default_rng(9)
    time = np.arange(4000) * 0.005
    v = np.sin(2.0 * np.pi * 1.5 * time)[:, None]
    proposals = [proposed_cutoff(v + noise * rng.normal(size=v.shape), 0.005)
                 for noise in (1e-5, 1e-3, 1e-1)]
    # Above the motion; the stronger the noise the lower, but for leakage of the window.
    assert 1.5 < proposals[2] < 15.0 and proposals[2] <= proposals[0] <= 50.0


@pytest.mark.parametrize('part', [0.02, 0.1, 0.5])
def test_the_filter_is_butterworths_forwards_and_backwards(part):
    time = np.arange(1000) * 0.005
    v = np.stack([np.sin(1.0 + k * time) + 0.1 * k * time for k in (1, 2, 3)], axis=1)
    v += 0.1 * np.random.default_rng(0).normal(size=v.shape)
    expected = signal.sosfiltfilt(signal.butter(ORDER, part, output='sos'), v, axis=0,
                                  padlen=min(int(6.0 / part), len(v) - 2))
    edge = int(1.0 / part)   # how each begins differs there, and decays
    np.testing.assert_allclose(low_pass(v, part)[edge:-edge], expected[edge:-edge], atol=5e-4)
    line = np.linspace(0.0, 1.0, 50)[:, None] * (1.0, -2.0) + 3.0
    np.testing.assert_allclose(low_pass(line, part), line, atol=1e-12)   # rounding


def test_products_of_matrices_stay_on_one_thread_and_threads_come_back():
    counts = [count() for count, _ in matrix_products._libraries()]
    with matrix_products.one_thread(), matrix_products.one_thread():
        assert {count() for count, _ in matrix_products._libraries()} <= {1}
    assert [count() for count, _ in matrix_products._libraries()] == counts


def test_a_tilted_base_is_found():
    run = Recorded(7, count=1500)
    gravity = 9.81 * np.array((0.02, -0.015, -np.sqrt(1.0 - 0.02 ** 2 - 0.015 ** 2)))
    tau = mbd_ros.inverse_dynamics(run.true, run.q, run.v, run.qdd, gravity=gravity)
    tau = tau + 0.05 * np.random.default_rng(7).normal(size=tau.shape)
    found = mbd_ros.identify(ARM, run.q, run.v, tau, qdd=run.qdd)
    np.testing.assert_allclose(found.gravity[:2], gravity[:2], atol=0.03)   # 0.2 degrees
    assert any('lean' in finding.message for finding in found.findings)
    level = mbd_ros.identify(ARM, run.q, run.v, tau, qdd=run.qdd, level=True)
    np.testing.assert_array_equal(level.gravity, (0.0, 0.0, -9.81))
    assert level.error > found.error


def test_too_few_states():
    with pytest.raises(ShapeError, match='20'):
        mbd_ros.identify(ARM, *np.zeros((3, 10, 7)), qdd=np.zeros((10, 7)))
    with pytest.raises(InvalidValueError, match='list of 2 runs'):
        mbd_ros.identify(ARM, [np.zeros((30, 7))] * 2, np.zeros((30, 7)), np.zeros((30, 7)))
