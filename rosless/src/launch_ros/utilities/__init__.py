"""Helpers for authors of actions that are special to ROS."""

from launch_ros.utilities.evaluate_parameters import evaluate_parameters
from launch_ros.utilities.namespace_utils import make_namespace_absolute
from launch_ros.utilities.namespace_utils import prefix_namespace

__all__ = [
    'evaluate_parameters',
    'make_namespace_absolute',
    'prefix_namespace',
]
