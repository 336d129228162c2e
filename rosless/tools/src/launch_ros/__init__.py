"""Launch what is special to ROS: nodes, their parameters, names and remappings."""

from launch_ros import actions
from launch_ros import descriptions
from launch_ros import event_handlers
from launch_ros import events
from launch_ros import substitutions
from launch_ros import utilities
from launch_ros.parameter_descriptions import Parameter
from launch_ros.parameter_descriptions import ParameterFile
from launch_ros.parameter_descriptions import ParameterValue

__all__ = [
    'Parameter',
    'ParameterFile',
    'ParameterValue',
    'actions',
    'descriptions',
    'event_handlers',
    'events',
    'substitutions',
    'utilities',
]
