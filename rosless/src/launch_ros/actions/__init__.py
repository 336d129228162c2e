"""Actions that are special to ROS."""

from launch.utilities.absent import absent
from launch_ros.actions.lifecycle_node import LifecycleNode
from launch_ros.actions.node import Node
from launch_ros.actions.push_ros_namespace import PushROSNamespace
from launch_ros.actions.push_ros_namespace import PushRosNamespace
from launch_ros.actions.set_parameter import SetParameter
from launch_ros.actions.set_remap import SetRemap
from launch_ros.actions.set_use_sim_time import SetUseSimTime

__all__ = [
    'LifecycleNode',
    'Node',
    'PushROSNamespace',
    'PushRosNamespace',
    'SetParameter',
    'SetRemap',
    'SetUseSimTime',
]

_COMPOSABLE = frozenset(['ComposableNodeContainer', 'LoadComposableNodes'])
_later = absent(__name__, [
    'LifecycleTransition', 'RosTimer', 'ROSTimer', 'SetParametersFromFile',
    'SetROSLogDir'])
_never = absent(
    __name__, _COMPOSABLE,
    'not available in rosless: composable nodes are shared libraries in C++, which need a ROS 2 '
    'installation. Run the node with launch_ros.actions.Node')


def __getattr__(name: str) -> object:
    return (_never if name in _COMPOSABLE else _later)(name)
