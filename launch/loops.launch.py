"""A robot with closed loops, simulated and shown; send it efforts to set it in motion."""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import Command
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

FILES = {'four_bar': 'four_bar.urdf', 'slider_crank': 'slider_crank.urdf',
         'five_bar': 'five_bar.urdf', 'bricard': 'bricard.urdf',
         'stewart': 'stewart.urdf.xacro', 'delta': 'delta.urdf.xacro'}
BOOLEAN = ('true', 'false')


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes, now that the arguments are known."""
    value = context.launch_configurations
    urdf = Path(get_package_share_directory('mbd_ros'), 'urdf')
    file = Path(value['description'] or urdf / FILES[value['robot']])
    text = Command(['xacro ', str(file)]) if file.suffix == '.xacro' else file.read_text()
    description = {'robot_description': ParameterValue(text, value_type=str)}
    nodes = [
        Node(package='robot_state_publisher', executable='robot_state_publisher',
             name='robot_state_publisher', output='screen', parameters=[description]),
        Node(package='mbd_ros', executable='simulator', name='simulator', output='screen',
             parameters=[{'effort_timeout_action': 'keep', 'publish_rate': 100.0}]),
        Node(package='mbd_ros', executable='dynamics_server', name='dynamics_server',
             output='screen')]
    if value['viewer'] == 'true':
        nodes.append(Node(package='mbd_ros', executable='viewer', name='viewer', output='screen',
                          parameters=[{'port': int(value['port'])}]))
    return nodes


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch mbd_ros loops.launch.py`` starts."""
    return LaunchDescription([
        DeclareLaunchArgument(
            'robot', default_value='stewart', choices=tuple(FILES),
            description='Robot of this package.'),
        DeclareLaunchArgument(
            'description', default_value='', description='URDF or xacro file of another robot.'),
        DeclareLaunchArgument(
            'viewer', default_value='true', choices=BOOLEAN,
            description='Whether to show the robot on a page in the browser.'),
        DeclareLaunchArgument(
            'port', default_value='8080',
            description='Port of that page; the next free one if it is taken.'),
        OpaqueFunction(function=start),
    ])
