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

"""The services by which others read and set the levels of a process's loggers."""

from __future__ import annotations

from typing import Any

from rosless.idl.build import interface_class

from .impl import log_output
from .impl.logging_severity import LoggingSeverity
from .qos import qos_profile_services_default


class LoggingService:
    """
    `<node>/get_logger_levels` and `<node>/set_logger_levels`.

    Parameters
    ----------
    node : Node
        Made with ``enable_logger_service=True``.

    """

    def __init__(self, node: Any) -> None:
        for verb, callback in (('get', self._get), ('set', self._set)):
            srv_type = interface_class(f'rcl_interfaces/srv/{verb.capitalize()}LoggerLevels')
            name = f'{node.get_name()}/{verb}_logger_levels'
            node.create_service(
                srv_type, name, callback, qos_profile=qos_profile_services_default
            )

    @staticmethod
    def _get(request: Any, response: Any) -> Any:
        level = interface_class('rcl_interfaces/msg/LoggerLevel')
        for name in request.names:
            response.levels.append(level(name=name, level=int(log_output.get_level(name))))
        return response

    @staticmethod
    def _set(request: Any, response: Any) -> Any:
        result = interface_class('rcl_interfaces/msg/SetLoggerLevelsResult')
        for wanted in request.levels:
            try:
                log_output.set_level(wanted.name, LoggingSeverity(wanted.level))
                response.results.append(result(successful=True))
            except ValueError:
                reason = 'Failed reason: Invalid logger level.'
                response.results.append(result(successful=False, reason=reason))
        return response
