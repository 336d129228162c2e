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

"""Make a launch description of the entities of a launch file."""

from __future__ import annotations

import difflib
import importlib.metadata as importlib_metadata
import io
import os
from typing import Any, IO
import warnings

from launch.action import Action
from launch.frontend.entity import Entity
from launch.frontend.entity import EntityError
from launch.frontend.expose import ACTIONS
from launch.frontend.expose import entry_points
from launch.frontend.expose import load_entry_points
from launch.frontend.expose import load_extensions
from launch.frontend.expose import make
from launch.frontend.expose import normalized
from launch.frontend.parse_substitution import parse_if_substitutions
from launch.frontend.parse_substitution import parse_substitution
from launch.frontend.parse_substitution import SubstitutionSyntaxError
from launch.frontend.read_xml import read_xml
from launch.frontend.read_yaml import read_yaml
from launch.launch_description import LaunchDescription
from launch.substitution import Substitution

__all__ = ['Parser', 'importlib_metadata']
READERS = {'.xml': read_xml, '.yaml': read_yaml, '.yml': read_yaml}
ROOT = 'launch'
STREAM = '<stream>'


class Parser:
    """Makes actions of entities."""

    parsers: dict[str, Any] = {}
    """Of formats that other packages offer, by the extension of files."""

    def __init__(self) -> None:
        load_extensions()

    @classmethod
    def load(cls, file: str | os.PathLike[str] | IO[Any]) -> tuple[Entity, Any]:
        """
        Return the outermost entity of a file, and a parser for it.

        Parameters
        ----------
        file : path, or open stream
            The extension of its name tells the format; a stream without a name holds XML if it
            begins with ``<``, and YAML otherwise.

        Raises
        ------
        EntityError
            If it cannot be read as that format.
        OSError
            If there is no such file.

        """
        cls.load_parser_implementations()
        if isinstance(file, (str, os.PathLike)):
            name, content = os.fspath(file), None
        else:
            name, content = getattr(file, 'name', None) or STREAM, file.read()
        extension = os.path.splitext(str(name))[1]
        if extension in cls.parsers:
            other = cls.parsers[extension]
            return other.load(io.StringIO(content) if isinstance(content, str) else file)
        if extension not in READERS:
            begin = (content or '').lstrip()[:1] if content is not None else ''
            extension = '.xml' if begin in ('<', b'<') else '.yaml'
        return READERS[extension](str(name), content), cls()

    @classmethod
    def load_launch_extensions(cls) -> None:
        """Have other packages expose actions and substitutions."""
        load_entry_points()

    @classmethod
    def load_parser_implementations(cls) -> None:
        """Find the parsers of formats that other packages offer, by entry points."""
        for point in entry_points('launch.frontend.parser'):
            try:
                found = point.load()
            except Exception as error:
                warnings.warn(f"Failed to load the parser implementation '{point.name}': {error}",
                              stacklevel=2)
                continue
            for extension in found.get_file_extensions():
                cls.parsers[f".{extension.lstrip('.')}"] = found

    @classmethod
    def is_extension_valid(cls, extension: str) -> bool:
        """Tell whether files with this extension can be read."""
        return f".{extension.lstrip('.')}" in {*READERS, *cls.parsers}

    @classmethod
    def get_available_extensions(cls) -> list[str]:
        """Return the extensions of files that can be read, without dots."""
        cls.load_parser_implementations()
        return [each.lstrip('.') for each in {**READERS, **cls.parsers}]

    def parse_substitution(self, value: Any) -> list[Substitution]:
        """Return the parts of a text with ``$(...)``."""
        return parse_substitution(value)

    def parse_if_substitutions(self, value: Any) -> Any:
        """Return the parts of a text with ``$(...)``; other values as they are."""
        return parse_if_substitutions(value)

    def parse_action(self, entity: Entity) -> Action:
        """
        Return the action that an entity stands for.

        Raises
        ------
        EntityError
            If there is none of that name, or an attribute is wrong.

        """
        exposed = ACTIONS.get(normalized(entity.type_name))
        if exposed is None:
            near = difflib.get_close_matches(normalized(entity.type_name), ACTIONS, n=1)
            hint = f", did you mean '{near[0]}'?" if near else ''
            raise EntityError(
                f"{entity.where}: Unrecognized entity of the type: '{entity.type_name}'{hint}")
        try:
            action: Action = make(exposed, entity, self)
        except EntityError:
            raise
        except (SubstitutionSyntaxError, TypeError, ValueError, RuntimeError) as error:
            raise entity.error(str(error)) from error
        entity.assert_entity_completely_parsed()
        return action

    def parse_actions(self, entities: list[Entity]) -> list[Action]:
        """Return the actions that entities stand for."""
        return [self.parse_action(entity) for entity in entities]

    def parse_description(self, entity: Entity) -> LaunchDescription:
        """Return the description that the outermost entity of a file stands for."""
        if entity.type_name != ROOT:
            raise EntityError(f"{entity.where}: expected '{ROOT}' as the outermost entity, found "
                              f"'{entity.type_name}'")
        entity.get_attr('version', data_type=None, optional=True)
        description = LaunchDescription(
            self.parse_actions(entity.children),
            deprecated_reason=entity.get_attr('deprecated', optional=True))
        entity.assert_entity_completely_parsed()
        return description
