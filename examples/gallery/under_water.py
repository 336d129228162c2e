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

"""A pendulum in a vacuum, in still water and in a current: buoyancy, drag and added mass."""

import sys

from matplotlib import pyplot as plt

import mbd_ros

model = mbd_ros.load("""
<robot name="swing" xmlns:mbd="urn:mbd_ros">
  <link name="mast"/>
  <link name="arm">
    <inertial><origin xyz="0 0 -0.5"/><mass value="12"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="0.05"/></inertial>
    <mbd:fluid>
      <origin xyz="0 0 -0.5"/>
      <volume value="0.006"/>
      <fluid_added_mass xx="6" yy="6" zz="1" pp="0.5" qq="0.5"/>
      <quadratic_drag force="30 30 5" moment="2 2 1"/>
    </mbd:fluid>
  </link>
  <joint name="hinge" type="continuous">
    <parent link="mast"/><child link="arm"/><axis xyz="0 1 0"/>
  </joint>
</robot>""")
figure = plt.figure(figsize=(8, 3.2), layout='constrained')
axes, robot = figure.add_subplot(121), figure.add_subplot(122, projection='3d')
mbd_ros.draw_robot(robot, model, [1.2])
for name, fluid in (('vacuum', None), ('water', mbd_ros.Fluid()),
                    ('current of 0.5 m/s', mbd_ros.Fluid(current=(0.5, 0.0, 0.0)))):
    run = mbd_ros.simulate(model, [1.2], [0.0], 10.0, fluid=fluid)
    axes.plot(run.time, run.q[:, 0], label=name)
axes.set(xlabel='time [s]', ylabel='hinge [rad]')
axes.legend(fontsize='small')
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else 'under_water.png', dpi=70)
