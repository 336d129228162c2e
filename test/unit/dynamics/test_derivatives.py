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

"""Derivatives of the dynamics: closed forms, options, batches and error texts."""

import numpy as np
import pytest
from robots import chain, random_state, urdf

import mbd_ros
from mbd_ros.dynamics.quantities.derivatives import LARGEST_UNROLLED
from mbd_ros.errors import (
    InvalidValueError, NotFiniteError, ShapeError, SingularMassError, UnknownNameError)

MASS, LENGTH, INERTIA, GRAVITY = 2.0, 0.5, 0.3, 9.81
EXECUTORS = ['interpreted', 'unrolled', 'rolled']


@pytest.fixture(scope='module')
def pendulum():
    return mbd_ros.load(f"""<robot name="pendulum"><link name="world"/><link name="bob">
        <inertial><origin xyz="0 0 {-LENGTH}"/><mass value="{MASS}"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="{INERTIA}" iyz="0" izz="1"/></inertial></link>
        <joint name="hinge" type="revolute"><parent link="world"/><child link="bob"/>
        <axis xyz="0 1 0"/><dynamics damping="0.7" friction="0.2"/>
        <limit lower="-3" upper="3" effort="9" velocity="9"/></joint></robot>""")


@pytest.fixture(scope='module')
def arm():
    return mbd_ros.load(chain(3, 1))


@pytest.mark.parametrize('executor', EXECUTORS)
def test_pendulum(pendulum, executor):
    """The closed form: (I + m l^2) qdd + m g l sin q = tau."""
    q, v, tau = 0.4, 1.5, 2.0
    inertia = INERTIA + MASS * LENGTH ** 2
    stiffness = MASS * GRAVITY * LENGTH * np.cos(q)
    inverse = mbd_ros.inverse_dynamics_derivatives(pendulum, [q], [v], [3.0], executor=executor)
    forward = mbd_ros.forward_dynamics_derivatives(pendulum, [q], [v], [tau], executor=executor)
    # 1e-14: a dozen roundings of numbers near 10.
    np.testing.assert_allclose(np.ravel(inverse), [stiffness, 0.0, inertia],
                               atol=1e-14, rtol=1e-14)
    np.testing.assert_allclose(np.ravel(forward), [-stiffness / inertia, 0.0, 1.0 / inertia],
                               atol=1e-14, rtol=1e-14)


@pytest.mark.parametrize('executor', EXECUTORS)
def test_sliding_on_a_turning_table(executor):
    """The closed form: force m (rdd - r w^2), torque (I + m r^2) wd + 2 m r rd w."""
    model = mbd_ros.load("""<robot name="table"><link name="world"/><link name="table"><inertial>
        <mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="0.4"/></inertial>
        </link><link name="mass"><inertial><mass value="2"/>
        <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
        <joint name="turn" type="continuous"><parent link="world"/><child link="table"/>
        <axis xyz="0 0 1"/></joint>
        <joint name="slide" type="prismatic"><parent link="table"/><child link="mass"/>
        <axis xyz="1 0 0"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>""")
    r, w, rd, wd = 0.6, 1.2, -0.8, 0.5
    found = mbd_ros.inverse_dynamics_derivatives(
        model, [0.3, r], [w, rd], [wd, 0.1], executor=executor)
    # 1e-14: some ten roundings of numbers near 1.
    np.testing.assert_allclose(found.dq, [[0, 4 * r * wd + 4 * rd * w], [0, -2 * w * w]],
                               atol=1e-14)
    np.testing.assert_allclose(found.dv, [[4 * r * rd, 4 * r * w], [-4 * r * w, 0]], atol=1e-14)
    np.testing.assert_allclose(found.dqdd, [[0.4 + 2 * r * r, 0], [0, 2]], atol=1e-14)


def test_dissipation(pendulum):
    state = [0.4], [1.5], [2.0]
    inverse, damped = (mbd_ros.inverse_dynamics_derivatives(pendulum, *state, dissipation=on)
                       for on in (False, True))
    np.testing.assert_array_equal(damped.dv, inverse.dv + 0.7)
    np.testing.assert_array_equal(damped.dq, inverse.dq)
    damped = mbd_ros.forward_dynamics_derivatives(pendulum, *state, dissipation=True)
    inertia = INERTIA + MASS * LENGTH ** 2
    # 1e-14: a dozen roundings of numbers near 1.
    np.testing.assert_allclose(damped.dv, [[-0.7 / inertia]], rtol=1e-14)


def test_external_forces_errors(arm):
    q, v, third = random_state(arm, 3)
    for function in (mbd_ros.inverse_dynamics_derivatives, mbd_ros.forward_dynamics_derivatives):
        with pytest.raises(UnknownNameError, match="no link named 'hand'; known: li"):
            function(arm, q, v, third, external_forces={'hand': np.ones(6)})
        with pytest.raises(ShapeError, match=r"external_forces\['link003'\] has shape \(3,\)"):
            function(arm, q, v, third, external_forces={'link003': np.ones(3)})


def test_a_force_on_a_pendulum(pendulum):
    """The closed form: a force F along x at the link's origin, on the hinge, has no moment."""
    found = mbd_ros.inverse_dynamics_derivatives(
        pendulum, [0.4], [0], [0], external_forces={'bob': [5.0, 6.0, 7.0, 0, 0, 0]})
    still = mbd_ros.inverse_dynamics_derivatives(pendulum, [0.4], [0], [0])
    np.testing.assert_array_equal(found.dq, still.dq)


def test_a_moment_on_two_crossed_axes():
    """The closed form: the second axis Rz(q1) y turns, tau2 = -(Rz(q1) y) . n."""
    model = mbd_ros.load(f"""<robot name="crossed"><link name="world"/>{''.join(
        f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1"'
        f' iyz="0" izz="1"/></inertial></link>' for name in 'ab')}{''.join(
        f'<joint name="{child}_joint" type="continuous"><parent link="{parent}"/>'
        f'<child link="{child}"/><axis xyz="{axis}"/></joint>'
        for parent, child, axis in (('world', 'a', '0 0 1'), ('a', 'b', '0 1 0')))}</robot>""")
    angle, (x, y, z) = 0.4, (2.0, -3.0, 5.0)
    found, still = (mbd_ros.inverse_dynamics_derivatives(
        model, [angle, 0.3], [0, 0], [0, 0], external_forces=forces)
        for forces in ({'b': [0, 0, 0, x, y, z]}, {}))
    slope = x * np.cos(angle) + y * np.sin(angle)
    # 1e-14: a dozen roundings of numbers near 5.
    np.testing.assert_allclose(found.dq - still.dq, [[0, 0], [slope, 0]], atol=1e-14)


def test_external_forces_on_some_of_many_states(arm):
    states = [np.array(part) for part in zip(*(random_state(arm, k) for k in range(5)))]
    forces = {'link003': np.random.default_rng(0).normal(size=(5, 6)), 'link001': np.ones(6)}
    for function in (mbd_ros.inverse_dynamics_derivatives, mbd_ros.forward_dynamics_derivatives):
        many = function(arm, *states, external_forces=forces, dissipation=True)
        for k in range(5):
            one = function(arm, *(part[k] for part in states), dissipation=True, external_forces={
                'link003': forces['link003'][k], 'link001': np.ones(6)})
            for part, expected in zip(many, one):
                # 1e-12: lanes fuse and order some sums in another way than single states.
                np.testing.assert_allclose(part[k], expected, rtol=0,
                                           atol=1e-12 * np.abs(expected).max())


def test_gravity(pendulum):
    found = mbd_ros.inverse_dynamics_derivatives(pendulum, [0.4], [0], [0], gravity=(0, 0, 0))
    np.testing.assert_array_equal(found.dq, [[0.0]])


@pytest.mark.parametrize('executor', ['unrolled', 'rolled'])
@pytest.mark.parametrize('rows', [1, 3, 8, 21])
def test_batches_equal_single_states(executor, rows):
    model = mbd_ros.load(urdf([0, 1, 1], ['revolute', 'prismatic', 'continuous'], 3),
                         floating_base=True)
    states = [np.array(part) for part in zip(*(random_state(model, k) for k in range(rows)))]
    dyn = mbd_ros.compile(model, executor=executor)
    for call in (dyn.inverse_dynamics_derivatives, dyn.forward_dynamics_derivatives):
        many = call(*states)
        for k in range(rows):
            for part, expected in zip(many, call(*(part[k] for part in states))):
                # 1e-12: lanes fuse and order some sums in another way than single states.
                np.testing.assert_allclose(part[k], expected, rtol=0,
                                           atol=1e-12 * np.abs(expected).max())


def test_out(arm):
    q, v, third = random_state(arm, 3)
    for function in (mbd_ros.inverse_dynamics_derivatives, mbd_ros.forward_dynamics_derivatives):
        expected = function(arm, q, v, third)
        out = np.empty((3, 3, 3))
        found = function(arm, q, v, third, out=out)
        assert type(found) is type(expected)
        assert all(part.base is out for part in found)
        np.testing.assert_array_equal(out, expected)
        with pytest.raises(ShapeError, match=r'out has shape \(3, 3\); allowed: \(3, 3, 3\), fl'):
            function(arm, q, v, third, out=np.empty((3, 3)))


def test_prepared_callables_take_names_and_lists(arm):
    q, v, third = random_state(arm, 3)
    dyn = mbd_ros.compile(arm)
    found = dyn.forward_dynamics_derivatives(q=list(q), v=list(v), tau=list(third))
    np.testing.assert_array_equal(found, dyn.forward_dynamics_derivatives(q, v, third))
    assert found._fields == ('dq', 'dv', 'dtau')
    assert dyn.inverse_dynamics_derivatives(q, v, third)._fields == ('dq', 'dv', 'dqdd')
    assert dyn.forward_dynamics_derivatives.__name__ == 'forward_dynamics_derivatives'


def test_errors_say_what_is_wrong(arm):
    q, v, third = random_state(arm, 3)
    with pytest.raises(ShapeError, match=r'tau has shape \(2,\); allowed: \(3,\) for one state'):
        mbd_ros.forward_dynamics_derivatives(arm, q, v, third[:2])
    with pytest.raises(NotFiniteError, match=r"qdd.*joint 'joint002'.*nan"):
        mbd_ros.inverse_dynamics_derivatives(arm, q, v, [0.0, np.nan, 0.0])
    with pytest.raises(InvalidValueError, match="formulation is 'newton'; allowed: 'auto', 'rec"):
        mbd_ros.inverse_dynamics_derivatives(arm, q, v, third, formulation='newton')


@pytest.mark.parametrize('executor', EXECUTORS)
def test_a_joint_without_inertia(executor):
    model = mbd_ros.load("""<robot name="empty"><link name="l0"/><link name="l1"/>
        <joint name="hinge" type="continuous"><parent link="l0"/><child link="l1"/></joint>
        </robot>""", inertia='unchecked')
    zero = np.zeros(1)
    np.testing.assert_array_equal(
        mbd_ros.inverse_dynamics_derivatives(model, zero, zero, zero, executor=executor).dqdd,
        [[0.0]])
    with pytest.raises(SingularMassError, match="joint 'hinge'"):
        mbd_ros.forward_dynamics_derivatives(model, zero, zero, zero, executor=executor)


@pytest.mark.parametrize('executor', EXECUTORS)
def test_a_robot_without_moving_joints(executor):
    model = mbd_ros.load(urdf([0], ['fixed'], 1))
    for function in (mbd_ros.inverse_dynamics_derivatives, mbd_ros.forward_dynamics_derivatives):
        assert [part.shape for part in function(model, [], [], [], executor=executor)] == [
            (0, 0)] * 3


def test_larger_robots_are_rolled():
    model = mbd_ros.load(chain(LARGEST_UNROLLED + 1, 2))
    state = random_state(model, 1)
    np.testing.assert_array_equal(
        mbd_ros.forward_dynamics_derivatives(model, *state),
        mbd_ros.forward_dynamics_derivatives(model, *state, executor='rolled'))


def test_far_from_the_origin():
    """Entries do not lose digits with the distance of a floating base from the origin."""
    model = mbd_ros.load(chain(3, 5), floating_base=True)
    q, v, tau = random_state(model, 2)
    far = q.copy()
    far[:3] += 1e6
    np.testing.assert_array_equal(mbd_ros.forward_dynamics_derivatives(model, far, v, tau),
                                  mbd_ros.forward_dynamics_derivatives(model, q, v, tau))
