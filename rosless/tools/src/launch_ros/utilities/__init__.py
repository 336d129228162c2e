"""Helpers for authors of actions that are special to ROS."""

from launch.utilities.absent import absent
from launch_ros.utilities.evaluate_parameters import evaluate_parameters
from launch_ros.utilities.namespace_utils import is_namespace_absolute
from launch_ros.utilities.namespace_utils import is_root_namespace
from launch_ros.utilities.namespace_utils import make_namespace_absolute
from launch_ros.utilities.namespace_utils import prefix_namespace
from launch_ros.utilities.normalize_remap_rules import normalize_remap_rule
from launch_ros.utilities.normalize_remap_rules import normalize_remap_rules

__all__ = [
    'evaluate_parameters',
    'is_namespace_absolute',
    'is_root_namespace',
    'make_namespace_absolute',
    'normalize_remap_rule',
    'normalize_remap_rules',
    'prefix_namespace',
]

_INTERNAL = 'it is part of how launch_ros works inside'
__getattr__ = absent(__name__, dict.fromkeys([
    'LifecycleEventManager', 'add_node_name', 'evaluate_parameters_dict', 'get_node_name_count',
    'normalize_parameters', 'normalize_parameters_dict', 'to_parameters_list'], _INTERNAL))
