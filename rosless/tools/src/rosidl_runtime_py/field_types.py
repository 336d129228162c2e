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

"""Read the names of field types, as ``get_fields_and_field_types`` of a message spells them."""

from __future__ import annotations

import re
from typing import NamedTuple

SEQUENCE = re.compile(r'sequence<(?P<element>.+?)(?:, (?P<size>\d+))?>')
ARRAY = re.compile(r'(?P<element>.+)\[(?P<size>\d+)\]')
STRING = re.compile(r'(w?string)(?:<\d+>)?')


class FieldType(NamedTuple):
    """
    Type of a field.

    Attributes
    ----------
    element : str
        Type of the value, or of each value of an array or sequence.
    kind : str
        ``'scalar'``, ``'array'`` (of fixed length) or ``'sequence'``.
    size : int or None
        Length of an array, upper bound of a sequence.

    """

    element: str
    kind: str
    size: int | None

    @property
    def is_message(self) -> bool:
        """Whether the values are messages."""
        return '/' in self.element

    @property
    def message_name(self) -> str:
        """Full name of the message, ``package/msg/Name``."""
        package, _, name = self.element.rpartition('/')
        return f"{package.removesuffix('/msg')}/msg/{name}"


def parse_field_type(text: str) -> FieldType:
    """Return the parts of a type such as ``sequence<geometry_msgs/Point, 5>``."""
    for kind, pattern in (('sequence', SEQUENCE), ('array', ARRAY)):
        match = pattern.fullmatch(text)
        if match is not None:
            size = match['size']
            return FieldType(_plain(match['element']), kind, int(size) if size else None)
    return FieldType(_plain(text), 'scalar', None)


def _plain(element: str) -> str:
    match = STRING.fullmatch(element)
    return match[1] if match is not None else element
