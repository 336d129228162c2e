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

"""What the tags and ``$(...)`` of launch_ros in launch files stand for."""

from __future__ import annotations

from typing import Any

from launch.action import Action
from launch.frontend import Entity
from launch.frontend import expose_action
from launch.frontend import Parser
from launch.frontend.actions import common
from launch.frontend.actions import from_table
from launch.frontend.actions import process_arguments
from launch.frontend.actions import timer_arguments
from launch.frontend.actions import words
from launch.frontend.expose import ACTIONS
from launch.frontend.substitutions import counted
from launch_ros import actions
from launch_ros.parameter_descriptions import ParameterFile
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage
from launch_ros.substitutions import FindPackagePrefix
from launch_ros.substitutions import FindPackageShare
from launch_ros.substitutions import Parameter as ParameterSubstitution

TYPES: dict[str, Any] = {
    'bool': bool, 'float': float, 'int': int, 'str': str, 'list_of_bool': list[bool],
    'list_of_float': list[float], 'list_of_int': list[int], 'list_of_str': list[str]}
COMPOSABLE = ('composable nodes are not available in rosless: they are shared libraries in C++, '
              'which need a ROS 2 installation. Run the node with <node>')

counted('exec_in_pkg', ExecutableInPackage, 2, 2)
counted('find_pkg_prefix', FindPackagePrefix, 1, 1)
counted('find_pkg_share', FindPackageShare, 1, 1)
counted('param', lambda name, *default: ParameterSubstitution(
    name, default=default[0] if default else None), 1, 2)

ACTIONS['push_ros_namespace'] = from_table(
    actions.PushROSNamespace, {'namespace': ('namespace', str, False)})
ACTIONS['set_parameters_from_file'] = from_table(
    actions.SetParametersFromFile, {'filename': ('filename', str, False)})
ACTIONS['set_remap'] = from_table(
    actions.SetRemap, {'from': ('src', str, False), 'to': ('dst', str, False)})
ACTIONS['set_ros_log_dir'] = from_table(
    actions.SetROSLogDir, {'new_log_dir': ('new_log_dir', str, False)})
ACTIONS['set_use_sim_time'] = from_table(
    actions.SetUseSimTime, {'value': ('value', bool, False)})


@expose_action('node')
def _node(entity: Entity, parser: Parser) -> Action:
    return actions.Node(**node_arguments(entity, parser))


@expose_action('lifecycle_node')
def _lifecycle_node(entity: Entity, parser: Parser) -> Action:
    arguments = node_arguments(entity, parser)
    if 'name' not in arguments:
        raise entity.error("attribute 'name' is missing")
    arguments.setdefault('namespace', '')
    return actions.LifecycleNode(**arguments)


@expose_action('ros_timer')
def _ros_timer(entity: Entity, parser: Parser) -> Action:
    return actions.ROSTimer(**timer_arguments(entity, parser))


@expose_action('set_parameter')
def _set_parameter(entity: Entity, parser: Parser) -> Action:
    value = entity.get_attr('value', data_type=None)
    return actions.SetParameter(
        parser.parse_substitution(entity.get_attr('name')), _parts(value, parser),
        **common(entity, parser))


@expose_action('lifecycle_transition')
def _lifecycle_transition(entity: Entity, parser: Parser) -> Action:
    found = {tag: [item.get_attr(attribute, data_type=None) for item in entity.get_attr(
        tag, data_type=list[Entity])]
        for tag, attribute in (('target', 'name'), ('transition', 'id'))}
    return actions.LifecycleTransition(
        lifecycle_node_names=[parser.parse_substitution(name) for name in found['target']],
        transition_ids=[parser.parse_substitution(str(item)) for item in found['transition']],
        **common(entity, parser))


def _composable(entity: Entity, parser: Parser) -> Action:
    raise entity.error(COMPOSABLE)


for _tag in ('composable_node', 'load_composable_node', 'node_container'):
    ACTIONS[_tag] = _composable


def node_arguments(entity: Entity, parser: Parser) -> dict[str, Any]:
    """Return the arguments of an action that runs a node."""
    arguments = process_arguments(entity, parser)
    arguments['package'] = parser.parse_substitution(entity.get_attr('pkg'))
    arguments['executable'] = parser.parse_substitution(entity.get_attr('exec'))
    for attribute in ('name', 'namespace', 'exec_name'):
        value = entity.get_attr(attribute, optional=True)
        if value is not None:
            arguments[attribute] = parser.parse_substitution(value)
    for attribute, argument in (('args', 'arguments'), ('ros_args', 'ros_arguments')):
        value = entity.get_attr(attribute, optional=True)
        if value is not None:
            arguments[argument] = words(parser.parse_substitution(value))
    arguments['remappings'] = [
        tuple(parser.parse_substitution(item.get_attr(side)) for side in ('from', 'to'))
        for item in entity.get_attr('remap', data_type=list[Entity], optional=True) or []]
    arguments['parameters'] = [
        _parameter(item, parser)
        for item in entity.get_attr('param', data_type=list[Entity], optional=True) or []]
    return arguments


def _parameter(entity: Entity, parser: Parser) -> Any:
    """Return a parameter, a nest of them, or a file."""
    path = entity.get_attr('from', optional=True)
    substitutions = entity.get_attr('allow_substs', data_type=bool, optional=True,
                                    can_be_str=False)
    if path is not None:
        if entity.get_attr('name', optional=True) is not None:
            raise entity.error("'name' and 'from' are mutually exclusive")
        entity.assert_entity_completely_parsed()
        return ParameterFile(parser.parse_substitution(path), allow_substs=bool(substitutions))
    name = entity.get_attr('name')
    nested = entity.get_attr('param', data_type=list[Entity], optional=True)
    if nested is not None:
        return _nested(parser.parse_substitution(name), nested, parser)
    value = _value(entity, parser)
    entity.assert_entity_completely_parsed()
    return {tuple(parser.parse_substitution(name)): value}


def _nested(name: Any, entities: list[Entity], parser: Parser) -> dict[Any, Any]:
    inner: dict[Any, Any] = {}
    for entity in entities:
        inner.update(_parameter(entity, parser))
    return {tuple(name): inner}


def _value(entity: Entity, parser: Parser) -> Any:
    """Return the value of a parameter; of a text the type that YAML sees, or that is asked for."""
    value = entity.get_attr('value', data_type=None)
    named = entity.get_attr('type', optional=True)
    separator = entity.get_attr('value-sep', optional=True)
    if named is not None and named not in TYPES:
        raise entity.error(f"the type '{named}' is not known (known: {', '.join(TYPES)})")
    if isinstance(value, str) and separator is not None:
        value = value.split(separator)
    kind = TYPES.get(named or '')
    return ParameterValue(_parts(value, parser), value_type=kind)


def _parts(value: Any, parser: Parser) -> Any:
    """Return a text as its parts, also each of a list; other values as they are."""
    if isinstance(value, str):
        return parser.parse_substitution(value)
    if isinstance(value, list):
        return [_parts(each, parser) for each in value]
    return value
