"""Robots with flexible links in closed loops: rows, dense reference, rigid limit, frequencies."""

from dataclasses import replace

import flexible_robots
from flexible_robots import four_bar, four_bar_state as state, point_mass, revolute
import numpy as np
import pytest
import scipy

import mbd_ros
from mbd_ros.dynamics.api.constrained import row_names
from mbd_ros.dynamics.api.joint_wrenches import wrench_names
from mbd_ros.dynamics.loops.efforts import loop_wrenches
from mbd_ros.errors import InvalidValueError, UnsupportedError

STILL = (0.0, 0.0, 0.0)
EI, RHO_A = 29.1667, 0.54


@pytest.mark.parametrize('kind', ['spherical', 'revolute', 'distance'])
def test_rows_are_derivatives_and_the_dense_system_agrees(kind):
    text = four_bar(kind=kind)
    if kind == 'distance':
        text = text.replace('type="distance"', 'type="distance" distance="0.2"')
    model = mbd_ros.load(text)
    q, v, tau = state(model)
    dyn = mbd_ros.compile(model)
    rows, step = dyn.loop_rows(q, v), 1e-6
    A = rows[:, 3:]
    np.testing.assert_allclose(rows[:, :2], 0.0, atol=1e-10)
    slopes = [(dyn.loop_rows(q + d, v)[:, 0] - dyn.loop_rows(q - d, v)[:, 0]) / (2.0 * step)
              for d in step * np.eye(model.nv)]
    np.testing.assert_allclose(A, np.transpose(slopes), atol=1e-8)   # differences
    drift = (dyn.loop_rows(q + step * v, v)[:, 1] - dyn.loop_rows(q - step * v, v)[:, 1]) / (
        2.0 * step)
    np.testing.assert_allclose(rows[:, 2], drift, atol=1e-7)
    mass, bias = mbd_ros.mass_matrix(model, q), mbd_ros.bias_forces(model, q, v)
    inverse = np.linalg.inv(mass)
    multipliers = np.linalg.lstsq(A @ inverse @ A.T, -rows[:, 2] - A @ inverse @ (tau - bias),
                                  rcond=1e-9)[0]   # rows across the plane depend on others
    expected = inverse @ (tau - bias + A.T @ multipliers)
    found = mbd_ros.constrained_dynamics(model, q, v, tau)
    scale = np.abs(expected).max()   # the condition of M is 1e5
    np.testing.assert_allclose(found.accelerations, expected, atol=1e-9 * scale)
    np.testing.assert_allclose(mbd_ros.forward_dynamics(model, q, v, tau), expected,
                               atol=1e-9 * scale)
    np.testing.assert_allclose(found.residual, 0.0, atol=1e-10 * scale)
    np.testing.assert_allclose(mass @ expected + bias - A.T @ found.multipliers, tau,
                               atol=1e-9 * np.abs(mass @ expected).max())


def test_joints_carry_what_drives_them_whichever_link_of_a_cut_moves():
    text = four_bar().replace('link1 link="end" xyz="0 0 0"', 'link1 link="base" xyz="1 0 0"')
    text = text.replace('link2 link="base" xyz="1 0 0"', 'link2 link="end" xyz="0 0 0"')
    model = mbd_ros.load(text)
    q, v, tau = state(model)
    np.testing.assert_allclose(
        mbd_ros.joint_wrenches(model, q, v, tau)[:3, 5], tau[:3], atol=1e-9)   # axes are z


def test_joints_carry_what_drives_them():
    model = mbd_ros.load(four_bar())
    q, v, tau = state(model)
    wrenches = mbd_ros.joint_wrenches(model, q, v, tau)
    np.testing.assert_allclose(wrenches[:3, 5], tau[:3], atol=1e-9)   # axes are z
    # The cut is a ball: a force alone, that of the multipliers; the second link is the ground.
    found = mbd_ros.constrained_dynamics(model, q, v, tau)
    np.testing.assert_allclose(wrenches[3], [*-found.multipliers, 0.0, 0.0, 0.0], atol=1e-9)


def test_with_stiffness_to_infinity_the_rigid_answers_return():
    text = four_bar(4e10)
    stiff, rigid = mbd_ros.load(text), mbd_ros.load(text, flexible=False)
    q, v, tau = state(rigid)
    pad = np.zeros(len(stiff.elastic_names))
    expected = mbd_ros.constrained_dynamics(rigid, q, v, tau)
    # What the joints need is that of the rigid linkage; the modes carry their share.
    rows = mbd_ros.compile(stiff).loop_rows(np.append(q, pad), np.append(v, pad))
    held = rows[:, 3:].T @ expected.multipliers
    forces = mbd_ros.inverse_dynamics(stiff, np.append(q, pad), np.append(v, pad),
                                      np.append(expected.accelerations, pad))
    np.testing.assert_allclose((forces - held)[:3], tau[:3], atol=1e-10)
    # At rest under their load, 1e-9 of a length, links accelerate as the rigid ones do.
    slopes = mbd_ros.inverse_dynamics_derivatives(stiff, np.append(q, pad), np.append(v, pad),
                                                  np.append(expected.accelerations, pad)).dq
    a = np.linalg.solve(slopes[3:, 3:], (held - forces)[3:])
    found = mbd_ros.forward_dynamics(stiff, np.append(q, a), np.append(v, pad),
                                     np.append(tau[:3], pad))
    np.testing.assert_allclose(found[:3], expected.accelerations, rtol=1e-4)


def test_a_beam_clamped_and_held_at_its_tip():
    text = flexible_robots.beam(
        f'bending_stiffness="{EI} {EI}" modes="6 0 0" boundary="craig_bampton"',
        joint='continuous', links=point_mass('tip', 0.0)
        + flexible_robots.fixed('mount', 'beam', 'tip', (1.0, 0.0, 0.0))
        + '<loop_joint name="pin" type="spherical"><link1 link="tip" xyz="0 0 0"/>'
        '<link2 link="base" xyz="1 0 0"/></loop_joint>')
    model = mbd_ros.load(text)
    found = mbd_ros.natural_frequencies(model, np.zeros(7), locked=['root'])
    assert found.frequencies.shape == (5,)
    b = scipy.optimize.brentq(lambda b: np.tan(b) - np.tanh(b), 3.8, 4.0, xtol=1e-14)
    # A static shape and four modes with the tip clamped.
    assert 2.0 * np.pi * found.frequencies[0] == pytest.approx(
        b ** 2 * np.sqrt(EI / RHO_A), rel=1e-5)
    with pytest.raises(InvalidValueError, match=r"where loops are open: row 'pin\.y'"):
        mbd_ros.natural_frequencies(model, np.full(7, 0.01))


def test_what_is_not_there():
    model = mbd_ros.load(four_bar())
    q, v, _tau = state(model)
    with pytest.raises(UnsupportedError, match='static_deflection'):
        mbd_ros.static_deflection(model, q)
    with pytest.raises(UnsupportedError, match='hybrid_dynamics'):
        mbd_ros.inverse_dynamics(model, q, v, v, actuated=['j0'])


@pytest.mark.parametrize('first', ['cut', 'follow'])
def test_joints_carry_cuts_and_couplings(first):
    """A wheel that follows the crank, before or after the cut among the loops."""
    wheel = ('<link name="wheel">' + flexible_robots.slender(0.2, 0.3, 0.05) + '</link>'
             + revolute('follow', 'base', 'wheel', (0.0, 0.3, 0.0), (0.0, 0.0, 1.0)).replace(
                 '</joint>', '<mimic joint="j0" multiplier="-2" offset="0.1"/></joint>'))
    model = mbd_ros.load(four_bar().replace('<loop_joint', wheel + '<loop_joint'), mimic=True)
    model = replace(model, loops=tuple(sorted(
        model.loops, key=lambda loop: (loop.name != first, loop.name))))
    q, v = np.zeros((2, model.nv))
    names = list(model.joint_names)
    q[[names.index(name) for name in ('j0', 'j1', 'j2', 'follow')]] = 0.9, -0.6, -1.8, -1.7
    how = {'executor': 'interpreted'}   # for one state nothing is compiled
    q, v = mbd_ros.close_loops(model, q, v + 0.1, **how)
    tau = np.random.default_rng(1).normal(size=model.nv)
    found = mbd_ros.constrained_dynamics(model, q, v, tau, **how)
    rows = [name.partition('.')[0] for name in row_names(model)]
    of_cut, coupling = (found.multipliers[[row == name for row in rows]]
                        for name in ('cut', 'follow'))
    wrenches = dict(zip(wrench_names(model), mbd_ros.joint_wrenches(model, q, v, tau, **how)))
    # The cut is a ball: a force alone, that of its multipliers; the second link is the ground.
    np.testing.assert_allclose(wrenches['cut'], [*-of_cut, 0.0, 0.0, 0.0], atol=1e-9)
    # q_follow + 2 q_j0 = 0.1: along the axes, z, drive and coupling.
    for name, share in (('follow', 1.0), ('j0', 2.0), ('j1', 0.0), ('j2', 0.0)):
        assert wrenches[name][5] == pytest.approx(
            tau[names.index(name)] + share * coupling[0], abs=1e-9), name
    dyn = mbd_ros.compile(model, **how)
    assert list(loop_wrenches(dyn, q, found.multipliers)) == ['cut']
    np.testing.assert_allclose(loop_wrenches(dyn, q, found.multipliers)['cut'][:3], of_cut,
                               atol=1e-9)
