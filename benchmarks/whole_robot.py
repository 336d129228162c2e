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

"""Quantities of the whole robot and of its links: values and times against Pinocchio."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from benchmarks.timing import interleaved
import mbd_ros

ROBOT = Path(__file__).resolve().parents[1] / 'urdf' / 'panda.urdf'
LINK = 'tool'
STATES = 1000


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    yield ('| function | largest difference, relative | one state [us] | Pinocchio [us] '
           '| Pinocchio / ours | 1000 states, each [us] | Pinocchio / ours, batch |')
    yield '|---|---|---|---|---|---|---|'
    model, peer = mbd_ros.load(ROBOT), pin.buildModelFromUrdf(str(ROBOT))
    rng = np.random.default_rng(0)
    Q, V, A = (rng.uniform(-1.0, 1.0, (STATES, model.nv)) for _ in range(3))
    for name, (ours, theirs) in _pairs(model, peer).items():
        def loop(theirs: Callable[..., Any] = theirs) -> None:
            for state in zip(Q, V, A):
                theirs(*state)
        expected = np.array(theirs(Q[0], V[0], A[0]))
        error = np.abs(ours(Q[0], V[0], A[0]) - expected).max() / np.abs(expected).max()
        one = interleaved({'ours': (ours, (Q[0], V[0], A[0])),
                           'theirs': (theirs, (Q[0], V[0], A[0]))})
        many = interleaved({'ours': (ours, (Q, V, A)), 'theirs': (loop, ())}, fewest=1)
        yield (f'| `{name}` | {error:.0e} | {one["ours"].median:.3g} | '
               f'{one["theirs"].median:.3g} | {one["theirs"].ratio_to(one["ours"])[1]:.2g} | '
               f'{many["ours"].median / STATES:.3g} | '
               f'**{many["theirs"].ratio_to(many["ours"])[1]:.2g}** |')


def _pairs(model: mbd_ros.Model, peer: Any) -> dict[str, tuple[Callable[..., Any], ...]]:
    """Return for each function ours and Pinocchio's, both of (q, v, qdd)."""
    data, frame = peer.createData(), peer.getFrameId(LINK)
    world = pin.LOCAL_WORLD_ALIGNED

    def rate(q: Any, v: Any, qdd: Any) -> Any:
        pin.computeJointJacobiansTimeVariation(peer, data, q, v)
        pin.updateFramePlacements(peer, data)
        return pin.getFrameJacobianTimeVariation(peer, data, frame, world)

    def velocity(q: Any, v: Any, qdd: Any) -> Any:
        pin.forwardKinematics(peer, data, q, v)
        return pin.getFrameVelocity(peer, data, frame, world).vector

    def acceleration(q: Any, v: Any, qdd: Any) -> Any:
        pin.forwardKinematics(peer, data, q, v, qdd)
        return pin.getFrameClassicalAcceleration(peer, data, frame, world).vector

    def momentum(q: Any, v: Any, qdd: Any) -> Any:
        return pin.computeCentroidalMomentum(peer, data, q, v).vector

    return {
        'center_of_mass': (lambda q, v, a: mbd_ros.center_of_mass(model, q),
                           lambda q, v, a: pin.centerOfMass(peer, data, q)),
        'center_of_mass_jacobian': (lambda q, v, a: mbd_ros.center_of_mass_jacobian(model, q),
                                    lambda q, v, a: pin.jacobianCenterOfMass(peer, data, q)),
        'centroidal_map': (lambda q, v, a: mbd_ros.centroidal_map(model, q),
                           lambda q, v, a: pin.computeCentroidalMap(peer, data, q)),
        'centroidal_momentum': (lambda q, v, a: mbd_ros.centroidal_momentum(model, q, v),
                                momentum),
        'coriolis_matrix': (lambda q, v, a: mbd_ros.coriolis_matrix(model, q, v),
                            lambda q, v, a: pin.computeCoriolisMatrix(peer, data, q, v)),
        'gravity_forces': (lambda q, v, a: mbd_ros.gravity_forces(model, q),
                           lambda q, v, a: pin.computeGeneralizedGravity(peer, data, q)),
        'regressor': (lambda q, v, a: mbd_ros.regressor(model, q, v, a),
                      lambda q, v, a: pin.computeJointTorqueRegressor(peer, data, q, v, a)),
        'jacobian': (lambda q, v, a: mbd_ros.jacobian(model, q, LINK),
                     lambda q, v, a: pin.computeFrameJacobian(peer, data, q, frame, world)),
        'jacobian_rate': (lambda q, v, a: mbd_ros.jacobian_rate(model, q, v, LINK), rate),
        'frame_velocity': (lambda q, v, a: mbd_ros.frame_velocity(model, q, v, LINK), velocity),
        'frame_acceleration': (
            lambda q, v, a: mbd_ros.frame_acceleration(model, q, v, a, LINK), acceleration)}
