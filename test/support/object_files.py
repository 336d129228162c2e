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


"""What objects in an archive define and what they need of others, read without binutils."""

from pathlib import Path
import struct

FROM_LIBM = ('sin', 'cos', 'sincos', 'tanh')
FROM_LIBC = ('memset', 'memcpy')
OF_COMPILERS = ('__aeabi_memset', '__aeabi_memcpy', '__aeabi_memclr')
"""What libraries of 32-bit ARM call ``memset`` and ``memcpy``, some with an alignment behind."""
_UNDEFINED = 0


def members(archive: Path) -> dict[str, bytes]:
    """Return the members of an ``ar`` archive by name, without its index."""
    data, at, found, names = archive.read_bytes(), 8, {}, b''
    assert data[:8] == b'!<arch>\n'
    while at < len(data):
        name, size = data[at:at + 16].rstrip(), int(data[at + 48:at + 58])
        body = data[at + 60:at + 60 + size]
        if name == b'//':
            names = body
        elif name != b'/':
            if name[:1] == b'/':
                name = names[int(name[1:]):].partition(b'/')[0]
            found[name.rstrip(b'/').decode()] = body
        at += 60 + size + size % 2
    return found


def elf_symbols(data: bytes) -> tuple[set[str], set[str]]:
    """Return the names that an ELF object defines for others, and those that it needs."""
    assert data[:4] == b'\x7fELF' and data[5] == 1, 'a little-endian ELF file'
    wide = data[4] == 2
    first, = struct.unpack_from('<Q' if wide else '<I', data, 0x28 if wide else 0x20)
    size, count = struct.unpack_from('<HH', data, 0x3a if wide else 0x2e)
    shape = '<IIQQQQIIQQ' if wide else '<10I'
    sections = [struct.unpack_from(shape, data, first + k * size) for k in range(count)]
    defined: set[str] = set()
    needed: set[str] = set()
    for _, kind, _, _, at, length, link, _, _, step in sections:
        if kind != 2:   # SHT_SYMTAB
            continue
        names = sections[link][4]
        for place in range(at + step, at + length, step):
            if wide:
                name, info, _, section = struct.unpack_from('<IBBH', data, place)
            else:
                name, _, _, info, _, section = struct.unpack_from('<IIIBBH', data, place)
            if info >> 4 == 0:   # STB_LOCAL
                continue
            text = data[names + name:data.index(b'\0', names + name)].decode()
            (needed if section == _UNDEFINED else defined).add(text)
    return defined, needed


def outside(archive: Path) -> tuple[set[str], set[str]]:
    """
    Return what the objects of an archive define, and what they need that nobody should have.

    Everybody has ``FROM_LIBM``, in single precision as well, and ``FROM_LIBC``.
    """
    defined: set[str] = set()
    needed: set[str] = set()
    for data in members(archive).values():
        own, others = elf_symbols(data)
        defined |= own
        needed |= others
    known = {*FROM_LIBM, *(f'{one}f' for one in FROM_LIBM), *FROM_LIBC}
    return defined, {one for one in needed - defined - known
                     if not one.startswith(OF_COMPILERS)}
