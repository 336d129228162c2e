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

"""Making the Python classes of one interface text."""

from __future__ import annotations

from typing import Any

from .definition import Field, FieldType, MessageDefinition
from .errors import InterfaceNotFound
from .message import make_message_class
from .parse import parse_action, parse_message, parse_service
from .resolve import interface_class, set_builder
from .. import interfaces

__all__ = ['build', 'interface_class']
EVENT = '_Event'  # behind the name of a service: the message about its calls
PARTS = {
    'srv': ('_Request', '_Response'),
    'action': (
        '_Goal',
        '_Result',
        '_Feedback',
        '_SendGoal_Request',
        '_SendGoal_Response',
        '_SendGoal',
        '_GetResult_Request',
        '_GetResult_Response',
        '_GetResult',
        '_FeedbackMessage',
    ),
}


def build(name: str) -> dict[str, Any]:
    """
    Return the classes that the text of an interface defines, by their full names.

    Raises
    ------
    InterfaceNotFound
        If no text on the search path defines `name`.
    InterfaceError
        If the text is wrong.

    """
    package, kind, base = interfaces.split_name(name)
    if kind != 'msg' and base.endswith(EVENT) and not interfaces.exists(name):
        return {name: _event_class(name.removesuffix(EVENT))}
    for suffix in PARTS.get(kind, ()):
        if base.endswith(suffix) and not interfaces.exists(f'{package}/{kind}/{base}'):
            base = base[: -len(suffix)]
            break
    whole = f'{package}/{kind}/{base}'
    text = interfaces.interface_text(whole)
    if kind == 'msg':
        classes = {whole: make_message_class(parse_message(whole, text))}
    elif kind == 'srv':
        service = parse_service(whole, text)
        classes = _service_classes(whole, service.request, service.response)
    else:
        classes = _action_classes(whole, text)
    if name not in classes:
        raise InterfaceNotFound(f'{whole} does not define {name}')
    return classes


class _ServiceMeta(type):
    """Type of service classes, which only carry their messages; few need that of the events."""

    def __getattr__(cls, name: str) -> Any:
        if name == 'Event':
            return interface_class(f'{cls._interface_name}{EVENT}')
        raise AttributeError(f'type object {cls.__name__!r} has no attribute {name!r}')

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError('Service classes can not be instantiated')


class _ActionMeta(type):
    """Type of action classes, which only carry their messages."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError('Action classes can not be instantiated')


def _service_classes(
    name: str, request: MessageDefinition, response: MessageDefinition
) -> dict[str, Any]:
    package, kind, base = name.split('/')
    request_class, response_class = make_message_class(request), make_message_class(response)
    service = _ServiceMeta(
        base,
        (),
        {
            '__module__': f'{package}.{kind}',
            '__doc__': f"Service class '{base}'.",
            'Request': request_class,
            'Response': response_class,
            '_interface_name': name,
        },
    )
    return {
        name: service,
        f'{name}_Request': request_class,
        f'{name}_Response': response_class,
    }


def _event_class(name: str) -> Any:
    """Return the class of the messages about calls of a service; see REP 2012."""
    interface_class(name)  # raises InterfaceNotFound if there is no such service
    return make_message_class(
        MessageDefinition(
            name + EVENT,
            (
                Field('info', FieldType('service_msgs/msg/ServiceEventInfo')),
                Field('request', FieldType(f'{name}_Request', 'sequence', 1)),
                Field('response', FieldType(f'{name}_Response', 'sequence', 1)),
            ),
        )
    )


def _action_classes(name: str, text: str) -> dict[str, Any]:
    action = parse_action(name, text)
    goal_id = Field('goal_id', FieldType('unique_identifier_msgs/msg/UUID'))
    stamp = Field('stamp', FieldType('builtin_interfaces/msg/Time'))
    classes: dict[str, Any] = {
        f'{name}_Goal': make_message_class(action.goal),
        f'{name}_Result': make_message_class(action.result),
        f'{name}_Feedback': make_message_class(action.feedback),
        f'{name}_FeedbackMessage': make_message_class(
            MessageDefinition(
                f'{name}_FeedbackMessage',
                (goal_id, Field('feedback', FieldType(f'{name}_Feedback'))),
            )
        ),
    }
    classes |= _service_classes(
        f'{name}_SendGoal',
        MessageDefinition(
            f'{name}_SendGoal_Request', (goal_id, Field('goal', FieldType(f'{name}_Goal')))
        ),
        MessageDefinition(
            f'{name}_SendGoal_Response', (Field('accepted', FieldType('bool')), stamp)
        ),
    )
    classes |= _service_classes(
        f'{name}_GetResult',
        MessageDefinition(f'{name}_GetResult_Request', (goal_id,)),
        MessageDefinition(
            f'{name}_GetResult_Response',
            (
                Field('status', FieldType('int8')),
                Field('result', FieldType(f'{name}_Result')),
            ),
        ),
    )
    classes[name] = _action_class(name, classes)
    return classes


def _action_class(name: str, classes: dict[str, Any]) -> Any:
    package, kind, base = name.split('/')
    implementation = type(
        'Impl',
        (),
        {
            '__doc__': 'The services and topics an action consists of.',
            'SendGoalService': classes[f'{name}_SendGoal'],
            'GetResultService': classes[f'{name}_GetResult'],
            'FeedbackMessage': classes[f'{name}_FeedbackMessage'],
            'CancelGoalService': interface_class('action_msgs/srv/CancelGoal'),
            'GoalStatusMessage': interface_class('action_msgs/msg/GoalStatusArray'),
        },
    )
    return _ActionMeta(
        base,
        (),
        {
            '__module__': f'{package}.{kind}',
            '__doc__': f"Action class '{base}'.",
            'Goal': classes[f'{name}_Goal'],
            'Result': classes[f'{name}_Result'],
            'Feedback': classes[f'{name}_Feedback'],
            'Impl': implementation,
            '_interface_name': name,
        },
    )


set_builder(build)
