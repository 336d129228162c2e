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

"""Messages from YAML on the command line."""

from __future__ import annotations

from typing import Any

from rosidl_runtime_py import set_message_fields
import yaml


def parse(text: str) -> dict[str, Any]:
    """
    Return the dictionary that a text in YAML stands for.

    Raises
    ------
    RuntimeError
        If the text is no YAML, or no dictionary.

    """
    try:
        values = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise RuntimeError(f'The passed value is not valid YAML: {error}') from error
    if values in (None, ''):
        return {}
    if not isinstance(values, dict):
        raise RuntimeError('The passed value needs to be a dictionary in YAML format, '
                           f"found '{text}'")
    return values


def fill(message: Any, text: str) -> list[Any]:
    """
    Set the fields of a message from YAML.

    Returns
    -------
    list of callable
        They set time stamps that were given as ``auto`` or ``now``; each takes the time.

    Raises
    ------
    RuntimeError
        If the values do not fit the message.

    """
    values = parse(text)
    try:
        return set_message_fields(
            message, values, expand_header_auto=True, expand_time_now=True)
    except (AttributeError, TypeError, ValueError) as error:
        raise RuntimeError(f'Failed to populate field: {error}') from error


def load(find: Any, name: str, kind: str) -> Any:
    """
    Return the class of an interface.

    Parameters
    ----------
    find : callable
        ``get_message``, ``get_service`` or ``get_action``.
    name : str
        Name that the user gave.
    kind : str
        For the message: ``'message'``, ``'service'`` or ``'action'``.

    Raises
    ------
    RuntimeError
        If there is no such interface.

    """
    try:
        return find(name)
    except (AttributeError, ImportError, ValueError) as error:
        raise RuntimeError(f"The passed {kind} type is invalid: '{name}' ({error})") from error
