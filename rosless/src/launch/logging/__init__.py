"""Messages of the launch system and output of its processes, on the screen and in files."""

from __future__ import annotations

import logging
from logging import CRITICAL, DEBUG, ERROR, INFO, WARNING
from typing import Any

from launch.logging.config import launch_config
from launch.logging.output import get_output_loggers
from launch.logging.output import OutputLoggers

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


def __getattr__(name: str) -> Any:
    if name in ('handlers', 'LaunchConfig', 'reset', 'get_screen_handler', 'get_log_file_handler'):
        raise AttributeError(f'launch.logging.{name} is not available in this version of rosless')
    raise AttributeError(f"module 'launch.logging' has no attribute '{name}'")
