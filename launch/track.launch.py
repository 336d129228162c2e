"""A robot tracks a path: simulator, controller, dynamics services and a page to look at."""

from pathlib import Path

from ament_index_python.packages import (
    get_package_prefix, get_package_share_directory, PackageNotFoundError)
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.substitutions import Command, LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ROBOTS = ('three_link_arm', 'puma560')
BOOLEAN = ('true', 'false')

ARGUMENTS = (
    DeclareLaunchArgument(
        'robot', default_value=ROBOTS[0], choices=ROBOTS,
        description='Robot of this package, with its path and its initial state.'),
    DeclareLaunchArgument(
        'description', default_value='',
        description='URDF or xacro file of another robot; give config, too.'),
    DeclareLaunchArgument(
        'config', default_value='',
        description='Parameter file of simulator and controller; empty: that of the robot.'),
    DeclareLaunchArgument(
        'viewer', default_value='true', choices=BOOLEAN,
        description='Whether to show the robot on a page in the browser.'),
    DeclareLaunchArgument(
        'port', default_value='8080',
        description='Port of that page; the next free one if it is taken.'),
    DeclareLaunchArgument(
        'rviz', default_value='auto', choices=('auto', *BOOLEAN),
        description='Whether to start RViz; auto: where it is installed and there is no viewer.'),
    DeclareLaunchArgument(
        'rate', default_value='500.0',
        description='Joint states and control steps per second [Hz].'),
    DeclareLaunchArgument(
        'lockstep', default_value='true', choices=BOOLEAN,
        description='Whether simulated time waits for the controller at every step, so that a '
                    'busy machine makes the run slower but not different.'),
    DeclareLaunchArgument(
        'use_sim_time', default_value='false', choices=BOOLEAN,
        description='Whether the simulator publishes /clock and the other nodes follow it.'),
    DeclareLaunchArgument(
        'real_time_factor', default_value='1.0',
        description='Simulated seconds per second, with use_sim_time; 0 with lockstep: as fast '
                    'as possible.'),
)


def typed(name: str, value_type: type) -> ParameterValue:
    """Return a launch argument as a parameter of a type."""
    return ParameterValue(LaunchConfiguration(name), value_type=value_type)


def find_rviz(wish: str, viewer: str) -> bool:
    """Tell whether to start RViz."""
    if wish != 'auto':
        return wish == 'true'
    try:
        get_package_prefix('rviz2')
    except PackageNotFoundError:
        return False
    return viewer == 'false'


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes, now that the arguments are known."""
    value = context.launch_configurations
    share = Path(get_package_share_directory('mbd_ros'))
    file = Path(value['description'] or share / 'urdf' / f'{value["robot"]}.urdf')
    config = value['config'] or str(share / 'config' / f'{value["robot"]}.yaml')
    text = Command(['xacro ', str(file)]) if file.suffix == '.xacro' else file.read_text()
    time = {'use_sim_time': typed('use_sim_time', bool)}

    def node(executable: str, *parameters: object, package: str = 'mbd_ros', **more: object
             ) -> list[LaunchDescriptionEntity]:
        action = Node(package=package, executable=executable, name=executable, output='screen',
                      parameters=list(parameters), **more)
        return [action, RegisterEventHandler(OnProcessExit(
            target_action=action, on_exit=say_that_it_ended))]

    nodes = [
        *node('robot_state_publisher', time, {
            'robot_description': ParameterValue(text, value_type=str)},
            package='robot_state_publisher'),
        *node('dynamics_server', time),
        *node('controller', config, time, {'rate': typed('rate', float)}),
        *node('simulator', config, {
            'publish_rate': typed('rate', float), 'lockstep': typed('lockstep', bool),
            'publish_clock': typed('use_sim_time', bool),
            'real_time_factor': typed('real_time_factor', float)}),
    ]
    if value['viewer'] == 'true':
        nodes += node('viewer', time, {'port': typed('port', int)})
    if find_rviz(value['rviz'], value['viewer']):
        nodes += node('rviz2', time, package='rviz2',
                      arguments=['-d', str(share / 'config' / 'mbd_ros.rviz')])
    return nodes


def say_that_it_ended(event: ProcessExited, context: LaunchContext
                      ) -> list[LaunchDescriptionEntity] | None:
    """Report a process that ended by itself; the others stay up."""
    if context.is_shutdown:
        return None
    return [LogInfo(msg=f'{event.process_name} ended with code {event.returncode}; '
                        'the other nodes stay up')]


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch mbd_ros track.launch.py`` starts."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=start)])
