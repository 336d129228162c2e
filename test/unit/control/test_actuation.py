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

"""Under-actuated and floating robots, and long arms."""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import (
    Actuation, ConstrainedMotion, Ellipse, JointCoupling, NominalModel,
    Stack, ToolPosition, TrackingLaw)
from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.simulation import Stepper

FLOATING = Path(__file__).parents[2] / 'data' / 'ladder' / '08_floating_arms.urdf'


def chain(count):
    """Return a chain of equal links that turn about y and z in turn."""
    links = ''.join(
        f'<link name="l{k}"><inertial><origin xyz="0.05 0 0"/><mass value="1"/><inertia ixx="0.01"'
        f' ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>'
        for k in range(count + 1))
    joints = ''.join(
        f'<joint name="j{k}" type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/>'
        f'<origin xyz="0.1 0 0"/><axis xyz="0 {(k + 1) % 2} {k % 2}"/></joint>'
        for k in range(count))
    return mbd_ros.load(f'<robot name="chain">{links}{joints}</robot>')


@pytest.fixture(scope='module')
def cart_pole():
    return mbd_ros.compile(mbd_ros.load(FLOATING.with_name('03_cart_pole.urdf')))


def test_the_force_lies_in_the_actuated_space(cart_pole):
    """A pole is led by its cart alone: Q_c acts on the cart, and the pole follows."""
    model = cart_pole.model
    cart, pole = model.joint_names
    actuation = Actuation(model, [cart])
    constraint = JointCoupling(model, {pole: 1.0}, 0.5)
    q, v = np.array([0.0, 0.5]), np.zeros(2)
    whole = ConstrainedMotion(cart_pole, constraint).solve(0.0, q, v).solution
    assert actuation.missing(whole.constraint_force) > 0.1   # the pole would have to be pushed
    motion = ConstrainedMotion(cart_pole, constraint, actuation=actuation)
    found = motion.solve(0.0, q, v).solution
    assert actuation.missing(found.constraint_force) == 0.0
    assert abs(found.accelerations[1]) < 1e-12   # the pole stays at 0.5 rad
    np.testing.assert_allclose(
        cart_pole.forward_dynamics(q, v, found.constraint_force), found.accelerations, atol=1e-10)
    assert abs(found.residual).max() < 1e-12


def test_what_no_actuator_can_do_is_reported(cart_pole):
    """The height of a pole's mass centre where the cart cannot change it."""
    model = cart_pole.model
    cart, pole = model.joint_names
    rows = ConstrainedMotion(
        cart_pole, Stack([JointCoupling(model, {cart: 1.0}), JointCoupling(model, {pole: 1.0})],
                         np.zeros(2), np.zeros(2)), actuation=Actuation(model, [cart]))
    found = rows.solve(0.0, np.array([0.0, 0.5]), np.zeros(2)).solution
    assert found.conflicting
    assert found.rank == 1


def test_a_floating_robot_follows_a_path():
    """Its arms draw an ellipse in the world while the base is free, in free fall."""
    model = mbd_ros.load(FLOATING, floating_base=True)
    dyn = mbd_ros.compile(model, gravity=[0, 0, 0])
    arms = Actuation(model, model.joint_names[1:])
    tip = [name for name, frame in model.links.items() if frame.body == model.nb - 1][-1]
    q = mbd_ros.model.state.neutral(model)
    q[7:] = 0.4
    start = dyn.pose(q, tip)[:3, 3]
    path = Ellipse(start - [0.05, 0, 0], [0.05, 0, 0], [0, 0.03, 0.02], 2.0)
    axes = 'xy'
    motion = ConstrainedMotion(dyn, ToolPosition(dyn, tip, path, axes=axes), actuation=arms)
    nominal = NominalModel(motion, q, start='project')
    robot = Stepper(model, nominal.state.q, nominal.state.v, gravity=[0, 0, 0])
    law = TrackingLaw(dyn, actuation=arms)
    worst = 0.0
    for k in range(500):
        state = nominal.advance_to(0.002 * k)
        effort = law.efforts(state, robot.q, robot.v).effort
        assert not effort[:6].any()
        worst = max(worst, np.abs(dyn.pose(robot.q, tip)[:2, 3]
                                  - path.at(0.002 * k).position[:2]).max())
        robot.advance(effort, 0.002)
    assert worst < 1e-4   # 0.2 m/s at 500 Hz; nothing but the arms pushed


def test_names_of_actuated_joints_are_checked(cart_pole):
    with pytest.raises(UnknownNameError, match="joint named 'wheel'"):
        Actuation(cart_pole.model, ['wheel'])
    with pytest.raises(InvalidValueError, match='at least one'):
        Actuation(cart_pole.model, [])


def test_a_long_arm():
    """A chain of 40 joints, against forward dynamics under the force of constraint."""
    dyn = mbd_ros.compile(chain(40))
    rng = np.random.default_rng(3)
    q, v = rng.uniform(-1, 1, (2, dyn.model.nq))
    path = Ellipse(dyn.pose(q, 'l40')[:3, 3], [0.1, 0, 0], [0, 0.1, 0])
    motion = ConstrainedMotion(dyn, ToolPosition(dyn, 'l40', path))
    found = motion.solve(0.0, q, v).solution
    assert np.abs(found.residual).max() < 1e-9
    assert found.rank == 3
    # The condition of M, about 1e6, is felt by both.
    np.testing.assert_allclose(dyn.forward_dynamics(q, v, found.constraint_force),
                               found.accelerations, rtol=0,
                               atol=1e-9 * np.abs(found.accelerations).max())
