"""Descriptions of what can be run; composable nodes are compiled, so they are not here."""

from launch.utilities.absent import absent

__all__: list[str] = []

_REASON = ('composable nodes are shared libraries in C++, which need a ROS 2 installation. '
           'Run the node with launch_ros.actions.Node')
__getattr__ = absent(
    __name__, {'ComposableNode': _REASON, 'ComposableLifecycleNode': _REASON})
