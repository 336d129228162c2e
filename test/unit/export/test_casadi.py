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


"""Functions of CasADi: values, first derivatives, an optimal motion beside a closed form."""

import importlib
from pathlib import Path

import casadi
import numpy as np
import pytest
from robots import model_of

import mbd_ros
from mbd_ros.errors import InvalidValueError, UnsupportedError

URDF = Path(__file__).resolve().parents[3] / 'urdf'
MASS, LENGTH, GRAVITY = 1.3, 0.7, 9.81
PENDULUM = f"""<robot name="pendulum"><link name="base"/><link name="rod"><inertial>
  <mass value="{MASS}"/><origin xyz="0 0 {-LENGTH}"/>
  <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="rod"/>
  <axis xyz="0 1 0"/></joint></robot>"""


@pytest.mark.parametrize('robot', ['three_link_arm', 'four_bar'])
@pytest.mark.parametrize('name', ['forward_dynamics', 'inverse_dynamics'])
def test_values_and_jacobians_are_ours(robot, name):
    model = mbd_ros.load(URDF / f'{robot}.urdf')
    function, dyn = mbd_ros.casadi(model, name), mbd_ros.compile(model)
    state = np.random.default_rng(1).normal(size=(3, model.nv))
    value = np.array(function(*state)).ravel()
    assert np.array_equal(value, getattr(dyn, name)(*state))
    for found, right in zip(function.jacobian()(*state, 0),
                            getattr(dyn, f'{name}_derivatives')(*state)):
        assert np.array_equal(np.array(found), right)


def test_arguments_that_are_zero_and_results_nobody_wants():
    model = mbd_ros.load(URDF / 'three_link_arm.urdf')
    function, dyn = mbd_ros.casadi(model, 'forward_dynamics'), mbd_ros.compile(model)
    zero = np.zeros(model.nv)
    assert np.array_equal(np.array(function(0, 0, 0)).ravel(), dyn.forward_dynamics(
        zero, zero, zero))
    x = casadi.MX.sym('x', model.nv)
    by_v = casadi.Function('by_v', [x], [casadi.jacobian(function(0, x, 0), x)])
    v = np.array([0.3, -0.2, 0.5])
    assert np.array_equal(np.array(by_v(v)),
                          dyn.forward_dynamics_derivatives(zero, v, zero).dv)


def test_states_that_fail_say_so():
    model = mbd_ros.load(URDF / 'three_link_arm.urdf')
    function = mbd_ros.casadi(model, 'forward_dynamics')
    with pytest.raises(RuntimeError, match='forward_dynamics_casadi'):
        function(np.full(model.nv, np.nan), 0, 0)


def optimum(acceleration):
    """Return the least effort that swings a pendulum to the horizontal in a second, at rest."""
    steps, h = 20, 0.05
    problem = casadi.Opti()
    q, v, tau = (problem.variable(n) for n in (steps + 1, steps + 1, steps))
    for k in range(steps):   # semi-implicit
        problem.subject_to(v[k + 1] == v[k] + h * acceleration(q[k], v[k], tau[k]))
        problem.subject_to(q[k + 1] == q[k] + h * v[k + 1])
    problem.subject_to(problem.bounded(-8.0, tau, 8.0))
    for value, wanted in ((q[0], 0.0), (v[0], 0.0), (q[-1], 0.5 * np.pi), (v[-1], 0.0)):
        problem.subject_to(value == wanted)
    problem.minimize(casadi.sumsqr(tau))
    problem.solver('ipopt', {'print_time': False}, {
        'print_level': 0, 'hessian_approximation': 'limited-memory', 'tol': 1e-9})
    solution = problem.solve()
    return solution.value(problem.f), solution.value(tau)


def test_the_optimum_of_a_closed_form():
    function = mbd_ros.casadi(mbd_ros.load(PENDULUM), 'forward_dynamics')
    cost, tau = optimum(function)
    right, expected = optimum(lambda q, v, tau: (
        tau - MASS * GRAVITY * LENGTH * casadi.sin(q)) / (MASS * LENGTH ** 2))
    # IPOPT stops within its tolerance of 1e-9 on scaled equations; efforts follow from a flat
    # optimum, so that they are known to its square root times their scale of 10 N m.
    assert abs(cost - right) < 1e-6 * right
    assert np.abs(tau - expected).max() < 1e-3


def test_a_closed_loop_stays_closed_through_a_swing_up(monkeypatch):
    monkeypatch.syspath_prepend(str(URDF.parent))   # benchmarks are not installed
    # The crank cannot lift the linkage from where it hangs: it swings first.
    swing_up = importlib.import_module('benchmarks.swing_up')
    model, guess, goal, bounds = swing_up.four_bar()
    dynamics = mbd_ros.casadi(model, 'forward_dynamics', stabilization=swing_up.RATE)
    found = swing_up.swing_up(dynamics, guess, goal, 0.05, bounds)
    lifting = max(abs(mbd_ros.gravity_forces(model, q) @ np.gradient(guess, axis=1)[:, k]
                      / np.gradient(guess[0])[k]) for k, q in enumerate(guess.T))
    assert np.abs(found.tau).max() < min(bounds[0] + 1e-6, lifting)   # 1e-6: slack of IPOPT
    assert abs(found.q[0, -1]) < 1e-6
    rows = mbd_ros.compile(model).loop_rows(found.q.T, np.zeros_like(found.q.T))
    # Of links of 0.4 to 1.2 m at a rate of half a step's inverse; 0.06 here, 0.02 with half the
    # step, metres without stabilization.
    assert np.abs(rows[..., 0]).max() < 0.1


@pytest.mark.parametrize('robot', ['four_bar', 'five_bar'])
def test_stabilized_loops_are_those_of_simulations(robot):
    model, rate = mbd_ros.load(URDF / f'{robot}.urdf'), 7.0
    function, dyn = mbd_ros.casadi(model, 'forward_dynamics', stabilization=rate), (
        mbd_ros.compile(model))
    q, v, tau = 0.1 * np.random.default_rng(2).normal(size=(3, model.nv))
    right = dyn.stabilized_dynamics(rate, rate)
    assert np.array_equal(np.array(function(q, v, tau)).ravel(), right(q, v, tau))
    matrices = [np.array(one) for one in function.jacobian()(q, v, tau, 0)]
    step = 1e-6
    for k, found in enumerate(matrices):
        columns = []
        for direction in step * np.eye(model.nv):
            ends = [[one + sign * direction * (i == k) for i, one in enumerate((q, v, tau))]
                    for sign in (1, -1)]
            columns.append((right(*ends[0]) - right(*ends[1])) / (2 * step))
        # 1e-6 of the largest: central differences, whose rounding is 1e-10 of it.
        assert np.abs(np.array(columns).T - found).max() < 1e-6 * np.abs(found).max()
    with pytest.raises(InvalidValueError, match='stabilization'):
        mbd_ros.casadi(model, 'forward_dynamics', stabilization=-1.0)


def test_what_it_cannot_do():
    model = mbd_ros.load(URDF / 'three_link_arm.urdf')
    with pytest.raises(InvalidValueError, match="'forward_dynamics' or 'inverse_dynamics'"):
        mbd_ros.casadi(model, 'mass_matrix')
    free = model_of([0], ['floating'], 1)
    with pytest.raises(UnsupportedError, match='revolute or prismatic'):
        mbd_ros.casadi(free, 'forward_dynamics')
