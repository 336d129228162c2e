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


"""Derivatives of motions by start, forces and parameters."""

from pathlib import Path

from complex_scalars import complex_array, on_complex, parts
import numpy as np
import pytest
from robots import chain

import mbd_ros
from mbd_ros.dynamics.algorithms.forward_dynamics import position_correction, velocity_correction
from mbd_ros.errors import InvalidValueError, LoopOpenError, ShapeError, UnsupportedError
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.model import state
from mbd_ros.simulation.integrators import rk4_step

URDF = Path(__file__).resolve().parents[3] / 'urdf'
ARM = mbd_ros.load(URDF / 'three_link_arm.urdf')
RNG = np.random.default_rng(0)
Q, V = RNG.uniform(-1.0, 1.0, (2, ARM.nv))
EFFORTS = RNG.normal(size=(20, ARM.nv))
H = 0.01
FLUID = mbd_ros.Fluid(density=1025.0, current=(0.3, -0.2, 0.1))
LINK = ('<link name="l{0}"><inertial><origin xyz="0.1 0.02 -0.3"/><mass value="{1}"/><inertia '
        'ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.15"/></inertial></link>'
        '<joint name="j{0}" type="{2}"><origin xyz="0 0.1 -0.5"/><parent link="{3}"/>'
        '<child link="l{0}"/><axis xyz="0 0 1"/></joint>')
BALL = '<robot name="balls"><link name="base"/>' + ''.join(
    LINK.format(k, 1 + k, kind, parent) for k, (kind, parent) in enumerate(
        [('spherical', 'base'), ('planar', 'l0'), ('continuous', 'l1')])) + '</robot>'


def test_the_motion_is_that_of_simulate():
    found = mbd_ros.sensitivities(ARM, Q, V, np.tile(EFFORTS[0], (20, 1)), H)
    run = mbd_ros.simulate(ARM, Q, V, 20 * H, step=H, tau=EFFORTS[0],
                           method='rk4')
    np.testing.assert_allclose(found.states[-1], np.concatenate([run.q[-1], run.v[-1]]),
                               atol=1e-12)


@pytest.mark.parametrize('parameters', [None, ['masses', 'damping']])
def test_tangents_and_adjoints(parameters):
    """Central differences with steps of 1e-6; the adjoint is the tangent's transpose."""
    dyn = mbd_ros.compile(ARM, parameters=parameters)
    values = None if parameters is None else dyn.pack(damping=np.full(ARM.nv, 0.1))
    found = mbd_ros.sensitivities(dyn, Q, V, EFFORTS, H, parameters=values)
    start, forces = RNG.normal(size=2 * ARM.nv), RNG.normal(size=EFFORTS.shape)
    change = 0.0 if values is None else RNG.normal(size=len(values))

    def moved(e):
        x = np.concatenate([Q, V]) + e * start
        more = None if values is None else values + e * change
        return mbd_ros.sensitivities(dyn, x[:ARM.nv], x[ARM.nv:], EFFORTS + e * forces, H,
                                     parameters=more).states
    expected = (moved(1e-6) - moved(-1e-6)) / 2e-6
    tangent = found.tangent(start, forces, change)
    np.testing.assert_allclose(tangent, expected, atol=1e-7 * np.abs(expected).max())
    gradients = RNG.normal(size=found.states.shape)
    back = found.adjoint(gradients)
    along = back.start @ start + (back.efforts * forces).sum() + np.sum(back.parameters * change)
    assert along == pytest.approx((gradients * tangent).sum(), rel=1e-11)


def test_refusals():
    bar = mbd_ros.load(URDF / 'four_bar.urdf')
    with pytest.raises(LoopOpenError, match='loop'):
        mbd_ros.sensitivities(bar, [1.0, 0.0, 0.0], [0.0] * 3, np.zeros((2, 3)), H)
    large = mbd_ros.load(chain(65, 1), floating_base=True)
    with pytest.raises(UnsupportedError, match='64 bodies'):
        mbd_ros.sensitivities(large, mbd_ros.neutral(large), np.zeros(large.nv),
                              np.zeros((1, large.nv)), H)
    with pytest.raises(InvalidValueError, match='parameters'):
        mbd_ros.sensitivities(ARM, Q, V, EFFORTS, H, parameters=[1.0])
    with pytest.raises(ShapeError, match='efforts'):
        mbd_ros.sensitivities(ARM, Q, V, EFFORTS[0], H)
    with pytest.raises(InvalidValueError, match='step'):
        mbd_ros.sensitivities(ARM, Q, V, EFFORTS, 0.0)
    with pytest.raises(ShapeError, match='gradients'):
        mbd_ros.sensitivities(ARM, Q, V, EFFORTS, H).adjoint(np.zeros(3))
    with pytest.raises(InvalidValueError, match='a Model'):
        mbd_ros.sensitivities('arm', Q, V, EFFORTS, H)


def complex_steps(dyn, q, v, efforts, dq, dv, dtau, e=1e-30):
    """
    Return states, and their changes, of a motion of complex numbers.

    By the text of ``simulate``'s steps and the interpreter of sweeps, without a trace; loops are
    closed by three projections after each step, for joints of one coordinate.
    """
    model = dyn.model
    program, slots = dyn.program('forward_dynamics'), tree_of(model).slots
    rates = state.configuration_rate(model, q, dq)
    place, pace = complex_array(q, e * rates), complex_array(v, e * dv)
    found, changes = [np.concatenate([q, v])], [np.concatenate([dq, dv])]
    for one, change in zip(efforts, dtau):
        tau = complex_array(one, e * change)
        place, pace = rk4_step(model, lambda t, q, v, tau=tau: on_complex(
            dyn, program, q=q, v=v, tau=tau), 0.0, place, pace, H)
        for _ in range(3 if model.loops else 0):
            place = place + on_complex(dyn, position_correction(slots), q=place, v=pace)
        if model.loops:
            pace = pace + on_complex(dyn, velocity_correction(slots), q=place, v=pace)
        (at, moved), (speed, faster) = parts(place), parts(pace)
        matrix = np.transpose([state.configuration_rate(model, at, axis)
                               for axis in np.eye(model.nv)])
        found.append(np.concatenate([at, speed]))
        changes.append(np.concatenate([np.linalg.lstsq(matrix, moved / e)[0], faster / e]))
    return np.array(found), np.array(changes)


@pytest.mark.parametrize(('robot', 'options'), [
    ('three_link_arm.urdf', {}), ('four_bar.urdf', {}), ('slider_crank.urdf', {}),
    ('five_bar.urdf', {}), ('rov.urdf', {'fluid': FLUID}), ('space_robot.urdf.xacro', {}),
    (BALL, {})])
def test_by_complex_steps(robot, options):
    """
    Trees, closed loops, water, joints with several coordinates: exact to rounding.

    1e-9 of the largest change: rounding of a state, 1e-16, over 8 steps of dynamics whose
    derivatives are up to 1e4; loops are closed to 1e-14 only, which their derivatives see.
    """
    model = mbd_ros.load(robot if robot.startswith('<') else URDF / robot)
    dyn, rng = mbd_ros.compile(model, **options), np.random.default_rng(4)
    q = mbd_ros.integrate(model, mbd_ros.neutral(model), 0.5 * rng.normal(size=model.nv))
    q, v = mbd_ros.close_loops(model, q, rng.normal(size=model.nv))
    efforts, dtau = rng.normal(size=(2, 8, model.nv))
    dq, dv = rng.normal(size=(2, model.nv))
    found = mbd_ros.sensitivities(dyn, q, v, efforts, H)
    states, changes = complex_steps(dyn, q, v, efforts, dq, dv, dtau)
    np.testing.assert_allclose(found.states, states, atol=1e-12)
    tangent = found.tangent(np.concatenate([dq, dv]), dtau)
    np.testing.assert_allclose(tangent, changes, atol=1e-9 * np.abs(changes).max())
    weights = rng.normal(size=tangent.shape)
    back = found.adjoint(weights)
    along = back.start @ np.concatenate([dq, dv]) + (back.efforts * dtau).sum()
    assert along == pytest.approx((weights * tangent).sum(), rel=1e-11)


@pytest.mark.parametrize(('robot', 'floating'), [('four_bar.urdf', True), (BALL, False)])
def test_loops_afloat_and_parameters_of_balls(robot, floating):
    """Central differences: 1e-12 of rounding over steps of 1e-6, and their square."""
    if floating:
        model = mbd_ros.load(URDF / robot, floating_base=True)
        dyn, values = mbd_ros.compile(model), None
    else:
        model = mbd_ros.load(robot)
        dyn = mbd_ros.compile(model, parameters=['masses', 'damping'])
        values = dyn.pack(damping=np.full(model.nv, 0.3))
    rng = np.random.default_rng(5)
    q = mbd_ros.integrate(model, mbd_ros.neutral(model), 0.5 * rng.normal(size=model.nv))
    q, v = mbd_ros.close_loops(model, q, rng.normal(size=model.nv))
    efforts, dtau = rng.normal(size=(2, 8, model.nv))
    run = mbd_ros.sensitivities(dyn, q, v, efforts, H, parameters=values)
    start = run.A[0] @ rng.normal(size=2 * model.nv)   # a direction that the loops allow
    after = run.states[1]
    more = {} if values is None else {'parameters': rng.normal(size=len(values))}
    q, v = after[:model.nq], after[model.nq:]
    found = mbd_ros.sensitivities(dyn, q, v, efforts, H, parameters=values)

    def moved(e):
        place = mbd_ros.integrate(model, q, e * start[:model.nv])
        pace = v + e * start[model.nv:]
        parameters = None if values is None else values + e * more['parameters']
        return mbd_ros.sensitivities(dyn, place, pace, efforts + e * dtau, H,
                                     parameters=parameters).states
    h, nq = 1e-6, model.nq
    expected = np.array([np.concatenate([mbd_ros.difference(model, less[:nq], more_[:nq]),
                                         more_[nq:] - less[nq:]])
                         for less, more_ in zip(moved(-h), moved(h))]) / (2 * h)
    tangent = found.tangent(start, dtau, **more)
    np.testing.assert_allclose(tangent, expected, atol=1e-7 * np.abs(expected).max())
