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


"""Motions under constraints of robots whose links bend: loops, floating bases, few drives."""

import flexible_robots
import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import (
    Actuation, ConstrainedMotion, Ellipse, JointCoupling, NominalModel, ToolPosition,
    TrackingLaw)

ARM = mbd_ros.load(flexible_robots.two_link_arm())
BAR = mbd_ros.load(flexible_robots.four_bar())
AFLOAT = mbd_ros.load(flexible_robots.beam(
    'bending_stiffness="20 20" modes="2 1 0"', joint='continuous').replace(
        '<link name="base"/>', '<link name="base">' + flexible_robots.inertial(
            2.0, (0.0, 0.1, 0.0), np.diag([0.1, 0.2, 0.2])) + '</link>'), floating_base=True)


def state(model, rng, bent=0.01):
    """Return a state that closes loops, bent a little."""
    q, v = mbd_ros.neutral(model), rng.normal(size=model.nv)
    if model.loops:
        return flexible_robots.four_bar_state(model)[:2]
    q[:model.nq - len(model.elastic_names)] += rng.normal(
        size=model.nq - len(model.elastic_names))
    q[model.nq - len(model.elastic_names):] = bent * rng.normal(size=len(model.elastic_names))
    return mbd_ros.model.state.normalize(model, q), v


def tool(dyn, link, axes='xy'):
    return ToolPosition(dyn, link, Ellipse([0.6, 0.1, 0.0], [0, 0.2, 0.1], [0.1, 0, 0.1], 3.0),
                        axes=axes)


@pytest.mark.parametrize('drives', [False, True], ids=['all', 'joints'])
@pytest.mark.parametrize(('model', 'make'), [
    (ARM, lambda dyn: tool(dyn, 'payload')),
    (AFLOAT, lambda dyn: tool(dyn, 'beam')),
    (BAR, lambda dyn: JointCoupling(BAR, {'j0': 1.0}, 0.3)),
    (BAR, lambda dyn: tool(dyn, 'end', 'x'))], ids=['arm', 'floating', 'loop', 'tool of a loop'])
def test_accelerations_are_those_of_the_equation(model, make, drives):
    """Against ``udwadia_kalaba``, which an oracle checks; conditions up to 1e6."""
    dyn, rng = mbd_ros.compile(model, executor='interpreted'), np.random.default_rng(3)
    constraint, joints = make(dyn), list(model.joint_names)
    if model.joint_types[0].nv == 6:
        joints = joints[1:]
    motion = ConstrainedMotion(dyn, constraint,
                               actuation=Actuation(model, joints) if drives else None)
    assert motion.under_actuated == drives
    q, v = state(model, rng)
    found = motion.solve(0.4, q, v).solution
    wanted = mbd_ros.udwadia_kalaba(
        model, q, v, np.zeros(model.nv), constraint.matrix(q, v, 0.4),
        constraint.right_side(q, v, 0.4), actuated=joints if drives else None)
    for name in ('accelerations', 'constraint_force'):
        one, other = getattr(found, name), getattr(wanted, name)
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-8 * np.abs(other).max())
    elastic = found.constraint_force[model.nv - len(model.elastic_names):]
    if drives and not model.loops:
        np.testing.assert_array_equal(elastic, 0.0)   # nothing drives a shape


@pytest.mark.filterwarnings('ignore::mbd_ros.errors.LargeDeflectionWarning')
def test_a_linkage_that_bends_follows_a_constraint():
    """Its loop and the rows hold while it is integrated, though its links swing."""
    dyn, (q, v, _) = mbd_ros.compile(BAR), flexible_robots.four_bar_state(BAR)
    motion = ConstrainedMotion(dyn, JointCoupling(BAR, {'j0': 1.0}, q[0]))
    start = motion.project(q, v)
    out = mbd_ros.simulate(BAR, start.q, start.v, 0.02, step=2e-4, motion=motion, method='rk4')
    # The elimination ends at 1e-13, rows of rates at the rounding of some m/s.
    assert motion.violation(0.02, out.q[-1]) < 1e-12
    assert np.abs(out.q[:, 0] - q[0]).max() < 1e-12
    assert np.abs(dyn.loop_rows(out.q[-1], out.v[-1])[:, :2]).max() < 1e-10
    assert np.abs(np.diff(out.q[:, -3:], axis=0)).max() > 1e-5   # it swings
    # Workless rows at rest: energy is kept to the order of RK4 and the elimination.
    assert np.ptp(out.energy) < 1e-3 * np.ptp(mbd_ros.energy(BAR, out.q, out.v).kinetic)


def test_the_law_leads_a_bending_arm_to_its_nominal_model():
    """Computed efforts of the joints alone, from a measured state with its elastic coordinates."""
    dyn, joints = mbd_ros.compile(ARM), Actuation(ARM, ARM.joint_names)
    motion = ConstrainedMotion(
        dyn, [JointCoupling(ARM, {name: 1.0}, 0.3) for name in ARM.joint_names],
        actuation=joints)
    q = np.zeros(ARM.nq)
    q[:2] = 0.3
    q[2:] = mbd_ros.static_deflection(ARM, q)
    nominal = NominalModel(motion, q, np.zeros(ARM.nv), step=2e-4, start='as_given')
    law = TrackingLaw(dyn, actuation=joints, bandwidth=5.0)
    place, rates = q + 0.05 * np.eye(ARM.nq)[0], np.zeros(ARM.nv)
    found = law.efforts(nominal.advance_to(0.0), place, rates)
    np.testing.assert_allclose(found.error, q - place, atol=1e-12)
    np.testing.assert_array_equal(found.effort[2:], 0.0)
    away = mbd_ros.forward_dynamics(ARM, place, rates, found.effort)
    assert away[0] < -0.5   # 5^2 / s^2 of 0.05 rad, less what the shapes take
    there = law.efforts(nominal.advance_to(0.0), q, rates)
    still = mbd_ros.forward_dynamics(ARM, q, rates, there.effort)
    np.testing.assert_allclose(still, 0.0, atol=1e-6)   # of 1e5 / s^2 times rounding
