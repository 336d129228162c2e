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

"""A robot of modules before and after one is docked elsewhere: its accessibility matrix."""

import sys

from matplotlib import pyplot as plt

import mbd_ros
from mbd_ros.description.modules import assemble, move, read_module_graph_file
from mbd_ros.description.xml.packages import file_path
from mbd_ros.model.accessibility import accessibility, adjacency_of

file = file_path('package://mbd_ros/config/modules/nine_modules.yaml')
before = read_module_graph_file(file)
after = move(before, 's6', parent='s2', parent_port='front')

figure = plt.figure(figsize=(7, 6.4), layout='constrained')
for column, graph, title in ((1, before, 'before'), (2, after, 's6 docked to s2')):
    model = mbd_ros.load(assemble(graph).text)
    robot = figure.add_subplot(2, 2, column, projection='3d')
    mbd_ros.draw_robot(robot, model, mbd_ros.neutral(model))
    axis = figure.add_subplot(2, 2, column + 2)
    names, adjacency = adjacency_of(graph)
    axis.imshow(accessibility(adjacency, names), cmap='Blues')
    axis.set_xticks(range(len(names)), names)
    axis.set_yticks(range(len(names)), names)
    axis.set_title(f'accessibility matrix {title}', fontsize='medium')
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else 'modules.png', dpi=70)
