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

"""Generation of the Python source of CDR writers and readers."""

from __future__ import annotations

import array
from collections.abc import Callable
from struct import calcsize
from typing import Any

from . import checks
from .definition import FieldType, MessageDefinition, NUMBERS
from .resolve import message_class

SCALARS = {'bool': ('?', 1), 'byte': ('c', 1)} | {k: v[:2] for k, v in NUMBERS.items()}


def compile_source(source: str, name: str, namespace: dict[str, Any]) -> Callable[..., Any]:
    """Compile generated source and return the function `name` in it."""
    namespace |= {'array': array.array, 'text16': text16}
    if 'numpy.' in source:
        namespace['numpy'] = checks.numpy()
    exec(compile(source, f'<cdr {name}>', 'exec'), namespace)
    return namespace[name]


def text16(data: bytes) -> str:
    """Return the string of a wide string's octets, one UTF-16 unit in every four octets."""
    units = array.array('I', data)
    if units and max(units) > 0xFFFF:
        raise ValueError('a wide character above 0xFFFF')
    return array.array('H', units).tobytes().decode('utf-16-le', 'replace')


class _Generator:
    """
    What writer and reader share: lines, constants, and what is known of the position.

    The position is known to be ``offset`` modulo ``modulus``; a pending run collects fields of
    fixed size that go into one `struct` call.

    """

    def __init__(self, definition: MessageDefinition) -> None:
        self.definition = definition
        self.lines: list[str] = []
        self.setup: list[str] = []
        self.modulus, self.offset = 1, 0
        self.format = ''
        self.items: list[str] = []
        self.count = 0
        self.indent = '    '

    def line(self, text: str) -> None:
        """Add a line to the body."""
        self.lines.append(self.indent + text)

    def constant(self, prefix: str, expression: str) -> str:
        """Add a module-level constant and return its name."""
        name = self.fresh(prefix)
        self.setup.append(f'{name} = {expression}')
        return name

    def fresh(self, prefix: str) -> str:
        """Return a name not used yet."""
        self.count += 1
        return f'{prefix}{self.count}'

    def forget(self, modulus: int = 1) -> None:
        """Note that the position is now only known to be a multiple of `modulus`."""
        self.modulus, self.offset = modulus, 0

    def align(self, size: int) -> None:
        """Add padding so that the position is a multiple of `size`."""
        if size == 1:
            return
        if self.modulus >= size:
            pad = -self.offset % size
            if pad:
                self.format += f'{pad}x'
                self.offset = (self.offset + pad) % self.modulus
            return
        self.flush()
        self.dynamic_align(size)
        self.forget(size)

    def scalar(self, code: str, size: int, item: str, count: int = 1) -> None:
        """Add `count` values of fixed size to the pending run."""
        self.align(size)
        self.format += f'{count}{code}' if count > 1 else code
        self.items.append(item)
        self.offset = (self.offset + size * count) % self.modulus

    def flush(self) -> None:
        """Emit the pending run."""
        raise NotImplementedError

    def dynamic_align(self, size: int) -> None:
        """Emit padding that depends on the position at run time."""
        raise NotImplementedError

    def struct(self, method: str) -> tuple[str, int]:
        """Return the `struct` function for the pending run and its size; start a new run."""
        name = self.constant('_S', f'Struct("<{self.format}").{method}')
        size = calcsize(f'<{self.format}')
        self.format, self.items = '', []
        return name, size

    def fields(self, definition: MessageDefinition, owner: str) -> None:
        """Emit all fields of a message held by the variable `owner`."""
        if not definition.fields:
            self.scalar('B', 1, self.dummy(owner))
        for field in definition.fields:
            self.field(f'{owner}._{field.name}', field.type)

    def dummy(self, owner: str) -> str:
        """Return the item that stands for the octet of an empty message."""
        raise NotImplementedError

    def field(self, place: str, kind: FieldType) -> None:
        """Emit one field."""
        raise NotImplementedError


class Writer(_Generator):
    """Source of ``write(message, buffer)``."""

    def text(self) -> str:
        """Return the source."""
        self.fields(self.definition, 'm')
        self.flush()
        return '\n'.join([*self.setup, 'def write(m, b):', *self.lines, ''])

    def dummy(self, owner: str) -> str:
        return '0'

    def flush(self) -> None:
        if self.format:
            items = ', '.join(self.items)
            self.line(f"b += {self.struct('pack')[0]}({items})")

    def dynamic_align(self, size: int) -> None:
        if size == 8:
            self.line('b += bytes(4 - len(b) & 7)')
        else:
            self.line(f'b += bytes(-len(b) & {size - 1})')

    def field(self, place: str, kind: FieldType) -> None:
        if kind.kind == 'scalar':
            self.element(place, kind)
        elif kind.kind == 'sequence':
            self.sequence(place, kind)
        elif kind.is_number:
            size = NUMBERS[kind.base][1]
            self.align(size)
            self.flush()
            self.line(f'b += {place}.tobytes()')
            self.offset = (self.offset + size * (kind.size or 0)) % self.modulus
        elif kind.base in SCALARS:
            self.scalar(SCALARS[kind.base][0], 1, f'*{place}', kind.size or 0)
        else:
            self.loop(place, kind)

    def element(self, place: str, kind: FieldType) -> None:
        """Emit a scalar, a string or a nested message."""
        if kind.base in SCALARS:
            code, size = SCALARS[kind.base]
            self.scalar(code, size, place)
        elif kind.is_message:
            name = self.fresh('m')
            self.line(f'{name} = {place}')
            self.fields(message_class(kind.base)._definition, name)
        else:
            self.align(4)
            value = self.fresh('s')
            if kind.base == 'string':
                self.line(f'{value} = {place}.encode()')
                self.scalar('I', 4, f'len({value}) + 1')
                self.flush()
                self.line(f'b += {value}')
                self.line("b += b'\\0'")
                self.forget()
            else:
                self.line(f"{value} = array('I', array('H', {place}.encode('utf-16-le')))")
                self.scalar('I', 4, f'len({value})')
                self.flush()
                self.line(f'b += {value}.tobytes()')
                self.forget(4)

    def sequence(self, place: str, kind: FieldType) -> None:
        """Emit a sequence: its length, then its elements."""
        value = self.fresh('v')
        self.line(f'{value} = {place}')
        self.scalar('I', 4, f'len({value})')
        self.flush()
        if kind.is_number:
            size = NUMBERS[kind.base][1]
            if size == 8:
                self.line(f'if {value}:')
                self.line('    b += bytes(4 - len(b) & 7)')
            self.line(f'b += {value}.tobytes()')
            self.forget(min(size, 4))
        elif kind.base == 'bool':
            self.line(f'b += bytes({value})')
            self.forget()
        elif kind.base == 'byte':
            self.line(f"b += b''.join({value})")
            self.forget()
        else:
            self.loop(value, kind)

    def loop(self, place: str, kind: FieldType) -> None:
        """Emit a loop over strings or messages."""
        self.flush()
        self.forget()
        item = self.fresh('e')
        if kind.is_message:
            write = self.constant('_W', f'writer({kind.base!r})')
            self.line(f'for {item} in {place}:')
            self.line(f'    {write}({item}, b)')
            return
        self.line(f'for {item} in {place}:')
        self.indent += '    '
        self.element(item, FieldType(kind.base))
        self.flush()
        self.indent = self.indent[:-4]
        self.forget()


class Reader(_Generator):
    """
    Source of ``read(message, data, position, end, left) -> position``.

    ``left[0]`` is how many more strings and messages sequences may hold: what is counted before
    it is made costs nothing.
    """

    def text(self) -> str:
        """Return the source."""
        self.fields(self.definition, 'm')
        self.flush()
        body = [*self.setup, 'def read(m, b, p, end, left):', *self.lines, '    return p', '']
        return '\n'.join(body)

    def dummy(self, owner: str) -> str:
        return '_'

    def flush(self) -> None:
        if self.format:
            items = ', '.join(self.items) + (',' if len(self.items) == 1 else '')
            unpack, size = self.struct('unpack_from')
            self.line(f'{items} = {unpack}(b, p)' if items else '')
            self.line(f'p += {size}')

    def dynamic_align(self, size: int) -> None:
        if size == 8:
            self.line('p += 4 - p & 7')
        else:
            self.line(f'p += -p & {size - 1}')

    def field(self, place: str, kind: FieldType) -> None:
        if kind.kind == 'scalar':
            self.element(place, kind)
        elif kind.kind == 'sequence':
            self.sequence(place, kind)
        elif kind.is_number:
            size = NUMBERS[kind.base][1]
            self.align(size)
            self.flush()
            name = 'uint8' if kind.base == 'char' else kind.base
            dtype = self.constant('_D', f'numpy.dtype({name!r})')
            self.line(f'{place} = numpy.frombuffer(b, {dtype}, {kind.size}, p).copy()')
            self.line(f'p += {size * (kind.size or 0)}')
            self.offset = (self.offset + size * (kind.size or 0)) % self.modulus
        else:
            self.flush()
            self.line(f'{place} = v = []')
            self.items_loop(str(kind.size), kind)

    def element(self, place: str, kind: FieldType) -> None:
        """Emit a scalar, a string or a nested message."""
        if kind.base in SCALARS:
            code, size = SCALARS[kind.base]
            self.scalar(code, size, place)
        elif kind.is_message:
            self.flush()
            name, cls = self.fresh('m'), self.constant('_C', f'message_class({kind.base!r})')
            self.line(f'{place} = {name} = {cls}.__new__({cls})')
            self.fields(message_class(kind.base)._definition, name)
        else:
            self.length()
            if kind.base == 'string':
                self.line('e = p + n')
                self.line("if e > end: raise ValueError('string longer than the data')")
                self.line(f"{place} = str(b[p:e - 1], 'utf-8', 'replace') if n else ''")
                self.line('p = e')
                self.forget()
            else:
                self.line('e = p + 4 * n')
                self.line("if e > end: raise ValueError('string longer than the data')")
                self.line(f'{place} = text16(b[p:e])')
                self.line('p = e')
                self.forget(4)
            if kind.string_bound is not None:
                self.line(
                    f'if len({place}) > {kind.string_bound}: '
                    f"raise ValueError('string longer than {kind.string_bound}')"
                )

    def length(self) -> None:
        """Emit the reading of a length into `n`."""
        self.align(4)
        self.scalar('I', 4, 'n')
        self.flush()

    def sequence(self, place: str, kind: FieldType) -> None:
        """Emit a sequence: its length, then its elements."""
        self.length()
        if kind.size is not None:
            self.line(f"if n > {kind.size}: raise ValueError('more than {kind.size} elements')")
        if kind.is_number:
            _, size, letter, _ = NUMBERS[kind.base]
            if size == 8:
                self.line('if n: p += 4 - p & 7')
            self.line(f'e = p + {size} * n')
            self.line("if e > end: raise ValueError('sequence longer than the data')")
            self.line(f'{place} = array({letter!r}, b[p:e]) if n else array({letter!r})')
            self.line('p = e')
            self.forget(min(size, 4))
            return
        self.line("if n > end - p: raise ValueError('sequence longer than the data')")
        if kind.base in ('bool', 'byte'):
            each = 'x != 0' if kind.base == 'bool' else 'b[x:x + 1]'
            over = 'b[p:p + n]' if kind.base == 'bool' else 'range(p, p + n)'
            self.line(f'{place} = [{each} for x in {over}]')
            self.line('p += n')
            self.forget()
            return
        self.line(f'{place} = v = []')
        self.items_loop('n', kind)

    def items_loop(self, count: str, kind: FieldType) -> None:
        """Emit a loop that appends `count` elements to `v`."""
        items, item = self.fresh('l'), self.fresh('x')
        self.line(f'left[0] -= {count}')
        self.line("if left[0] < 0: raise ValueError('too many strings and messages in it')")
        self.line(f'{items} = v')
        self.forget()
        if kind.is_message:
            read = self.constant('_R', f'reader({kind.base!r})')
            cls = self.constant('_C', f'message_class({kind.base!r})')
            self.line(f'for _ in range({count}):')
            self.line(f'    {item} = {cls}.__new__({cls})')
            self.line(f'    p = {read}({item}, b, p, end, left)')
            self.line(f'    {items}.append({item})')
            return
        self.line(f'for _ in range({count}):')
        self.indent += '    '
        self.element(item, FieldType(kind.base, string_bound=kind.string_bound))
        self.flush()
        self.line(f'{items}.append({item})')
        self.indent = self.indent[:-4]
        self.forget()
