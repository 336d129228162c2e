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

"""Inverse dynamics of closed loops, reactions, closure of loops, and springs."""

from dataclasses import replace
from pathlib import Path

from described import bare, joint, link, robot
from loop_models import body_order, case_model, cases, mechanism_of
import numpy as np
import pytest

import mbd_ros
from mbd_ros.description.records.mechanism import LoopJoint, Pose, SpringDamper
from mbd_ros.dynamics.functions.effort_terms import effort_terms
from mbd_ros.dynamics.loops.closure import loop_closure
from mbd_ros.dynamics.loops.efforts import loop_efforts, loop_wrenches
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import InvalidValueError, LoopOpenError, ShapeError
from mbd_ros.model import build_model

G = (0.0, -9.81, 0.0)


def fourbar():
    """Return the four-bar with its state."""
    case, model = cases()['fourbar_spherical'], case_model('fourbar_spherical')
    order = body_order(model)
    return model, np.array(case['q'])[order], np.array(case['qd'])[order]


def possible(model, q, v, seed=0):
    """Return accelerations that the loops allow."""
    tau = np.random.default_rng(seed).normal(size=model.nv)
    return mbd_ros.forward_dynamics(model, q, v, tau, gravity=G)


@pytest.mark.parametrize('actuated', [('j000',), ('j001',), ('j000', 'j002'), None])
def test_driven_joints_bring_the_motion_about(actuated):
    model, q, v = fourbar()
    qdd = possible(model, q, v)
    found = loop_efforts(model, q, v, qdd, actuated=actuated, gravity=G)
    np.testing.assert_allclose(
        mbd_ros.forward_dynamics(model, q, v, found.efforts, gravity=G), qdd, atol=1e-11)
    assert found.freedoms == 1
    assert found.spare == (3 if actuated is None else len(actuated)) - 1
    np.testing.assert_allclose(found.residual, 0.0, atol=1e-12)
    idle = [k for k, name in enumerate(model.joint_names)
            if actuated is not None and name not in actuated]
    assert not found.efforts[idle].any()
    solution = mbd_ros.constrained_dynamics(model, q, v, found.efforts, gravity=G)
    np.testing.assert_allclose(found.multipliers, solution.multipliers, atol=1e-11)


def test_spare_drives_share_the_load_with_least_norm():
    model, q, v = fourbar()
    qdd = possible(model, q, v)
    one = mbd_ros.inverse_dynamics(model, q, v, qdd, actuated=['j000'], gravity=G)
    both = mbd_ros.inverse_dynamics(model, q, v, qdd, actuated=['j000', 'j002'], gravity=G)
    motion = np.linalg.svd(mbd_ros.compile(model).loop_rows(q, v)[:, VALUES:])[2][2:]
    # The power on the one possible motion is the same; least norm is along its shares.
    np.testing.assert_allclose(motion @ one, motion @ both, atol=1e-12)
    shares = motion[0, [0, 2]]
    assert abs(both[0] * shares[1] - both[2] * shares[0]) < 1e-12


def test_batches_forces_and_friction_of_driven_joints():
    model, q, v = fourbar()
    damped = replace(model, damping=np.array([0.1, 0.2, 0.3]))
    qdd = possible(model, q, v)
    loads = {'b001': [1.0, 2.0, 0.0, 0.0, 0.0, 0.5]}
    tau = mbd_ros.inverse_dynamics(damped, np.tile(q, (3, 1)), v, qdd, actuated=['j001'],
                                   gravity=G, dissipation=True, external_forces=loads)
    assert tau.shape == (3, 3)
    back = mbd_ros.forward_dynamics(damped, q, v, tau[1], gravity=G, dissipation=True,
                                    external_forces=loads)
    np.testing.assert_allclose(back, qdd, atol=1e-11)


def test_a_motion_that_no_drive_catches():
    model, q, v = fourbar()
    with pytest.raises(InvalidValueError, match=r'drive all 1 motions.*moves without them'):
        mbd_ros.inverse_dynamics(model, q, v, np.zeros(3), actuated=[])


@pytest.mark.parametrize(('driven', 'free'), [('spare', '(crank|coupler|rocker)'),
                                              ('crank', 'spare')])
def test_the_motion_that_no_drive_catches_is_named(driven, free):
    text = (Path(__file__).resolve().parents[3] / 'urdf' / 'four_bar.urdf').read_text()
    model = mbd_ros.load(text.replace('</robot>', link('pendulum') + joint(
        'spare', 'continuous', 'base', 'pendulum') + '</robot>'))
    q, v = mbd_ros.close_loops(model, mbd_ros.neutral(model), np.zeros(model.nv))
    with pytest.raises(InvalidValueError, match=rf"drive all 2 motions.*; '[^']*{free}[^']*' mov"):
        mbd_ros.inverse_dynamics(model, q, v, np.zeros(model.nv), actuated=[
            name for name in model.joint_names if driven in name][:1])


def test_reactions_hold_a_link_in_place():
    """The wrench on the coupler's tip is what keeps the coupler moving as it does."""
    model, q, v = fourbar()
    dyn = mbd_ros.compile(model, gravity=G)
    solution = mbd_ros.constrained_dynamics(model, q, v, np.zeros(3), gravity=G)
    wrench = loop_wrenches(dyn, q, solution.multipliers)['cut0']
    np.testing.assert_allclose(wrench[3:], 0.0, atol=1e-15)  # a ball carries no moment
    np.testing.assert_allclose(wrench[:3], solution.multipliers, atol=1e-14)
    tree = build_model(replace(model.mechanism, loop_joints=()))
    place = dyn.link_motion(q, v, 'b001').pose
    tip = place[:3, :3] @ model.links['b001'].rotation.T @ model.loops[0].frame1.translation
    root = mbd_ros.pose(model, q, 'b002')[:3, 3]
    end = place[:3, 3] + tip
    loads = {'b001': [*wrench[:3], *np.cross(tip, wrench[:3])],
             'b002': [*-wrench[:3], *np.cross(end - root, -wrench[:3])]}
    qdd = mbd_ros.forward_dynamics(tree, q, v, np.zeros(3), gravity=G, external_forces=loads)
    np.testing.assert_allclose(qdd, solution.accelerations, atol=1e-11)


def test_the_nearest_consistent_state():
    model, q, v = fourbar()
    off = q + np.array([0.05, -0.03, 0.02])
    found = loop_closure(model, off, v + 0.1)
    rows = mbd_ros.compile(model).loop_rows(found.q, found.v)
    assert found.violation < 1e-12
    assert found.rank == 2
    assert np.abs(rows[:, 1]).max() < 1e-12
    np.testing.assert_allclose(found.q, off + found.moved)
    # Nearest in the metric of the mass matrix: to first order, no motion left towards the start.
    dyn = mbd_ros.compile(model)
    motion = np.linalg.svd(rows[:, VALUES:])[2][2:]
    away = motion @ dyn.mass_matrix(found.q)
    assert abs((away @ found.moved).item()) < 0.05 * np.linalg.norm(away) * np.linalg.norm(
        found.moved)
    np.testing.assert_allclose(away @ (found.v - v - 0.1), 0.0, atol=1e-12)
    again = mbd_ros.close_loops(model, found.q, found.v)
    np.testing.assert_allclose(again[0], found.q, atol=1e-12)


def test_mobility():
    model, q, _ = fourbar()
    assert mbd_ros.mobility(model, q) == 1
    # Three rods in a line with the ground: besides turning, the knees may give way.
    assert mbd_ros.mobility(model, np.zeros(3)) == 2
    assert mbd_ros.mobility(replace(model, loops=()), q) == 3
    assert mbd_ros.mobility(case_model('bricard_cube_revolute_cut'), np.zeros(5)) == 1
    with pytest.raises(ShapeError, match=r'\(3,\), one configuration'):
        mbd_ros.mobility(model, np.array([q, q]))


def test_passive_joints_follow_from_the_driven_ones():
    model, q, v = fourbar()
    guess = q + np.array([0.0, 0.2, -0.2])
    found_q, found_v = mbd_ros.close_loops(model, guess, v * [1, 0, 0], known=['j000'])
    np.testing.assert_allclose(found_q, q, atol=1e-12)
    np.testing.assert_allclose(found_v, v, atol=1e-12)
    same = mbd_ros.close_loops(model, found_q, found_v, known=model.joint_names)
    np.testing.assert_array_equal(same, [found_q, found_v])
    many = mbd_ros.close_loops(model, np.array([guess, q]), v, known=['j000'])
    np.testing.assert_allclose(many[0], [q, q], atol=1e-12)


def test_a_loop_that_cannot_close():
    mechanism = mechanism_of(cases()['fourbar_spherical']['model'])
    cut = replace(mechanism.loop_joints[0], frame2=Pose(translation=(9.0, 0.0, 0.0)))
    model = build_model(replace(mechanism, loop_joints=(cut,)))
    with pytest.raises(LoopOpenError) as caught:
        mbd_ros.close_loops(model, np.zeros(3), np.zeros(3))
    assert caught.value.loop == 'cut0'
    # The rocker reaches to 9 m, the base is 1 m away, crank and coupler have 1.6 m.
    assert 6.4 - 1e-9 < caught.value.residual < 8.5  # 8.4 where all are stretched one way
    assert str(caught.value).startswith("loop joint 'cut0' cannot be closed: ")


def test_contradicting_loops_are_refused():
    mechanism = mechanism_of(cases()['fourbar_spherical']['model'])
    other = replace(mechanism.loop_joints[0], name='other',
                    frame2=Pose(translation=(0.9, 0.0, 0.1)))
    model = build_model(replace(mechanism, loop_joints=(*mechanism.loop_joints, other)))
    with pytest.raises(LoopOpenError, match=r"'(other|cut0)' cannot be closed"):
        mbd_ros.close_loops(model, *fourbar()[1:])


def test_frames_closed_the_wrong_way_round():
    model = build_model(replace(
        case_model('fourbar_spherical').mechanism, loop_joints=(LoopJoint(
            'cut', 'revolute', 'b001', 'b002', Pose(translation=(1.2, 0.0, 0.0)),
            Pose(((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)), (0.9, 0.0, 0.0))),)))
    with pytest.raises(LoopOpenError, match='z axes point in opposite directions'):
        mbd_ros.close_loops(model, *fourbar()[1:])


@pytest.mark.parametrize('parent', ['base', 'a'])
@pytest.mark.parametrize('leader_first', [True, False])
def test_the_row_of_a_coupling_has_both_joints(parent, leader_first):
    """``follower = multiplier leader + offset``, on one branch and on two."""
    mimic = '<axis xyz="0 0 1"/><mimic joint="lead" multiplier="-2.5" offset="0.3"/>'
    kinds = [('lead', None), ('follow', mimic)] if leader_first else [
        ('follow', mimic), ('lead', None)]
    (first, inside1), (second, inside2) = kinds
    model = mbd_ros.load(robot(
        bare('base'), link('a'), link('b'), joint(first, 'continuous', 'base', 'a', inside1),
        joint(second, 'continuous', parent, 'b', inside2)), mimic=True)
    q, v = np.array([0.7, -0.2]), np.array([1.5, 0.4])
    leader = model.joint_names.index('lead')
    (row,) = mbd_ros.compile(model).loop_rows(q, v)
    expected = np.zeros(2)
    expected[leader], expected[1 - leader] = 2.5, 1.0
    A, phi = row[VALUES:], q[1 - leader] + 2.5 * q[leader] - 0.3
    sign = A[1 - leader]
    assert abs(sign) == 1.0
    np.testing.assert_allclose(A, sign * expected, rtol=1e-15)
    np.testing.assert_allclose(row[:2], sign * np.array([phi, expected @ v]), rtol=1e-14)
    assert row[2] == 0.0


def test_springs_pull_between_links():
    """The generalized force of a spring is minus the slope of its energy; dampers take power."""
    spring = SpringDamper('s', 'b000', 'b002', (0.2, 0.0, 0.0), (0.3, 0.1, 0.0), 50.0, 0.0, 0.2)
    mechanism = replace(case_model('fourbar_spherical').mechanism, loop_joints=())
    plain = build_model(mechanism)
    model = build_model(replace(mechanism, springs=(spring,)))
    damped = build_model(replace(mechanism, springs=(replace(spring, damping=3.0),)))
    q, v = np.array([1.0, -0.6, 1.3]), np.array([0.5, -0.4, 0.3])

    def length(at):
        a, b = (mbd_ros.pose(model, at, link)[:3] @ [*point, 1.0] for link, point in
                ((spring.link1, spring.point1), (spring.link2, spring.point2)))
        return np.linalg.norm(a - b)

    steps = 1e-5 * np.eye(3)
    slope = np.array([(length(q + h) - length(q - h)) / 2e-5 for h in steps])
    force = -50.0 * (length(q) - 0.2) * slope
    without = mbd_ros.bias_forces(plain, q, v)
    np.testing.assert_allclose(without - mbd_ros.bias_forces(model, q, v), force, atol=1e-8)
    np.testing.assert_allclose(without - mbd_ros.bias_forces(damped, q, v),
                               force - 3.0 * (slope @ v) * slope, atol=1e-8)
    terms = effort_terms(damped, q, v, np.ones(3))
    np.testing.assert_allclose(sum(terms.values()),
                               mbd_ros.inverse_dynamics(damped, q, v, np.ones(3)), atol=1e-12)
    np.testing.assert_allclose(terms['springs'], -force, atol=1e-8)
    qdd = mbd_ros.forward_dynamics(damped, q, v, np.ones(3))
    np.testing.assert_allclose(mbd_ros.inverse_dynamics(damped, q, v, qdd), 1.0, atol=1e-11)
    kinetic, potential = mbd_ros.energy(model, q, v)
    stored = 25.0 * (length(q) - 0.2) ** 2
    assert potential - mbd_ros.energy(plain, q, v).potential == pytest.approx(stored, rel=1e-12)
    assert kinetic == mbd_ros.energy(plain, q, v).kinetic
