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

"""The file to which a process writes its log, below ~/.ros/log as with ROS 2."""

from __future__ import annotations

import os
from pathlib import Path
import sys
import threading
import time
from typing import TextIO

_lock = threading.Lock()
_prefix: str | None = None  # None until a context is initialised: nothing is written before
_file: TextIO | None = None
_pid = 0


def directory() -> Path:
    """Return ``ROS_LOG_DIR``, or else the folder ``log`` of ``ROS_HOME`` or of ``~/.ros``."""
    chosen = os.environ.get('ROS_LOG_DIR')
    if chosen:
        return Path(chosen).expanduser()
    home = os.environ.get('ROS_HOME')
    return (Path(home).expanduser() if home else Path.home() / '.ros') / 'log'


def enable(prefix: str) -> None:
    """Let messages go to ``<prefix>_<process>_<milliseconds>.log``; '' is the program's name."""
    global _prefix
    _prefix = prefix or Path(sys.executable or 'python').name


def disable() -> None:
    """Write no further messages."""
    global _prefix
    _prefix = None


def write(line: str) -> None:
    """Write a line, if logs go to a file; where none can be made, say so once and go on."""
    global _file, _pid
    if _prefix is None:
        return
    with _lock:
        if _pid != os.getpid():  # the first line, or the first after a fork
            _pid, _file = os.getpid(), _open(_prefix)
        if _file is not None:
            try:
                _file.write(line + '\n')
            except (OSError, ValueError):
                _file = None


def _open(prefix: str) -> TextIO | None:
    name = f'{prefix}_{os.getpid()}_{time.time_ns() // 1_000_000}.log'
    try:
        path = directory() / name
    except RuntimeError:   # neither HOME nor an entry in the list of users
        print(f'cannot write the log file {name}: there is no home directory; set ROS_LOG_DIR',
              file=sys.stderr)
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open('a', encoding='utf-8', buffering=1)
    except OSError as error:
        print(f'cannot write the log file {path}: {error}', file=sys.stderr)
        return None
