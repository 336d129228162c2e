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

"""Calls of services, actions and topics as the commands that make them."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from mbd_ros.messages.fields.plain_data import write_plain


def service_call(kind: type, name: str, request: Any) -> str:
    """Return the command that calls a service of a type with a request."""
    return f'ros2 service call {name} {_type_name(kind)} {_text(request)}'


def goal_command(kind: type, name: str, goal: Any) -> str:
    """Return the command that sends a goal to an action of a type."""
    return f'ros2 action send_goal {name} {_type_name(kind)} {_text(goal)}'


def publication(kind: type, name: str, message: Any) -> str:
    """Return the command that publishes a message of a type once."""
    return f'ros2 topic pub --once {name} {_type_name(kind)} {_text(message)}'


def parameter_command(node: str, name: str, value: Any) -> str:
    """Return the command that sets a parameter of a node."""
    text = value if isinstance(value, str) else write_plain(value)
    return f'ros2 param set {node} {name} {shlex.quote(text)}'


def _type_name(kind: type) -> str:
    """Return a type as commands name it, such as ``std_srvs/srv/SetBool``."""
    package, category, *_ = kind.__module__.split('.')
    return f'{package}/{category}/{kind.__name__}'


def _text(message: Any) -> str:
    return shlex.quote(write_plain(_plain(message)))


def _plain(value: Any) -> Any:
    """Return a message as mappings, without the fields that have their default."""
    if hasattr(value, 'get_fields_and_field_types'):
        default = type(value)()
        return {name: _plain(getattr(value, name)) for name in value.get_fields_and_field_types()
                if _differs(getattr(value, name), getattr(default, name))}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value


def _differs(value: Any, default: Any) -> bool:
    return bool(np.any(np.asarray(value) != np.asarray(default))) if isinstance(
        value, np.ndarray) else bool(value != default)
