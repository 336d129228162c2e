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

"""All modules and tables that machine code uses, and their texts for a library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
import json
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import UnsupportedError
from mbd_ros.execution.ir.machine_code import Address, host, MachineCode
from mbd_ros.execution.ir.origin import kept
from mbd_ros.execution.ir.workspace import (
    DECLARATIONS, FROM_THE_CALLER, on_the_stack, taken)
from mbd_ros.export.real import Real
from mbd_ros.export.stack import BESIDE, calls_of, deepest, emit_measured
from mbd_ros.export.target import Target

ALIGNED = 64
"""Bytes of a cache line, to which tables and workspace are aligned."""


@dataclass
class Modules:
    """
    What a library is made of, each module and table once.

    Attributes
    ----------
    prefix : str
        Begins the names of all that only the library itself uses.
    real : Real
        Its numbers.
    own_memory : bool
        Whether functions take their memory from the stack, not from the caller's workspace.

    """

    prefix: str
    real: Real
    own_memory: bool = False
    _codes: dict[int, MachineCode] = field(default_factory=dict)
    _tables: dict[int, NDArray[Any]] = field(default_factory=dict)
    _taken: dict[int, int] = field(default_factory=dict)
    _frames: dict[str, int] = field(default_factory=dict)
    _calls: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def symbol(self, address: int, user: str) -> str:
        """
        Return the name of what is at an address, which becomes part of the library.

        Parameters
        ----------
        address : int
            An ``Address``.
        user : str
            Who uses it, for the message.

        Raises
        ------
        UnsupportedError
            If it cannot be told what is there.

        """
        if not isinstance(address, Address):
            raise UnsupportedError(user, 'its machine code uses memory of this process')
        known: dict[int, Any] = (
            self._codes if isinstance(address.of, MachineCode) else self._tables)
        number = next((k for k, one in known.items() if one is address.of), len(known))
        if number == len(known):
            known[number] = address.of
            if isinstance(address.of, MachineCode):
                for one in address.of.addresses:
                    self.symbol(one, user)
        return (f'{self.prefix}m{number}_{address.name}'
                if isinstance(address.of, MachineCode) else f'{self.prefix}t{number}')

    def objects(self, target: Target) -> list[tuple[str, bytes, list[str]]]:
        """Return name, object code and names that it defines, of each module and all tables."""
        found = []
        for number, code in self._codes.items():
            found.append((f'm{number}', *self._object(number, code, target)))
        if self._tables:
            text = '\n'.join(self._table(number, array) for number, array in
                             self._tables.items())
            module = llvm.parse_assembly(text)
            found.append(('tables', target.code(module, 1, False),
                          [f'{self.prefix}t{number}' for number in self._tables]))
        return found

    def _object(self, number: int, code: MachineCode, target: Target) -> tuple[bytes, list[str]]:
        text = code.ir if isinstance(code.ir, str) else code.ir()
        text = self.real.text(on_the_stack(text) if self.own_memory else text.replace(
            DECLARATIONS, FROM_THE_CALLER))
        self._taken[number] = taken(text)
        text = '\n'.join([*self._linked(code), text])
        begin = f'{self.prefix}m{number}_'

        def renamed(module: Any) -> list[str]:
            """Give functions that others call names of the library's; return these."""
            defined = []
            for function in module.functions:
                if function.is_declaration or function.linkage in (
                        llvm.Linkage.private, llvm.Linkage.internal):
                    continue
                function.name = f'{begin}{function.name}'
                function.visibility = 'hidden'
                defined.append(function.name)
            return defined

        def made() -> bytes:
            defined: list[str] = []

            def rename(module: Any) -> None:
                defined[:] = renamed(module)
            object_code, frames = emit_measured(
                text, target, code.optimization, code.scheduled, rename)
            return json.dumps([defined, frames]).encode() + b'\n' + object_code
        facts, _, object_code = kept(
            f'exported {begin}, {target}, {code.optimization}, {code.scheduled}, {host()}, '
            f'measured, {text}', made).partition(b'\n')
        defined, frames = json.loads(facts)
        self._note(number, code, {name.removeprefix(begin): size for name, size in frames.items()},
                   calls_of(text))
        return object_code, defined

    def _note(self, number: int, code: MachineCode, frames: Mapping[str, int],
              calls: Mapping[str, tuple[str, ...]]) -> None:
        """Keep what functions of a module call and how large their frames are."""
        others = [self._place(one) for one in code.addresses
                  if isinstance(one, Address) and isinstance(one.of, MachineCode)]
        for name, called in calls.items():
            self._frames[f'{number}:{name}'] = frames.get(name, BESIDE)
            self._calls[f'{number}:{name}'] = tuple(
                place for one in called
                for place in (others if not one else [f'{number}:{one}']))

    def _place(self, address: Address) -> str:
        number = next(k for k, one in self._codes.items() if one is address.of)
        return f'{number}:{address.name}'

    def stack(self, address: int) -> int:
        """
        Return how many bytes of stack a function takes with all that it calls; after ``objects``.

        Raises
        ------
        MachineError
            If there is no bound.

        """
        assert isinstance(address, Address)
        return deepest(self._place(address), self._frames, self._calls)

    def _linked(self, code: MachineCode) -> list[str]:
        """Return the table of addresses that ``MachineCode`` fills in at run time."""
        symbols = [self.symbol(address, '') for address in code.addresses]
        entries = ', '.join(f'ptr @{symbol}' for symbol in symbols) or 'ptr null'
        return [*dict.fromkeys(
            f'declare hidden void @{symbol}()' if isinstance(address.of, MachineCode)
            else f'@{symbol} = external hidden constant i64'
            for address, symbol in zip(code.addresses, symbols) if isinstance(address, Address)),
            f'@addresses = internal constant [{max(1, len(symbols))} x ptr] [{entries}]']

    def memory(self, roots: Iterable[int]) -> int:
        """Return how many bytes of workspace roots and what they call take; after ``objects``."""
        seen: set[int] = set()
        left = list(roots)
        while left:
            address = left.pop()
            if isinstance(address, Address) and isinstance(address.of, MachineCode):
                number = next(k for k, one in self._codes.items() if one is address.of)
                if number not in seen:
                    seen.add(number)
                    left += address.of.addresses
        return sum(self._taken[number] for number in seen)

    def _table(self, number: int, array: NDArray[Any]) -> str:
        kept = array.astype(self.real.dtype) if array.dtype == np.float64 else array
        kind = np.dtype(f'i{kept.itemsize}')
        words = np.ascontiguousarray(kept).view(kind).ravel().tolist() or [0]
        word = f'i{8 * kind.itemsize}'
        return (f'@{self.prefix}t{number} = hidden constant [{len(words)} x {word}] '
                f'[{", ".join(f"{word} {one}" for one in words)}], align {ALIGNED}')
