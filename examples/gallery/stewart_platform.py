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

"""A Stewart platform that sways: which forces its six drives need."""

import sys

from matplotlib import pyplot as plt
import numpy as np

import mbd_ros

model = mbd_ros.load('package://mbd_ros/urdf/stewart.urdf.xacro')
drives = [f'leg{number}_drive' for number in range(1, 7)]
entry = [model.v_offsets[model.joint_index(name)] for name in drives]
place = [model.q_offsets[model.joint_index(name)] for name in drives]
q, v = mbd_ros.close_loops(model, mbd_ros.neutral(model), np.zeros(model.nv))
middle, efforts, times = q[place], [], np.linspace(0.0, 2.0, 101)
phase = 2.0 * np.pi * np.arange(6) / 6.0
for t in times:
    q[place] = middle + 0.03 * np.sin(np.pi * t + phase)           # lengths of the legs [m]
    v[entry] = 0.03 * np.pi * np.cos(np.pi * t + phase)
    q, v = mbd_ros.close_loops(model, q, v, known=drives)
    efforts.append(mbd_ros.inverse_dynamics(model, q, v, 0.0 * v, actuated=drives)[entry])

figure = plt.figure(figsize=(8, 3.2), layout='constrained')
axes, robot = figure.add_subplot(121), figure.add_subplot(122, projection='3d')
mbd_ros.draw_robot(robot, model, q)
axes.plot(times, efforts, label=drives)
axes.set(xlabel='time [s]', ylabel='force [N]', title='Stewart platform')
axes.legend(fontsize='x-small', ncols=2)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else 'stewart_platform.png', dpi=60)
