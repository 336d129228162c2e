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

"""An arm that begins off its ellipse: Udwadia and Kalaba's force draws it there and keeps it."""

import sys

from matplotlib import pyplot as plt
import numpy as np

import mbd_ros
from mbd_ros.control import ConstrainedMotion, Ellipse, ToolPosition

model = mbd_ros.load('package://mbd_ros/urdf/three_link_arm.urdf')
dyn = mbd_ros.compile(model)
path = Ellipse(center=[1, 0, 1], a=[0.25, 0.3, 0], b=[0, 1, 0.5])
motion = ConstrainedMotion(dyn, ToolPosition(dyn, 'tool', path))
run = mbd_ros.simulate(model, [0.785, -0.785, 1.571], [0, 0, 0], 7.0, step=0.01, motion=motion)
tool = mbd_ros.pose(model, run.q, 'tool')[:, :3, 3]
wanted = np.array([path.at(t).position for t in run.time])

figure = plt.figure(figsize=(10, 3.2), layout='constrained')
left, right = figure.add_subplot(131), figure.add_subplot(132)
robot = figure.add_subplot(133, projection='3d')
mbd_ros.draw_robot(robot, model, run.q[-1])
robot.plot(*tool.T, color='tab:orange')
left.plot(*wanted[:, 1:].T, '--', label='desired')
left.plot(*tool[:, 1:].T, label='tool')
left.set(aspect='equal', title='y and z [m]')
left.legend(fontsize='x-small')
right.semilogy(run.time, np.maximum(run.violation, 1e-17))
right.set(xlabel='time [s]', title='violation [m]')
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else 'ellipse.png', dpi=70)
