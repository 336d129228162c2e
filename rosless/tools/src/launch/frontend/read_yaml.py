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

"""Read launch files in YAML."""

from __future__ import annotations

from typing import Any

from launch.frontend.entity import Entity
from launch.frontend.entity import EntityError
import yaml


def read_yaml(path: str, content: str | bytes | None = None) -> Entity:
    """
    Return the outermost entity of a file, or of a content that was read from it.

    An entity is a mapping with one key, its name. Below that is a list of entities, or a mapping:
    lists of mappings in it are entities of that name, the list ``children`` holds entities of
    any name, all else are attributes.

    Raises
    ------
    EntityError
        If the file is no YAML or has another structure.
    OSError
        If it cannot be read.

    """
    if content is None:
        with open(path, encoding='utf-8') as file:
            content = file.read()
    try:
        root = yaml.compose(content, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, 'problem_mark', None)
        line = f':{mark.line + 1}' if mark else ''
        raise EntityError(f"{path}{line}: not YAML: {getattr(error, 'problem', error)}") from error
    if not isinstance(root, yaml.MappingNode) or len(root.value) != 1:
        raise EntityError(f"{path}:1: a launch file in YAML holds one key, 'launch'")
    return _named(root, path)


def _named(node: Any, path: str) -> Entity:
    where = _where(node, path)
    if not isinstance(node, yaml.MappingNode) or len(node.value) != 1:
        raise EntityError(f'{where}: expected an entity: a mapping with one key')
    key, content = node.value[0]
    return _entity(str(key.value), content, path, where)


def _entity(name: str, content: Any, path: str, where: str) -> Entity:
    attributes: dict[str, Any] = {}
    children: list[Entity] = []
    if isinstance(content, yaml.SequenceNode):
        children = [_named(item, path) for item in content.value]
    elif isinstance(content, yaml.MappingNode):
        for key, value in content.value:
            if key.value == 'children' and isinstance(value, yaml.SequenceNode):
                children += [_named(item, path) for item in value.value]
            elif _is_list_of_mappings(value):
                children += [_entity(str(key.value), item, path, _where(item, path))
                             for item in value.value]
            else:
                attributes[str(key.value)] = _plain(value, path)
    elif content.tag != 'tag:yaml.org,2002:null':
        raise EntityError(f'{where}: `{name}`: expected attributes or a list of entities, found '
                          f"'{content.value}'")
    return Entity(name, where, attributes, children, is_typed=True)


def _is_list_of_mappings(node: Any) -> bool:
    return isinstance(node, yaml.SequenceNode) and bool(node.value) and all(
        isinstance(item, yaml.MappingNode) for item in node.value)


def _plain(node: Any, path: str) -> Any:
    constructor: Any = yaml.constructor.SafeConstructor()
    try:
        return constructor.construct_document(node)
    except yaml.YAMLError as error:
        raise EntityError(f'{_where(node, path)}: {error}') from error


def _where(node: Any, path: str) -> str:
    return f'{path}:{node.start_mark.line + 1}'
