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

"""A double pendulum from a xacro file with arguments: its path, and how well energy is kept."""

import sys

from matplotlib import pyplot as plt
import numpy as np

import mbd_ros

model = mbd_ros.load('package://mbd_ros/urdf/pendulum.urdf.xacro', arguments={'rods': 2})
run = mbd_ros.simulate(model, [2.0, 0.5], [0.0, 0.0], 10.0, method='dop853',
                       times=np.linspace(0.0, 10.0, 2000))
tip = mbd_ros.pose(model, run.q, 'rod2') @ [0.0, 0.0, -0.5, 1.0]   # the rod is 0.5 m long

figure = plt.figure(figsize=(10, 3.2), layout='constrained')
left, right = figure.add_subplot(131), figure.add_subplot(132)
robot = figure.add_subplot(133, projection='3d')
for k in (0, 60, 120):
    mbd_ros.draw_robot(robot, model, run.q[k], opacity=0.3 if k < 120 else 1.0)
flat = tip[:, np.argsort(-np.ptp(tip[:, :2], axis=0))[0]]          # it swings in a plane
left.plot(flat, tip[:, 2], linewidth=0.7)
left.set(aspect='equal', title='path of the tip [m]')
right.plot(run.time, run.balance)
right.set(xlabel='time [s]', title='error of the energy [J]')
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else 'double_pendulum.png', dpi=60)
