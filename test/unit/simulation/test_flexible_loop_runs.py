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

"""Runs of robots with flexible links in closed loops by the implicit midpoint rule."""

import flexible_robots
import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.errors import InvalidValueError, LoopOpenError
from mbd_ros.simulation.change_points import RankChangeWarning
from mbd_ros.simulation.midpoint import MidpointRule
from mbd_ros.simulation.motion import FreeMotion
from mbd_ros.simulation.stepper import bent_by_weight, Stepper

DOWN = (0.0, -9.81, 0.0)   # in the plane of the linkage
SERIES = ('<mbd:armature value="0.02"/><mbd:series_elastic stiffness="200" damping="0.1"/>')
STEP = 1e-3


@pytest.fixture(scope='module')
def linkage():
    """Return a four-bar linkage with two flexible links and an elastic drive, and a state."""
    model = mbd_ros.load(flexible_robots.four_bar(series=SERIES))
    q, v, tau = flexible_robots.four_bar_state(model, 0.0)
    return model, q, 0.3 * v, tau


def elastic_matrices(model):
    """Return K and D of all coordinates; joints have none."""
    result = np.zeros((2, model.nv, model.nv))
    first = model.nv - len(model.elastic_names)
    for body in model.elastic.bodies:
        part = slice(first + body.first, first + body.first + body.count)
        result[:, part, part] = body.stiffness, body.damping
    return result


@pytest.mark.parametrize('executor', ['compiled', 'interpreted'])
def test_the_middle_of_a_step_solves_the_dense_system(linkage, executor):
    model, q, v, tau = linkage
    dyn, half = mbd_ros.compile(model, executor=executor), 0.5 * STEP
    rows = dyn.loop_rows(q, v)
    A = rows[:, 3:]
    K, D = elastic_matrices(model)
    M = mbd_ros.mass_matrix(model, q) + half * D + half ** 2 * K
    force = tau - mbd_ros.bias_forces(model, q, v) - half * K @ v
    inverse = np.linalg.inv(M)
    multipliers = np.linalg.lstsq(A @ inverse @ A.T, -rows[:, 2] - A @ inverse @ force,
                                  rcond=None)[0]
    vdot = inverse @ (force + A.T @ multipliers)
    chosen = RowSpace(model, A).choice().ravel()
    middle = dyn.midpoint(q, v, tau, [STEP], q, v, chosen)
    scale = half * np.abs(vdot).max()
    np.testing.assert_allclose(middle[model.nq:], v + half * vdot, atol=1e-9 * scale)  # cond. M
    np.testing.assert_allclose(middle[:model.nq], q + half * middle[model.nq:], atol=1e-14)
    # An open state is closed, and moves the least way in the metric of M.
    end = dyn.closing(q + 1e-6 * tau, v + 1e-3 * tau, [STEP], chosen)
    np.testing.assert_allclose(dyn.loop_rows(end[:model.nq], end[model.nq:])[:, 0], 0.0,
                               atol=1e-10)   # the square of the displacement
    change = end[model.nq:] - v - 1e-3 * tau
    along = np.linalg.lstsq(A.T, M @ change, rcond=None)[0]
    np.testing.assert_allclose(A.T @ along, M @ change, atol=1e-5 * np.abs(M @ change).max())


def test_of_order_two_beside_radau(linkage):
    model, q, v, tau = linkage
    exact = mbd_ros.simulate(model, q, v, 0.01, tau=0.1 * tau, gravity=DOWN, method='radau',
                             rtol=1e-6, atol=1e-9)
    errors = []
    for step in (STEP, 0.5 * STEP):
        run = mbd_ros.simulate(model, q, v, 0.01, tau=0.1 * tau, gravity=DOWN, step=step)
        assert len(run.time) == 1 + round(0.01 / step)   # the midpoint rule is the default
        assert run.violation.max() < 1e-13   # rounding
        assert run.violation_rate.max() < 1e-9   # positions are moved by step^3, and times v
        errors.append(np.abs(run.q[-1] - exact.q[-1]).max())
    assert errors[0] < 2e-5   # [rad]: step^2 (10 rad/s)^2 0.1
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)


@pytest.mark.parametrize('drives', [False, True])
def test_energy_step_by_step(linkage, drives):
    model, q, v, tau = linkage
    tau = 0.2 * tau * (np.arange(model.nv) < 3)
    run = mbd_ros.simulate(model, q, v, 0.3, gravity=DOWN, record_every=100,
                           tau=(lambda t, q, v: tau) if drives else tau)
    lost = np.abs(run.parts['efforts'][-1])
    assert np.abs(run.balance).max() < 1e-4 * np.ptp(run.parts['kinetic'])   # (step 10 rad/s)^2
    assert lost > 1e-3   # drives and dampers
    stepper = Stepper(model, q, v, gravity=DOWN)
    stepper.audits = True
    for _ in range(300):
        stepper.advance(tau, STEP)
    np.testing.assert_allclose(stepper.q, run.q[-1], atol=1e-9)
    assert stepper.violation < 1e-13
    found = stepper.energies
    assert found['efforts'] == pytest.approx(run.parts['efforts'][-1], abs=1e-9)
    assert found['balance'] == pytest.approx(run.balance[-1], abs=1e-9)


def test_a_linkage_bent_by_its_weight_rests(linkage):
    model, q, _, _ = linkage
    q, still = bent_by_weight(model, q, DOWN), np.zeros(model.nv)
    tau = mbd_ros.hybrid_dynamics(model, q, still, still, still, given=['j0'], gravity=DOWN).tau
    stepper = Stepper(model, q, gravity=DOWN)
    for _ in range(40):   # the rank of the rows is decided at some of them
        stepper.advance(tau, STEP)
    np.testing.assert_allclose(stepper.q, q, atol=1e-9)
    np.testing.assert_allclose(stepper.v, 0.0, atol=1e-7)
    stepper.set_state(linkage[1], linkage[2])
    stepper.advance(still, STEP)
    other = mbd_ros.simulate(model, linkage[1], linkage[2], STEP, gravity=DOWN)
    np.testing.assert_allclose(stepper.q, other.q[-1], atol=1e-12)


def test_what_has_no_machine_code_moves_alike(linkage):
    model, q, v, tau = linkage
    runs = []
    for executor in ('compiled', 'interpreted'):
        dyn = mbd_ros.compile(model, executor=executor, gravity=DOWN)
        runs.append(MidpointRule(dyn, FreeMotion(dyn, tau=tau)).run(q, v, STEP, 3, 1))
    for one, other in zip(*runs):
        np.testing.assert_allclose(one, other, atol=1e-11)


def test_stiff_links_move_as_rigid_ones():
    text = flexible_robots.four_bar(4e10, modes='1 0 0')
    stiff, rigid = mbd_ros.load(text), mbd_ros.load(text, flexible=False)
    q, v, _ = flexible_robots.four_bar_state(rigid)
    pad = np.zeros(len(stiff.elastic_names))
    expected = mbd_ros.simulate(rigid, q, 0.3 * v, 0.3, gravity=DOWN)
    run = mbd_ros.simulate(stiff, np.append(q, pad), 0.3 * np.append(v, pad), 0.3, gravity=DOWN)
    np.testing.assert_allclose(run.q[-1, :3], expected.q[-1], atol=1e-5)   # of order 2
    assert np.abs(run.q[:, 3:]).max() < 1e-9   # loads of some newtons


def test_a_run_that_begins_where_rows_depend():
    """A parallelogram in a line: there one row less is independent than a step later."""
    model = mbd_ros.load(flexible_robots.four_bar(400.0, modes='1 0 0', lengths=(0.3, 1.0, 0.3)))
    q, v = np.zeros((2, model.nv))
    q[2], v[:3] = -np.pi, (2.0, -2.0, 2.0)
    with pytest.warns(RankChangeWarning):
        run = mbd_ros.simulate(model, q, v, 0.05, gravity=(0.0, 0.0, 0.0))
    assert run.rank.tolist()[:3] == [1, 2, 2]
    assert run.violation.max() < 1e-10   # 2e-7 with the first rank for some steps more
    np.testing.assert_allclose(run.q[-1, 0], 0.1, atol=1e-3)   # it goes on, its links bend a bit


def test_loops_are_closed_by_projection_alone(linkage):
    model, q, v, _ = linkage
    with pytest.raises(InvalidValueError, match=r"loops closed by stabilization='projection'"):
        mbd_ros.simulate(model, q, v, 0.01, method='midpoint', stabilization='none')
    with pytest.raises(LoopOpenError, match='cut'):
        mbd_ros.simulate(model, q + 0.01, v, 0.01)
