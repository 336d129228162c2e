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

"""What values a parameter may have: names, types and ranges."""

from __future__ import annotations

import math
from typing import Any

from rosless.idl.build import interface_class

from .parameter import Parameter

FLOAT_TOLERANCE = 1e-9  # relative, for the step of a range of real numbers


def check_name(name: str) -> bool:
    """Tell whether a parameter may have this name; rclpy takes all but the empty one."""
    return bool(name)


def check_list(parameters: Any) -> None:
    """Raise TypeError unless all are parameters."""
    for parameter in parameters:
        if not isinstance(parameter, Parameter):
            raise TypeError(
                f"parameter must be instance of type '{Parameter!r}', not {parameter!r}"
            )


def apply_descriptor(parameter: Parameter, descriptor: Any, *, check_read_only: bool) -> Any:
    """
    Check a value against a descriptor.

    Returns
    -------
    rcl_interfaces.msg.SetParametersResult
        With the reason if it does not fit.

    """
    if check_read_only and descriptor.read_only:
        return refuse(f'Trying to set a read-only parameter: {parameter.name}.')
    kind = parameter.type_
    if descriptor.dynamic_typing:
        descriptor.type = kind.value
    elif kind == Parameter.Type.NOT_SET:
        return refuse('Static parameter cannot be undeclared')
    elif descriptor.type != kind.value:
        return refuse(
            f"Wrong parameter type, expected '{Parameter.Type(descriptor.type)}' got '{kind}'"
            + _as_real(parameter, descriptor.type)
        )
    if kind == Parameter.Type.INTEGER and descriptor.integer_range:
        return _integer_range(parameter, descriptor.integer_range[0])
    if kind == Parameter.Type.DOUBLE and descriptor.floating_point_range:
        return _real_range(parameter, descriptor.floating_point_range[0])
    return _accept()


def _as_real(parameter: Parameter, wanted: int) -> str:
    """Return how to write an integer where a real number is wanted; else nothing."""
    if (parameter.type_, wanted) == (Parameter.Type.INTEGER, Parameter.Type.DOUBLE.value):
        return f': write {float(parameter.value)!r}'
    if (parameter.type_, wanted) == (
        Parameter.Type.INTEGER_ARRAY, Parameter.Type.DOUBLE_ARRAY.value
    ):
        return f': write {[float(value) for value in parameter.value]!r}'
    return ''


def _integer_range(parameter: Parameter, limits: Any) -> Any:
    value = parameter.value
    if (
        not min(limits.from_value, limits.to_value)
        <= value
        <= max(limits.from_value, limits.to_value)
    ):
        return _out_of_range(parameter, limits)
    on_end = value in (limits.from_value, limits.to_value)
    if limits.step and not on_end and (value - limits.from_value) % limits.step:
        return _off_step(parameter, limits)
    return _accept()


def _real_range(parameter: Parameter, limits: Any) -> Any:
    value = parameter.value

    def close(a: float, b: float) -> bool:
        return math.isclose(a, b, rel_tol=FLOAT_TOLERANCE)

    if close(value, limits.from_value) or close(value, limits.to_value):
        return _accept()
    if (
        not min(limits.from_value, limits.to_value)
        < value
        < max(limits.from_value, limits.to_value)
    ):
        return _out_of_range(parameter, limits)
    if limits.step:
        steps = round((value - limits.from_value) / limits.step)
        if not close(value, limits.from_value + steps * limits.step):
            return _off_step(parameter, limits)
    return _accept()


def _out_of_range(parameter: Parameter, limits: Any) -> Any:
    return refuse(
        f'Parameter {parameter.name} out of range Min: {limits.from_value}, '
        f'Max: {limits.to_value}, value: {parameter.value}'
    )


def _off_step(parameter: Parameter, limits: Any) -> Any:
    return refuse(
        f'The parameter value for {parameter.name} is not a valid step. '
        f'Min: {limits.from_value}, max: {limits.to_value}, value: {parameter.value}, '
        f'step: {limits.step}'
    )


def _accept() -> Any:
    return interface_class('rcl_interfaces/msg/SetParametersResult')(successful=True)


def refuse(reason: str) -> Any:
    """Return a `SetParametersResult` that refuses, for that reason."""
    cls = interface_class('rcl_interfaces/msg/SetParametersResult')
    return cls(successful=False, reason=reason)
