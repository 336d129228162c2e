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

"""An arm whose links bend: natural frequencies with locked joints, over the angle of its elbow."""

import sys

from matplotlib import pyplot as plt
import numpy as np

import mbd_ros

model = mbd_ros.load('package://mbd_ros/urdf/flexible_arm.urdf')
angles, frequencies = np.linspace(-2.5, 2.5, 21), []
for angle in angles:
    q = np.zeros(model.nq)
    q[2] = angle
    q[len(model.joint_names):] = mbd_ros.static_deflection(model, q)     # bent by its weight
    frequencies.append(mbd_ros.natural_frequencies(model, q, locked=model.joint_names)[0])

figure = plt.figure(figsize=(8, 3.2), layout='constrained')
axes, robot = figure.add_subplot(121), figure.add_subplot(122, projection='3d')
mbd_ros.draw_robot(robot, model, q)                                      # the last of them
axes.plot(angles, np.array(frequencies)[:, :4])
axes.set(xlabel=f'{model.joint_names[2]} [rad]', ylabel='[Hz]', title='first four frequencies')
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else 'flexible_arm.png', dpi=70)
