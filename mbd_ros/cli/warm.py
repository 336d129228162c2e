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

"""``mbd_ros cache warm``: compile what the nodes need of a robot before it is launched."""

from __future__ import annotations

import argparse
from collections import deque
import importlib
import os
from pathlib import Path
import signal
import subprocess
import sys
import threading
import time
from typing import Any

from mbd_ros.description.xml.packages import find_package
from mbd_ros.errors import InvalidValueError, MbdError
from mbd_ros.nodes.executables import without

NEEDED = ('rclpy', 'std_msgs', 'mbd_msgs')
REFUSED = 'robot description refused'
SIGN_OF_LIFE = 1.0
"""Time between two dots [s]."""
MOST_LINES = 5
"""Of what the nodes said last, for a robot that cannot be compiled."""


def add_to(actions: Any) -> None:
    """Add the action to the parser of ``mbd_ros cache``."""
    parser = actions.add_parser(
        'warm', help='compile what simulator, controller and services need of a robot',
        description='Runs the nodes with a robot, in a namespace of their own, until its first '
        'efforts are sent, so that a launch finds all machine code on disk.')
    parser.add_argument('robots', nargs='+', metavar='ROBOT',
                        help='a robot of this package, or a robot description')
    parser.add_argument('--config', metavar='FILE',
                        help='parameter file; that of the robot, or none, if left out')
    parser.set_defaults(run=warm)


def warm(arguments: argparse.Namespace) -> int:
    """Compile for one robot after the other; return 1 if it fails for any."""
    for module in NEEDED:
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            raise MbdError(without((error.name or module).partition('.')[0])) from None
    return max(_warm_one(robot, arguments.config) for robot in arguments.robots)


def _warm_one(robot: str, config: str | None) -> int:
    """Run the nodes until they end by themselves, with a line of progress."""
    description, found = _files(robot)
    config = config or found
    print(f'{robot}: compiling ', end='', flush=True)
    begin = time.monotonic()
    nodes = subprocess.Popen(
        [sys.executable, '-m', 'mbd_ros.nodes.warm', '--ros-args',
         *(('--params-file', config) if config else ()),
         '-p', f'robot_description:={description}',
         '-r', f'__ns:=/mbd_ros_warm_{os.getpid()}', '-r', '/tf:=tf',
         '-r', '/diagnostics:=diagnostics'],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said: deque[str] = deque(maxlen=MOST_LINES)
    reader = threading.Thread(target=_read, args=(nodes, said), daemon=True)
    reader.start()
    try:
        while nodes.poll() is None:
            try:
                nodes.wait(SIGN_OF_LIFE)
            except subprocess.TimeoutExpired:
                print('.', end='', flush=True)
    except KeyboardInterrupt:
        said.append('interrupted\n')
    finally:
        nodes.send_signal(signal.SIGINT)
        nodes.wait()
    reader.join()
    failed = nodes.returncode != 0 or any(
        word in line for line in said for word in (REFUSED, 'interrupted'))
    print(' failed' if failed else f' ready after {time.monotonic() - begin:.1f} s')
    if failed:
        print(''.join(said), end='', file=sys.stderr)
    return int(failed)


def _read(nodes: subprocess.Popen[str], said: deque[str]) -> None:
    """Keep what the nodes say; end them where the robot is refused, or they would wait for it."""
    assert nodes.stdout is not None
    for line in nodes.stdout:
        said.append(line)
        if REFUSED in line:
            nodes.send_signal(signal.SIGINT)


def _files(robot: str) -> tuple[str, str]:
    """Return the description and the parameter file, if any, that a word names."""
    if Path(robot).is_file():
        return robot, ''
    try:
        share = Path(find_package('mbd_ros'))
    except LookupError:
        share = Path()
    for end in ('.urdf', '.urdf.xacro'):
        file = share / 'urdf' / f'{robot}{end}'
        if file.is_file():
            config = share / 'config' / f'{robot}.yaml'
            return str(file), str(config) if config.is_file() else ''
    known = sorted(file.name.partition('.')[0] for file in (share / 'urdf').glob('*.urdf*'))
    raise InvalidValueError('robot', robot, f'a file, or one of {", ".join(known)}')
