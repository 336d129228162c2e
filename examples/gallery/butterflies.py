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

"""A thousand double pendulums that begin a microradian apart, stepped together as one batch."""

import sys

from matplotlib import pyplot as plt
import numpy as np

import mbd_ros

model = mbd_ros.load('package://mbd_ros/urdf/pendulum.urdf.xacro', arguments={'rods': 2})
dyn = mbd_ros.compile(model)
q = np.array([2.0, 2.0]) + 1e-6 * np.random.default_rng(0).normal(size=(1000, 2))
v, tau, step = np.zeros_like(q), np.zeros_like(q), 1e-3
spread = []
for _ in range(10_000):                       # semi-implicit Euler, 10 s
    v = v + step * dyn.forward_dynamics(q, v, tau)
    q = q + step * v
    spread.append(q.std(axis=0))

figure = plt.figure(figsize=(8, 3.2), layout='constrained')
axes, robot = figure.add_subplot(121), figure.add_subplot(122, projection='3d')
for posture in q[:8]:                          # where eight of them are now
    mbd_ros.draw_robot(robot, model, posture, opacity=0.6)
axes.semilogy(step * np.arange(1, 10_001), spread, label=model.joint_names)
axes.set(xlabel='time [s]', ylabel='standard deviation [rad]', title='1000 double pendulums')
axes.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else 'butterflies.png', dpi=70)
