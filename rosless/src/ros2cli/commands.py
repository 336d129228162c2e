"""What ``ros2`` can do and, of what users of ROS 2 may look for, what it cannot do yet."""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """
    A command.

    Attributes
    ----------
    help : str
        What it does.
    verbs : dict
        Names of its verbs and what they do; empty if it has none.
    absent : tuple of str
        Verbs of the original that are not available.

    """

    help: str
    verbs: dict[str, str]
    absent: tuple[str, ...] = ()


COMMANDS: dict[str, Command] = {
    'action': Command('Various action related sub-commands', {
        'info': 'Print information about an action',
        'list': 'Output a list of action names',
        'send_goal': 'Send an action goal',
    }, ('echo', 'find', 'type')),
    'interface': Command('Show information about ROS interfaces', {
        'list': 'List all interface types available',
        'package': 'Output a list of available interface types within one package',
        'packages': 'Output a list of packages that provide interfaces',
        'show': 'Output the interface definition',
    }, ('proto',)),
    'launch': Command('Run a launch file', {}),
    'lifecycle': Command('Various lifecycle related sub-commands', {
        'get': 'Get lifecycle state for one or more nodes',
        'list': 'Output a list of available transitions',
        'nodes': 'Output a list of nodes with lifecycle',
        'set': 'Trigger lifecycle state transition',
    }),
    'node': Command('Various node related sub-commands', {
        'info': 'Output information about a node',
        'list': 'Output a list of available nodes',
    }),
    'param': Command('Various param related sub-commands', {
        'describe': 'Show descriptive information about declared parameters',
        'dump': 'Show all of the parameters of a node in a YAML file format',
        'get': 'Get parameter',
        'list': 'Output a list of available parameters',
        'set': 'Set parameter',
    }, ('delete', 'load')),
    'pkg': Command('Various package related sub-commands', {
        'executables': 'Output a list of package specific executables',
        'list': 'Output a list of available packages',
        'prefix': 'Output the prefix path of a package',
    }, ('create', 'xml')),
    'run': Command('Run a package specific executable', {}),
    'service': Command('Various service related sub-commands', {
        'call': 'Call a service',
        'find': 'Output a list of available services of a given type',
        'list': 'Output a list of available services',
        'type': "Output a service's type",
    }, ('echo', 'info')),
    'topic': Command('Various topic related sub-commands', {
        'echo': 'Output messages from a topic',
        'find': 'Output a list of available topics of a given type',
        'hz': 'Print the average publishing rate to screen',
        'info': 'Print information about a topic',
        'list': 'Output a list of available topics',
        'pub': 'Publish a message to a topic',
        'type': "Print a topic's type",
    }, ('bw', 'delay')),
}

ABSENT = (
    'bag', 'component', 'control', 'daemon', 'doctor', 'extension_points', 'extensions',
    'multicast', 'security', 'test', 'trace', 'wtf',
)
