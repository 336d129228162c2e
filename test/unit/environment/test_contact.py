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

"""Contact with the ground: numbers of the quadruped's walk, and what a spring and friction do."""

import numpy as np
import pytest
from swimmers import Converted, GRAVITY, WALK, walker

import mbd_ros
from mbd_ros import Ground
from mbd_ros.errors import InvalidValueError

SEABED = Ground(normal=(0.0, 0.0, -1.0))   # z points down
BALL = ('<robot name="r" xmlns:mbd="urn:mbd_ros"><link name="a"><inertial><mass value="2"/>'
        '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial><mbd:contact>'
        '<point xyz="0 0 0" radius="0.1"/><stiffness value="2000"/><damping value="{damping}"/>'
        '<friction value="{friction}" slip_speed="0.01"/></mbd:contact></link></robot>')


def ball(damping=0.0, friction=0.0):
    return mbd_ros.load(BALL.format(damping=damping, friction=friction), floating_base=True)


def at(height):
    return np.array([0.0, 0.0, height, 0.0, 0.0, 0.0, 1.0])


@pytest.mark.parametrize('state', WALK['contact_states'], ids=range(2))
@pytest.mark.parametrize('formulation', ['recursive', 'kane'])
def test_accelerations_of_the_reference(state, formulation):
    model = walker()
    one = Converted('quadruped', model, {**state, 'p0': state['p'], 'R0': state['R']})
    found = mbd_ros.forward_dynamics(model, one.q, one.v, one.tau, gravity=GRAVITY, ground=SEABED,
                                     formulation=formulation)
    expected = one.accelerations(state['udot'])
    # The multiplier code of the reference agrees with its own to 5e-8, by differences.
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())


def test_a_ball_rests_where_the_spring_carries_it():
    sunk = 2.0 * 9.81 / 2000.0
    found = mbd_ros.forward_dynamics(ball(), at(0.1 - sunk), np.zeros(6), np.zeros(6),
                                     ground=Ground())
    np.testing.assert_allclose(found, 0.0, atol=1e-12)


def test_the_ground_never_pulls():
    # Deep, but leaving faster than the damper lets the spring push.
    found = mbd_ros.forward_dynamics(ball(damping=500.0), at(0.05), [0, 0, 5.0, 0, 0, 0],
                                     np.zeros(6), ground=Ground())
    np.testing.assert_allclose(found, [0, 0, -9.81, 0, 0, 0], rtol=1e-14)
    above = mbd_ros.forward_dynamics(ball(damping=500.0), at(0.11), [0, 0, -5.0, 0, 0, 0],
                                     np.zeros(6), ground=Ground())
    np.testing.assert_allclose(above, [0, 0, -9.81, 0, 0, 0], rtol=1e-14)


def test_friction_against_sliding_and_spin():
    model, sunk = ball(friction=0.5), 0.02
    found = mbd_ros.forward_dynamics(model, at(0.1 - sunk), [3.0, 4.0, 0, 0, 0, 0], np.zeros(6),
                                     ground=Ground())
    force = 0.5 * 2000.0 * sunk   # tanh(5 / 0.01) = 1
    np.testing.assert_allclose(found[:2], [-0.6 * force / 2.0, -0.8 * force / 2.0], rtol=1e-12)
    # About the centre, at the end of the radius below it: r x f = (-0.1 z) x f.
    np.testing.assert_allclose(found[3:], [-0.1 * 0.8 * force / 0.1, 0.1 * 0.6 * force / 0.1, 0.0],
                               rtol=1e-12)
    rolling = mbd_ros.forward_dynamics(model, at(0.1 - sunk), [1.0, 0, 0, 0, 10.0, 0],
                                       np.zeros(6), ground=Ground())
    np.testing.assert_allclose(rolling[[0, 1, 3, 4, 5]], 0.0, atol=1e-12)


def test_without_a_ground_points_touch_nothing():
    found = mbd_ros.forward_dynamics(ball(), at(-1.0), np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(found, [0, 0, -9.81, 0, 0, 0], rtol=1e-14)


def test_a_slope():
    normal = np.array([0.6, 0.0, 0.8])
    model, q = ball(), at(0.0)
    q[:3] = normal * (0.3 + 0.1 - 0.01)   # a hundredth in a plane that is 0.3 from the origin
    found = mbd_ros.forward_dynamics(model, q, np.zeros(6), np.zeros(6), gravity=(0, 0, 0),
                                     ground=Ground(0.3, 5.0 * normal))
    np.testing.assert_allclose(found[:3], normal * 2000.0 * 0.01 / 2.0, rtol=1e-12)


def test_derivatives():
    model = walker()
    state = WALK['contact_states'][0]
    one = Converted('quadruped', model, {**state, 'p0': state['p'], 'R0': state['R']})
    J = mbd_ros.forward_dynamics_derivatives(model, one.q, one.v, one.tau, gravity=GRAVITY,
                                             ground=SEABED)
    h = 1e-7   # so small that no foot leaves; 1e-16 / h by rounding of 1e3

    def moved(d, e):
        return mbd_ros.forward_dynamics(
            model, mbd_ros.model.state.integrate(model, one.q, d), one.v + e, one.tau,
            gravity=GRAVITY, ground=SEABED)

    none = np.zeros(model.nv)
    for found, call in ((J.dq, lambda d: moved(d, none)), (J.dv, lambda d: moved(none, d))):
        rates = np.array([(call(h * e) - call(-h * e)) / (2.0 * h) for e in np.eye(model.nv)]).T
        np.testing.assert_allclose(found, rates, rtol=0.0, atol=1e-6 * np.abs(rates).max())


@pytest.mark.parametrize(('make', 'message'), [
    (lambda: Ground(height=np.nan),
     r'height of the ground is nan; allowed: a finite number \[m\]'),
    (lambda: Ground(normal=(0, 0, 0)),
     r'normal of the ground is \(0, 0, 0\); allowed: three finite numbers, not all zero'),
    (lambda: Ground(normal='up'), "normal of the ground is 'up'; allowed: three finite numbers, "
     'not all zero'),
    (lambda: Ground(normal=('0', '0', '1')),
     r"normal of the ground is \('0', '0', '1'\); allowed: three finite numbers, not all zero"),
    (lambda: Ground(normal=(0, 0, 1e200)),
     r'normal of the ground is \(0, 0, 1e\+200\); allowed: three finite numbers, not all zero'),
    (lambda: Ground(height=1 + 2j),
     r'height of the ground is \(1\+2j\); allowed: a finite number \[m\]'),
    (lambda: Ground(heights=np.zeros((2, 2)), spacing=1e-310),
     r'spacing of the ground is 1e-310; allowed: one or two positive finite numbers \[m\]'),
    (lambda: mbd_ros.compile(ball(), ground=1.0),
     'ground is 1.0; allowed: a mbd_ros.Ground, or None')])
def test_bad_grounds_are_refused(make, message):
    with pytest.raises(InvalidValueError, match=f'^{message}$'):
        make()


def bumpy(shape=(4, 5)):
    return Ground(0.25, heights=np.random.default_rng(3).uniform(-0.2, 0.2, shape),
                  spacing=(0.5, 0.4), origin=(-1.0, -0.7))


def test_a_grid_that_is_a_plane_is_that_plane():
    x, y = np.meshgrid(-1.0 + 0.5 * np.arange(4), -0.7 + 0.4 * np.arange(5), indexing='ij')
    grid = Ground(0.25, heights=0.3 * x - 0.1 * y, spacing=(0.5, 0.4), origin=(-1.0, -0.7))
    normal = np.array([-0.3, 0.1, 1.0])
    plane = Ground(0.25 / np.linalg.norm(normal), normal)
    model, v = ball(damping=20.0, friction=0.5), np.array([0.3, -0.2, 0.4, 1.0, 2.0, 3.0])
    for place in ((0.1, 0.2), (-0.9, 0.8), (0.4, -0.6)):
        q = at(0.25 + 0.3 * place[0] - 0.1 * place[1] + 0.05)
        q[:2] = place
        found, expected = (mbd_ros.forward_dynamics(model, q, v, np.zeros(6), ground=ground)
                           for ground in (grid, plane))
        assert expected[2] > 1.0   # it touches
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


def test_a_grid_against_its_formula():
    ground, model = bumpy(), ball()
    z = np.array(ground.heights) + 0.25
    for x, y in ((0.13, 0.21), (-0.6, -0.35), (0.5, 0.1)):
        u, w = (x + 1.0) / 0.5, (y + 0.7) / 0.4
        i, j = min(int(u), 2), min(int(w), 3)
        a, b = u - i, w - j
        weights = np.outer([1 - a, a], [1 - b, b])
        h, gx, gy = ((weights * table[i:i + 2, j:j + 2]).sum()
                     for table in (z, *np.gradient(z, 0.5, 0.4)))
        normal = np.array([-gx, -gy, 1.0]) / np.sqrt(1.0 + gx * gx + gy * gy)
        q = at(h + 0.05)
        q[:2] = x, y
        depth = 0.1 - 0.05 * normal[2]
        found = mbd_ros.forward_dynamics(model, q, np.zeros(6), np.zeros(6), gravity=(0, 0, 0),
                                         ground=ground)
        np.testing.assert_allclose(found[:3], normal * 2000.0 * depth / 2.0, rtol=1e-11)
        told = mbd_ros.contact_forces(model, q, np.zeros(6), ground)
        np.testing.assert_allclose(told.forces[0], normal * 2000.0 * depth, rtol=1e-11)


def test_forces_do_not_jump_between_cells_and_beyond_the_grid():
    ground, model = bumpy(), ball()

    def force(x, y):
        q = at(0.25)
        q[:2] = x, y
        return mbd_ros.contact_forces(model, q, np.zeros(6), ground).forces[0]

    for x in (-1.0, -0.5, 0.0, 0.5):   # the lines of the grid, its edges among them
        # 1e-7 m apart: 2000 N/m times slopes below 1, and as much by the normal that turns.
        np.testing.assert_allclose(force(x - 1e-7, 0.15), force(x + 1e-7, 0.15), atol=5e-3)
    np.testing.assert_allclose(force(-1.0, 0.15), force(-9.0, 0.15), rtol=1e-12)


def test_a_run_on_a_grid_keeps_its_audit():
    model, q = ball(damping=20.0, friction=0.5), at(0.6)
    run = mbd_ros.simulate(model, q, np.zeros(6), 1.0, ground=bumpy(), method='dop853')
    assert run.parts['ground'].min() < -0.1
    # A tolerance of 1e-8; the surface has kinks at the lines of the grid, which steps resolve.
    assert np.abs(run.balance).max() < 1e-6 * np.abs(np.diff(run.parts['ground'])).sum()


@pytest.mark.parametrize(('how', 'says'), [
    ({'heights': [1.0, 2.0]}, 'heights of the ground'),
    ({'heights': [[1.0, 2.0]]}, 'heights of the ground'),
    ({'heights': [[1.0, 2.0], [3.0]]}, 'heights of the ground'),
    ({'heights': [[1.0, np.nan], [3.0, 4.0]]}, 'heights of the ground'),
    ({'heights': np.zeros((33, 32))}, 'heights of the ground'),
    ({'heights': np.zeros((2, 2)), 'spacing': 0.0}, 'spacing of the ground'),
    ({'heights': np.zeros((2, 2)), 'spacing': (1.0, 2.0, 3.0)}, 'spacing of the ground'),
    ({'heights': np.zeros((2, 2)), 'origin': 'here'}, 'origin of the ground'),
    ({'heights': np.zeros((2, 2)), 'normal': (0.0, 1.0, 1.0)}, 'normal of the ground')])
def test_grids_that_are_none(how, says):
    with pytest.raises(InvalidValueError, match=says):
        Ground(**how)
