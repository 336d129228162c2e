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

"""Octets put together while other threads run."""

from __future__ import annotations

import ctypes as ct

LARGE = 1 << 18  # octets; to copy more keeps the interpreter for a tenth of a millisecond, or many


def address_of(data: bytes | bytearray) -> int:
    """Return where the octets are; who asks keeps `data` and changes nothing there."""
    if isinstance(data, bytearray):
        return ct.addressof(ct.c_char.from_buffer(data))
    return ct.cast(ct.c_char_p(data), ct.c_void_p).value or 0


def joined(head: bytes, data: bytes, begin: int) -> bytes:
    """
    Return `head`, what `data` holds from `begin` on, and zeros up to a multiple of four octets.

    Large ones are copied while other threads run.

    """
    rest = max(len(data) - begin, 0)
    tail = -(len(head) + rest) & 3
    if rest <= LARGE:
        return head + data[begin:] + bytes(tail)
    whole = bytes(len(head) + rest + tail)  # pages that nobody has touched, and nobody knows yet
    address = address_of(whole)
    ct.memmove(address, head, len(head))
    ct.memmove(address + len(head), address_of(data) + begin, rest)
    return whole
