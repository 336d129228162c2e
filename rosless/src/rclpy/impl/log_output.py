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

"""Where log messages go: the console, a file, and /rosout."""

from __future__ import annotations

from collections.abc import Callable
import os
import sys
import threading
import time
from typing import Any

from . import log_files
from .logging_severity import LoggingSeverity

DEFAULT_FORMAT = '[{severity}] [{time}] [{name}]: {message}'
COLORS = {
    LoggingSeverity.DEBUG: '\033[32m',
    LoggingSeverity.WARN: '\033[33m',
    LoggingSeverity.ERROR: '\033[31m',
    LoggingSeverity.FATAL: '\033[31m',
}
# name of a logger -> function(stamp [ns], severity, logger name, text, (file, function, line))
Publish = Callable[[int, LoggingSeverity, str, str, tuple[str, str, int]], None]

_lock = threading.Lock()
_levels: dict[str, LoggingSeverity] = {'': LoggingSeverity.INFO}
_publishers: dict[str, Publish] = {}
console = True


def set_level(name: str, level: LoggingSeverity) -> None:
    """
    Set the lowest severity that a logger and its children let pass.

    `UNSET` removes that of a logger; that of the root, whose name is empty, becomes it: then all
    is written, as rcutils has it.
    """
    if level == LoggingSeverity.UNSET and name:
        _levels.pop(name, None)
    else:
        _levels[name] = level


def get_level(name: str) -> LoggingSeverity:
    """Return the level set for exactly this logger, or `UNSET`."""
    return _levels.get(name, LoggingSeverity.UNSET)


def effective_level(name: str) -> LoggingSeverity:
    """Return the level that applies to a logger: its own, or that of its nearest ancestor."""
    while True:
        level = _levels.get(name)
        if level is not None:
            return level
        name = name.rpartition('.')[0]


def reset() -> None:
    """Return to the default levels."""
    _levels.clear()
    _levels[''] = LoggingSeverity.INFO


def add_publisher(name: str, publish: Publish) -> None:
    """Let messages of a logger (and its children) also go to /rosout."""
    _publishers[name] = publish


def remove_publisher(name: str) -> None:
    """Undo `add_publisher`."""
    _publishers.pop(name, None)


def write(
    severity: LoggingSeverity, name: str, message: str, caller: tuple[str, str, int]
) -> None:
    """Write one message; `caller` is file, function and line."""
    stamp = time.time_ns()
    text = _formatted(stamp, severity, name, message, caller)
    if console:
        _to_console(severity, text)
    log_files.write(text)
    target = name
    while target:
        publish = _publishers.get(target)
        if publish is not None:
            publish(stamp, severity, name, message, caller)
            return
        target = target.rpartition('.')[0]


def _formatted(
    stamp: int, severity: LoggingSeverity, name: str, message: str, caller: tuple[str, str, int]
) -> str:
    text = os.environ.get('RCUTILS_CONSOLE_OUTPUT_FORMAT', DEFAULT_FORMAT)
    text = text.replace('\\n', '\n').replace('\\t', '\t')
    for token, value in (
        ('{severity}', severity.name),
        ('{time_as_nanoseconds}', str(stamp)),
        ('{time}', f'{stamp // 10**9}.{stamp % 10**9:09d}'),
        ('{name}', name),
        ('{file_name}', caller[0]),
        ('{function_name}', caller[1]),
        ('{line_number}', str(caller[2])),
        ('{message}', message),
    ):
        text = text.replace(token, value)
    return text


def _to_console(severity: LoggingSeverity, text: str) -> None:
    stream: Any = sys.stdout if os.environ.get('RCUTILS_LOGGING_USE_STDOUT') == '1' else sys.stderr
    if stream is None:
        return
    if _colored(stream) and severity in COLORS:
        text = f'{COLORS[severity]}{text}\033[0m'
    with _lock:
        try:
            stream.write(text + '\n')
            stream.flush()
        except (BrokenPipeError, ValueError):
            pass


def _colored(stream: Any) -> bool:
    setting = os.environ.get('RCUTILS_COLORIZED_OUTPUT')
    if setting in ('0', '1'):
        return setting == '1'
    return bool(getattr(stream, 'isatty', lambda: False)())
