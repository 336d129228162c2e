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

"""A tag of a launch file, with its attributes and what is in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_origin

from launch.frontend.expose import normalized

NAMES = {str: 'text', int: 'whole number', float: 'number', bool: 'true or false'}
TRUTH = {'true': True, 'false': False, '1': True, '0': False,
         'yes': True, 'no': False, 'on': True, 'off': False}   # as YAML has it


class EntityError(ValueError):
    """A tag of a launch file cannot be used; the message says where it is."""


class Entity:
    """
    A tag of a launch file.

    Parameters
    ----------
    type_name : str
        The tag.
    where : str
        File and line.
    attributes : mapping
        Names and values: texts, or plain values where the format has them (YAML).
    children : sequence of Entity
        The tags inside.
    is_typed : bool
        Whether the format tells numbers from texts, so that a text is none where a number is.

    """

    def __init__(
        self,
        type_name: str,
        where: str,
        attributes: Mapping[str, Any],
        children: Sequence[Entity] = (),
        *,
        is_typed: bool = False,
    ) -> None:
        self._type_name = type_name
        self.where = where
        self._attributes = {normalized(name): value for name, value in attributes.items()}
        self._children = list(children)
        self._is_typed = is_typed
        self._used: set[str] = set()
        self._children_used: set[str] = set()

    @property
    def type_name(self) -> str:
        """Return the tag."""
        return self._type_name

    @property
    def children(self) -> list[Entity]:
        """Return the tags inside."""
        self._children_used.update(child.type_name for child in self._children)
        return self._children

    def error(self, text: str) -> EntityError:
        """Return an error about this tag."""
        return EntityError(f'{self.where}: `{self.type_name}`: {text}')

    def get_attr(
        self, name: str, *, data_type: Any = str, optional: bool = False, can_be_str: bool = True,
    ) -> Any:
        """
        Return the value of an attribute, or the tags of that name.

        Parameters
        ----------
        name : str
            The attribute.
        data_type : type or None
            ``str``, ``int``, ``float``, ``bool``, a list of one of these, ``List[Entity]`` for
            the tags inside, or None for a value of any type.
        optional : bool
            Whether to return None where it is missing.
        can_be_str : bool
            Whether a text that holds ``$(...)`` is returned where another type is asked for.

        Raises
        ------
        EntityError
            If it is missing or not of the type.

        """
        if get_origin(data_type) is list and get_args(data_type)[0] is Entity:
            found: Any = [child for child in self._children
                          if normalized(child.type_name) == normalized(name)]
            self._children_used.update(child.type_name for child in found)
            found = found or None
        else:
            found = self._attributes.get(normalized(name))
            self._used.add(normalized(name))
            if found is not None:
                found = self._checked(name, found, data_type, can_be_str)
        if found is None and not optional:
            raise self.error(f"attribute '{name}' is missing "
                             f"(given: {', '.join(self._attributes) or 'none'})")
        return found

    def assert_entity_completely_parsed(self) -> None:
        """Raise EntityError if there is an attribute or a tag that nobody has looked at."""
        unused = sorted(set(self._attributes) - self._used)
        if unused:
            raise self.error(f"unexpected attribute(s): {', '.join(unused)} "
                             f"(known: {', '.join(sorted(self._used))})")
        tags = sorted({child.type_name for child in self._children} - self._children_used)
        if tags:
            raise self.error(f"unexpected nested tag(s): {', '.join(tags)}")

    def _checked(self, name: str, value: Any, data_type: Any, can_be_str: bool) -> Any:
        if data_type is None:
            return value
        if get_origin(data_type) is list:
            separator = self.get_attr(f'{name}-sep', optional=True)
            parts = value.split(separator) if separator is not None else value
            if not isinstance(parts, list):
                parts = [parts]
            return [self._checked(name, part, get_args(data_type)[0], can_be_str)
                    for part in parts]
        if isinstance(value, data_type) and not (data_type is not bool and value is True):
            return value
        if data_type is float and type(value) is int:
            return float(value)
        if isinstance(value, str):
            if can_be_str and '$(' in value:
                return value
            try:
                return _from_text(value, data_type)
            except ValueError:
                pass
        hint = ': put quotes around it' if self._is_typed and data_type is str else ''
        raise self.error(f"attribute '{name}' must be a {NAMES[data_type]}, found {value!r}{hint}")


def _from_text(text: str, data_type: Any) -> Any:
    if data_type is not bool:
        return data_type(text)
    word = text.strip().lower()
    if word not in TRUTH:
        raise ValueError
    return TRUTH[word]
