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

"""Accelerations and multipliers of closed loops against the reference states."""

from pathlib import Path

from loop_models import body_order, case_model, cases
import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.functions.constrained import coupling
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES

ROOT = Path(__file__).resolve().parents[3]

NAMES = sorted(cases())
SMALL = [name for name in NAMES if len(cases()[name]['q']) <= 20]
SPATIAL = [name for name in SMALL if cases()[name]['rank'] == cases()[name]['rows']
           and cases()[name]['model']['cuts'][0]['type'] != 'planar_revolute']


def state_of(name, planar='spherical'):
    """Return model, q, v, tau, gravity and the order of bodies of a reference state."""
    case, model = cases()[name], case_model(name, planar)
    order = body_order(model)
    tau = np.zeros(model.nv) if case['tau'] is None else np.array(case['tau'])[order]
    return (model, np.array(case['q'])[order], np.array(case['qd'])[order], tau,
            case['model']['gravity'], order)


def tolerance(case):
    """Return the tolerance of accelerations: 1e-10 up to 21 bodies, 1e-9 for the long chains."""
    largest = max(1.0, case['scale']['qdd'])
    return (1e-10 if len(case['q']) <= 21 else 1e-9) * largest


@pytest.mark.parametrize('planar', ['spherical', 'revolute'])
@pytest.mark.parametrize('executor', ['interpreted', 'rolled'])
@pytest.mark.parametrize('name', NAMES)
def test_accelerations(name, executor, planar):
    case = cases()[name]
    if planar == 'revolute' and case['model']['cuts'][0]['type'] != 'planar_revolute':
        planar = 'spherical'  # only planar cuts can be written in two ways
    model, q, v, tau, gravity, order = state_of(name, planar)
    qdd = mbd_ros.forward_dynamics(model, q, v, tau, gravity=gravity, executor=executor)
    np.testing.assert_allclose(qdd, np.array(case['qdd'])[order], rtol=0.0, atol=tolerance(case))


@pytest.mark.parametrize('name', ['fourbar_revolute', 'ngon15_random_tau', 'spatial10_universal'])
def test_unrolled_code_and_batches(name):
    model, q, v, tau, gravity, order = state_of(name)
    case = cases()[name]
    expected = np.array(case['qdd'])[order]
    for executor in ('unrolled', 'rolled'):
        dyn = mbd_ros.compile(model, gravity=gravity, executor=executor)
        np.testing.assert_allclose(dyn.forward_dynamics(q, v, tau), expected, rtol=0.0,
                                   atol=tolerance(case))
        many = dyn.forward_dynamics(np.tile(q, (11, 1)), v, tau)
        np.testing.assert_allclose(many, np.tile(expected, (11, 1)), rtol=0.0,
                                   atol=tolerance(case))


@pytest.mark.parametrize('name', NAMES)
def test_rank_and_constraint_forces(name):
    case = cases()[name]
    model, q, v, tau, gravity, order = state_of(name)
    solution = mbd_ros.constrained_dynamics(model, q, v, tau, gravity=gravity, executor='rolled')
    rows = mbd_ros.compile(model, executor='rolled').loop_rows(q, v)
    A = rows[:, VALUES:]
    assert solution.rank == case['rank']
    assert len(solution.redundant) == len(A) - case['rank']
    forces, largest = np.array(case['Qc'])[order], max(1.0, np.abs(case['Qc']).max())
    # Three times as accelerations: the forces of 251 bodies are known to one to two times their
    # accuracy, by the processor.
    accuracy = 3.0 * tolerance(case) / max(1.0, case['scale']['qdd'])
    np.testing.assert_allclose(A.T @ solution.multipliers, forces, rtol=0.0,
                               atol=accuracy * largest)
    np.testing.assert_allclose(solution.residual, 0.0, atol=10 * tolerance(case))


@pytest.mark.parametrize('name', [*SPATIAL, 'fourbar_spherical', 'fourbar_revolute',
                                  'bricard_cube_revolute_cut'])
def test_multipliers(name):
    """Those stored are the unique ones, or of least norm where rows are redundant."""
    case = cases()[name]
    model, q, v, tau, gravity, _ = state_of(name)
    solution = mbd_ros.constrained_dynamics(model, q, v, tau, gravity=gravity)
    np.testing.assert_allclose(solution.multipliers, case['lambda_'], rtol=0.0,
                               atol=1e-10 * max(1.0, case['scale']['lam']))


@pytest.mark.parametrize('name', SMALL)
def test_rows_and_their_coupling(name):
    case = cases()[name]
    model, q, v, _, gravity, order = state_of(name)
    dyn = mbd_ros.compile(model, gravity=gravity)
    rows = dyn.loop_rows(q, v)
    A = rows[:, VALUES:]
    if 'A' in case and len(case['A']) == len(A):
        np.testing.assert_allclose(A, np.array(case['A'])[:, order], atol=1e-13)
    np.testing.assert_allclose(rows[:, 0], 0.0, atol=1e-12)  # as stored: rounding of 15 links
    np.testing.assert_allclose(rows[:, 1], A @ v, atol=1e-12)
    if 'M' in case:
        G = A @ np.linalg.solve(np.array(case['M'])[np.ix_(order, order)], A.T)
        np.testing.assert_allclose(coupling(dyn, q), G, atol=1e-12 * np.abs(G).max())


@pytest.mark.parametrize('name', ['ngon15_random', 'ngon51_rest_regular', 'spatial10_revolute'])
def test_the_elimination_finds_the_inverse_inertia_of_the_cut(name):
    """Under forces ``A^T e`` the rows accelerate by ``A M^-1 A^T e``, as far as they are open."""
    model, q, v, _, gravity, _ = state_of(name)
    dyn = mbd_ros.compile(model, gravity=gravity, executor='rolled')
    A = dyn.loop_rows(q, v)[:, VALUES:]
    rest = np.zeros(model.nv)
    bias = mbd_ros.constrained_dynamics(model, q, rest, rest, gravity=gravity).multipliers
    for row in A:
        # Forces along a row are taken by its own multiplier and do nothing else.
        held = mbd_ros.constrained_dynamics(model, q, rest, row, gravity=gravity)
        np.testing.assert_allclose(A.T @ (held.multipliers - bias), -row, atol=1e-10)


def test_names_of_redundant_rows():
    model, q, v, tau, gravity, _ = state_of('fourbar_revolute')
    solution = mbd_ros.constrained_dynamics(model, q, v, tau, gravity=gravity)
    assert solution.redundant == ('cut0.z', 'cut0.zx', 'cut0.zy')


def test_power_of_the_constraint_forces_vanishes():
    for name in SMALL:
        model, q, v, tau, gravity, _ = state_of(name)
        solution = mbd_ros.constrained_dynamics(model, q, v, tau, gravity=gravity)
        A = mbd_ros.compile(model).loop_rows(q, v)[:, VALUES:]
        assert abs(v @ A.T @ solution.multipliers) < 1e-10  # A v is consistent to 2e-13


@pytest.mark.parametrize('count', [None, 3])
def test_how_open_the_loops_are_is_in_the_answer(count):
    model = mbd_ros.load(str(ROOT / 'urdf' / 'four_bar.urdf'))
    q, v, tau = np.full(model.nq, 0.3), np.full(model.nv, 0.1), np.zeros(model.nv)
    closed = mbd_ros.close_loops(model, q, v)
    if count:
        q, closed = np.tile(q, (count, 1)), [np.tile(part, (count, 1)) for part in closed]
    open_ = mbd_ros.constrained_dynamics(model, q, v, tau)
    rows = mbd_ros.compile(model).loop_rows(q, v)
    np.testing.assert_array_equal(open_.violation, rows[..., 0])
    np.testing.assert_array_equal(open_.violation_rate, rows[..., 1])
    # Bars of half a metre, each turned by 0.3 rad: some centimetres; accelerations keep the gap.
    assert np.abs(open_.violation).max() > 0.02
    assert np.abs(open_.violation_rate).max() > 0.01
    np.testing.assert_allclose(open_.residual, 0.0, atol=1e-12)
    solution = mbd_ros.constrained_dynamics(model, *closed, tau)
    assert np.abs(solution.violation).max() < 1e-10   # the tolerance of close_loops
    assert np.abs(solution.violation_rate).max() < 1e-10
    assert solution.violation.shape == solution.violation_rate.shape == solution.residual.shape
