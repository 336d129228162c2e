"""A robot tracks a path: simulator, controller, dynamics services and a page to look at."""

from pathlib import Path

from ament_index_python.packages import (
    get_package_prefix, get_package_share_directory, PackageNotFoundError)
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.substitutions import Command
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ROBOTS = ('three_link_arm', 'puma560', 'panda', 'five_bar')
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
        'composed', default_value='false', choices=BOOLEAN,
        description='Whether the nodes of this package run in one process.'),
    DeclareLaunchArgument(
        'use_sim_time', default_value='false', choices=BOOLEAN,
        description='Whether the simulator publishes /clock and the other nodes follow it.'),
    DeclareLaunchArgument(
        'real_time_factor', default_value='1.0',
        description='Simulated seconds per second, with use_sim_time; 0 with lockstep: as fast '
                    'as possible.'),
)


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
    time = {'use_sim_time': value['use_sim_time'] == 'true'}
    rate = float(value['rate'])
    ours: dict[str, dict[str, object]] = {
        'dynamics_server': time, 'controller': {**time, 'rate': rate},
        'simulator': {
            'publish_rate': rate, 'lockstep': value['lockstep'] == 'true',
            'publish_clock': value['use_sim_time'] == 'true',
            'real_time_factor': float(value['real_time_factor'])}}
    if value['viewer'] == 'true':
        ours['viewer'] = {**time, 'port': int(value['port'])}

    nodes = [Node(package='robot_state_publisher', executable='robot_state_publisher',
                  name='robot_state_publisher', output='screen',
                  parameters=[time, {'robot_description': ParameterValue(text, value_type=str)}])]
    if value['composed'] == 'true':
        nodes.append(composed(ours, config))
    else:
        nodes += [Node(package='mbd_ros', executable=name, name=name, output='screen',
                       parameters=[config, parameters]) for name, parameters in ours.items()]
    if find_rviz(value['rviz'], value['viewer']):
        nodes.append(Node(package='rviz2', executable='rviz2', name='rviz2', output='screen',
                          parameters=[time],
                          arguments=['-d', str(share / 'config' / 'mbd_ros.rviz')]))
    return [*nodes, *(RegisterEventHandler(OnProcessExit(
        target_action=node, on_exit=say_that_it_ended)) for node in nodes)]


def composed(nodes: dict[str, dict[str, object]], config: str) -> Node:
    """Return one process with several nodes; what is meant for one begins with its name."""
    given = [f'{name}:{key}:={str(one).lower()}' for name, parameters in nodes.items()
             for key, one in parameters.items()]
    return Node(package='mbd_ros', executable='composed', output='screen', arguments=[
        *nodes, '--ros-args', '--params-file', config,
        *(word for one in given for word in ('-p', one))])


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
