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

"""
A digest of all that code follows from in a model.

All fields of the model and of all records in it are part of it, whichever a program reads today,
except for those of ``WITHOUT_EFFECT``. A field that is added to a record counts at once.

"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
import functools
import hashlib
import pickle
import struct
from typing import Any

import numpy as np

from mbd_ros.description.records.finding import Finding, Source
from mbd_ros.description.records.mechanism import Joint, Mechanism
from mbd_ros.model import Model
from mbd_ros.model.caches import owned

_LIMIT = 'a limit of commands and searches: no program that is kept on disk reads it'
WITHOUT_EFFECT = {
    'name': 'says what the robot is called',
    'generation': 'a number in answers, which grows with every change of a robot',
    'findings': 'what the reader remarked',
    'lower': _LIMIT, 'upper': _LIMIT, 'velocity_limits': _LIMIT, 'effort_limits': _LIMIT,
    'mechanism': 'the description that the other fields were made from; of robots that bend it '
                 'counts, since frames of their sections are looked up in it',
}
"""Fields of the model that no code follows from, each with the reason; a test holds them."""
WORDING = {
    Mechanism: ('name', 'findings', 'file', 'text', 'generation', 'packages'),
    Joint: ('limits',),
}
"""Fields of the description that say where and how it was described, or are limits."""
REMARKS = (Finding, Source)
"""Records, inside of others, that say where something was described."""


class NotKnownError(Exception):
    """Something whose content cannot be told, such as a function without a name."""


@owned()
def model_digest(model: Model) -> bytes:
    """
    Return a digest of all of a model that programs may read.

    Raises
    ------
    NotKnownError
        If a force law holds something whose content cannot be told.

    """
    parts: list[bytes] = []
    for name in _names_of(Model):
        if name not in WITHOUT_EFFECT or (name == 'mechanism' and model.elastic is not None):
            parts.append(name.encode())
            _content(getattr(model, name), parts)
    return hashlib.blake2b(b''.join(parts), digest_size=20).digest()


@functools.cache
def _names_of(kind: type) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass that count."""
    return tuple(field.name for field in fields(kind) if field.name not in WORDING.get(kind, ()))


def _content(value: object, parts: list[bytes]) -> None:
    """Add octets that differ for values that differ: of each its kind, its size and itself."""
    kind: Any = type(value)
    if kind is float:
        parts.append(b'f' + struct.pack('<d', value))
    elif kind is np.ndarray:
        assert isinstance(value, np.ndarray)
        if value.dtype.hasobject:
            raise NotKnownError(f'an array of {value.dtype}')
        parts.append(f'a{value.dtype.str}{value.shape}'.encode())
        parts.append(value.tobytes())
    elif isinstance(value, tuple):
        parts.append(f'({kind.__qualname__}{len(value)}'.encode())
        for one in value:
            _content(one, parts)
    elif isinstance(value, REMARKS):
        parts.append(b'-')
    elif value is None or kind in (int, bool, str, bytes) or isinstance(value, Enum):
        text = repr(value).encode()
        parts.append(f'{kind.__qualname__}{len(text)} '.encode() + text)
    elif isinstance(value, np.generic) and not value.dtype.hasobject:
        parts.append(f'g{value.dtype.str}'.encode() + value.tobytes())
    elif isinstance(value, Mapping):
        parts.append(f'm{len(value)}'.encode())
        for key, one in value.items():
            _content((key, one), parts)
    elif isinstance(value, frozenset):
        inside: list[list[bytes]] = [[] for _ in value]
        for one, found in zip(value, inside):
            _content(one, found)
        _content(tuple(sorted(map(b''.join, inside))), parts)
    elif is_dataclass(value):
        names = _names_of(kind)
        more = {name: one for name, one in getattr(value, '__dict__', {}).items()
                if name not in kind.__dataclass_fields__}
        parts.append(f'd{kind.__module__}.{kind.__qualname__}{len(names)}'.encode())
        for name in names:
            _content(getattr(value, name), parts)
        if more:
            parts.append(_pickled(more))
    else:
        parts.append(_pickled(value))


def _pickled(value: object) -> bytes:
    """Return what is kept of an object of any other class."""
    try:
        found = pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError):
        raise NotKnownError(f'a value of type {type(value).__qualname__}') from None
    return f'p{len(found)} '.encode() + found
