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

"""Mass centre, momentum, Coriolis matrix, Jacobians and the like of robots that bend."""

import flexible_robots
import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import UnsupportedError

ARM = 'urdf/flexible_arm.urdf'
STILL = (0.0, 0.0, 0.0)
FIXED, FLOATING = mbd_ros.load(ARM), mbd_ros.load(ARM, floating_base=True)
CHAIN = mbd_ros.load(flexible_robots.four_joint_arm())
H = 1e-6
"""Of central differences: H^2 of third derivatives, 1e-16 / H of values, of order 10 here."""


def state_of(model, seed=2, bent=0.02):
    """Return a configuration with bent links and velocities."""
    rng = np.random.default_rng(seed)
    q, n = mbd_ros.random_configuration(model, rng), len(model.elastic_names)
    q[len(q) - n:] = bent * rng.normal(size=n)
    return q, rng.normal(size=model.nv)


def difference(model, q, v, function):
    """Return how fast a function of the configuration changes."""
    ahead, behind = (function(mbd_ros.integrate(model, q, h * v)) for h in (H, -H))
    return (ahead - behind) / (2.0 * H)


@pytest.mark.parametrize('model', [FIXED, FLOATING, CHAIN], ids=['fixed', 'floating', 'points'])
def test_mass_centre(model):
    q, v = state_of(model)
    rate = difference(model, q, v, lambda one: mbd_ros.center_of_mass(model, one))
    np.testing.assert_allclose(mbd_ros.center_of_mass_jacobian(model, q) @ v, rate, atol=1e-8)
    # Gravity acts on it: potential energy falls by m g . c.
    mass = float(mbd_ros.energy(model, q, np.zeros(model.nv), gravity=STILL).potential
                 - mbd_ros.energy(model, q, np.zeros(model.nv), gravity=(0, 0, 1)).potential
                 ) / mbd_ros.center_of_mass(model, q)[2]
    masses = sum(segment.mass for segment in model.elastic.segments)
    assert mass == pytest.approx(masses, rel=1e-9)   # 1e-16 of 1000 J of strain


def test_momentum_of_a_floating_robot_is_kept():
    """What joints and links do to each other changes neither momentum."""
    q, v = state_of(FLOATING, bent=1e-4)
    tau = np.append(np.zeros(6), np.random.default_rng(4).normal(size=FLOATING.nv - 6))
    qdd = mbd_ros.forward_dynamics(FLOATING, q, v, tau, gravity=STILL)
    ahead, behind = (mbd_ros.centroidal_momentum(
        FLOATING, mbd_ros.integrate(FLOATING, q, h * v + 0.5 * h * h * qdd), v + h * qdd)
        for h in (H, -H))
    whole = mbd_ros.centroidal_momentum(FLOATING, q, v)
    assert np.linalg.norm(whole) > 1.0
    # A v' alone is 130; H^2 of third derivatives, stiff modes have v' of 3e3.
    np.testing.assert_allclose((ahead - behind) / (2.0 * H), np.zeros(6), atol=1e-4)
    linear = mbd_ros.center_of_mass_jacobian(FLOATING, q) @ v
    np.testing.assert_allclose(np.cross(whole[:3], linear), np.zeros(3), atol=1e-12)


@pytest.mark.parametrize('model', [FIXED, FLOATING, CHAIN], ids=['fixed', 'floating', 'points'])
def test_coriolis_matrix(model):
    q, v = state_of(model)
    found = mbd_ros.coriolis_matrix(model, q, v)
    rate = difference(model, q, v, lambda one: mbd_ros.mass_matrix(model, one))
    skew = rate - 2.0 * found
    np.testing.assert_allclose(skew + skew.T, np.zeros_like(skew), atol=1e-6)
    dyn = mbd_ros.compile(model, gravity=STILL)
    bias = dyn.bias_forces(q, v) - dyn.bias_forces(q, 0.0 * v)
    first = model.nv - len(model.elastic_names)
    for body in model.elastic.bodies:
        own = slice(first + body.first, first + body.first + body.count)
        bias[own] -= body.damping @ v[own]
    np.testing.assert_allclose(found @ v, bias, atol=1e-9)   # elastic forces of 1e5 N drop out
    if model.nq == model.nv:   # the Christoffel symbols of the mass matrix, and no other matrix
        slopes = np.array([difference(model, q, one, lambda q: mbd_ros.mass_matrix(model, q))
                           for one in np.eye(model.nv)])
        symbols = 0.5 * (np.einsum('ikj,i->kj', slopes, v) + np.einsum('jki,i->kj', slopes, v)
                         - np.einsum('kij,i->kj', slopes, v))
        np.testing.assert_allclose(found, symbols, atol=1e-7)


@pytest.mark.parametrize('floating', [False, True])
def test_unbent_links_are_rigid_ones(floating):
    model = FLOATING if floating else FIXED
    rigid = mbd_ros.load(ARM, floating_base=floating, flexible=False)
    q, v = state_of(model, bent=0.0)
    v[rigid.nv:] = 0.0
    q0, v0 = q[:rigid.nq], v[:rigid.nv]
    for function, arguments, given, part in (
            ('center_of_mass', (q,), (q0,), np.s_[:]),
            ('center_of_mass_jacobian', (q,), (q0,), np.s_[:, :rigid.nv]),
            ('centroidal_map', (q,), (q0,), np.s_[:, :rigid.nv]),
            ('coriolis_matrix', (q, v), (q0, v0), np.s_[:rigid.nv, :rigid.nv])):
        found, expected = (getattr(mbd_ros, function)(one, *which)
                           for one, which in ((model, arguments), (rigid, given)))
        # <inertial> of the file has 12 digits; roundings of entries of order 10.
        np.testing.assert_allclose(found[part], expected, atol=1e-11)
    many = mbd_ros.coriolis_matrix(model, np.stack([q, q]), np.stack([v, 2.0 * v]))
    np.testing.assert_allclose(many[1], 2.0 * many[0], atol=1e-11)   # linear in v


@pytest.mark.parametrize('frame', ['world_aligned', 'local', 'world'])
@pytest.mark.parametrize('link', ['hand', 'forearm'])   # fixed to one that bends, and one
@pytest.mark.parametrize('model', [FIXED, FLOATING], ids=['fixed', 'floating'])
def test_rates_of_jacobians(model, link, frame):
    q, v = state_of(model)
    rate = difference(model, q, v, lambda one: mbd_ros.jacobian(model, one, link, frame=frame))
    np.testing.assert_allclose(mbd_ros.jacobian_rate(model, q, v, link, frame=frame), rate,
                               atol=1e-7)
    np.testing.assert_allclose(mbd_ros.jacobian(model, q, link, frame=frame) @ v,
                               mbd_ros.frame_velocity(model, q, v, link, frame=frame),
                               atol=1e-12)   # roundings of entries of order 10


def test_links_of_the_ground_do_not_move():
    q, v = state_of(FIXED)
    assert not mbd_ros.jacobian_rate(FIXED, q, v, 'base').any()


def test_inverse_kinematics_moves_joints_alone():
    q, _ = state_of(FIXED, bent=2e-3)
    q[:4] = 0.3, -0.9, 1.2, 0.3
    target, start = mbd_ros.pose(FIXED, q, 'hand')[:3, 3], q.copy()
    start[:4] += 0.2
    for attempts in (1, 3):
        found = mbd_ros.inverse_kinematics(FIXED, {'hand': target}, start, attempts=attempts)
        assert found.converged
        np.testing.assert_array_equal(found.q[4:], q[4:])
        np.testing.assert_allclose(mbd_ros.pose(FIXED, found.q, 'hand')[:3, 3], target, atol=1e-9)
    far = mbd_ros.inverse_kinematics(FIXED, {'hand': (9.0, 0.0, 0.0)}, start, attempts=3)
    assert not far.converged
    np.testing.assert_array_equal(far.q[4:], q[4:])


def test_held_joints():
    """The robot without them moves as the one where their accelerations are zero."""
    q, v = state_of(FIXED)
    held = FIXED.joint_names[1:3]
    free = [k for k in range(FIXED.nv) if k not in (1, 2)]
    v[1:3] = 0.0
    locked = mbd_ros.lock(FIXED, dict(zip(held, q[1:3].tolist())))
    assert locked.elastic_names == FIXED.elastic_names
    assert locked.joint_names == (FIXED.joint_names[0], FIXED.joint_names[3])
    np.testing.assert_allclose(mbd_ros.mass_matrix(locked, q[free]),
                               mbd_ros.mass_matrix(FIXED, q)[np.ix_(free, free)], atol=1e-12)
    tau = np.zeros(FIXED.nv)
    expected = mbd_ros.hybrid_dynamics(FIXED, q, v, tau, tau, given=held).qdd
    found = mbd_ros.forward_dynamics(locked, q[free], v[free], tau[free])
    # Accelerations of 1e6 of stiff modes, by matrices of the condition 1e5.
    np.testing.assert_allclose(found, expected[free], rtol=1e-9, atol=1e-6)


def test_a_motor_on_a_spring_is_not_held():
    text = flexible_robots.two_link_arm().replace(
        '<axis xyz="0.0 0.0 1.0"/></joint>', '<axis xyz="0 0 1"/><mbd:armature value="0.1"/>'
        '<mbd:series_elastic stiffness="300"/></joint>', 1)
    with pytest.raises(UnsupportedError, match="holding the joint 'joint1', which has series"):
        mbd_ros.lock(mbd_ros.load(text), {'joint1': 0.0})
