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
Entry points of the executables: interruptible before slow imports begin.

Python answers SIGINT amid an import with a traceback. From the first line here on it and SIGTERM
end the process instead; ``run.py`` takes over when there is a node to end.

"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from types import FrameType


def composed() -> None:
    """Run several nodes in one process."""
    _start('composed')


def controller() -> None:
    """Run the controller."""
    _start('controller')


def dynamics_server() -> None:
    """Run the server of dynamics."""
    _start('dynamics_server')


def gait() -> None:
    """Run the rhythm of legs."""
    _start('gait')


def module_manager() -> None:
    """Run the manager of modules."""
    _start('module_manager')


def simulator() -> None:
    """Run the simulator."""
    _start('simulator')


def viewer() -> None:
    """Run the viewer."""
    _start('viewer')


def end_at_once() -> None:
    """Let SIGINT and SIGTERM end the process from now on."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)


def without(module: str) -> str:
    """Return what is said where a module of ROS 2 is missing."""
    way = ('rosless with a DDS library ("make cyclone" in' if module == 'cyclonedds' else
           'rosless ("make install" in')
    return (f"there is no module '{module}': nodes need a ROS 2 installation that is sourced, or "
            f"{way} mbd_ros's repository)")


def _start(node: str) -> None:
    end_at_once()
    try:
        module = importlib.import_module(f'mbd_ros.nodes.{node}')
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith('mbd_ros'):
            raise
        missing = error.name.partition('.')[0]
        sys.exit(f'mbd_ros: {without(missing)}')
    module.main()


def _leave(number: int, frame: FrameType | None) -> None:
    """End the process, which has nothing to put in order yet, like a node told to stop."""
    os._exit(0)
