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
from logging import CRITICAL, DEBUG, ERROR, INFO, WARNING

from launch.logging.config import launch_config
from launch.logging.output import get_output_loggers
from launch.logging.output import OutputLoggers
from launch.utilities.absent import absent

ROOT = 'launch'

__all__ = [
    'CRITICAL',
    'DEBUG',
    'ERROR',
    'INFO',
    'OutputLoggers',
    'WARNING',
    'get_logger',
    'get_output_loggers',
    'launch_config',
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
    return logging.getLogger(ROOT if name in (None, ROOT) else f'{ROOT}.{name}')


__getattr__ = absent(__name__, {
    'LaunchConfig': 'use launch.logging.launch_config',
    'get_log_file_handler': 'use launch.logging.launch_config.file_handler',
    'get_screen_handler': 'use launch.logging.launch_config.screen_handler',
    'handlers': 'use logging.handlers',
    'log_launch_config': 'LaunchService does it',
    'reset': 'launch.logging.launch_config holds for the whole process',
})
