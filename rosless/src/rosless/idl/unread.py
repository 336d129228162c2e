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

"""Messages that are read when a field of theirs is asked for; until then they are octets."""

from __future__ import annotations

import threading
from typing import Any

from . import codec
from .message import Message
from .octets import joined

_lock = threading.Lock()
_classes: dict[type, Any] = {}


def unread(data: bytes, cls: Any, offset: int = 4, most: int | None = None) -> Any:
    """
    Return a message without reading its octets; parameters are those of `codec.deserialize`.

    It is an instance of `cls`. What is wrong with the octets is raised when a field is asked for
    or changed. To write it while it is unread takes no longer than to copy its octets, a large
    one while other threads run, and its attribute `octets_unread` is their number, 0 once it was
    read.

    """
    codec.require_plain(data, cls)
    message = _class_of(cls).__new__(_class_of(cls))
    object.__setattr__(message, '_unread', (data, offset, most))
    return message


def _class_of(cls: Any) -> Any:
    with _lock:
        made = _classes.get(cls)
        if made is None:
            made = _classes[cls] = type(cls)(cls.__name__, (cls,), {
                '__slots__': ('_unread',), '__module__': cls.__module__, '_defaults': {},
                '__getattr__': _read_and_get, '__setattr__': _read_and_set,
                '__eq__': _equals, '__hash__': None,
                'octets_unread': property(_octets_unread)})
            type.__setattr__(made, '__slots__', cls.__slots__)  # by which messages are compared
            codec.add_writer(made, _writer(cls), _whole)
        return made


def _octets_unread(message: Any) -> int:
    return len(message._unread[0]) if message._unread else 0


def _read(message: Any) -> None:
    """Read a message that was not read yet."""
    waiting = message._unread
    if waiting is None:
        return
    data, offset, most = waiting
    cls: Any = type(message).__base__
    found = codec.deserialize(data, cls, offset, most)
    for slot in cls.__slots__:
        object.__setattr__(message, slot, getattr(found, slot))
    object.__setattr__(message, '_unread', None)


def _read_and_get(message: Any, name: str) -> Any:
    """Return a field that is not there yet."""
    if name == '_unread' or message._unread is None:
        raise AttributeError(f'{type(message).__name__!r} object has no attribute {name!r}')
    _read(message)
    return getattr(message, name)


def _read_and_set(message: Any, name: str, value: Any) -> None:
    _read(message)
    object.__setattr__(message, name, value)


def _equals(message: Any, other: Any) -> Any:
    if type(other) is type(message):
        return Message.__eq__(message, other)
    return other.__eq__(message)  # which is of a derived class


def _whole(message: Any, head: bytes) -> bytes | None:
    """Return `head` and the octets of a message that is unread; None if it was read."""
    waiting = message._unread
    if waiting is None or (len(head) - waiting[1]) % 8:  # numbers would not stay aligned
        return None
    data, offset, _ = waiting
    return joined(head, data, offset)


def _writer(cls: type[Message]) -> Any:
    plain = codec.writer(cls)

    def write(message: Any, buffer: bytearray) -> None:
        waiting = message._unread
        if waiting is not None and (len(buffer) - waiting[1]) % 8 == 0:  # numbers stay aligned
            data, offset, _ = waiting
            buffer += data[offset:]
            return
        _read(message)
        plain(message, buffer)

    return write
