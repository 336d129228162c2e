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

"""A constraint of one's own: two joints of an arm geared by a formula, differentiated for you."""

import sys

from matplotlib import pyplot as plt
import numpy as np

import mbd_ros
from mbd_ros.control import ConstrainedMotion, TracedConstraint
from mbd_ros.spatial import sine

model = mbd_ros.load('package://mbd_ros/urdf/puma560.urdf')
geared = TracedConstraint(model, lambda q, t: [q[1] + q[2] - 0.3 * sine(2.0 * t)])
motion = ConstrainedMotion(mbd_ros.compile(model), geared)
start = motion.project(np.full(6, 0.2))
run = mbd_ros.simulate(model, start.q, start.v, 2.0, motion=motion)

figure = plt.figure(figsize=(8, 3.2), layout='constrained')
axes, robot = figure.add_subplot(121), figure.add_subplot(122, projection='3d')
for k, opacity in ((0, 0.3), (len(run.q) // 2, 0.6), (-1, 1.0)):
    mbd_ros.draw_robot(robot, model, run.q[k], opacity=opacity)
axes.plot(run.time, run.q[:, 1:3], label=['q2', 'q3'])
axes.plot(run.time, run.q[:, 1] + run.q[:, 2], 'k--', label='q2 + q3 = 0.3 sin 2t')
axes.set(xlabel='time [s]', ylabel='[rad]', title='an arm that falls, with geared joints')
axes.legend(fontsize='x-small', loc='lower left')
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else 'own_constraint.png', dpi=70)
