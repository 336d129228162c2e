"""The dynamics of a robot as services, without anything that moves."""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction

from mbd_ros.nodes import launching

ROBOTS = ('puma560', 'three_link_arm', 'panda', 'five_bar', 'delta', 'stewart', 'four_bar',
          'slider_crank', 'bricard')


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the node, now that the arguments are known."""
    value = context.launch_configurations
    return launching.in_namespace(value, [launching.ours(
        value, 'dynamics_server', {'robot_description': launching.description(value)})])


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch mbd_ros dynamics_server.launch.py`` starts."""
    return LaunchDescription([
        DeclareLaunchArgument('robot', default_value=ROBOTS[0], choices=ROBOTS,
                              description='Robot of this package.'),
        *launching.DESCRIPTION, *launching.ALWAYS, OpaqueFunction(function=start)])
