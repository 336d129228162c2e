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

"""Messages of the launch system and output of its processes, on the screen and in files."""

from __future__ import annotations

import logging
from logging import CRITICAL, DEBUG, ERROR, handlers, INFO, WARNING

from launch.logging.config import launch_config
from launch.logging.config import LaunchConfig
from launch.logging.config import MAIN_LOG
from launch.logging.output import get_output_loggers
from launch.logging.output import OutputLoggers

ROOT = 'launch'

__all__ = [
    'CRITICAL',
    'DEBUG',
    'ERROR',
    'INFO',
    'LaunchConfig',
    'OutputLoggers',
    'WARNING',
    'get_log_file_handler',
    'get_logger',
    'get_output_loggers',
    'get_screen_handler',
    'handlers',
    'launch_config',
    'log_launch_config',
    'reset',
]


def get_logger(name: str | None = None) -> logging.Logger:
    """
    Return a logger whose messages read ``[LEVEL] [name]: ...``.

    Parameters
    ----------
    name : str, optional
        Shown name; ``launch`` if none is given.

    """
    launch_config.install()
    logger = logging.getLogger(f'{ROOT}.{name or ROOT}')
    if launch_config.screen_handler not in logger.handlers:
        logger.addHandler(launch_config.screen_handler)
    return logger


def get_screen_handler() -> logging.Handler:
    """Return the handler that writes to the screen."""
    return launch_config.get_screen_handler()


def get_log_file_handler(file_name: str = MAIN_LOG) -> logging.Handler:
    """Return the handler that appends to a file in the log directory."""
    return launch_config.get_log_file_handler(file_name)


def log_launch_config(*, logger: logging.Logger | None = None) -> None:
    """Say where the log files are, and the least level that is shown."""
    logger = logger or get_logger()
    logger.info(f'All log files can be found below {launch_config.log_dir}')
    level = logging.getLevelName(launch_config.level)
    logger.info(f'Default logging verbosity is set to {level}')


def reset() -> None:
    """Forget all settings and loggers."""
    launch_config.reset()
    for name, logger in list(logging.root.manager.loggerDict.items()):
        if name.startswith(f'{ROOT}.') and isinstance(logger, logging.Logger):
            logger.handlers.clear()
            logger.setLevel(logging.NOTSET)
