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

"""Static libraries: ``ar`` archives with the index that linkers ask for, as GNU writes them."""

from __future__ import annotations

from collections.abc import Sequence

_MAGIC = b'!<arch>\n'
LONGEST = 15
"""Characters of the name of a member."""


def archive(members: Sequence[tuple[str, bytes, Sequence[str]]]) -> bytes:
    """
    Return an archive of object files.

    Parameters
    ----------
    members : sequence of (str, bytes, sequence of str)
        Name, of ``LONGEST`` ASCII characters at most; object code; names that it defines.

    Returns
    -------
    bytes
        The same for the same members: dates and owners are zero.

    """
    names = b''.join(name.encode() + b'\0' for _, _, defined in members for name in defined)
    count = sum(len(defined) for _, _, defined in members)
    index = _member('', bytes(4 + 4 * count) + names)
    offsets, place = [], len(_MAGIC) + len(index)
    bodies = []
    for name, code, defined in members:
        offsets += [place] * len(defined)
        bodies.append(_member(name, code))
        place += len(bodies[-1])
    numbers = b''.join(number.to_bytes(4, 'big') for number in (count, *offsets))
    return b''.join([_MAGIC, _member('', numbers + names), *bodies])


def _member(name: str, data: bytes) -> bytes:
    assert len(name) <= LONGEST, name
    head = f'{name + "/":<16}{0:<12}{0:<6}{0:<6}{"644":<8}{len(data):<10}`\n'.encode()
    return head + data + b'\n' * (len(data) % 2)
