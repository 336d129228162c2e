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

"""Runs of robots with closed loops against reference trajectories, energy and symmetry."""

from dataclasses import replace
from itertools import pairwise

from loop_models import body_order, case_model, cases, mechanism_of, reference
import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.prepared.traced_derivatives import traced_derivatives
from mbd_ros.errors import InvalidValueError, LoopOpenError
from mbd_ros.model import build_model

CRANKS = sorted(reference('slider_crank_trajectories'))


def started(data):
    """Return model, order of its bodies, q, v and gravity of a reference trajectory."""
    model = build_model(mechanism_of(data['model']))
    order, first = body_order(model), data['samples'][0]
    return (model, order, np.array(first['q'])[order], np.array(first['qd'])[order],
            data['model']['gravity'])


def crank_run(name, **options):
    """Return the run of a slider-crank, and what is known of it."""
    data = reference('slider_crank_trajectories')[name]
    model, order, q, v, gravity = started(data)
    unit = (np.array(order) == 0).astype(float)
    tau = None if data['torque'] is None else lambda t, q, v: 0.01 * np.exp(-t) * unit
    return (mbd_ros.simulate(model, q, v, 10.0, tau=tau, gravity=gravity, **options),
            data['samples'], order)


@pytest.mark.parametrize('name', CRANKS)
def test_slider_crank_over_ten_seconds(name):
    times = [sample['t'] for sample in reference('slider_crank_trajectories')[name]['samples']]
    run, samples, order = crank_run(name, method='dop853', rtol=1e-11, atol=1e-12, times=times)
    crank, slider = order.index(0), order.index(1)
    for sample, q, v in zip(samples, run.q, run.v):
        # The sensitivity to the start is 27 at most; the reference itself is good to 4e-11.
        assert q[crank] == pytest.approx(sample['theta'], abs=1e-7)
        assert v[crank] == pytest.approx(sample['omega'], abs=1e-6)
        assert q[slider] == pytest.approx(sample['x_slider'], abs=1e-8)
    assert np.abs(run.balance).max() < 1e-9
    assert run.violation.max() < 1e-12
    assert run.violation_rate.max() < 1e-12
    assert (run.rank == 3).all()
    assert (run.condition >= 1.0).all()


@pytest.mark.parametrize(('gravity', 'expected'), [
    ((0.0, 0.0, 0.0), [(1.0, 0.62197454821, 0.9665821152, 0.230038798898),
                       (5.0, 8.05545151027, 2.4500003811, 0.280568141616),
                       (10.0, 18.98425426971, 1.8101847579, 0.205724520077)]),
    ((0.0, 0.0, -9.81), [(1.0, 5.52232771922, 11.4107219554, 0.185099466339),
                         (5.0, 43.33582947312, 12.2336758193, 0.185030572146),
                         (10.0, 92.41170593247, 10.1113001668, 0.220892462029)])])
def test_slider_crank_from_the_top(gravity, expected):
    """The torque tips it over, or turns it alone; an equation of one freedom gives these."""
    case, model = cases()['slider_crank_th0.000_om6'], case_model('slider_crank_th0.000_om6')
    order = body_order(model)
    unit = (np.array(order) == 0).astype(float)
    times, *others = zip(*expected)
    run = mbd_ros.simulate(model, np.array(case['q'])[order], np.zeros(4), 10.0, gravity=gravity,
                           tau=lambda t, q, v: 0.01 * np.exp(-t) * unit, method='dop853',
                           rtol=1e-10, atol=1e-11, times=times)
    crank, slider = order.index(0), order.index(1)
    # The sensitivity to the start is 121 at most; the numbers have eleven digits.
    for found, wanted, tolerance in zip(
            (run.q[:, crank], run.v[:, crank], run.q[:, slider]), others, (1e-7, 1e-6, 1e-8)):
        np.testing.assert_allclose(found, wanted, rtol=0.0, atol=tolerance)
    assert np.abs(run.balance).max() < 1e-9  # from the start on, though it is not recorded


def test_a_minute_at_moderate_tolerance():
    """Some 250 turns: errors of energy add up, those of the loops do not."""
    data = reference('slider_crank_trajectories')['IFToMM_like_omega6_no_torque']
    model, _, q, v, gravity = started(data)
    run = mbd_ros.simulate(model, q, v, 60.0, gravity=gravity, method='dop853', rtol=1e-8)
    assert np.abs(run.balance).max() < 1e-8
    assert run.violation.max() < 1e-12
    assert run.violation_rate.max() < 1e-12
    assert (run.rank == 3).all()
    assert run.changes == ()


def test_methods_agree():
    """RK4 with 1 ms errs by 3e-9 here, BDF by what its tolerance asks for."""
    name = 'paper_torque_from_horizontal_rest'
    for options, tolerance in (({'method': 'rk4', 'record_every': 500}, 1e-7),
                               ({'method': 'bdf', 'rtol': 1e-5, 'atol': 1e-7}, 1e-2)):
        run, samples, order = crank_run(name, **options)
        assert run.q[-1][order.index(0)] == pytest.approx(samples[-1]['theta'], abs=tolerance)
        assert np.abs(run.balance).max() < 10 * tolerance
        assert run.violation.max() < 1e-12


@pytest.mark.parametrize('name', ['fourbar', 'spatial10_spherical_from_rest'])
def test_reference_trajectories(name):
    data = reference('closed_loops_trajectories')[name]
    model, order, q, v, gravity = started(data)
    samples = [sample for sample in data['samples'] if sample['t'] <= 5.0]
    run = mbd_ros.simulate(model, q, v, samples[-1]['t'], gravity=gravity, method='dop853',
                           rtol=1e-11, atol=1e-12, times=[sample['t'] for sample in samples])
    for sample, place in zip(samples, run.q):
        np.testing.assert_allclose(place, np.array(sample['q'])[order], atol=1e-8)
    assert np.ptp(run.energy) < 1e-9


def test_bricard_turns_back():
    """Six revolutes that Gruebler's count locks move: rank 4 of 5 all the way."""
    model, gravity = case_model('bricard_cube_revolute_cut'), (0.0, 0.0, -9.81)
    gravity = cases()['bricard_cube_revolute_cut']['model']['gravity']

    def stands(t, q, v):
        return v[0] if t > 0.1 else -1.0 if v[0] < 0.0 else 1.0

    run = mbd_ros.simulate(model, np.zeros(5), np.zeros(5), 5.1, gravity=gravity,
                           method='dop853', rtol=1e-10, atol=1e-11, events=[stands])
    crossing, last = run.crossings
    assert crossing.time == pytest.approx(2.49398721, abs=1e-6)
    np.testing.assert_allclose(np.abs(crossing.q[[0, 2, 4]]), np.pi, atol=1e-5)
    assert last.time == pytest.approx(4.98797442, abs=1e-6)  # a period
    np.testing.assert_allclose(last.q, 0.0, atol=1e-5)
    assert (run.rank == 4).all()


def ring_run(duration, name='ngon15_rest_regular', **options):
    """Return the fall of a ring, of fifteen links, from rest."""
    case, model = cases()[name], case_model(name)
    return mbd_ros.simulate(model, np.array(case['q'])[body_order(model)], np.zeros(model.nv),
                            duration, gravity=case['model']['gravity'], **options)


def test_a_ring_of_fifteen_by_two_methods():
    """Up to 3 s: two integrators with different steps and projections agree to 1e-8."""
    times = [1.0, 2.0, 3.0]
    one = ring_run(3.0, method='dop853', rtol=1e-11, atol=1e-12, times=times)
    other = ring_run(3.0, step=2e-4, record_every=5000)
    # RK4 errs by 3e-9 at 3 s.
    np.testing.assert_allclose(other.time[1:], times, atol=1e-12)
    np.testing.assert_allclose(one.q, other.q[1:], atol=1e-8)


def test_a_ring_of_fifty_one():
    """Two integrators with different steps, in folded code, for a second."""
    one = ring_run(1.0, 'ngon51_rest_regular', method='dop853', rtol=1e-10, atol=1e-11,
                   times=[0.5, 1.0])
    other = ring_run(1.0, 'ngon51_rest_regular', step=2.5e-4, record_every=2000)
    np.testing.assert_allclose(one.q, other.q[1:], atol=1e-8)
    for run in (one, other):
        assert np.abs(run.balance).max() < 1e-8
        assert run.violation.max() < 1e-12
        assert (run.rank == 2).all()


def test_a_ring_of_fifteen_over_ten_seconds():
    """Its motion is chaotic: energy, closure and, early, symmetry are what can be compared."""
    run = ring_run(10.0, method='dop853', rtol=1e-10, atol=1e-11, record_every=5)
    assert np.ptp(run.energy) < 1e-8
    assert np.abs(run.balance).max() < 1e-8
    assert run.violation.max() < 1e-12
    assert (run.rank == 2).all()
    assert run.changes == ()
    # The exact motion is a mirror image of itself; rounding grows to 1e-11 in 3 s.
    early = run.q[run.time <= 3.0]
    left, right = (np.cumsum(part, axis=1) for part in (early[:, :7], early[:, 7:]))
    np.testing.assert_allclose(np.sin(left), np.sin(right), atol=1e-8)
    np.testing.assert_allclose(np.cos(left), -np.cos(right), atol=1e-8)


def test_baumgarte_holds_what_drifts():
    name = 'paper_torque_from_horizontal_rest'
    worst = [crank_run(name, method='dop853', rtol=1e-5, atol=1e-7, stabilization=kind,
                       alpha=alpha, beta=alpha)[0].violation.max()
             for kind, alpha in (('none', 0.0), ('baumgarte', 1.0), ('baumgarte', 20.0))]
    assert all(later < 0.5 * before for before, later in pairwise(worst))


def test_dense_output_and_events():
    run, samples, order = crank_run(
        'IFToMM_like_omega6_no_torque', method='dop853', rtol=1e-10, atol=1e-11, dense=True,
        events=[lambda t, q, v: np.sin(q[0])])
    crank = order.index(0)
    assert crank == 0
    q, _ = run.dense(5.0)
    assert q[crank] == pytest.approx(samples[4]['theta'], abs=1e-7)
    turns = [crossing.q[crank] / np.pi for crossing in run.crossings]
    np.testing.assert_allclose(turns, np.arange(1, len(turns) + 1), atol=1e-9)
    assert len(turns) == int(samples[-1]['theta'] / np.pi)


def test_derivatives_of_accelerations():
    for name in ('fourbar_revolute', 'slider_crank_th0.000_om6'):
        case, model = cases()[name], case_model(name)
        order = body_order(model)
        q, v = np.array(case['q'])[order], np.array(case['qd'])[order]
        dyn = mbd_ros.compile(model)
        tau = np.ones(model.nv)
        found = traced_derivatives(dyn, 'forward_dynamics', q, v, tau)
        for k, matrix in enumerate(found):
            columns = []
            for unit in 1e-5 * np.eye(model.nv):
                shift = [np.zeros(model.nv) if i != k else unit for i in range(3)]
                ends = [dyn.forward_dynamics(q + s * shift[0], v + s * shift[1],
                                             tau + s * shift[2]) for s in (1, -1)]
                columns.append((ends[0] - ends[1]) / 2e-5)
            # Central differences: rounding 1e-11 of 100, and their own error 1e-10 of 1000.
            np.testing.assert_allclose(matrix, np.transpose(columns), rtol=1e-6, atol=1e-6)
        many = mbd_ros.forward_dynamics_derivatives(model, np.array([q, q]), v, tau)
        np.testing.assert_allclose(many.dq[1], found[0], rtol=1e-12, atol=1e-12)
        prepared = dyn.forward_dynamics_derivatives(q, v, tau)
        np.testing.assert_allclose(prepared.dv, found[1], rtol=1e-12, atol=1e-12)


def test_an_open_loop_is_not_set_in_motion():
    model = case_model('fourbar_spherical')
    with pytest.raises(LoopOpenError, match=r"'cut0'.*close_loops"):
        mbd_ros.simulate(model, np.zeros(3), np.zeros(3), 0.1)


def test_what_is_refused():
    model = replace(case_model('fourbar_spherical'), loops=())
    zero = np.zeros(3)
    for options, message in (
            ({'method': 'euler'}, "method is 'euler'; allowed: 'rk4', 'dop853'"),
            ({'stabilization': 'glue'}, "stabilization is 'glue'"),
            ({'alpha': -1.0, 'stabilization': 'baumgarte'}, 'alpha is -1.0'),
            ({'times': [0.1]}, "method is 'rk4'"),
            ({'times': [0.2, 0.1], 'method': 'dop853'}, 'times is')):
        with pytest.raises(InvalidValueError, match=message):
            mbd_ros.simulate(model, zero, zero, 0.5, **options)
