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


def check_is_valid_msg_type(msg_type: Any) -> None:
    """Raise `NoTypeSupportImportedException` unless it is the class of a message."""
    if not (
        inspect.isclass(msg_type)
        and issubclass(msg_type, Message)
        and hasattr(msg_type, '_definition')
    ):
        raise NoTypeSupportImportedException(f'{msg_type!r} is not a message class')


def check_is_valid_srv_type(srv_type: Any) -> None:
    """Raise `NoTypeSupportImportedException` unless it is the class of a service."""
    parts = (getattr(srv_type, part, None) for part in ('Request', 'Response'))
    if not all(hasattr(part, '_definition') for part in parts):
        raise NoTypeSupportImportedException(f'{srv_type!r} is not a service class')


def check_is_valid_action_type(action_type: Any) -> None:
    """Raise `NoTypeSupportImportedException` unless it is the class of an action."""
    if not hasattr(getattr(action_type, 'Impl', None), 'SendGoalService'):
        raise NoTypeSupportImportedException(f'{action_type!r} is not an action class')


def check_for_type_support(msg_or_srv_type: Any) -> None:
    """Raise `NoTypeSupportImportedException` unless it is the class of an interface."""
    if hasattr(msg_or_srv_type, 'Request'):
        check_is_valid_srv_type(msg_or_srv_type)
    elif hasattr(msg_or_srv_type, 'Goal'):
        check_is_valid_action_type(msg_or_srv_type)
    else:
        check_is_valid_msg_type(msg_or_srv_type)
