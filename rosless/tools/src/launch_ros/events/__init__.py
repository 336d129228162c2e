"""Events that are special to ROS."""

from launch_ros.events import lifecycle
from launch_ros.events.matchers import matches_node_name

__all__ = [
    'lifecycle',
    'matches_node_name',
]
