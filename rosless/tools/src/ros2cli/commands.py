# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

"""What ``ros2`` can do and, of what users of ROS 2 may look for, what it cannot do, and why."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
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
    absent : dict
        Verbs of the original that are not available, and why.

    """

    help: str
    verbs: dict[str, str]
    absent: Mapping[str, str] = MappingProxyType({})


COMMANDS: dict[str, Command] = {
    'action': Command('Various action related sub-commands', {
        'echo': 'Output feedback and status messages of an action',
        'find': 'Output a list of available actions of a given type',
        'info': 'Print information about an action',
        'list': 'Output a list of action names',
        'send_goal': 'Send an action goal',
        'type': "Print an action's type",
    }),
    'bag': Command('Various rosbag related sub-commands', {
        'info': 'Print information about a bag to the screen',
        'play': 'Play back ROS data from a bag',
        'record': 'Record ROS data to a bag',
    }, dict.fromkeys(('burst', 'convert', 'list', 'reindex'),
                     'it needs rosbag2, in C++; the PyPI package rosbags converts bags')),
    'daemon': Command('Various daemon related sub-commands', {
        'status': 'Output the status of the daemon',
        'stop': 'Stop the daemon if it is running',
    }, {'start': 'there is no daemon: each command joins the graph itself'}),
    'interface': Command('Show information about ROS interfaces', {
        'list': 'List all interface types available',
        'package': 'Output a list of available interface types within one package',
        'packages': 'Output a list of packages that provide interfaces',
        'proto': 'Output an interface prototype',
        'show': 'Output the interface definition',
    }),
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
        'delete': 'Delete parameter',
        'describe': 'Show descriptive information about declared parameters',
        'dump': 'Show all of the parameters of a node in a YAML file format',
        'get': 'Get parameter',
        'list': 'Output a list of available parameters',
        'load': 'Load parameter file for a node',
        'set': 'Set parameter',
    }),
    'pkg': Command('Various package related sub-commands', {
        'create': 'Create a new ROS 2 package',
        'executables': 'Output a list of package specific executables',
        'list': 'Output a list of available packages',
        'prefix': 'Output the prefix path of a package',
        'xml': 'Output the XML of the package manifest or a specific tag',
    }),
    'run': Command('Run a package specific executable', {}),
    'service': Command('Various service related sub-commands', {
        'call': 'Call a service',
        'echo': 'Echo a service',
        'find': 'Output a list of available services of a given type',
        'info': 'Print information about a service',
        'list': 'Output a list of available services',
        'type': "Output a service's type",
    }),
    'topic': Command('Various topic related sub-commands', {
        'bw': 'Display bandwidth used by topic',
        'delay': 'Display delay of topic from timestamp in header',
        'echo': 'Output messages from a topic',
        'find': 'Output a list of available topics of a given type',
        'hz': 'Print the average publishing rate to screen',
        'info': 'Print information about a topic',
        'list': 'Output a list of available topics',
        'pub': 'Publish a message to a topic',
        'type': "Print a topic's type",
    }),
}

_DOCTOR = 'there is no ROS 2 installation to check; `ros2 node list` shows who can be heard'
_PLUGINS = 'the commands of this ros2 are fixed'
ABSENT = {
    'component': 'components are shared libraries in C++, which need a ROS 2 installation',
    'control': 'it needs ros2_control; its services can be called with `ros2 service call`',
    'doctor': _DOCTOR,
    'extension_points': _PLUGINS,
    'extensions': _PLUGINS,
    'multicast': 'nodes here find each other without multicast unless told otherwise',
    'security': 'DDS security is not supported',
    'test': '`launch_test FILE` runs launch tests, and so does pytest',
    'trace': 'it needs ros2_tracing',
    'wtf': _DOCTOR,
}
