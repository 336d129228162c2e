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

"""
Several nodes in one process, on one executor.

``composed simulator controller --ros-args -p simulator:rate:=1000.0 --params-file robot.yaml``:
parameters and remappings of one node begin with its name, as everywhere in ROS 2.

"""

from __future__ import annotations

from collections.abc import Callable
import importlib
import sys

from rclpy.utilities import remove_ros_args

from mbd_ros.errors import InvalidValueError, MbdError, UnknownNameError
from mbd_ros.nodes.every_node.run import run, Runnable

NODES = {'controller': 'Controller', 'dynamics_server': 'DynamicsServer',
         'gait': 'GaitNode', 'module_manager': 'ModuleManager', 'simulator': 'Simulator',
         'viewer': 'Viewer'}
"""Class of each node, in the module of the node's name."""


def chosen(names: list[str]) -> list[Callable[[], Runnable]]:
    """
    Return what makes the nodes of these names.

    Raises
    ------
    UnknownNameError
        If there is no node of a name.
    InvalidValueError
        If there is no name, or one is there twice.

    """
    for name in names:
        if name not in NODES:
            raise UnknownNameError('node', name, NODES)
    if not names or len(set(names)) < len(names):
        raise InvalidValueError('nodes', names, f'each of {", ".join(NODES)} at most once, and '
                                'one of them')
    return [getattr(importlib.import_module(f'mbd_ros.nodes.{name}'), NODES[name])
            for name in names]


def main() -> None:
    """Run the nodes that the command line names."""
    try:
        makes = chosen(remove_ros_args(sys.argv)[1:])
    except MbdError as error:
        print(f'cannot start: {error}', file=sys.stderr)
        sys.exit(1)
    sys.exit(run(*makes))


if __name__ == '__main__':
    main()
