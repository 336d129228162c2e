"""Loggers."""

from __future__ import annotations

import sys
from typing import Any

from . import log_output
from .logging_severity import LoggingSeverity

FEATURES = {'once', 'skip_first', 'throttle_duration_sec', 'throttle_time_source_type'}


class CallerState:
    """What a logger remembers of one place in the code."""

    __slots__ = ('features', 'last', 'seen', 'severity', 'written')

    def __init__(self, severity: LoggingSeverity, features: frozenset[str]) -> None:
        self.severity = severity
        self.features = features
        self.seen = False
        self.written = False
        self.last: int | None = None


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
        """Write a message with the given severity."""
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
        state = self._state(caller, severity, features)
        if severity < log_output.effective_level(self.name):
            return False
        if features and not self._passes(state, features):
            return False
        if not isinstance(message, str):
            message = str(message)
        place = caller[0], frame.f_code.co_name, caller[1]
        log_output.write(severity, self.name, message, place)
        return True

    def _state(
        self, caller: tuple[str, int, int], severity: LoggingSeverity, features: dict[str, Any]
    ) -> CallerState:
        """Return what is known of a place in the code, where only the message may change."""
        unknown = sorted(set(features) - FEATURES)
        if unknown:
            raise TypeError(f'Unknown logging parameters: {unknown}; known: {sorted(FEATURES)}')
        state = self.contexts.get(caller)
        if state is None:
            state = self.contexts[caller] = CallerState(severity, frozenset(features))
            clock = features.get('throttle_time_source_type')
            if clock is not None and not hasattr(clock, 'now'):
                raise ValueError(
                    f'Received throttle_time_source_type of "{clock}" is not a clock instance'
                )
        if state.severity != severity:
            raise ValueError('Logger severity cannot be changed between calls.')
        if state.features != features.keys():
            raise ValueError('Requested logging parameters must be the same from call to call.')
        return state

    def _passes(self, state: CallerState, features: dict[str, Any]) -> bool:
        if features.get('skip_first') and not state.seen:
            state.seen = True
            return False
        state.seen = True
        if features.get('once') and state.written:
            return False
        if features.get('throttle_duration_sec') is not None and not self._due(state, features):
            return False
        state.written = True
        return True

    @staticmethod
    def _due(state: CallerState, features: dict[str, Any]) -> bool:
        clock = features.get('throttle_time_source_type')
        if clock is None:
            from ..clock import steady_now

            now = steady_now()
        else:
            now = clock.now().nanoseconds
        period = int(features['throttle_duration_sec'] * 1e9)
        if state.last is not None and 0 <= now - state.last < period:
            return False
        state.last = now
        return True
