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


"""Springs along joints: in every formulation, executor, derivative, energy and identification."""

from dataclasses import replace

import numpy as np
import pytest

import mbd_ros
from mbd_ros.description.records.mechanism import JointSpring
from mbd_ros.errors import DescriptionError
from mbd_ros.execution import Compiled, Lanes, Threads
from mbd_ros.model.build import build_model

HINGE = JointSpring((3.0, 0.5, 0.2), (0.3,))
CABLE = JointSpring((40.0, 0.0, 0.0), (0.1,), 0.4)
"""Free of force from 0.1 to 0.5."""
BALL = JointSpring((2.0, 0.7, 0.1), (0.1, -0.2, 0.3, 0.9))
FREE = JointSpring((5.0, 0.3, 0.2), (0.2, 0.3, 0.4, 0.0, 0.0, 0.6, 0.8))
ROBOT = """
<robot name="sprung">
  <link name="base"/>
  <link name="a"><inertial><origin xyz="0.2 0 0.1"/><mass value="1.5"/>
    <inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0.002" izz="0.04"/></inertial></link>
  <link name="b"><inertial><origin xyz="0.1 0.1 0"/><mass value="0.8"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.015"/></inertial></link>
  <link name="c"><inertial><origin xyz="0 0.1 0.2"/><mass value="0.7"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.015"/></inertial></link>
  <link name="d"><inertial><origin xyz="0 0 0.2"/><mass value="2"/>
    <inertia ixx="0.03" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.025"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="a"/>
    <origin xyz="0 0 1" rpy="0.3 0.2 0"/><axis xyz="0 1 0"/></joint>
  <joint name="slide" type="prismatic"><parent link="a"/><child link="b"/>
    <origin xyz="0.4 0 0.1"/><axis xyz="1 0 0.3"/>
    <limit lower="-5" upper="5" effort="9" velocity="9"/></joint>
  <joint name="ball" type="spherical"><parent link="b"/><child link="c"/>
    <origin xyz="0.2 0 0"/></joint>
  <joint name="free" type="floating"><parent link="base"/><child link="d"/></joint>
</robot>"""
SPRINGS = {'hinge': (HINGE, JointSpring((1.0, 0.0, 0.0))), 'slide': (CABLE,), 'ball': (BALL,),
           'free': (FREE,)}
RNG = np.random.default_rng


def sprung(model, springs):
    """Return a robot with springs along joints, by name."""
    return build_model(replace(model.mechanism, joints=tuple(
        replace(joint, dynamics=replace(joint.dynamics, springs=springs.get(joint.name, ())))
        for joint in model.mechanism.joints)), flexible=model.elastic is not None)


@pytest.fixture(scope='module')
def pair():
    """Return the robot with and without its springs."""
    bare = mbd_ros.load(ROBOT)
    return sprung(bare, SPRINGS), bare


def states(model, count, seed):
    """Return q, v and efforts of some states."""
    rng = RNG(seed)
    q = np.array([mbd_ros.random_configuration(model, rng) for _ in range(count)])
    return q, rng.normal(size=(count, model.nv)), rng.normal(size=(count, model.nv))


def energy_of(model, q, v, executor):
    """Return the potential energy [J]."""
    return mbd_ros.compile(model, executor=executor).energy(q, v)[1]


def slopes(function, model, q):
    """Return the derivative of a function of q along the rates, by central differences."""
    return np.array([(function(mbd_ros.integrate(model, q, step))
                      - function(mbd_ros.integrate(model, q, -step))) / 2e-6
                     for step in 1e-6 * np.eye(model.nv)]).T


def expected(model, q):
    """Return the efforts of the springs of ROBOT, written out (nv,)."""
    at = {name: q[first:first + kind.nq] for name, kind, first in zip(
        model.joint_names, model.joint_types, model.q_offsets)}

    def turn(quaternion, rest):
        x, y, z, w = quaternion
        a, b, c, d = rest
        scalar = w * d + np.dot((x, y, z), (a, b, c))
        vector = d * np.array((x, y, z)) - w * np.array((a, b, c)) - np.cross((a, b, c), (x, y, z))
        if scalar < 0.0:
            scalar, vector = -scalar, -vector
        size = np.linalg.norm(vector)
        return vector / size * 2.0 * np.arctan2(size, scalar)

    def force(spring, x):
        c1, c2, c3 = spring.stiffness
        size = np.linalg.norm(x)
        return (c1 + c2 * size + c3 * size**2) * x

    x, y = at['hinge'][0] - 0.3, at['slide'][0]
    found = {'hinge': [(3.0 + 0.5 * x + 0.2 * x**2) * x + at['hinge'][0]],
             'slide': [40.0 * (max(y - 0.5, 0.0) + min(y - 0.1, 0.0))],
             'ball': force(BALL, turn(at['ball'], BALL.reference))}
    x, y, z, w = at['free'][3:]
    rotation = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    found['free'] = [*force(FREE, rotation.T @ (at['free'][:3] - FREE.reference[:3])),
                     *force(FREE, turn(at['free'][3:], FREE.reference[3:]))]
    return np.concatenate([found[name] for name in model.joint_names])


def test_springs_take_the_efforts_that_are_written_out(pair):
    model, bare = pair
    for q, v, _ in zip(*states(model, 20, 1)):
        taken = mbd_ros.bias_forces(model, q, v) - mbd_ros.bias_forces(bare, q, v)
        # Sums in another order, of terms up to 1e3.
        np.testing.assert_allclose(taken, expected(model, q), rtol=0.0, atol=1e-11)


@pytest.mark.parametrize('formulation', [
    'recursive', 'closed_loop', 'jourdain', 'kane', 'augmented', 'flexible'])
@pytest.mark.parametrize('executor', ['interpreted', 'compiled', Lanes(), Threads(2)])
def test_every_formulation_moves_as_if_the_springs_were_efforts(pair, formulation, executor):
    model, bare = pair
    q, v, tau = states(model, 3, 2)
    springs = np.array([expected(model, one) for one in q])
    right = mbd_ros.forward_dynamics(bare, q, v, tau - springs)
    found = mbd_ros.forward_dynamics(model, q, v, tau, formulation=formulation, executor=executor)
    # Accelerations up to 1e3, of formulations that differ by 1e-13 relative without springs.
    np.testing.assert_allclose(found, right, rtol=1e-10, atol=1e-8)
    back = mbd_ros.inverse_dynamics(model, q, v, right, formulation=formulation,
                                    executor=executor)
    np.testing.assert_allclose(back, tau, rtol=0.0, atol=1e-9)


def test_efforts_are_the_gradient_of_the_energy(pair):
    model, bare = pair
    for executor in ('interpreted', 'compiled'):
        for q, _, _ in zip(*states(model, 5, 3)):
            def energy(place, executor=executor):
                rest = np.zeros(model.nv)
                return (energy_of(model, place, rest, executor)
                        - energy_of(bare, place, rest, executor))
            # Central differences by 1e-6 of energies up to 1e3.
            np.testing.assert_allclose(slopes(energy, model, q), expected(model, q), atol=2e-6)


def test_derivatives_are_those_of_differences(pair):
    model, _ = pair
    (q, v, tau), = zip(*states(model, 1, 4))
    found = mbd_ros.inverse_dynamics_derivatives(model, q, v, tau)
    right = slopes(lambda place: mbd_ros.inverse_dynamics(model, place, v, tau), model, q)
    np.testing.assert_allclose(found.dq, right, atol=1e-5)   # differences by 1e-6
    found = mbd_ros.forward_dynamics_derivatives(model, q, v, tau)
    right = slopes(lambda place: mbd_ros.forward_dynamics(model, place, v, tau), model, q)
    np.testing.assert_allclose(found.dq, right, rtol=1e-6, atol=1e-5)
    found = mbd_ros.gravity_forces_derivatives(model, q)
    right = slopes(lambda place: mbd_ros.gravity_forces(model, place), model, q)
    np.testing.assert_allclose(found, right, atol=1e-5)


def test_a_spring_that_grows_has_a_derivative_at_rest(pair):
    bare = mbd_ros.load(ROBOT)
    model = sprung(bare, {'ball': (JointSpring((2.0, 0.7, 0.1)),)})
    q = np.zeros(model.nq)
    for kind, start in zip(model.joint_types, model.q_offsets):
        if kind.nq > 1:
            q[start + kind.nq - 1] = 1.0
    rest = np.zeros(model.nv)
    change = (mbd_ros.inverse_dynamics_derivatives(model, q, rest, rest).dq
              - mbd_ros.inverse_dynamics_derivatives(bare, q, rest, rest).dq)
    first = model.v_offsets[model.joint_index('ball')]
    right = np.zeros_like(change)
    right[first:first + 3, first:first + 3] = 2.0 * np.eye(3)
    np.testing.assert_allclose(change, right, atol=1e-12)   # sums in another order


def test_terms_of_efforts_name_the_springs(pair):
    from mbd_ros.dynamics.functions.effort_terms import effort_terms
    model, _ = pair
    (q, v, qdd), = zip(*states(model, 1, 5))
    terms = effort_terms(model, q, v, qdd)
    np.testing.assert_allclose(terms['springs'], expected(model, q), atol=1e-11)
    np.testing.assert_allclose(sum(terms.values()), mbd_ros.inverse_dynamics(model, q, v, qdd),
                               atol=1e-11)


def test_a_motion_keeps_its_energy(pair):
    model, _ = pair
    (q, v, _), = zip(*states(model, 1, 6))
    run = mbd_ros.simulate(model, q, v, 0.3, step=1e-3)
    # The error of the integrator: 16 times less with half the step.
    assert np.ptp(run.energy) < 1e-6 * np.abs(run.energy).max()


def test_a_swarm_and_a_long_chain_have_their_own_springs():
    links = ''.join(f"""<link name="l{k}"><inertial><origin xyz="0 0 0.1"/><mass value="1"/>
        <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
        <joint name="j{k:03d}" type="continuous"><parent link="{{}}{{}}"/><child link="l{k}"/>
        <origin xyz="0 0 0.2"/><axis xyz="1 0 0"/></joint>""" for k in range(60))
    for parents in ([('world', '')] * 60, [('world', '')] + [('l', k) for k in range(59)]):
        text = links.format(*(word for pair in parents for word in pair))
        bare = mbd_ros.load(f'<robot name="r"><link name="world"/>{text}</robot>')
        springs = {f'j{k:03d}': (JointSpring((1.0 + k, 0.0, 0.0), (0.01 * k,)),)
                   for k in range(0, 60, 2)}
        model = sprung(bare, springs)
        q, v, tau = states(model, 8, 7)
        taken = np.array([[springs[name][0].stiffness[0] * (x - springs[name][0].reference[0])
                           if name in springs else 0.0
                           for name, x in zip(model.joint_names, place)] for place in q])
        for executor in (None, 'interpreted', Compiled()):
            found = mbd_ros.forward_dynamics(model, q, v, tau, executor=executor)
            right = mbd_ros.forward_dynamics(bare, q, v, tau - taken, executor=executor)
            scale = np.abs(right).max()
            np.testing.assert_allclose(found, right, atol=1e-10 * scale)   # chains of 60 joints


@pytest.mark.parametrize('formulation', ['closed_loop', 'augmented', 'kane'])
def test_a_closed_loop_with_springs(formulation):
    bare = mbd_ros.load('urdf/four_bar.urdf')
    names = bare.joint_names
    model = sprung(bare, {names[0]: (JointSpring((3.0, 0.0, 0.0), (0.4,)),),
                          names[2]: (JointSpring((1.0, 0.2, 0.1)),)})
    rng = RNG(8)
    q, v = mbd_ros.close_loops(bare, rng.normal(size=bare.nq) * 0.1, rng.normal(size=bare.nv))
    tau = rng.normal(size=bare.nv)
    taken = mbd_ros.bias_forces(model, q, v) - mbd_ros.bias_forces(bare, q, v)
    assert np.abs(taken[[0, 2]]).min() > 1e-3
    np.testing.assert_allclose(
        mbd_ros.forward_dynamics(model, q, v, tau, formulation=formulation),
        mbd_ros.forward_dynamics(bare, q, v, tau - taken, formulation=formulation),
        rtol=1e-9, atol=1e-9)   # the same formulation, sums in another order


def test_flexible_links_under_springs_of_joints():
    text = """<robot name="arm" xmlns:mbd="urn:mbd_ros"><link name="base"/>
      <link name="beam"><inertial><origin xyz="0.4 0 0"/><mass value="0.24"/>
        <inertia ixx="1e-5" ixy="0" ixz="0" iyy="0.0128" iyz="0" izz="0.0128"/></inertial>
        <mbd:flexible><beam length="0.8" linear_density="0.3" bending_stiffness="3 3"
          torsional_stiffness="2" torsional_inertia="4e-5" modes="1 1 0"/></mbd:flexible></link>
      <link name="tip"><inertial><origin xyz="0.1 0 0"/><mass value="0.3"/>
        <inertia ixx="1e-3" ixy="0" ixz="0" iyy="2e-3" iyz="0" izz="2e-3"/></inertial></link>
      <joint name="one" type="continuous"><parent link="base"/><child link="beam"/>
        <axis xyz="0 1 0"/></joint>
      <joint name="two" type="continuous"><parent link="beam"/><child link="tip"/>
        <origin xyz="0.8 0 0"/><axis xyz="0 1 0"/></joint></robot>"""
    bare = mbd_ros.load(text)
    model = sprung(bare, {'two': (JointSpring((3.0, 0.5, 0.2), (0.3,)),)})
    rng = RNG(9)
    q, v, tau = (0.1 * rng.normal(size=model.nv) for _ in range(3))
    x = q[1] - 0.3
    taken = np.zeros(model.nv)
    taken[1] = (3.0 + 0.5 * x + 0.2 * x**2) * x
    for executor in ('interpreted', 'compiled'):
        np.testing.assert_allclose(
            mbd_ros.forward_dynamics(model, q, v, tau, executor=executor),
            mbd_ros.forward_dynamics(bare, q, v, tau - taken, executor=executor),
            rtol=1e-9, atol=1e-9)   # accelerations up to 1e2
        np.testing.assert_allclose(
            energy_of(model, q, v, executor) - energy_of(bare, q, v, executor),
            1.5 * x**2 + 0.5 / 3.0 * x**3 + 0.05 * x**4, atol=1e-12)


def test_identification_knows_the_springs():
    bare = mbd_ros.load('urdf/three_link_arm.urdf')
    name = bare.joint_names[1]
    model = sprung(bare, {name: (JointSpring((30.0, 0.0, 0.0), (0.2,)),)})
    from mbd_ros.dynamics.identification.equations import others
    q, v, qdd = states(model, 4, 10)
    taken = others(model, q, v, qdd, np.array((0.0, 0.0, -9.81)))
    right = np.zeros_like(q)
    right[:, 1] = 30.0 * (q[:, 1] - 0.2)
    np.testing.assert_allclose(taken, right, atol=1e-10)


@pytest.mark.parametrize(('kind', 'spring'), [
    ('planar', JointSpring((1.0, 0.0, 0.0))),
    ('spherical', JointSpring((1.0, 0.0, 0.0), (0.1,))),
    ('spherical', JointSpring((1.0, 0.0, 0.0), slack=0.1)),
    ('revolute', JointSpring((1.0, 0.0, 0.0), (0.0, 0.0)))])
def test_springs_that_do_not_suit_their_joint_are_refused(pair, kind, spring):
    _, bare = pair
    joints = tuple(replace(joint, kind=kind) if joint.name == 'ball' else joint
                   for joint in bare.mechanism.joints)
    mechanism = replace(bare.mechanism, joints=tuple(
        replace(joint, dynamics=replace(joint.dynamics, springs=(spring,)))
        if joint.name == 'ball' else joint for joint in joints))
    with pytest.raises(DescriptionError, match=r"joint 'ball' of type .* has a spring"):
        build_model(mechanism)
