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

"""Coupled mimic joints, against Pinocchio's JointModelMimic in the reduced coordinates."""

from described import joint, LIMIT, link, robot
import numpy as np
import pinocchio

import mbd_ros

TEXT = robot(
    link('base'), link('a', 1.0, moments=(0.3, 0.4, 0.5)), link('b', 2.0, moments=(0.5, 0.4, 0.3)),
    link('c', 3.0, moments=(0.4, 0.4, 0.4)), link('d', 1.5, moments=(0.3, 0.4, 0.6)),
    *(joint(name, kind, parent, child,
            f'<origin xyz="0.3 0.1 0.2" rpy="0.4 0.5 0.6"/><axis xyz="{axis}"/>{more}')
      for name, kind, parent, child, axis, more in (
          ('1', 'revolute', 'base', 'a', '0 1 0', LIMIT),
          ('2', 'revolute', 'a', 'b', '0 0 1',
           LIMIT + '<mimic joint="1" multiplier="-2" offset="0.3"/>'),
          ('3', 'prismatic', 'b', 'c', '1 0 0', LIMIT),
          ('4', 'prismatic', 'a', 'd', '0 0 1', LIMIT + '<mimic joint="3" multiplier="0.5"/>'))))


def test_mass_matrix_efforts_and_accelerations():
    model = mbd_ros.load(TEXT, mimic=True)
    peer = pinocchio.buildModelFromXML(TEXT, mimic=True)
    data = peer.createData()
    assert model.joint_names == ('1', '2', '3', '4')
    assert (peer.nv, peer.idx_vs[peer.getJointId('1')], peer.idx_vs[peer.getJointId('3')]) == (
        2, 0, 1)
    G, g = np.array([[1.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [0.0, 0.5]]), np.array([0, 0.3, 0, 0])
    rng = np.random.default_rng(6)
    for _ in range(5):
        y, yd, tau = rng.normal(size=(3, 2))
        q, v = G @ y + g, G @ yd
        h = np.array(pinocchio.rnea(peer, data, y, yd, np.zeros(2)))
        M = np.column_stack([pinocchio.rnea(peer, data, y, yd, e) - h for e in np.eye(2)])
        ours = G.T @ mbd_ros.mass_matrix(model, q, executor='interpreted') @ G
        # 4 bodies, numbers up to 100: a few hundred roundings.
        np.testing.assert_allclose(ours, M, atol=1e-12 * np.abs(M).max())
        found = mbd_ros.forward_dynamics(model, q, v, np.linalg.pinv(G.T) @ tau,
                                         executor='interpreted')
        expected = G @ np.linalg.solve(M, tau - h)
        np.testing.assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())
