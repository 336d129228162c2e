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

"""Where messages go: level, screen, directory of the log files."""

from __future__ import annotations

from collections.abc import Callable
import logging
import os
from pathlib import Path
import socket
import sys
import tempfile
import time
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    _Handler = logging.StreamHandler[Any]
else:
    _Handler = logging.StreamHandler   # subscriptable since Python 3.11

COLORS = {'DEBUG': '\033[32m', 'WARNING': '\033[33m', 'ERROR': '\033[31m', 'CRITICAL': '\033[31m'}
MAIN_LOG = 'launch.log'
RESET = '\033[0m'
FORMS = {
    'default': '[{levelname}] [{name}]: {msg}',
    'default_with_timestamp': '{created:.7f} [{levelname}] [{name}]: {msg}',
}


class _ScreenHandler(_Handler):
    """Write to whatever ``sys.stdout`` is now."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> Any:
        return sys.stdout

    def emit(self, record: logging.LogRecord) -> None:
        """Write a message, once: loggers and those above them have this handler in common."""
        if not getattr(record, 'on_screen', False):
            record.on_screen = True
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:
        if not isinstance(sys.exc_info()[1], BrokenPipeError):
            super().handleError(record)


class _Formatter(logging.Formatter):
    """
    Messages in a form with the keys of a log record; output of processes as it is.

    Parameters
    ----------
    form : str
        The form, with keys in braces.
    stamped : bool
        Whether lines of output begin with the time.
    color : bool
        Whether levels are coloured.

    """

    def __init__(self, form: str, *, stamped: bool, color: bool) -> None:
        super().__init__()
        self._form = form
        self._stamped = stamped
        self._color = color

    def format(self, record: logging.LogRecord) -> str:
        text = record.getMessage()
        if getattr(record, 'raw', False):
            return f'{record.created:.7f} {text}' if self._stamped else text
        level = record.levelname
        if self._color and level in COLORS:
            level = f'{COLORS[level]}{level}{RESET}'
        return self._form.format(**{
            **vars(record), 'name': record.name.removeprefix('launch.'), 'levelname': level,
            'msg': text, 'message': text})


def _wants_color() -> bool:
    wish = os.environ.get('RCUTILS_COLORIZED_OUTPUT')
    return sys.stdout.isatty() if wish is None else wish == '1'


def _form(variable: str, wanted: str) -> str:
    override = os.environ.get(variable)
    if override:
        return override.encode('latin1', 'backslashreplace').decode('unicode_escape')
    return FORMS.get(wanted, wanted)


def _point_to_latest(path: Path) -> None:
    """Have the link ``latest`` beside the directory lead to it."""
    link = path.with_name('latest')
    try:
        if link.is_symlink():
            link.unlink()
        link.symlink_to(path, target_is_directory=True)
    except OSError:
        pass  # another launch was quicker, or there is something else of that name


def _temporary(base: str, reason: str | None) -> Path:
    """Make a directory for temporary files, as there can be none below ``base``."""
    try:
        return Path(tempfile.mkdtemp(prefix='launch_log_'))
    except OSError:   # no directory for temporary files can be written to
        raise RuntimeError(
            f'no log files can be written: not below {base} ({reason}), nor in a directory for '
            'temporary files; set ROS_LOG_DIR to a directory that can be written to') from None


def _check_style(form: str, style: str) -> None:
    if form in FORMS and style != '{':
        raise ValueError(f"the form '{form}' has its keys in braces: expected the style '{{', "
                         f"found '{style}'")


def _append_to(path: str, encoding: str | None = None) -> logging.Handler:
    return logging.FileHandler(path, encoding=encoding, delay=True)


class LaunchConfig:
    """Settings that hold for all loggers of this process."""

    def __init__(self) -> None:
        self._installed = False
        self.screen_handler = _ScreenHandler()
        self._file_handlers: dict[str, logging.Handler] = {}
        self.reset()

    def reset(self) -> None:
        """Return to the settings at the start of the process; files that are open are closed."""
        for handler in self._file_handlers.values():
            logging.getLogger('launch').removeHandler(handler)
            handler.close()
        self._file_handlers = {}
        self.log_handler_factory: Callable[..., logging.Handler] = _append_to
        self._log_dir: str | None = None
        self._log_form, self._log_style = 'default_with_timestamp', '{'
        self.level = logging.INFO
        if self._installed:
            self.set_screen_format('default')

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
        temporary files if none can be written to, or if there is no home. Files that are open
        stay where they are when it is changed.

        Raises
        ------
        RuntimeError
            If nothing can be written there either.

        """
        if self._log_dir is None:
            now = time.time()
            stamp = time.strftime('%Y-%m-%d-%H-%M-%S', time.localtime(now))
            name = f'{stamp}-{int(now % 1 * 1e6):06d}-{socket.gethostname()}-{os.getpid()}'
            home = os.environ.get('ROS_HOME') or os.path.join(os.path.expanduser('~'), '.ros')
            base = os.environ.get('ROS_LOG_DIR') or os.path.join(home, 'log')
            path = Path(os.path.expanduser(base)) / name
            try:
                if base.startswith('~'):   # neither HOME nor an entry in the list of users
                    path = _temporary(base, 'there is no home directory')
                path.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                path = _temporary(base, error.strerror)
            self._log_dir = str(path)
            _point_to_latest(path)
        return self._log_dir

    @log_dir.setter
    def log_dir(self, path: str | None) -> None:
        """Choose a directory that is there; None for the one that the environment says."""
        if path is not None and not os.path.isdir(path):
            raise ValueError(f"the directory of log files '{path}' does not exist")
        self._log_dir = None if path is None else str(path)

    def install(self) -> None:
        """Give the root logger of launch its handlers."""
        if self._installed:
            return
        self._installed = True
        root = logging.getLogger('launch')
        root.propagate = False
        root.setLevel(self._level)
        self.set_screen_format('default')

    def set_screen_format(self, screen_format: str, *, screen_style: str = '{') -> None:
        """
        Choose the form of messages on the screen.

        Parameters
        ----------
        screen_format : str
            ``'default'``, ``'default_with_timestamp'``, or a form with the keys of a log record
            in braces. The environment variable OVERRIDE_LAUNCH_SCREEN_FORMAT has precedence.
        screen_style : str
            How keys stand in a form: ``'{'``, ``'%'`` or ``'$'`` as for `logging.Formatter`.

        Raises
        ------
        ValueError
            If the form is one of those with a name, whose keys stand in braces.

        """
        _check_style(screen_format, screen_style)
        self.install()
        form = _form('OVERRIDE_LAUNCH_SCREEN_FORMAT', screen_format)
        self.screen_handler.setFormatter(
            _Formatter(form, stamped=False, color=_wants_color())
            if screen_style == '{' else logging.Formatter(
                form, style=screen_style))  # type: ignore[arg-type]   # checked above

    def set_log_format(self, log_format: str, *, log_style: str = '{') -> None:
        """Choose the form of messages in files opened from now on; see `set_screen_format`."""
        _check_style(log_format, log_style)
        self._log_form, self._log_style = log_format, log_style

    def get_screen_handler(self) -> logging.Handler:
        """Return the handler that writes to the screen."""
        self.install()
        return self.screen_handler

    def get_log_file_path(self, file_name: str = MAIN_LOG) -> str:
        """Return the path of a file in the log directory."""
        return os.path.join(self.log_dir, file_name)

    def get_log_file_handler(self, file_name: str = MAIN_LOG) -> logging.Handler:
        """Return the handler that appends to a file in the log directory."""
        return self.file_handler(file_name)

    def log_to_file(self) -> None:
        """Have the messages of the launch system written to ``launch.log`` as well."""
        self.install()
        logging.getLogger('launch').addHandler(self.file_handler(MAIN_LOG))

    def file_handler(self, file_name: str) -> logging.Handler:
        """Return the handler that appends to a file in the log directory."""
        path = self.get_log_file_path(file_name)
        if path not in self._file_handlers:
            handler = self.log_handler_factory(path, encoding='utf-8')
            form = _form('OVERRIDE_LAUNCH_LOG_FORMAT', self._log_form)
            # Files of one process hold its output as it is.
            handler.setFormatter(
                _Formatter(form, stamped=file_name == MAIN_LOG, color=False)
                if self._log_style == '{' else logging.Formatter(
                    form, style=self._log_style))  # type: ignore[arg-type]   # checked
            self._file_handlers[path] = handler
        return self._file_handlers[path]


launch_config = LaunchConfig()
