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
Values of a wanted type: out of texts, which are read as YAML, and out of substitutions.

A type is ``int``, ``float``, ``bool``, ``str``, a list of one of these (``List[int]``), or None
for any of them. With `can_be_str` a text may stand for each value.

"""

from __future__ import annotations

from collections.abc import Iterable
from types import NoneType
from typing import Any, get_args, TYPE_CHECKING

from launch.substitution import Substitution
from launch.utilities.normalize_to_list_of_substitutions_impl import \
    normalize_to_list_of_substitutions
from launch.utilities.perform_substitutions_impl import perform_substitutions
import yaml

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

SCALARS = (int, float, bool, str)


def is_typing_list(data_type: Any) -> bool:
    """Tell whether a type is ``typing.List``, of whatever."""
    return getattr(data_type, '__origin__', None) is list


def is_valid_scalar_type(data_type: Any) -> bool:
    """Tell whether a type is ``int``, ``float``, ``bool`` or ``str``."""
    return any(data_type is each for each in SCALARS)


def extract_type(data_type: Any) -> tuple[Any, bool]:
    """
    Return the type of a value, or of the values in a list, and whether it is a list.

    Raises
    ------
    ValueError
        If it is neither a scalar type nor a list of one.

    """
    is_list = is_typing_list(data_type)
    scalar = (get_args(data_type) or (None,))[0] if is_list else data_type
    if not is_valid_scalar_type(scalar) and not (is_list and scalar is NoneType):
        raise ValueError(f"'{data_type}' is no type of a value: expected int, float, bool, str or "
                         'a List of one of these')
    return (None if scalar is NoneType else scalar), is_list


def is_instance_of(value: Any, data_type: Any, *, can_be_str: bool = False) -> bool:
    """Tell whether a value is of a type, or of any valid one if that is None."""
    if data_type is None:
        return is_instance_of_valid_type(value, can_be_str=can_be_str)
    scalar, is_list = extract_type(data_type)
    if not is_list:
        return _is(value, scalar, can_be_str)
    return isinstance(value, list) and all(_is(each, scalar, can_be_str) for each in value)


def is_instance_of_valid_type(value: Any, *, can_be_str: bool = False) -> bool:
    """Tell whether a value is of a scalar type, or a list of values of one."""
    if not isinstance(value, list):
        return type(value) in SCALARS
    kinds = {type(each) for each in value}
    if can_be_str and len(kinds) > 1:
        kinds.discard(str)
    return len(kinds) <= 1 and all(kind in SCALARS for kind in kinds)


def coerce_to_type(value: str, data_type: Any = None, *, can_be_str: bool = False) -> Any:
    """
    Return what a text stands for.

    Raises
    ------
    TypeError
        If it is no text.
    ValueError
        If it stands for something of another type.

    """
    if not isinstance(value, str):
        raise TypeError(f'expected a text, found {value!r}')
    if data_type is str:
        return value
    found = _read(value)
    if data_type is not None:
        scalar, is_list = extract_type(data_type)
        if scalar is float:
            found = _floats(found) if not is_list else found
        if is_instance_of(found, data_type, can_be_str=can_be_str):
            return value if isinstance(found, str) and not is_list else found
        if can_be_str and not is_list:
            return value
    elif is_instance_of_valid_type(found, can_be_str=can_be_str):
        return found
    wanted = 'a valid type' if data_type is None else data_type
    raise ValueError(f"'{value}' is not of {wanted}")


def coerce_list(
    value: Iterable[str], data_type: Any = None, *, can_be_str: bool = False
) -> list[Any]:
    """
    Return what texts stand for, all of one type.

    Raises
    ------
    TypeError
        If it is no list of texts.
    ValueError
        If a text stands for something of another type.

    """
    if isinstance(value, str) or not all(isinstance(each, str) for each in value):
        raise TypeError(f'expected a list of texts, found {value!r}')
    found = [coerce_to_type(each, data_type, can_be_str=can_be_str) for each in value]
    if not is_instance_of_valid_type(found, can_be_str=can_be_str):
        raise ValueError(f'values of different types: {found!r}')
    return found


def get_typed_value(value: Any, data_type: Any, *, can_be_str: bool = False) -> Any:
    """
    Return what a text, or a list of texts, stands for.

    Raises
    ------
    TypeError
        If it is neither, or a list where none is wanted.
    ValueError
        If it stands for something of another type.

    """
    if isinstance(value, str):
        return coerce_to_type(value, data_type, can_be_str=can_be_str)
    if not isinstance(value, list):
        raise TypeError(f'expected a text or a list of texts, found {value!r}')
    if data_type is None:
        return coerce_list(value, None, can_be_str=can_be_str)
    scalar, is_list = extract_type(data_type)
    if not is_list:
        raise TypeError(f'expected a text for one value of {data_type}, found {value!r}')
    return coerce_list(value, scalar, can_be_str=can_be_str)


def is_substitution(value: Any) -> bool:
    """Tell whether a value is a substitution, or a list of substitutions and texts."""
    return isinstance(value, Substitution) or (
        isinstance(value, list)
        and all(isinstance(each, (str, Substitution)) for each in value)
        and any(isinstance(each, Substitution) for each in value))


def is_normalized_substitution(value: Any) -> bool:
    """Tell whether a value is a list of substitutions."""
    return isinstance(value, list) and bool(value) and all(
        isinstance(each, Substitution) for each in value)


def normalize_typed_substitution(value: Any, data_type: Any) -> Any:
    """
    Return a value with its substitutions as lists.

    Parameters
    ----------
    value : value, substitution, or list of these
        What a user gave.
    data_type : type
        What it is to be, when the substitutions are performed.

    Raises
    ------
    TypeError
        If it can never be of that type.

    """
    if is_substitution(value):
        return normalize_to_list_of_substitutions(value)
    scalar = None
    is_list = isinstance(value, list)
    if data_type is not None:
        scalar, is_list = extract_type(data_type)
    if is_list and isinstance(value, list):
        parts = [normalize_to_list_of_substitutions(each) if is_substitution(each) else each
                 for each in value]
        plain = [each for each in parts if not is_normalized_substitution(each)]
        wanted = None if scalar is None else list[scalar]  # type: ignore[valid-type]
        if is_instance_of(plain, wanted):
            return parts
    elif is_instance_of(value, data_type):
        return value
    raise TypeError(f'expected {data_type}, or substitutions that give it, found {value!r}')


def perform_typed_substitution(context: LaunchContext, value: Any, data_type: Any) -> Any:
    """
    Return what a normalised value is in a context.

    Raises
    ------
    ValueError
        If it is of another type.

    """
    if is_normalized_substitution(value):
        return coerce_to_type(perform_substitutions(context, value), data_type)
    if isinstance(value, list):
        scalar = None if data_type is None else extract_type(data_type)[0]
        parts = [
            coerce_to_type(perform_substitutions(context, each), scalar)
            if is_normalized_substitution(each) else
            coerce_to_type(each, scalar) if isinstance(each, str) and scalar is not None else each
            for each in value]
        if is_instance_of(parts, data_type):
            return parts
    elif isinstance(value, str):
        return coerce_to_type(value, data_type)
    elif is_instance_of(value, data_type):
        return value
    else:
        raise TypeError(f'expected {data_type}, found {value!r}')
    raise ValueError(f'expected {data_type}, found {value!r}')


def truth(text: str) -> bool:
    """Return what a text means as YAML has it: true, yes, on, or 1, and their opposites."""
    cleaned = text.strip().lower()
    if cleaned in ('0', '1'):
        return cleaned == '1'
    found: bool = coerce_to_type(cleaned, bool)
    return found


def _is(value: Any, scalar: Any, can_be_str: bool) -> bool:
    return (type(value) in SCALARS if scalar is None else type(value) is scalar) or (
        can_be_str and isinstance(value, str))


def _read(text: str) -> Any:
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError:
        raise ValueError(f"'{text}' is no YAML") from None
    return text if found is None else found


def _floats(value: Any) -> Any:
    return float(value) if type(value) is int else value
