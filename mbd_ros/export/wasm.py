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
WebAssembly that runs: modules of LLVM linked into one object, and that object made complete.

LLVM writes an object that is a module already but for three things: memory, stack pointer and
table of functions are imported for a linker to give, and nothing is exported (the tool conventions
of WebAssembly on linking). A linker of several objects would have to move code and data; with all
modules in one object everything has its place.

"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

from mbd_ros.execution.ir.machine_code import emit

PAGE = 65536
"""Bytes of a page of memory."""
STACK = 1 << 20
"""Bytes of the stack, behind the data; what callers use begins behind it."""
HEAD = b'\0asm\1\0\0\0'
TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, ELEMENT, CODE, DATA, COUNT = (
    1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12)
"""Numbers of sections; 0 is a custom one."""
_ORDER = (TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, ELEMENT, COUNT, CODE, DATA)
_KINDS = {'function': 0, 'table': 1, 'memory': 2, 'global': 3}
_I32, _FUNCTIONS = b'\x7f', b'\x70'
_SYMBOLS = 8
"""The part of the section ``linking`` that names what is where."""
_UNDEFINED, _NAMED = 0x10, 0x40
"""Flags of symbols."""


def bitcode(module: Any, machine: Any) -> bytes:
    """Return a module of LLVM for ``linked``, with the triple and layout of the machine."""
    module.verify()
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    return bytes(module.as_bitcode())


def linked(codes: Sequence[bytes], machine: Any) -> bytes:
    """Return the object of modules that use each other, given as ``bitcode``."""
    whole, *others = map(llvm.parse_bitcode, codes)
    for module in others:
        whole.link_in(module)
    return emit(whole, machine, False)


def runnable(code: bytes, functions: Sequence[str]) -> bytes:
    """
    Return a module of WebAssembly that engines run.

    It imports what the object leaves open, functions of module ``env``, and exports functions,
    ``memory`` and ``__heap_base``, the first address that callers may use.

    Parameters
    ----------
    code : bytes
        An object, as of ``linked``.
    functions : sequence of str
        Names of those that are exported.

    """
    sections = {kind: content for kind, content in _sections(code) if kind}
    symbols = next(content for kind, content in _sections(code)
                   if not kind and content.startswith(b'\x07linking'))
    places = _functions(_Reader(symbols, 8))
    kept, pages = _imports(_Reader(sections[IMPORT]))
    top = pages * PAGE + STACK
    sections[IMPORT] = _vector(kept)
    if ELEMENT in sections:   # of functions that are called by address; number 0 is null
        sections[TABLE] = _vector([_FUNCTIONS + b'\0' + _unsigned(1 + _called(sections[ELEMENT]))])
    sections[MEMORY] = _vector([b'\0' + _unsigned(top // PAGE + 1)])
    start = b'\x41' + _signed(top) + b'\x0b'
    sections[GLOBAL] = _vector([_I32 + b'\1' + start, _I32 + b'\0' + start])
    sections[EXPORT] = _vector([
        _export('memory', 'memory', 0), _export('__heap_base', 'global', 1),
        *(_export(name, 'function', places[name]) for name in functions)])
    return HEAD + b''.join(bytes([kind]) + _unsigned(len(sections[kind])) + sections[kind]
                           for kind in _ORDER if kind in sections)


def _imports(reader: _Reader) -> tuple[list[bytes], int]:
    """Return imported functions, and how many pages the data takes."""
    kept, pages = [], 0
    for _ in range(reader.unsigned()):
        first = reader.place
        reader.text()
        reader.text()
        kind = reader.byte()
        if kind == _KINDS['function']:
            reader.unsigned()
            kept.append(reader.data[first:reader.place])
            continue
        if kind == _KINDS['global']:
            reader.place += 2
            continue
        reader.place += kind == _KINDS['table']
        bounded, least = reader.byte(), reader.unsigned()
        if bounded & 1:
            reader.unsigned()
        if kind == _KINDS['memory']:
            pages = least
    return kept, pages


def _called(elements: bytes) -> int:
    """Return how many functions are called by address, from the only segment there is."""
    reader = _Reader(elements, 3)   # one segment, of table 0, at a constant
    reader.unsigned()
    reader.byte()   # end of the constant
    return reader.unsigned()


def _functions(reader: _Reader) -> dict[str, int]:
    """Return the numbers of functions by their names; section ``linking`` of an object."""
    reader.unsigned()   # its version
    found: dict[str, int] = {}
    while reader.place < len(reader.data):
        kind, size = reader.byte(), reader.unsigned()
        end = reader.place + size
        for _ in range(reader.unsigned() if kind == _SYMBOLS else 0):
            what, flags = reader.byte(), reader.unsigned()
            there = not flags & _UNDEFINED
            if what == 1:   # data
                reader.text()
                for _ in range(3 if there else 0):
                    reader.unsigned()
                continue
            number = reader.unsigned()
            if what != 3 and (there or flags & _NAMED):   # not a section
                name = reader.text()
                if what == 0 and there:
                    found[name] = number
        reader.place = end
    return found


def _sections(code: bytes) -> Iterator[tuple[int, bytes]]:
    reader = _Reader(code, len(HEAD))
    while reader.place < len(code):
        kind, size = reader.byte(), reader.unsigned()
        yield kind, code[reader.place:reader.place + size]
        reader.place += size


@dataclass
class _Reader:
    """Reads numbers and names of WebAssembly from ``place`` on."""

    data: bytes
    place: int = 0

    def byte(self) -> int:
        """Return the next byte."""
        self.place += 1
        return self.data[self.place - 1]

    def unsigned(self) -> int:
        """Return the next number (LEB128)."""
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self) -> str:
        """Return the next name."""
        size = self.unsigned()
        self.place += size
        return self.data[self.place - size:self.place].decode()


def _unsigned(value: int) -> bytes:
    out = b''
    while value >= 0x80:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def _signed(value: int) -> bytes:
    """Return a number that is not negative, as signed LEB128."""
    out = b''
    while value >= 0x40:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def _vector(entries: Sequence[bytes]) -> bytes:
    return _unsigned(len(entries)) + b''.join(entries)


def _export(name: str, kind: str, number: int) -> bytes:
    return (_unsigned(len(name.encode())) + name.encode() + bytes([_KINDS[kind]])
            + _unsigned(number))
