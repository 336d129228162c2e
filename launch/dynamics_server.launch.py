"""The dynamics of a robot as services, without anything that moves."""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import Command
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the node, now that the arguments are known."""
    value = context.launch_configurations
    urdf = Path(get_package_share_directory('mbd_ros'), 'urdf')
    file = Path(value['description'] or urdf / f'{value["robot"]}.urdf')
    text = Command(['xacro ', str(file)]) if file.suffix == '.xacro' else str(file)
    return [Node(
        package='mbd_ros', executable='dynamics_server', name='dynamics_server', output='screen',
        parameters=[{'robot_description': ParameterValue(text, value_type=str)}])]


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch mbd_ros dynamics_server.launch.py`` starts."""
    return LaunchDescription([
        DeclareLaunchArgument(
            'robot', default_value='puma560', choices=('puma560', 'three_link_arm'),
            description='Robot of this package.'),
        DeclareLaunchArgument(
            'description', default_value='', description='URDF or xacro file of another robot.'),
        OpaqueFunction(function=start),
    ])
