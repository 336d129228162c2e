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

"""Names of frames in messages, with a text in front of them as robot_state_publisher has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
import re
from typing import Any, NamedTuple

FRAMES = ('frame_id', 'child_frame_id')
"""Fields that name a frame, in every package of messages."""
NESTED = re.compile(r'(?:sequence<)?(\w+)/(\w+)(\[|>|,|$)')
"""Type of a field that is a message or several: package, name, and what tells them apart."""


class Inner(NamedTuple):
    """A field whose messages name frames, or messages in them do."""

    field: str
    several: bool


class Places(NamedTuple):
    """Where messages of one type name frames: in fields of their own, and further in."""

    own: tuple[str, ...]
    inner: tuple[Inner, ...]


@cache
def places(kind: Any) -> Places:
    """
    Return where messages of a type name frames.

    Parameters
    ----------
    kind : type
        Class of a message, or of the request or answer of a service.

    Returns
    -------
    Places
        Both empty where they name none.

    """
    own, inner = [], []
    for field, text in kind.get_fields_and_field_types().items():
        nested = NESTED.match(text)
        if nested is not None:
            package, name, rest = nested.groups()
            if any(places(getattr(import_module(f'{package}.msg'), name))):
                inner.append(Inner(field, bool(rest)))
        elif field in FRAMES:
            own.append(field)
    return Places(tuple(own), tuple(inner))


def add_prefix(message: Any, prefix: str) -> Callable[[], None]:
    """
    Put a text in front of the names of all frames in a message.

    Parameters
    ----------
    message : message
        It is changed. Empty names stay empty.
    prefix : str
        The text.

    Returns
    -------
    callable
        Takes the text off again.

    """
    names = list(_names(message))
    for one, field, name in names:
        setattr(one, field, name and prefix + name)

    def undo() -> None:
        for one, field, name in names:
            setattr(one, field, name)
    return undo


def remove_prefix(message: Any, prefix: str) -> None:
    """
    Take a text from the front of the names of all frames in a message.

    Parameters
    ----------
    message : message
        It is changed. Empty names stay empty; one that does not begin with the text is a frame
        of somebody else, and says so from then on.
    prefix : str
        The text.

    """
    for one, field, name in list(_names(message)):
        setattr(one, field, name[len(prefix):] if name.startswith(prefix) else
                name and f'{name} without {prefix}')


def _names(message: Any) -> Iterator[tuple[Any, str, str]]:
    """Yield the fields of a message that name a frame: what has it, its name, and the frame."""
    for one in _holders(message).values():
        for field in places(one.__class__).own:
            yield one, field, getattr(one, field)


def _holders(message: Any) -> dict[int, Any]:
    """Return the messages in a message that name a frame themselves, each once, by identity."""
    own, inner = places(message.__class__)
    found = {id(message): message} if own else {}
    for field, several in inner:
        value = getattr(message, field)
        for one in value if several else (value,):
            found.update(_holders(one))
    return found
