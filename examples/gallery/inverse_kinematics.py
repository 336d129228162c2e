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

"""Where a Panda's hand can point straight down: inverse kinematics of 900 targets in one call."""

import sys

from matplotlib import pyplot as plt
import numpy as np

import mbd_ros

model = mbd_ros.load('package://mbd_ros/urdf/panda.urdf')
x, z = np.meshgrid(np.linspace(0.0, 1.0, 30), np.linspace(-0.4, 1.0, 30))
targets = np.tile(np.diag([1.0, -1.0, -1.0, 1.0]), (x.size, 1, 1))     # z of the tool is down
targets[:, 0, 3], targets[:, 2, 3] = x.ravel(), z.ravel()
ready = [0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8]                           # where the search begins
found = mbd_ros.inverse_kinematics(model, {'tool': targets}, ready, tolerance=1e-6)

figure = plt.figure(figsize=(8, 3.2), layout='constrained')
axes, robot = figure.add_subplot(121), figure.add_subplot(122, projection='3d')
for place in np.flatnonzero(found.converged)[[100, 250, -20]]:
    mbd_ros.draw_robot(robot, model, found.q[place], opacity=0.8)
axes.pcolormesh(x, z, found.converged.reshape(x.shape), cmap='Greens', vmax=1.5)
axes.set(xlabel='x [m]', ylabel='z [m]', aspect='equal', title='reached pointing down')
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else 'inverse_kinematics.png', dpi=70)
