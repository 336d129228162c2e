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

"""What the tags of launch stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from launch import actions
from launch.action import Action
from launch.conditions import IfCondition
from launch.conditions import UnlessCondition
from launch.frontend.entity import Entity
from launch.frontend.expose import ACTIONS
from launch.frontend.expose import expose_action
from launch.frontend.parser import Parser
from launch.frontend.substitutions import loop_values
from launch.substitution import Substitution
from launch.substitutions.text_substitution import TextSubstitution

QUOTES = '\'"'

# Tag -> (action, {attribute: (argument, type, optional)})
Attributes = dict[str, tuple[str, Any, bool]]
TABLE: dict[str, tuple[Callable[..., Action], Attributes]] = {
    'append_env': (actions.AppendEnvironmentVariable, {
        'name': ('name', str, False), 'value': ('value', str, False),
        'prepend': ('prepend', bool, True), 'separator': ('separator', str, True)}),
    'let': (actions.SetLaunchConfiguration, {
        'name': ('name', str, False), 'value': ('value', str, False)}),
    'log_debug': (actions.LogDebug, {'message': ('msg', str, False)}),
    'log_error': (actions.LogError, {'message': ('msg', str, False)}),
    'log_info': (actions.LogInfo, {'message': ('msg', str, False)}),
    'log_warning': (actions.LogWarning, {'message': ('msg', str, False)}),
    'pop_env': (actions.PopEnvironment, {}),
    'pop_launch_configurations': (actions.PopLaunchConfigurations, {}),
    'push_env': (actions.PushEnvironment, {}),
    'push_launch_configurations': (actions.PushLaunchConfigurations, {}),
    'reset_env': (actions.ResetEnvironment, {}),
    'set_env': (actions.SetEnvironmentVariable, {
        'name': ('name', str, False), 'value': ('value', str, False)}),
    'set_launch_log_dir': (actions.SetLaunchLogDir, {'new_log_dir': ('new_log_dir', str, False)}),
    'shutdown': (actions.Shutdown, {'reason': ('reason', str, True)}),
    'unlet': (actions.UnsetLaunchConfiguration, {'name': ('name', str, False)}),
    'unset_env': (actions.UnsetEnvironmentVariable, {'name': ('name', str, False)}),
}


def common(entity: Entity, parser: Parser) -> dict[str, Any]:
    """Return the arguments that every action takes: the condition of ``if`` or ``unless``."""
    conditions = [(kind, entity.get_attr(name, data_type=None, optional=True))
                  for name, kind in (('if', IfCondition), ('unless', UnlessCondition))]
    given = [(kind, value) for kind, value in conditions if value is not None]
    if not given:
        return {}
    if len(given) > 1:
        raise entity.error("'if' and 'unless' cannot be used together")
    ((kind, value),) = given
    return {'condition': kind(parser.parse_substitution(str(value)))}


def from_table(
    make: Callable[..., Action], attributes: Attributes,
) -> Callable[[Entity, Parser], Action]:
    """Return the function that makes an action of attributes with fixed types."""
    def parse(entity: Entity, parser: Parser) -> Action:
        arguments = common(entity, parser)
        for attribute, (argument, kind, optional) in attributes.items():
            value = entity.get_attr(attribute, data_type=kind, optional=optional)
            if value is not None:
                arguments[argument] = parser.parse_if_substitutions(value)
        return make(**arguments)
    return parse


for _tag, (_make, _attributes) in TABLE.items():
    ACTIONS[_tag] = from_table(_make, _attributes)


@expose_action('arg')
def _arg(entity: Entity, parser: Parser) -> Action:
    default = entity.get_attr('default', optional=True)
    choices = entity.get_attr('choice', data_type=list[Entity], optional=True)
    return actions.DeclareLaunchArgument(
        entity.get_attr('name'),
        default_value=None if default is None else parser.parse_substitution(default),
        description=entity.get_attr('description', optional=True),
        choices=None if choices is None else [choice.get_attr('value') for choice in choices],
        **common(entity, parser))


@expose_action('log')
def _log(entity: Entity, parser: Parser) -> Action:
    level = entity.get_attr('level', optional=True)
    message = parser.parse_substitution(entity.get_attr('message'))
    if level is None:
        return actions.LogInfo(msg=message, **common(entity, parser))
    return actions.Log(msg=message, level=parser.parse_substitution(level),
                       **common(entity, parser))


@expose_action('group')
def _group(entity: Entity, parser: Parser) -> Action:
    arguments = common(entity, parser)
    for name in ('scoped', 'forwarding'):
        value = entity.get_attr(name, data_type=bool, optional=True, can_be_str=False)
        if value is not None:
            arguments[name] = value
    kept = entity.get_attr('keep', data_type=list[Entity], optional=True) or []
    return actions.GroupAction(
        parser.parse_actions([child for child in entity.children if child not in kept]),
        launch_configurations={
            item.get_attr('name'): parser.parse_substitution(item.get_attr('value'))
            for item in kept},
        **arguments)


@expose_action('include')
def _include(entity: Entity, parser: Parser) -> Action:
    given = [item for tag in ('arg', 'let')
             for item in entity.get_attr(tag, data_type=list[Entity], optional=True) or []]
    pairs = []
    for item in given:
        pairs.append((parser.parse_substitution(item.get_attr('name')),
                      parser.parse_substitution(item.get_attr('value'))))
        item.assert_entity_completely_parsed()
    return actions.IncludeLaunchDescription(
        parser.parse_substitution(entity.get_attr('file')), launch_arguments=pairs,
        **common(entity, parser))


@expose_action('timer')
def _timer(entity: Entity, parser: Parser) -> Action:
    return actions.TimerAction(**timer_arguments(entity, parser))


@expose_action('reset')
def _reset(entity: Entity, parser: Parser) -> Action:
    kept = entity.get_attr('keep', data_type=list[Entity], optional=True) or []
    return actions.ResetLaunchConfigurations(
        {item.get_attr('name'): parser.parse_substitution(item.get_attr('value'))
         for item in kept}, **common(entity, parser))


@expose_action('for')
def _for(entity: Entity, parser: Parser) -> Action:
    name = entity.get_attr('name')
    inner = entity.children

    def body(index: int) -> list[Action]:
        with loop_values({name: str(index)}):
            return parser.parse_actions(inner)

    body(0)  # so that mistakes are found before anything runs
    return actions.ForLoop(parser.parse_substitution(str(entity.get_attr('len', data_type=None))),
                           function=body, **common(entity, parser))


@expose_action('for_each')
def _for_each(entity: Entity, parser: Parser) -> Action:
    inner = entity.children

    def body(**values: Any) -> list[Action]:
        with loop_values({name: str(value) for name, value in values.items()}):
            return parser.parse_actions(inner)

    return actions.ForEach(parser.parse_substitution(entity.get_attr('values')), function=body,
                           **common(entity, parser))


@expose_action('executable')
def _executable(entity: Entity, parser: Parser) -> Action:
    arguments = process_arguments(entity, parser)
    shell = arguments.get('shell') is True
    name = entity.get_attr('name', optional=True)
    if name is not None:
        arguments['name'] = parser.parse_substitution(name)
    return actions.ExecuteProcess(
        cmd=words(parser.parse_substitution(entity.get_attr('cmd')), quotes=not shell),
        **arguments)


def timer_arguments(entity: Entity, parser: Parser) -> dict[str, Any]:
    """Return the arguments of an action that waits."""
    period = entity.get_attr('period', data_type=float)
    return {'period': parser.parse_if_substitutions(period),
            'actions': parser.parse_actions(entity.children), **common(entity, parser)}


def process_arguments(entity: Entity, parser: Parser) -> dict[str, Any]:
    """Return the arguments of every action that runs a program."""
    arguments = common(entity, parser)
    for attribute, argument, kind in (
            ('cwd', 'cwd', str), ('launch-prefix', 'prefix', str), ('output', 'output', str),
            ('respawn', 'respawn', bool), ('respawn_delay', 'respawn_delay', float),
            ('respawn_max_retries', 'respawn_max_retries', int), ('shell', 'shell', bool),
            ('emulate_tty', 'emulate_tty', bool), ('sigkill_timeout', 'sigkill_timeout', float),
            ('sigterm_timeout', 'sigterm_timeout', float)):
        value = entity.get_attr(attribute, data_type=kind, optional=True,
                                can_be_str=attribute in ('respawn',))
        if value is not None:
            if attribute.endswith('_timeout'):
                value = str(value)
            arguments[argument] = parser.parse_if_substitutions(value)
    on_exit = entity.get_attr('on_exit', optional=True)
    if on_exit is not None:
        if on_exit != 'shutdown':
            raise ValueError(f"the attribute on_exit of '{entity.type_name}' can be 'shutdown', "
                             f"found '{on_exit}'")
        arguments['on_exit'] = [actions.Shutdown()]
    variables = entity.get_attr('env', data_type=list[Entity], optional=True)
    if variables:
        arguments['additional_env'] = {
            tuple(parser.parse_substitution(item.get_attr('name'))):
                parser.parse_substitution(item.get_attr('value')) for item in variables}
    return arguments


def words(parts: list[Substitution], *, quotes: bool = True) -> list[list[Substitution]]:
    """
    Return a command line as words.

    Parameters
    ----------
    parts : list of Substitution
        The line; it is divided at blanks of plain texts only.
    quotes : bool
        Whether quotes keep words together, and are dropped.

    """
    found: list[list[Substitution]] = []
    word: list[Substitution] = []
    plain, quote, begun = '', '', False

    def flush() -> None:
        nonlocal plain
        if plain:
            word.append(TextSubstitution(text=plain))
        plain = ''

    for character in _characters(parts):
        if isinstance(character, Substitution):
            flush()
            word.append(character)
            begun = True
        elif quote:
            plain, quote = (plain, '') if character == quote else (plain + character, quote)
        elif quotes and character in QUOTES:
            quote, begun = character, True
        elif not character.isspace():
            plain, begun = plain + character, True
        elif begun:
            flush()
            found.append(word or [TextSubstitution(text='')])
            word, begun = [], False
    if quote:
        raise ValueError(f'a quote ({quote}) is not closed')
    flush()
    return [*found, word or [TextSubstitution(text='')]] if begun else found


def _characters(parts: list[Substitution]) -> Iterator[str | Substitution]:
    for part in parts:
        if isinstance(part, TextSubstitution):
            yield from part.text
        else:
            yield part
