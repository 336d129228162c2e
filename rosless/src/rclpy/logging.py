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

"""Logging that does not need a node."""

from __future__ import annotations

from pathlib import Path

from .impl import log_files, log_output
from .impl.logging_severity import LoggingSeverity
from .impl.rcutils_logger import RcutilsLogger

_root_logger = RcutilsLogger()


def get_logger(name: str) -> RcutilsLogger:
    """Return the logger of that name."""
    if not name:
        raise ValueError('Logger name must not be empty.')
    return _root_logger.get_child(name)


def initialize() -> None:
    """Do nothing; logging is always ready."""


def shutdown() -> None:
    """Return to the default levels."""
    clear_config()


def clear_config() -> None:
    """Return to the default levels."""
    log_output.reset()


def set_logger_level(name: str, level: int) -> None:
    """Set the lowest severity that a logger and its children let pass."""
    log_output.set_level(name, LoggingSeverity(level))


def get_logger_effective_level(name: str) -> LoggingSeverity:
    """Return the lowest severity that a logger lets pass."""
    return log_output.effective_level(name)


def get_logger_level(name: str) -> LoggingSeverity:
    """Return the level that was set for exactly this logger, or `UNSET`."""
    return log_output.get_level(name)


def get_logging_severity_from_string(log_severity: str) -> LoggingSeverity:
    """Return the severity of that name; raises RuntimeError if there is none."""
    try:
        return LoggingSeverity[log_severity.upper()]
    except KeyError:
        raise RuntimeError(f'Failed to get severity name: {log_severity!r}') from None


def get_logging_directory() -> Path:
    """Return the folder of the log files."""
    return log_files.directory()
