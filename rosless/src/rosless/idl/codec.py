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
CDR encoding of messages (plain XCDR1, little endian), by functions generated per type.

A run of fields of fixed size becomes one `struct` call; padding is worked out when the code is
generated, wherever the position is known. Positions count from the start of the buffer, whose
first four octets are the encapsulation header, so CDR aligns to ``position - 4``.

"""

from __future__ import annotations

from collections.abc import Callable
import gc
import struct
import sys
import threading
from typing import Any, TypeAlias

from rosless.dds.config import most_elements

from .codegen import compile_source, Reader, Writer
from .errors import DeserializationError
from .message import Message
from .resolve import message_class

HEADER = b'\x00\x01\x00\x00'
LARGE = 1 << 20  # octets; while more are read, no garbage is collected: all that is made is needed
Reading: TypeAlias = 'Callable[[Any, bytes, int, int, list[int]], int]'
_lock = threading.RLock()
_writers: dict[type, Callable[[Any, bytearray], None]] = {}
_readers: dict[type, Reading] = {}
_wholes: dict[type, Callable[[Any, bytes], bytes | None]] = {}

if sys.byteorder != 'little':
    raise ImportError('rosless needs a little-endian machine')


def serialize(message: Message, prefix: bytes = b'') -> bytes | bytearray:
    """
    Return the CDR octets of a message, with encapsulation header, padded to four octets.

    Parameters
    ----------
    message : Message
        The message.
    prefix : bytes
        What precedes the message in the payload (the header of a service call); its length must be
        a multiple of eight.

    """
    cls = type(message)
    if cls in _wholes:
        whole = _wholes[cls](message, HEADER + prefix)
        if whole is not None:
            return whole
    buffer = bytearray(HEADER)
    buffer += prefix
    write = _writers.get(cls) or writer(cls)
    write(message, buffer)
    tail = -len(buffer) & 3
    if tail:
        buffer += bytes(tail)
    return buffer


def deserialize(data: bytes, cls: Any, offset: int = 4, most: int | None = None) -> Any:
    """
    Return the message of type `cls` that CDR octets encode.

    Parameters
    ----------
    data : bytes
        Octets with encapsulation header.
    cls : type[Message]
        Class of the message.
    offset : int
        Where the message starts: 4, or more behind the header of a service call.
    most : int, optional
        How many strings and messages its sequences may hold in all; `most_elements` by default.

    Raises
    ------
    DeserializationError
        If the octets are cut short, a length in them is impossible, its sequences hold too
        many strings and messages, or the encapsulation is not plain little-endian CDR.

    """
    if not isinstance(data, (bytes, bytearray)):
        data = bytes(data)  # slices of other buffers make no arrays
    require_plain(data, cls)
    message = cls.__new__(cls)
    read = _readers.get(cls) or reader(cls)
    pause = len(data) > LARGE and gc.isenabled()
    if pause:
        gc.disable()
    try:
        read(message, data, offset, len(data), [most_elements() if most is None else most])
    except (struct.error, IndexError, ValueError) as error:
        raise DeserializationError(
            f'{cls.__module__}.{cls.__name__}: {len(data)} octets do not fit the type: {error}'
        ) from None
    finally:
        if pause:
            gc.enable()
    return message


def require_plain(data: bytes, cls: Any) -> None:
    """Refuse octets that do not begin as those of this machine do."""
    if data[:2] != b'\x00\x01':
        raise DeserializationError(
            f'{cls.__module__}.{cls.__name__}: encapsulation {bytes(data[:4]).hex()} is not plain '
            'little-endian CDR (0001....)'
        )


def writer(cls: type[Message]) -> Callable[[Any, bytearray], None]:
    """Return the function that appends a message of class `cls` to a buffer at any position."""
    with _lock:
        if cls not in _writers:
            source = Writer(cls._definition)
            namespace = {'writer': _nested_writer, 'Struct': struct.Struct}
            _writers[cls] = compile_source(source.text(), 'write', namespace)
        return _writers[cls]


def add_writer(
    cls: type[Message],
    write: Callable[[Any, bytearray], None],
    whole: Callable[[Any, bytes], bytes | None],
) -> None:
    """Let functions write the messages of a class: into a buffer, or all octets behind a head."""
    with _lock:
        _writers[cls], _wholes[cls] = write, whole


def reader(cls: type[Message]) -> Reading:
    """Return the function that fills a message from `data[position:end]`, see `codegen.Reader`."""
    with _lock:
        if cls not in _readers:
            source = Reader(cls._definition)
            namespace = {
                'reader': _nested_reader,
                'message_class': message_class,
                'Struct': struct.Struct,
            }
            _readers[cls] = compile_source(source.text(), 'read', namespace)
        return _readers[cls]


def _nested_writer(name: str) -> Callable[[Any, bytearray], None]:
    return writer(message_class(name))


def _nested_reader(name: str) -> Reading:
    return reader(message_class(name))
