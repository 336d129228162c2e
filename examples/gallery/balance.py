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

"""A double pendulum on its head: linearised by exact derivatives, held by an LQR at its base."""

import sys

from matplotlib import pyplot as plt
import numpy as np
from scipy.linalg import solve_continuous_are

import mbd_ros

model = mbd_ros.load('package://mbd_ros/urdf/pendulum.urdf.xacro', arguments={'rods': 2})
up, rest, n = np.array([np.pi, 0.0]), np.zeros(2), 2
d = mbd_ros.forward_dynamics_derivatives(model, up, rest, rest)
A = np.block([[np.zeros((n, n)), np.eye(n)], [d.dq, d.dv]])
B = np.vstack([np.zeros((n, 1)), d.dtau[:, :1]])              # the first joint is driven alone
K = B.T @ solve_continuous_are(A, B, np.diag([10.0, 10.0, 1.0, 1.0]), np.eye(1))


def balance(t, q, v):
    """Return the efforts: of the first joint by the LQR, none of the second."""
    return [float((-K @ np.concatenate([q - up, v]))[0]), 0.0]


run = mbd_ros.simulate(model, up + np.array([0.05, -0.02]), rest, 5.0, tau=balance)
figure = plt.figure(figsize=(8, 3.2), layout='constrained')
axes, robot = figure.add_subplot(121), figure.add_subplot(122, projection='3d')
for k in (0, 20, -1):                                         # at first, amid, at the end
    mbd_ros.draw_robot(robot, model, run.q[k], opacity=0.4 if k == 0 else 1.0)
axes.plot(run.time, run.q - up, label=model.joint_names)
axes.set(xlabel='time [s]', ylabel='off the upright [rad]')
axes.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else 'balance.png', dpi=70)
