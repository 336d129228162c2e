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

"""Robots with flexible links in closed loops: rows, dense reference, rigid limit, frequencies."""

from dataclasses import replace

import flexible_robots
from flexible_robots import four_bar, four_bar_state as state, point_mass, revolute
import numpy as np
import pytest
import scipy

import mbd_ros
from mbd_ros.dynamics.functions.constrained import row_names
from mbd_ros.dynamics.functions.joint_wrenches import wrench_names
from mbd_ros.dynamics.loops.efforts import loop_wrenches
from mbd_ros.errors import InvalidValueError
from mbd_ros.simulation.stepper import bent_by_weight

STILL, DOWN = (0.0, 0.0, 0.0), (0.0, -9.81, 0.0)   # in the plane of the linkage
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


@pytest.mark.parametrize('bends', [False, True])
def test_a_plate_swings_on_two_rods(bends):
    """Its weight hangs on the cut joint: rods of 0.3 kg and 0.5 m, a plate of 2 kg."""
    stiff = '<beam length="1" linear_density="2" bending_stiffness="1e9 1e9" modes="1 0 0"/>'
    links = ''.join(
        f'<link name="{name}">{flexible_robots.slender(length, mass / length, 1e-4)}{more}</link>'
        for name, length, mass, more in (
            ('a', 0.5, 0.3, ''), ('b', 0.5, 0.3, ''),
            ('plate', 1.0, 2.0, f'<mbd:flexible>{stiff}</mbd:flexible>')))
    z = (0.0, 0.0, 1.0)
    model = mbd_ros.load(
        f'{flexible_robots.HEAD}<link name="base"/>{links}'
        + revolute('ja', 'base', 'a', STILL, z) + revolute('jp', 'a', 'plate', (0.5, 0.0, 0.0), z)
        + revolute('jb', 'base', 'b', (1.0, 0.0, 0.0), z)
        + '<loop_joint name="cut" type="revolute"><link1 link="plate" xyz="1 0 0"/>'
        '<link2 link="b" xyz="0.5 0 0"/></loop_joint></robot>', flexible=bends)
    q = np.zeros(model.nq)
    hang = {'ja': -0.5 * np.pi, 'jp': 0.5 * np.pi, 'jb': -0.5 * np.pi}
    q[:3] = [hang[name] for name in model.joint_names]
    found = mbd_ros.natural_frequencies(model, q, gravity=DOWN)
    assert 2.0 * np.pi * found.frequencies[0] == pytest.approx(
        np.sqrt((2.0 + 0.3) * 9.81 / ((2.0 + 2.0 / 3.0 * 0.3) * 0.5)), rel=1e-6)   # rods 0.1 mm


@pytest.mark.parametrize('given', [['j0'], ['j0', 'j2'], ['j0', 'j1', 'j2']])
def test_hybrid_dynamics_in_loops(given):
    model = mbd_ros.load(four_bar())
    q, v, tau = state(model)
    qdd = np.random.default_rng(4).normal(size=model.nv)
    known = np.isin(np.arange(model.nv), [model.joint_index(name) for name in given])
    found = mbd_ros.hybrid_dynamics(model, q, v, tau, qdd, given=given)
    rows = mbd_ros.compile(model).loop_rows(q, v)
    A = rows[:, 3:]
    np.testing.assert_allclose(found.qdd[known], qdd[known])
    np.testing.assert_allclose(found.tau[~known], tau[~known], atol=1e-12)
    scale = np.abs(found.qdd).max()
    np.testing.assert_allclose(A @ found.qdd + rows[:, 2], 0.0, atol=1e-10 * scale)
    np.testing.assert_allclose(mbd_ros.forward_dynamics(model, q, v, found.tau), found.qdd,
                               atol=1e-9 * scale)   # the condition of M is 1e5
    np.testing.assert_allclose(
        mbd_ros.inverse_dynamics(model, q, v, qdd, actuated=given),
        mbd_ros.hybrid_dynamics(model, q, v, 0.0 * tau, qdd, given=given).tau)
    push = {'bar1': np.array([1.0, 2.0, 0.0, 0.0, 0.0, 0.3])}
    pushed = mbd_ros.hybrid_dynamics(model, q, v, tau, qdd, given=given, external_forces=push)
    again = mbd_ros.forward_dynamics(model, q, v, pushed.tau, external_forces=push)
    np.testing.assert_allclose(again, pushed.qdd, atol=1e-9 * scale)


def test_hybrid_dynamics_of_a_rigid_linkage():
    """Joints that brace against each other take the least forces, as in inverse dynamics."""
    model = mbd_ros.load(four_bar(), flexible=False)
    q, v, tau = state(model)
    vdot = mbd_ros.forward_dynamics(model, q, v, tau)
    one = mbd_ros.hybrid_dynamics(model, q, v, tau, vdot, given=['j0'])
    np.testing.assert_allclose(one.qdd, vdot, atol=1e-10)
    np.testing.assert_allclose(one.tau, tau, atol=1e-10)
    found = mbd_ros.hybrid_dynamics(model, [q, q], [v, v], tau, vdot, given=model.joint_names)
    least = mbd_ros.inverse_dynamics(model, q, v, vdot, actuated=model.joint_names)
    np.testing.assert_allclose(found.tau, [least, least], atol=1e-10)
    with pytest.raises(InvalidValueError, match=r'allowed: accelerations of j0, j1, j2 that the '
                       r"loops allow; of the equations of 'cut' \S+ are left"):
        mbd_ros.hybrid_dynamics(model, q, v, tau, vdot + np.eye(3)[0], given=['j0', 'j1', 'j2'])


def at_rest(model, q, held, gravity=DOWN):
    """Return phi, and what is missing in the equations of all that is not held."""
    dyn, still = mbd_ros.compile(model, gravity=gravity), np.zeros(model.nv)
    rows, load = dyn.loop_rows(q, still), dyn.bias_forces(q, still)
    free = [k for k in range(model.nv) if model.coordinate_names[k] not in held]
    A = rows[:, 3:][:, free]
    missing = load[free] - A.T @ np.linalg.lstsq(A.T, load[free], rcond=1e-9)[0]
    return np.abs(rows[:, 0]).max(), np.abs(missing).max()


@pytest.mark.parametrize('held', [None, ['j0']])
def test_static_deflection_in_loops(held):
    model = mbd_ros.load(four_bar())
    q, _, _ = state(model, 0.0)
    a = mbd_ros.static_deflection(model, q, gravity=DOWN, held=held)
    q, _ = mbd_ros.close_loops(model, np.append(q[:3], a), known=held or model.joint_names)
    np.testing.assert_allclose(q[3:], a, atol=1e-15)
    phi, missing = at_rest(model, q, held or model.joint_names)
    assert phi < 1e-12 and missing < 1e-10   # of 10 N
    assert np.abs(a).max() > 1e-4
    found = mbd_ros.hybrid_dynamics(model, q, np.zeros(9), np.zeros(9), np.zeros(9),
                                    given=held or model.joint_names, gravity=DOWN)
    assert np.abs(found.qdd).max() < 1e-7   # forces over masses of 1e-5 kg m^2


def test_stiff_links_rest_as_rigid_ones():
    text = four_bar(1e8, modes='1 0 0')
    model, rigid = mbd_ros.load(text), mbd_ros.load(text, flexible=False)
    q, _, _ = state(rigid)
    names, still = rigid.joint_names, np.zeros(model.nv)
    a = mbd_ros.static_deflection(model, np.append(q, [0.0, 0.0]), gravity=DOWN)
    assert np.abs(a).max() < 1e-7
    found = mbd_ros.hybrid_dynamics(model, np.append(q, a), still, still, still, given=names,
                                    gravity=DOWN)
    expected = mbd_ros.inverse_dynamics(rigid, q, still[:3], still[:3], actuated=names,
                                        gravity=DOWN)
    # All held, the cut carries what bending says; the motion left feels the same weight.
    N = scipy.linalg.null_space(mbd_ros.compile(rigid).loop_rows(q, still[:3])[:, 3:], rcond=1e-9)
    np.testing.assert_allclose(N.T @ found.tau[:3], N.T @ expected, atol=1e-6)


def test_a_propped_cantilever_under_its_weight():
    text = flexible_robots.beam(
        f'bending_stiffness="{EI} {EI}" modes="6 0 0" boundary="craig_bampton" '
        'stiffening="false"', links=point_mass('tip', 0.0)
        + flexible_robots.fixed('mount', 'beam', 'tip', (1.0, 0.0, 0.0))
        + '<loop_joint name="pin" type="spherical"><link1 link="tip" xyz="0 0 0"/>'
        '<link2 link="base" xyz="1 0 0"/></loop_joint>', joint='continuous')
    model, still = mbd_ros.load(text), np.zeros(7)
    a = mbd_ros.static_deflection(model, still, gravity=DOWN)
    phi, missing = at_rest(model, np.append(0.0, a), ['root'])
    assert phi < 1e-14 and missing < 1e-12
    held = mbd_ros.hybrid_dynamics(model, np.append(0.0, a), still, still, still, given=['root'],
                                   gravity=DOWN)
    assert held.tau[0] == pytest.approx(RHO_A * 9.81 / 8.0, rel=1e-6)   # w L^2 / 8 at the root


def test_what_static_deflection_refuses():
    one = four_bar(modes='1 0 0')
    first, end = one.index('<mbd:flexible>'), one.index('</mbd:flexible>') + len('</mbd:flexible>')
    model = mbd_ros.load(one[:first] + one[end:])   # the rocker alone bends
    q, _, _ = state(model, 0.0)
    with pytest.raises(InvalidValueError, match=r"^held is \['j0', 'j1', 'j2'\]; allowed: joints "
                       r'without which the loops can close: bending alone cannot close them'):
        mbd_ros.static_deflection(model, q, gravity=DOWN, held=model.joint_names)
    with pytest.raises(InvalidValueError, match=r'^held is \[\]; allowed: joints that hold all '
                       'others by the loops at q'):
        mbd_ros.static_deflection(model, q, gravity=DOWN, held=[])
    a = mbd_ros.static_deflection(model, q, gravity=DOWN, held='j0')
    np.testing.assert_array_equal(mbd_ros.static_deflection(model, q, gravity=DOWN), a)
    bent = bent_by_weight(model, q, DOWN)   # the simulator begins so: the first joint leads
    np.testing.assert_allclose(bent[3:], a, atol=1e-12)
    phi, missing = at_rest(model, bent, ['j0'])
    assert phi < 1e-10 and missing < 1e-8   # as close_loops closes
    # Joints that are not held have no stiffness to compare with. The search diverges: where it
    # ends is a matter of roundings.
    with pytest.raises(InvalidValueError, match=r"they have buckled: the stiffness along 'bar2/"
                       '|hold more or begin elsewhere|no rest was found'):
        mbd_ros.static_deflection(model, q, gravity=(0.0, -3e5, 0.0), held=['j0'])


def test_a_search_that_ends_where_nothing_is_stiff(monkeypatch):
    """At such a place systems are singular; which loads lead there depends on roundings."""
    def singular(*arguments):
        raise np.linalg.LinAlgError('Singular matrix')

    model = mbd_ros.load(four_bar())
    q, _, _ = state(model, 0.0)
    monkeypatch.setattr('mbd_ros.dynamics.functions.elastic.least_motion', singular)
    with pytest.raises(InvalidValueError, match='from there no rest was found'):
        mbd_ros.static_deflection(model, q, gravity=DOWN, held=['j0'])


@pytest.mark.parametrize('flexible', [False, True])
def test_of_no_states(flexible):
    model = mbd_ros.load(four_bar(), flexible=flexible)
    nq, nv = model.nq, model.nv
    q, v = np.zeros((0, nq)), np.zeros((0, nv))
    for array in mbd_ros.hybrid_dynamics(model, q, v, v, v, given=['j0']):
        assert array.shape == (0, nv)
    assert mbd_ros.constrained_dynamics(model, q, v, v).multipliers.shape == (0, 3)
    assert mbd_ros.joint_wrenches(model, q, v, v).shape == (0, len(wrench_names(model)), 6)
    assert [array.shape for array in mbd_ros.close_loops(model, q, v)] == [(0, nq), (0, nv)]


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
