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

"""Compute the parameters of a node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TYPE_CHECKING

from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions
from launch_ros.parameter_descriptions import Parameter
from launch_ros.parameter_descriptions import ParameterFile
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.parameter_values import evaluate_value

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


def evaluate_parameter_dict(
    context: LaunchContext, parameters: Mapping[Any, Any], prefix: str = '',
) -> dict[str, Any]:
    """
    Return names and values, with nested mappings flattened to dotted names.

    Parameters
    ----------
    context : LaunchContext
        State of the launch.
    parameters : mapping
        Names and values, with substitutions.
    prefix : str
        What to put in front of the names.

    Raises
    ------
    TypeError
        If a value is of no allowed type; the message names the parameter.

    """
    found: dict[str, Any] = {}
    for key, value in parameters.items():
        name = prefix + perform_substitutions(context, normalize_to_list_of_substitutions(key))
        if isinstance(value, Mapping):
            found.update(evaluate_parameter_dict(context, value, f'{name}.'))
            continue
        try:
            found[name] = (value.evaluate(context) if isinstance(value, ParameterValue)
                           else evaluate_value(context, value))
        except TypeError as error:
            raise TypeError(f"parameter '{name}': {error}") from error
    return found


def evaluate_parameters(
    context: LaunchContext, parameters: Iterable[Any],
) -> list[Path | dict[str, Any]]:
    """
    Return what a node is given: files, and names with values.

    Parameters
    ----------
    context : LaunchContext
        State of the launch.
    parameters : iterable
        Mappings, ``Parameter``, ``ParameterFile`` or paths with substitutions.

    Raises
    ------
    TypeError
        If the parameters are not a list, or a value is of no allowed type.

    """
    if isinstance(parameters, (str, Mapping)) or not isinstance(parameters, Iterable):
        raise TypeError(f'Expecting list of parameters, got {parameters}')
    found: list[Path | dict[str, Any]] = []
    for item in parameters:
        if isinstance(item, Mapping):
            found.append(evaluate_parameter_dict(context, item))
        elif isinstance(item, Parameter):
            found.append(dict([item.evaluate(context)]))
        elif isinstance(item, ParameterFile):
            found.append(item.evaluate(context))
        else:
            path = perform_substitutions(context, normalize_to_list_of_substitutions(item))
            found.append(Path(path))
    return found
