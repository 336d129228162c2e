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

"""Write messages."""

from __future__ import annotations

import logging
from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.logging import get_logger
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

LEVELS = ('DEBUG', 'INFO', 'WARNING', 'WARN', 'ERROR', 'CRITICAL')


class Log(Action):
    """
    Write a message to the log.

    Parameters
    ----------
    msg : text with substitutions
        The message.
    level : text with substitutions
        ``DEBUG``, ``INFO``, ``WARNING``, ``ERROR`` or ``CRITICAL``.

    """

    def __init__(
        self, *, msg: SomeSubstitutionsType, level: SomeSubstitutionsType, **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.msg = normalize_to_list_of_substitutions(msg)
        self.level = normalize_to_list_of_substitutions(level)

    def execute(self, context: LaunchContext) -> None:
        """Write the message; raise KeyError if there is no such level."""
        level = perform_substitutions(context, self.level).upper()
        if level not in LEVELS:
            raise KeyError(f"Invalid log level '{level}', expected: {', '.join(LEVELS)}")
        get_logger('launch.user').log(
            getattr(logging, level), perform_substitutions(context, self.msg))


class LogDebug(Log):
    """
    Write a message to the log, level DEBUG.

    Parameters
    ----------
    msg : text with substitutions
        The message.

    """

    def __init__(self, *, msg: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(msg=msg, level='DEBUG', **kwargs)


class LogInfo(Log):
    """
    Write a message to the log, level INFO.

    Parameters
    ----------
    msg : text with substitutions
        The message.

    """

    def __init__(self, *, msg: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(msg=msg, level='INFO', **kwargs)


class LogWarning(Log):
    """
    Write a message to the log, level WARNING.

    Parameters
    ----------
    msg : text with substitutions
        The message.

    """

    def __init__(self, *, msg: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(msg=msg, level='WARNING', **kwargs)


class LogError(Log):
    """
    Write a message to the log, level ERROR.

    Parameters
    ----------
    msg : text with substitutions
        The message.

    """

    def __init__(self, *, msg: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(msg=msg, level='ERROR', **kwargs)
