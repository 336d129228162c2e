"""Texts that are computed while launching and are special to ROS."""

from launch_ros.substitutions.executable_in_package import ExecutableInPackage
from launch_ros.substitutions.find_package import FindPackage
from launch_ros.substitutions.find_package import FindPackagePrefix
from launch_ros.substitutions.find_package import FindPackageShare
from launch_ros.substitutions.parameter import Parameter

__all__ = [
    'ExecutableInPackage',
    'FindPackage',
    'FindPackagePrefix',
    'FindPackageShare',
    'Parameter',
]
