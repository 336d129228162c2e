"""A robot of modules that can be docked, undocked and moved while it runs."""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ROBOTS = ('nine_modules', 'quadruped')

ARGUMENTS = (
    DeclareLaunchArgument(
        'robot', default_value=ROBOTS[0], choices=ROBOTS,
        description='Module graph of this package.'),
    DeclareLaunchArgument(
        'graph', default_value='', description='File of another module graph.'),
    DeclareLaunchArgument(
        'gravity', default_value='0.0',
        description='Gravity along the z axis of the world [m/s^2]; zero for robots that float.'),
    DeclareLaunchArgument(
        'rate', default_value='100.0', description='Joint states per second [Hz].'),
    DeclareLaunchArgument(
        'effort_timeout_action', default_value='brake', choices=('brake', 'zero', 'keep'),
        description='What the simulator does when no effort commands come any more.'),
    DeclareLaunchArgument(
        'viewer', default_value='true', choices=('true', 'false'),
        description='Whether to show the robot on a page in the browser.'),
    DeclareLaunchArgument(
        'port', default_value='8080',
        description='Port of that page; the next free one if it is taken.'),
)


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes, now that the arguments are known."""
    value = context.launch_configurations
    modules = Path(get_package_share_directory('mbd_ros'), 'config', 'modules')
    graph = value['graph'] or str(modules / f'{value["robot"]}.yaml')

    def node(executable: str, **parameters: object) -> Node:
        return Node(package='mbd_ros', executable=executable, name=executable, output='screen',
                    parameters=[parameters])

    nodes = [
        node('module_manager', graph=graph),
        node('simulator', gravity=[0.0, 0.0, float(value['gravity'])],
             publish_rate=ParameterValue(LaunchConfiguration('rate'), value_type=float),
             effort_timeout_action=value['effort_timeout_action']),
        node('dynamics_server'),
    ]
    if value['viewer'] == 'true':
        nodes.append(node('viewer', port=ParameterValue(LaunchConfiguration('port'),
                                                        value_type=int)))
    return nodes


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch mbd_ros modules.launch.py`` starts."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=start)])
