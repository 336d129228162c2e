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

"""Actions that are special to ROS."""

from launch.utilities.absent import absent
from launch_ros.actions.lifecycle_node import LifecycleNode
from launch_ros.actions.lifecycle_transition import LifecycleTransition
from launch_ros.actions.node import Node
from launch_ros.actions.push_ros_namespace import PushROSNamespace
from launch_ros.actions.push_ros_namespace import PushRosNamespace
from launch_ros.actions.ros_timer import ROSTimer
from launch_ros.actions.ros_timer import RosTimer
from launch_ros.actions.set_parameter import SetParameter
from launch_ros.actions.set_parameters_from_file import SetParametersFromFile
from launch_ros.actions.set_remap import SetRemap
from launch_ros.actions.set_ros_log_dir import SetROSLogDir
from launch_ros.actions.set_use_sim_time import SetUseSimTime

__all__ = [
    'LifecycleNode',
    'LifecycleTransition',
    'Node',
    'PushROSNamespace',
    'PushRosNamespace',
    'ROSTimer',
    'RosTimer',
    'SetParameter',
    'SetParametersFromFile',
    'SetROSLogDir',
    'SetRemap',
    'SetUseSimTime',
]

_COMPOSABLE = ('composable nodes are shared libraries in C++, which need a ROS 2 installation. '
               'Run the node with launch_ros.actions.Node')
__getattr__ = absent(__name__, {
    'ComposableNodeContainer': _COMPOSABLE, 'LoadComposableNodes': _COMPOSABLE})
