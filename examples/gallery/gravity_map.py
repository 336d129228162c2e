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

"""Ten thousand postures in one call: what the PUMA 560's shoulder has to hold."""

import sys

from matplotlib import pyplot as plt
import numpy as np

import mbd_ros

model = mbd_ros.load('package://mbd_ros/urdf/puma560.urdf')
angles = np.linspace(-np.pi, np.pi, 100)                     # [rad]
shoulder, elbow = np.meshgrid(angles, angles)
q = np.zeros((angles.size**2, model.nq))
q[:, 1], q[:, 2] = shoulder.ravel(), elbow.ravel()

effort = mbd_ros.gravity_forces(model, q)[:, 1].reshape(shoulder.shape)   # [N m]

figure = plt.figure(figsize=(8, 3.2), layout='constrained')
axes, robot = figure.add_subplot(121), figure.add_subplot(122, projection='3d')
mbd_ros.draw_robot(robot, model, [0.0, -0.7, 2.4, 0.0, 0.0, 0.0])
levels = axes.contourf(shoulder, elbow, effort, 20, cmap='RdBu')
figure.colorbar(levels, label='effort of joint 2 at rest [N m]')
axes.set(xlabel='joint 2 [rad]', ylabel='joint 3 [rad]', title='PUMA 560 against gravity')
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else 'gravity_map.png', dpi=70)
