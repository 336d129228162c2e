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

"""Masses of an arm from a recorded motion with noise: what identify finds, and how it predicts."""

import sys

from matplotlib import pyplot as plt
import numpy as np

import mbd_ros

truth = mbd_ros.load('package://mbd_ros/urdf/three_link_arm.urdf')
believed = mbd_ros.with_payload(truth, 'tool', 1.0)                    # a load that is not there
rng, t = np.random.default_rng(0), np.linspace(0.0, 20.0, 2000)[:, None]
rates = rng.uniform(0.5, 3.0, (3, truth.nv))                           # [rad/s]
q = np.sin(t * rates[0]) + 0.5 * np.sin(t * rates[1])
v = rates[0] * np.cos(t * rates[0]) + 0.5 * rates[1] * np.cos(t * rates[1])
qdd = -rates[0]**2 * np.sin(t * rates[0]) - 0.5 * rates[1]**2 * np.sin(t * rates[1])
tau = mbd_ros.inverse_dynamics(truth, q, v, qdd)
found = mbd_ros.identify(believed, q, v, tau + rng.normal(size=tau.shape), qdd=qdd).model

figure = plt.figure(figsize=(8, 3.2), layout='constrained')
axes, robot = figure.add_subplot(121), figure.add_subplot(122, projection='3d')
mbd_ros.draw_robot(robot, truth, q[300])
for name, model in (('as described', believed), ('identified', found)):
    error = mbd_ros.inverse_dynamics(model, q, v, qdd) - tau
    axes.plot(t, np.linalg.norm(error, axis=1), linewidth=0.7, label=name)
axes.set(xlabel='time [s]', ylabel='error of predicted efforts [N m]', yscale='log')
axes.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else 'identification.png', dpi=70)
