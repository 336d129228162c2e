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

"""Derivatives of motions, momenta, gravity forces and of steps against Pinocchio."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pinocchio as pin
from pinocchio_twin import twin
import pytest
from robots import all_trees, model_of, random_state

import mbd_ros
from mbd_ros.errors import InvalidValueError, UnknownNameError

SEEDS = st.integers(0, 2**16)
MODEL = model_of([0, 1, 2, 2], ['floating', 'spherical', 'revolute', 'planar'], 6)
FRAMES = ('world_aligned', 'local', 'world')


def close(found, expected):
    """Two programs in float64: some hundred roundings, no division by what may be small."""
    np.testing.assert_allclose(found, expected, rtol=0.0,
                               atol=1e-11 * max(1.0, np.abs(expected).max(initial=0.0)))


def peer_with(model, link):
    """Return Pinocchio's model and the number of a link's frame."""
    place, peer = model.links[link], twin(model)
    return peer, peer.addFrame(pin.Frame(
        link, place.body + 1, 0, pin.SE3(np.array(place.rotation), np.array(place.translation)),
        pin.FrameType.OP_FRAME))


def turned(columns, vector):
    """Return the cross products of columns (3, nv) with a vector."""
    return np.cross(columns, vector, axisa=0, axisc=0)


def classical(motion, by, of_velocity):
    """Return derivatives of a spatial acceleration as of the classical one: plus w x v."""
    found = by.copy()
    found[:3] += turned(of_velocity[3:], motion[:3]) - turned(of_velocity[:3], motion[3:])
    return found


def expected_of(peer, number, state, frame):
    """
    Return velocity by q and v, classical acceleration by q, v and qdd.

    From Pinocchio's in local axes: in the others its ``getFrameAccelerationDerivatives`` (4.1) is
    not the derivative of ``getFrameAcceleration`` where spherical joints are, nor does the point
    of LOCAL_WORLD_ALIGNED move.
    """
    data = peer.createData()
    pin.computeForwardKinematicsDerivatives(peer, data, *state)
    pin.updateFramePlacements(peer, data)
    args = (peer, data, number, pin.LOCAL)
    by_q, by_v = pin.getFrameVelocityDerivatives(*args)
    _, second_by_q, second_by_v, _ = pin.getFrameAccelerationDerivatives(*args)
    velocity, spatial = pin.getFrameVelocity(*args), pin.getFrameAcceleration(*args)
    place = data.oMf[number]
    if frame == 'world':
        by_q -= velocity.action @ by_v
        second_by_q -= spatial.action @ by_v
        velocity = place.act(velocity)
        by_q, by_v, second_by_q, second_by_v = (
            place.action @ part for part in (by_q, by_v, second_by_q, second_by_v))
        np.testing.assert_allclose(by_q, pin.getFrameVelocityDerivatives(
            *args[:3], pin.WORLD)[0], atol=1e-9)
    second_by_q, second_by_v = (classical(velocity.vector, second, first) for second, first in (
        (second_by_q, by_q), (second_by_v, by_v)))
    if frame == 'world_aligned':
        acceleration = pin.getFrameClassicalAcceleration(*args)
        for part, motion in ((by_q, velocity), (second_by_q, acceleration)):
            part[:3] += turned(by_v[3:], motion.linear)
            part[3:] += turned(by_v[3:], motion.angular)
        by_q, by_v, second_by_q, second_by_v = (
            np.kron(np.eye(2), place.rotation) @ part
            for part in (by_q, by_v, second_by_q, second_by_v))
    return by_q, by_v, second_by_q, second_by_v, by_v


def links_agree(model, state, link, frame, found, again):
    """Compare derivatives of velocity, then of acceleration."""
    for part, expected in zip((*found, *again),
                              expected_of(*peer_with(model, link), state, frame)):
        close(part, expected)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(model=all_trees(max_joints=8), seed=SEEDS, frame=st.sampled_from(FRAMES))
def test_motions_of_links(model, seed, frame):
    state = random_state(model, seed)
    link = sorted(model.links)[seed % len(model.links)]
    how = {'frame': frame, 'executor': 'interpreted'}
    links_agree(model, state, link, frame,
                mbd_ros.frame_velocity_derivatives(model, *state[:2], link, **how),
                mbd_ros.frame_acceleration_derivatives(model, *state, link, **how))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(model=all_trees(max_joints=8), seed=SEEDS)
def test_hessians_of_links(model, seed):
    """
    Pinocchio's in world axes; multiplied by v they are rates of Jacobians.

    In LOCAL its (4.1) are not the derivatives of its Jacobians within joints of several
    coordinates; ``test_batches`` compares these with derivatives of velocities.
    """
    (q, v, _), link = random_state(model, seed), sorted(model.links)[seed % len(model.links)]
    peer, number = peer_with(model, link)
    data = peer.createData()
    pin.computeJointJacobians(peer, data, q)
    pin.computeJointKinematicHessians(peer, data)
    pin.updateFramePlacements(peer, data)
    for frame, axes in (('world', pin.WORLD), ('world_aligned', pin.LOCAL_WORLD_ALIGNED)):
        # Pinocchio 4.1 hands over Eigen's columns as if they were NumPy's rows.
        expected = pin.getFrameKinematicHessian(peer, data, number, axes).ravel().reshape(
            model.nv, model.nv, 6).T
        close(mbd_ros.jacobian_derivatives(model, q, link, frame=frame, executor='interpreted'),
              expected)
    close(mbd_ros.jacobian_derivatives(model, q, link, executor='interpreted') @ v,
          mbd_ros.jacobian_rate(model, q, v, link, executor='interpreted'))


def momenta_agree(model, state, found, of_center, of_gravity):
    peer, (q, v, qdd) = twin(model), state
    data = peer.createData()
    for part, expected in zip(found, pin.computeCentroidalDynamicsDerivatives(
            peer, data, q, v, qdd)):
        close(part, expected)
    pin.computeForwardKinematicsDerivatives(peer, data, q, v, qdd)
    pin.centerOfMass(peer, data, q, v)
    close(of_center, pin.getCenterOfMassVelocityDerivatives(peer, data))
    close(of_gravity, pin.computeGeneralizedGravityDerivatives(peer, data, q))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(model=all_trees(max_joints=8), seed=SEEDS)
def test_momenta_and_gravity(model, seed):
    state, how = random_state(model, seed), {'executor': 'interpreted'}
    momenta_agree(model, state, mbd_ros.centroidal_momentum_derivatives(model, *state, **how),
                  mbd_ros.center_of_mass_velocity_derivatives(model, *state[:2], **how),
                  mbd_ros.gravity_forces_derivatives(model, state[0], **how))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(model=all_trees(max_joints=8), seed=SEEDS,
       size=st.sampled_from((0.0, 1e-6, 0.1, 1.0, 20.0)))
def test_steps(model, seed, size):
    """Where turns are close to a half, inverses of Jacobians are still small numbers."""
    peer, (q, v, _) = twin(model), random_state(model, seed)
    other = random_state(model, seed + 1)[0]
    for part, expected in zip(mbd_ros.integrate_derivatives(model, q, size * v),
                              pin.dIntegrate(peer, q, size * v)):
        close(part, expected)
    for part, expected in zip(mbd_ros.difference_derivatives(model, q, other),
                              pin.dDifference(peer, q, other)):
        close(part, expected)


@pytest.mark.parametrize('frame', FRAMES)
def test_batches(frame):
    """Many states as each alone, q and v of one state with many accelerations too."""
    q, v, qdd = (np.array(part) for part in zip(*(random_state(MODEL, k) for k in range(5))))
    link = sorted(MODEL.links)[-1]
    first = mbd_ros.frame_velocity_derivatives(MODEL, q, v, link, frame=frame)
    second = mbd_ros.frame_acceleration_derivatives(MODEL, q, v, qdd, link, frame=frame)
    hessians = mbd_ros.jacobian_derivatives(MODEL, q, link, frame=frame)
    momenta = mbd_ros.centroidal_momentum_derivatives(MODEL, q, v, qdd)
    center = mbd_ros.center_of_mass_velocity_derivatives(MODEL, q, v)
    gravity = mbd_ros.gravity_forces_derivatives(MODEL, q)
    for k, state in enumerate(zip(q, v, qdd)):
        links_agree(MODEL, state, link, frame, [part[k] for part in first],
                    [part[k] for part in second])
        close(hessians[k], mbd_ros.jacobian_derivatives(MODEL, q[k], link, frame=frame))
        close(hessians[k].swapaxes(1, 2) @ v[k], first.dq[k])
        momenta_agree(MODEL, state, [part[k] for part in momenta], center[k], gravity[k])
    steps = mbd_ros.integrate_derivatives(MODEL, q, v), mbd_ros.difference_derivatives(
        MODEL, q[0], q)
    for k in range(5):
        close(steps[0].dq[k], mbd_ros.integrate_derivatives(MODEL, q[k], v[k]).dq)
        close(steps[0].ddv[k], mbd_ros.integrate_derivatives(MODEL, q[k], v[k]).ddv)
        close(steps[1].dq0[k], mbd_ros.difference_derivatives(MODEL, q[0], q[k]).dq0)
    some = mbd_ros.frame_acceleration_derivatives(MODEL, q[0], v[0], qdd, link, frame=frame)
    assert some.dq.shape == (5, 6, MODEL.nv)


def test_refusals_and_the_ground():
    q, v, qdd = random_state(MODEL, 1)
    with pytest.raises(InvalidValueError, match='frame'):
        mbd_ros.frame_velocity_derivatives(MODEL, q, v, 'link001', frame='body')
    for frame in FRAMES:
        with pytest.raises(UnknownNameError):
            mbd_ros.frame_acceleration_derivatives(MODEL, q, v, qdd, 'nobody', frame=frame)
        root = next(name for name, place in MODEL.links.items() if place.body == -1)
        for part in mbd_ros.frame_acceleration_derivatives(MODEL, q, v, qdd, root, frame=frame):
            assert not part.any()
