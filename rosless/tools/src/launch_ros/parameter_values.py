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

"""
The types of parameter values.

A value that holds substitutions is read as YAML once it is known; a plain value keeps its type.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import typing
from typing import Any, TYPE_CHECKING

from launch.substitution import Substitution
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions
import yaml

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

SCALARS = (bool, int, float, str)
HINT = ('If the parameter is meant to be a string, try wrapping it in '
        'launch_ros.parameter_descriptions.ParameterValue(value, value_type=str)')


def evaluate_value(context: LaunchContext, value: Any, value_type: Any = None) -> Any:
    """
    Return a parameter value with its substitutions performed.

    Parameters
    ----------
    context : LaunchContext
        State of the launch.
    value : object
        Plain value, substitution, or list. A list with a substitution directly in it is one
        text; a list of lists is a list of texts.
    value_type : type, optional
        ``bool``, ``int``, ``float``, ``str`` or a list of one of these.

    Returns
    -------
    bool, int, float, str, bytes or list
        The value.

    Raises
    ------
    TypeError
        If it is not of an allowed type, or not of the type that is asked for.

    """
    if isinstance(value, Substitution) or (
            isinstance(value, (list, tuple))
            and any(isinstance(part, Substitution) for part in value)):
        text = perform_substitutions(context, normalize_to_list_of_substitutions(value))
        return text if value_type is str else convert(_read(text), value_type)
    if isinstance(value, (list, tuple)) and any(
            isinstance(part, (list, tuple)) for part in value):
        inner = typing.get_args(value_type)
        return convert([evaluate_value(context, list(part), inner[0] if inner else None)
                        if isinstance(part, (list, tuple)) else part for part in value],
                       value_type)
    return convert(value, value_type)


def _read(text: str) -> Any:
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise TypeError(f'the value {_shorten(text)} cannot be read as YAML. {HINT}') from error
    return '' if value is None else value


def convert(value: Any, value_type: Any = None) -> Any:
    """Return the value as the type that is asked for, or checked against the allowed ones."""
    if value_type is not None:
        return _cast(value, value_type)
    if isinstance(value, bytes):
        return bytes(value)
    for kind in SCALARS:
        if isinstance(value, kind):
            return kind(value)  # subclasses, such as NumPy's float64, become plain values
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _uniform([item.item() if hasattr(item, 'item') else item for item in value])
    if isinstance(value, Mapping) or not hasattr(value, 'tolist'):
        raise TypeError('Allowed value types are bytes, bool, int, float, str, Sequence[bool], '
                        'Sequence[int], Sequence[float], Sequence[str]. '
                        f'Got {type(value)} {_shorten(value)}. {HINT}')
    return convert(value.tolist())


def _uniform(values: list[Any]) -> list[Any]:
    kinds = {type(value) for value in values}
    if kinds == {int, float}:
        return [float(value) for value in values]
    if len(kinds) != 1 or not kinds <= set(SCALARS):
        raise TypeError('Expected a non-empty sequence, with items of uniform type. Allowed '
                        f'sequence item types are bool, int, float, str. Got {_shorten(values)}.')
    return values


def _cast(value: Any, wanted: Any) -> Any:
    origin, inner = typing.get_origin(wanted), typing.get_args(wanted)
    if origin is not None and inner:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise TypeError(f'expected a list of {inner[0].__name__}, got {_shorten(value)}')
        return [_cast(part, inner[0]) for part in value]
    if wanted is float and type(value) is int:
        return float(value)
    if wanted is str and not isinstance(value, str):
        return yaml.safe_dump(value, default_flow_style=True).removesuffix('\n...\n').strip()
    if type(value) is not wanted:
        name = getattr(wanted, '__name__', wanted)
        raise TypeError(f'expected a value of type {name}, got {_shorten(value)} of type '
                        f'{type(value).__name__}')
    return value


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f'{text[:77]}...'
