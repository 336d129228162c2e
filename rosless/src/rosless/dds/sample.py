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

"""Samples: what is written, and what was taken and stays with DDS until somebody reads it."""

from __future__ import annotations

import ctypes as ct
from typing import Any

from cyclonedds.core import DDSException
from rosless.idl.octets import address_of, LARGE

from .library import c, quick

ANY_STATE = 0x7F


class Octets(ct.Structure):
    """Where octets are and how many; `dds_write` gets this for the types of the wheel."""

    _fields_ = (('address', ct.c_void_p), ('size', ct.c_size_t))


class Info(ct.Structure):
    """What DDS says about a sample, its `dds_sample_info_t`."""

    _fields_ = (
        ('sample_state', ct.c_uint32),
        ('view_state', ct.c_uint32),
        ('instance_state', ct.c_uint32),
        ('valid_data', ct.c_bool),
        ('source_timestamp', ct.c_int64),
        ('instance_handle', ct.c_uint64),
        ('publication_handle', ct.c_uint64),
        ('counts', ct.c_uint32 * 5),
    )


class Copied:
    """
    A sample that was taken and copied.

    Attributes
    ----------
    size : int
        How many octets it has, with encapsulation header.
    source_timestamp : int
        When it was written [ns].
    publication_handle : int
        Instance handle of the writer.

    """

    __slots__ = ('_data', 'publication_handle', 'size', 'source_timestamp')

    def __init__(self, data: bytes, info: Any) -> None:
        self._data = data
        self.size = len(data)
        self.source_timestamp: int = info.source_timestamp
        self.publication_handle: int = info.publication_handle

    def octets(self, count: int | None = None) -> bytes:
        """Return the first `count` octets, or all."""
        return self._data if count is None else self._data[:count]


class Left:
    """
    A sample that was taken, but whose octets stay with DDS until they are asked for.

    That keeps nobody waiting who only takes a large one, or looks at its beginning. Taking a small
    one is dearer than copying it. The attributes are those of `Copied`.

    """

    __slots__ = ('_data', 'publication_handle', 'size', 'source_timestamp')

    def __init__(self, data: int, info: Info) -> None:
        self._data = data
        self.size: int = quick.ddsi_serdata_size(data)
        self.source_timestamp: int = info.source_timestamp
        self.publication_handle: int = info.publication_handle

    def octets(self, count: int | None = None) -> bytes:
        """Return the first `count` octets, or all."""
        wanted = self.size if count is None else min(count, self.size)
        if wanted > LARGE:  # while other threads run; nobody else has these octets yet
            data = bytes(wanted)
            c.ddsi_serdata_to_ser(self._data, 0, wanted, data)
            return data
        place = Octets()
        reference = ct.byref(place)
        quick.ddsi_serdata_to_ser_ref(self._data, 0, wanted, reference)
        try:
            return ct.string_at(place.address or 0, wanted)
        finally:
            quick.ddsi_serdata_to_ser_unref(self._data, reference)

    def __del__(self) -> None:
        quick.ddsi_serdata_unref(self._data)


def take_and_leave(reader: int, topic: str) -> Left | None:
    """
    Take the next sample of a DDS reader; None if there is none.

    Raises
    ------
    DDSException
        If the reader has been deleted.

    """
    data, info = ct.c_void_p(), Info()
    while True:
        count = quick.dds_takecdr(reader, ct.byref(data), 1, ct.byref(info), ANY_STATE)
        if count == 0:
            return None
        if count < 0:
            raise DDSException(count, f'Occurred while reading {topic}')
        sample = Left(data.value or 0, info)
        if info.valid_data:
            return sample


def write(writer: int, data: bytes | bytearray) -> Any:
    """Write octets, while other threads run; return the code of `dds_write`."""
    place = Octets(address_of(data), len(data))
    return c.dds_write(writer, ct.byref(place))
