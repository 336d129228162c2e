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

"""Mass centre, centroidal momentum, Coriolis matrix, regressor and frames against Pinocchio."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pinocchio as pin
from pinocchio_twin import twin
import pytest
from robots import all_trees, model_of, random_state

import mbd_ros

SEEDS = st.integers(0, 2**16)
MODEL = model_of([0, 1, 2, 2], ['floating', 'spherical', 'revolute', 'planar'], 6)
FRAMES = {'world_aligned': pin.LOCAL_WORLD_ALIGNED, 'local': pin.LOCAL, 'world': pin.WORLD}


def close(found, expected):
    """Two programs in float64: some hundred roundings, no division by what may be small."""
    np.testing.assert_allclose(found, expected, rtol=0.0,
                               atol=1e-11 * max(1.0, np.abs(expected).max(initial=0.0)))


@settings(max_examples=50, deadline=None, derandomize=True)
@given(model=all_trees(max_joints=10), seed=SEEDS)
def test_quantities_of_random_trees(model, seed):
    quantities_agree(model, seed, 'interpreted')


@pytest.mark.parametrize('executor', ['unrolled', 'rolled', 'lanes', 'threads'])
def test_quantities_by_every_executor(executor):
    quantities_agree(MODEL, 3, executor)


def quantities_agree(model, seed, executor):
    peer, how = twin(model), {'executor': executor}
    data = peer.createData()
    q, v, qdd = random_state(model, seed)
    pin.ccrba(peer, data, q, v)
    close(mbd_ros.center_of_mass(model, q, **how), pin.centerOfMass(peer, data, q))
    close(mbd_ros.center_of_mass_jacobian(model, q, **how),
          pin.jacobianCenterOfMass(peer, data, q))
    close(mbd_ros.centroidal_map(model, q, **how), data.Ag)
    close(mbd_ros.centroidal_momentum(model, q, v, **how), data.hg.vector)
    close(mbd_ros.coriolis_matrix(model, q, v, **how),
          pin.computeCoriolisMatrix(peer, data, q, v))
    close(mbd_ros.gravity_forces(model, q, **how),
          pin.computeGeneralizedGravity(peer, data, q))
    close(mbd_ros.regressor(model, q, v, qdd, **how),
          pin.computeJointTorqueRegressor(peer, data, q, v, qdd))
    close(mbd_ros.inertial_parameters(model),
          [inertia.toDynamicParameters() for inertia in list(peer.inertias)[1:]])


@settings(max_examples=30, deadline=None, derandomize=True)
@given(model=all_trees(max_joints=8), seed=SEEDS, frame=st.sampled_from(sorted(FRAMES)))
def test_motions_of_links(model, seed, frame):
    q, v, qdd = random_state(model, seed)
    link = sorted(model.links)[seed % len(model.links)]
    place, peer = model.links[link], twin(model)
    number = peer.addFrame(pin.Frame(
        link, place.body + 1, 0, pin.SE3(np.array(place.rotation), np.array(place.translation)),
        pin.FrameType.OP_FRAME))
    data = peer.createData()
    pin.forwardKinematics(peer, data, q, v, qdd)
    pin.computeJointJacobiansTimeVariation(peer, data, q, v)
    pin.updateFramePlacements(peer, data)
    args = (peer, data, number, FRAMES[frame])
    how = {'frame': frame, 'executor': 'interpreted'}
    close(mbd_ros.jacobian(model, q, link, **how), pin.getFrameJacobian(*args))
    close(mbd_ros.jacobian_rate(model, q, v, link, **how),
          pin.getFrameJacobianTimeVariation(*args))
    close(mbd_ros.frame_velocity(model, q, v, link, **how), pin.getFrameVelocity(*args).vector)
    close(mbd_ros.frame_acceleration(model, q, v, qdd, link, **how),
          pin.getFrameClassicalAcceleration(*args).vector)
