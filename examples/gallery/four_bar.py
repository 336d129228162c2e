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

"""A four-bar linkage: its coupler curve, and the forces in the joint that closes the loop."""

import sys

from matplotlib import pyplot as plt
import numpy as np

import mbd_ros

model = mbd_ros.load('package://mbd_ros/urdf/four_bar.urdf')
q, v = mbd_ros.close_loops(model, [1.0, 0.0, 0.0], [4.0, 0.0, 0.0], known=['crank_joint'])
run = mbd_ros.simulate(model, q, v, 4.0, method='dop853', times=np.linspace(0.0, 4.0, 800))
curve = (mbd_ros.pose(model, run.q, 'coupler') @ [0.2, 0.0, 0.1, 1.0])[:, :3]
forces = [mbd_ros.constrained_dynamics(model, *state, np.zeros(3)).multipliers
          for state in zip(run.q, run.v)]

figure = plt.figure(figsize=(10, 3.2), layout='constrained')
left, right = figure.add_subplot(131), figure.add_subplot(132)
robot = figure.add_subplot(133, projection='3d')
for k in (0, 100, 200):
    mbd_ros.draw_robot(robot, model, run.q[k], opacity=0.4 if k else 1.0)
robot.plot(*curve.T, linewidth=0.8)
across = np.argsort(np.ptp(curve, axis=0))[::-1][:2]               # the linkage is planar
left.plot(*curve[:, sorted(across)].T)
left.set(aspect='equal', title='a point of the coupler [m]')
right.plot(run.time, np.array(forces))
right.set(xlabel='time [s]', title='multipliers of the loop [N, N m]')
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else 'four_bar.png', dpi=70)
