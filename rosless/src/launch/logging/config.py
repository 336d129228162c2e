"""Where messages go: level, screen, directory of the log files."""

from __future__ import annotations

import logging
import os
from pathlib import Path
import socket
import sys
import tempfile
import time
from typing import Any

COLORS = {'DEBUG': '\033[32m', 'WARNING': '\033[33m', 'ERROR': '\033[31m', 'CRITICAL': '\033[31m'}
RESET = '\033[0m'


class _ScreenHandler(logging.StreamHandler[Any]):
    """Write to whatever ``sys.stdout`` is now."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> Any:
        return sys.stdout

    def handleError(self, record: logging.LogRecord) -> None:
        if not isinstance(sys.exc_info()[1], BrokenPipeError):
            super().handleError(record)


class _Formatter(logging.Formatter):
    """Form of ROS: level and name in brackets; output of processes as it is."""

    def __init__(self, *, stamped: bool, color: bool) -> None:
        super().__init__()
        self._stamped = stamped
        self._color = color

    def format(self, record: logging.LogRecord) -> str:
        text = record.getMessage()
        if not getattr(record, 'raw', False):
            name = record.name.removeprefix('launch.')
            level = record.levelname
            if self._color and level in COLORS:
                level = f'{COLORS[level]}{level}{RESET}'
            text = f'[{level}] [{name}]: {text}'
        return f'{record.created:.7f} {text}' if self._stamped else text


def _wants_color() -> bool:
    wish = os.environ.get('RCUTILS_COLORIZED_OUTPUT')
    return sys.stdout.isatty() if wish is None else wish == '1'


class LaunchConfig:
    """Settings that hold for all loggers of this process."""

    def __init__(self) -> None:
        self._log_dir: str | None = None
        self._installed = False
        self._level = logging.INFO
        self.screen_handler = _ScreenHandler()
        self._file_handlers: dict[str, logging.Handler] = {}

    @property
    def level(self) -> int:
        """Least level that is shown."""
        return self._level

    @level.setter
    def level(self, level: int) -> None:
        self._level = level
        logging.getLogger('launch').setLevel(level)

    @property
    def log_dir(self) -> str:
        """
        Directory of the log files of this run, made on first use.

        Below ``ROS_LOG_DIR``, else ``ROS_HOME/log``, else ``~/.ros/log``; in the directory for
        temporary files if none can be written to. Files that are open stay where they are when
        it is changed.

        """
        if self._log_dir is None:
            now = time.time()
            stamp = time.strftime('%Y-%m-%d-%H-%M-%S', time.localtime(now))
            name = f'{stamp}-{int(now % 1 * 1e6):06d}-{socket.gethostname()}-{os.getpid()}'
            home = os.environ.get('ROS_HOME') or os.path.join(os.path.expanduser('~'), '.ros')
            base = os.environ.get('ROS_LOG_DIR') or os.path.join(home, 'log')
            path = Path(base).expanduser() / name
            try:
                path.mkdir(parents=True, exist_ok=True)
            except OSError:
                path = Path(tempfile.mkdtemp(prefix='launch_log_'))
            self._log_dir = str(path)
        return self._log_dir

    @log_dir.setter
    def log_dir(self, path: str) -> None:
        os.makedirs(path, exist_ok=True)
        self._log_dir = str(path)

    def install(self) -> None:
        """Give the root logger of launch its handlers."""
        if self._installed:
            return
        self._installed = True
        root = logging.getLogger('launch')
        root.propagate = False
        root.setLevel(self._level)
        self.screen_handler.setFormatter(_Formatter(stamped=False, color=_wants_color()))
        root.addHandler(self.screen_handler)

    def log_to_file(self) -> None:
        """Have the messages of the launch system written to ``launch.log`` as well."""
        self.install()
        logging.getLogger('launch').addHandler(self.file_handler('launch.log'))

    def file_handler(self, file_name: str) -> logging.Handler:
        """Return the handler that appends to a file in the log directory."""
        path = os.path.join(self.log_dir, file_name)
        if path not in self._file_handlers:
            handler = logging.FileHandler(path, encoding='utf-8', delay=True)
            handler.setFormatter(_Formatter(stamped=True, color=False))
            self._file_handlers[path] = handler
        return self._file_handlers[path]


launch_config = LaunchConfig()
