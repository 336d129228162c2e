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

"""Exceptions that programs may catch."""

from __future__ import annotations

from typing import Any

from . import rcl_errors

InvalidHandle = rcl_errors.InvalidHandle
TimerCancelledError = rcl_errors.TimerCancelledError


class NotInitializedException(Exception):
    """Raised when the context has not been initialised, see `rclpy.init`."""

    def __init__(self, *args: Any) -> None:
        Exception.__init__(self, 'rclpy.init() has not been called.', *args)


class NameValidationException(ValueError):
    """
    Raised when a name is invalid.

    It is a ValueError, too: ROS 2 raises that where a name is only asked about, as by
    ``Node.count_publishers``.

    Parameters
    ----------
    name_type : str
        What the name is for.
    name : str
        The name.
    error_msg : str
        What is wrong with it.
    invalid_index : int
        Where.

    """

    def __init__(
        self, name_type: str, name: str, error_msg: str, invalid_index: int, *args: Any
    ) -> None:
        self.name_type = name_type
        self.name = name
        self.error_msg = error_msg
        self.invalid_index = invalid_index
        marker = ' ' * invalid_index + '^'
        msg = f"Invalid {name_type}: {error_msg}:\n  '{name}'\n   {marker}"
        Exception.__init__(self, msg, *args)


class InvalidNamespaceException(NameValidationException):
    """Raised when a namespace is invalid."""

    def __init__(self, name: str, error_msg: str, invalid_index: int, *args: Any) -> None:
        super().__init__('namespace', name, error_msg, invalid_index, *args)


class InvalidNodeNameException(NameValidationException):
    """Raised when the name of a node is invalid."""

    def __init__(self, name: str, error_msg: str, invalid_index: int, *args: Any) -> None:
        super().__init__('node name', name, error_msg, invalid_index, *args)


class InvalidTopicNameException(NameValidationException):
    """Raised when the name of a topic is invalid."""

    def __init__(self, name: str, error_msg: str, invalid_index: int, *args: Any) -> None:
        super().__init__('topic name', name, error_msg, invalid_index, *args)


class InvalidServiceNameException(NameValidationException):
    """Raised when the name of a service is invalid."""

    def __init__(self, name: str, error_msg: str, invalid_index: int, *args: Any) -> None:
        super().__init__('service name', name, error_msg, invalid_index, *args)


class NoTypeSupportImportedException(Exception):
    """Raised when a class is not a message, service or action."""

    def __init__(self, *args: Any) -> None:
        Exception.__init__(self, 'no type_support imported', *args)


class ParameterException(Exception):
    """
    Base of the exceptions about parameters.

    Parameters
    ----------
    error_msg : str
        What is wrong.
    parameters : str or Sequence[str]
        Names of the parameters.

    """

    def __init__(self, error_msg: str, parameters: Any, *args: Any) -> None:
        Exception.__init__(self, f'{error_msg}: {parameters}', *args)


class ParameterNotDeclaredException(ParameterException):
    """Raised when an undeclared parameter is used."""

    def __init__(self, parameters: Any, *args: Any) -> None:
        super().__init__('Invalid access to undeclared parameter(s)', parameters, *args)


class ParameterAlreadyDeclaredException(ParameterException):
    """Raised when a parameter is declared twice."""

    def __init__(self, parameters: Any, *args: Any) -> None:
        super().__init__('Parameter(s) already declared', parameters, *args)


class InvalidParameterException(ParameterException):
    """Raised when the name of a parameter is invalid."""

    def __init__(self, parameter: str, *args: Any) -> None:
        super().__init__('Invalid parameter name', parameter, *args)


class InvalidParameterTypeException(ParameterException):
    """Raised when a value has a type that the declaration does not allow."""

    def __init__(self, parameter: Any, desired_type: Any, *args: Any) -> None:
        expected = getattr(desired_type, 'name', desired_type)
        super().__init__(
            f"Trying to set parameter '{parameter.name}' to '{parameter.value}' of type "
            f"'{parameter.type_.name}', expecting type '{expected}'",
            parameter.name,
            *args,
        )


class InvalidParameterValueException(ParameterException):
    """Raised when a value is refused."""

    def __init__(self, parameter: str, value: Any, reason: str, *args: Any) -> None:
        super().__init__(
            f"Invalid parameter value ('{value}') for parameter '{parameter}'. Reason",
            reason,
            *args,
        )


class ParameterImmutableException(ParameterException):
    """Raised when a read-only parameter is changed."""

    def __init__(self, parameter: str, *args: Any) -> None:
        super().__init__('Attempted to modify read-only parameter', parameter, *args)


class ParameterUninitializedException(ParameterException):
    """Raised when a parameter is read that was declared by type and has no value yet."""

    def __init__(self, parameter: str, *args: Any) -> None:
        super().__init__('The parameter is not initialized', parameter, *args)


class ROSInterruptException(Exception):
    """Raised when an operation, such as a sleep of a `Rate`, is ended by shutdown."""

    def __init__(self, *args: Any) -> None:
        Exception.__init__(self, 'rclpy.shutdown() has been called', *args)


class ImplementationException(Exception):
    """Raised by an implementation bug."""
