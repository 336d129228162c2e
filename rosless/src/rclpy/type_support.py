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

"""Checks whether classes are those of messages, services or actions, and names for annotations."""

from __future__ import annotations

import inspect
from typing import Any

from rosless.idl.message import Message

from .exceptions import NoTypeSupportImportedException

Msg = Message
Srv = Any
Action = Any
FeedbackMessage = Any
SendGoalService = Any
GetResultService = Any
OTHERS = {
    'message': 'service or action',
    'service': 'message or action',
    'action': 'message or service',
}


def check_is_valid_msg_type(msg_type: Any) -> None:
    """
    Check that something is the class of a message.

    Raises
    ------
    AttributeError
        If it is not the class of an interface at all.
    RuntimeError
        If it is that of a service or an action.

    """
    _check(msg_type, 'message')


def check_is_valid_srv_type(srv_type: Any) -> None:
    """Check that something is the class of a service; raises as `check_is_valid_msg_type`."""
    _check(srv_type, 'service')


def check_is_valid_action_type(action_type: Any) -> None:
    """Check that something is the class of an action; raises as `check_is_valid_msg_type`."""
    _check(action_type, 'action')


def check_for_type_support(msg_or_srv_type: Any) -> None:
    """Raise AttributeError or NoTypeSupportImportedException unless it is an interface's class."""
    if _kind(msg_or_srv_type) is None:
        if getattr(type(msg_or_srv_type), '_TYPE_SUPPORT', msg_or_srv_type) is None:
            raise NoTypeSupportImportedException()  # generated, but it could not be imported
        raise AttributeError(
            f'{msg_or_srv_type!r} has no type support: it is not the class of a message, service '
            'or action. This might be a ROS 1 message type but it should be a ROS 2 message type.'
        )


def _check(interface: Any, wanted: str) -> None:
    check_for_type_support(interface)
    if _kind(interface) != wanted:
        raise RuntimeError(
            f'The {wanted} type provided is not valid ({interface}), '
            f'this might be a {OTHERS[wanted]}'
        )


def _kind(interface: Any) -> str | None:
    """Return what a class is the class of."""
    if inspect.isclass(interface) and issubclass(interface, Message):
        return 'message' if hasattr(interface, '_definition') else None
    parts = (getattr(interface, part, None) for part in ('Request', 'Response'))
    if all(hasattr(part, '_definition') for part in parts):
        return 'service'
    return 'action' if hasattr(getattr(interface, 'Impl', None), 'SendGoalService') else None
