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
