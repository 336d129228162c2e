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

"""Loggers."""

from __future__ import annotations

import sys
import time
from typing import Any

from . import log_output
from .logging_severity import LoggingSeverity

FILTERS = {
    'throttle': ('throttle_duration_sec', 'throttle_time_source_type'),
    'skip_first': ('skip_first',),
    'once': ('once',),
}
"""Filters in the order in which they are asked, with their parameters, the required one first."""
PARAMETERS = {name for names in FILTERS.values() for name in names}


class CallerState:
    """What a logger remembers of one place in the code."""

    __slots__ = ('filters', 'last', 'name', 'parameters', 'seen', 'severity', 'written')

    def __init__(
        self, severity: LoggingSeverity, name: str, parameters: dict[str, Any]
    ) -> None:
        self.severity = severity
        self.name = name
        self.parameters = parameters
        self.filters = _filters(parameters)
        self.seen = False
        self.written = False
        self.last = 0


def _filters(parameters: dict[str, Any]) -> list[str]:
    return [name for name, own in FILTERS.items() if any(parameters.get(one) for one in own)]


class RcutilsLogger:
    """
    A logger; get one from a node, or from `rclpy.logging.get_logger`.

    The functions `debug`, `info`, `warn` (`warning`), `error` and `fatal` take the message and,
    as keywords, `throttle_duration_sec`, `throttle_time_source_type` (a clock), `skip_first` and
    `once`. They return whether the message was written.

    """

    def __init__(self, name: str = '') -> None:
        self.name = name
        self.contexts: dict[tuple[str, int, int], CallerState] = {}

    def get_child(self, name: str) -> RcutilsLogger:
        """Return the logger `<name of this>.<name>`."""
        if not name:
            raise ValueError('Child logger name must not be empty.')
        return RcutilsLogger(f'{self.name}.{name}' if self.name else name)

    def set_level(self, level: int) -> None:
        """Set the lowest severity that is written."""
        log_output.set_level(self.name, LoggingSeverity(level))

    def get_effective_level(self) -> LoggingSeverity:
        """Return the lowest severity that is written."""
        return log_output.effective_level(self.name)

    def is_enabled_for(self, severity: int) -> bool:
        """Tell whether messages of that severity are written."""
        return severity >= log_output.effective_level(self.name)

    def log(self, message: Any, severity: int, **kwargs: Any) -> bool:
        """Write a message with the given severity; the keyword `name` stands for the logger's."""
        return self._log(message, LoggingSeverity(severity), kwargs)

    def debug(self, message: Any, **kwargs: Any) -> bool:
        """Write a message for developers."""
        return self._log(message, LoggingSeverity.DEBUG, kwargs)

    def info(self, message: Any, **kwargs: Any) -> bool:
        """Write an informative message."""
        return self._log(message, LoggingSeverity.INFO, kwargs)

    def warning(self, message: Any, **kwargs: Any) -> bool:
        """Write a warning."""
        return self._log(message, LoggingSeverity.WARN, kwargs)

    def warn(self, message: Any, **kwargs: Any) -> bool:
        """Write a warning."""
        return self._log(message, LoggingSeverity.WARN, kwargs)

    def error(self, message: Any, **kwargs: Any) -> bool:
        """Write an error."""
        return self._log(message, LoggingSeverity.ERROR, kwargs)

    def fatal(self, message: Any, **kwargs: Any) -> bool:
        """Write an error that ends the program."""
        return self._log(message, LoggingSeverity.FATAL, kwargs)

    def _log(self, message: Any, severity: LoggingSeverity, features: dict[str, Any]) -> bool:
        frame = sys._getframe(2)
        # also which call in the line
        caller = frame.f_code.co_filename, frame.f_lineno, frame.f_lasti
        name = features.pop('name', self.name)
        state = self._state(caller, severity, name, features)
        if severity < log_output.effective_level(name):
            return False
        if state.filters and not all(self._passes(state, one) for one in state.filters):
            return False
        if not isinstance(message, str):
            raise TypeError(f'the message must be a str, not {type(message).__name__}')
        place = caller[0], frame.f_code.co_name, caller[1]
        log_output.write(severity, name, message, place)
        return True

    def _state(
        self,
        caller: tuple[str, int, int],
        severity: LoggingSeverity,
        name: str,
        parameters: dict[str, Any],
    ) -> CallerState:
        """Return what is known of a place in the code, where only the message may change."""
        state = self.contexts.get(caller)
        if state is None:
            state = CallerState(severity, name, parameters)
            _check(state.filters, parameters)
            self.contexts[caller] = state
        if state.severity != severity:
            raise ValueError('Logger severity cannot be changed between calls.')
        if state.name != name:
            raise ValueError('Logger name cannot be changed between calls.')
        if state.parameters != parameters:
            if state.filters != _filters(parameters):
                raise ValueError('Requested logging filters cannot be changed between calls.')
            raise ValueError('Logging filter parameters cannot be changed between calls.')
        return state

    @staticmethod
    def _passes(state: CallerState, name: str) -> bool:
        """Tell whether a filter lets a message through; it notes that it was asked."""
        if name == 'skip_first':
            passes, state.seen = state.seen, True
        elif name == 'once':
            passes, state.written = not state.written, True
        else:
            now = _now(state.parameters.get('throttle_time_source_type'))
            passes = now >= state.last + state.parameters['throttle_duration_sec'] * 1e9
            state.last = now if passes else state.last
        return passes


def _check(filters: list[str], parameters: dict[str, Any]) -> None:
    unknown = sorted(parameters.keys() - PARAMETERS)
    if unknown:
        if unknown[0] == 'severity':   # of info, warn and the like, which set it themselves
            raise TypeError("log() got multiple values for argument 'severity'")
        raise TypeError(
            f'parameter "{unknown[0]}" is not one of the recognized logging options '
            f'"{sorted(PARAMETERS)}"'
        )
    for name in filters:
        if parameters.get(FILTERS[name][0]) is None:
            raise TypeError(f'required parameter "{FILTERS[name][0]}" not specified but is '
                            f'required for the logging filter "{name}"')
    clock = parameters.get('throttle_time_source_type')
    if clock is not None and not hasattr(clock, 'now'):
        raise ValueError(
            f'Received throttle_time_source_type of "{clock}" is not a clock instance'
        )


def _now(clock: Any) -> int:
    return time.time_ns() if clock is None else int(clock.now().nanoseconds)
