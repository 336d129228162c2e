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
How much stack functions take: LLVM says it of each frame, calls are told from the text of IR.

LLVM has no call that returns the size of a frame; it warns of frames beyond a limit that a
function says, on the standard error stream, and the limit here is zero. It could write a section
of sizes (``.stack_sizes``), but llvmlite 0.50 hands on neither that option of a target machine nor
the flag of the command line.

"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
import contextlib
import os
import re
import sys
import tempfile
import threading
from typing import Any

import llvmlite.binding as llvm

from mbd_ros.errors import MachineError
from mbd_ros.execution.ir.machine_code import emit
from mbd_ros.export.target import Target

BESIDE = 96
"""Bytes of a frame that LLVM does not count: what comes before it, and the way to a cache line."""
_WARNED = re.compile(rb"stack frame size \((\d+)\) exceeds limit \(0\) in function '([^']+)'\n?")
_WARNING = re.compile(rb'warning: <unknown>:0:0: stack frame size [^\n]*\n')
_DEFINED = re.compile(r'^(define [^\n]*?)\{$', re.MULTILINE)
_FUNCTION = re.compile(r'^define [^@\n]*@([\w.$]+)\(.*?^\}', re.MULTILINE | re.DOTALL)
_CALLED = re.compile(r'\bcall [^@%\n]*?([@%])([\w.$]+)\(')
_LOCK = threading.Lock()


def emit_measured(text: str, target: Target, optimization: int, scheduled: bool,
                  name: Callable[[Any], None] | None = None) -> tuple[bytes, dict[str, int]]:
    """
    Return the object code of a module and the bytes of each frame.

    Parameters
    ----------
    text : str
        IR.
    target, optimization, scheduled
        As for ``Target.code``.
    name : callable, optional
        Called with the module before it is compiled, to give functions other names.

    """
    asked, plain = (llvm.parse_assembly(one) for one in (
        _DEFINED.sub(r'\1"warn-stack-size"="0" {', text), text if not target.elf else ''))
    for module in (asked, plain):
        if name is not None and (module is asked or not target.elf):
            name(module)
    with _LOCK, _diverted() as said:
        code = emit(asked, target.machine(optimization), scheduled)
    if not target.elf:   # bitcode, which would warn once more when all is linked
        code = target.code(plain, optimization, scheduled)
    found = {function.decode(): int(size) + BESIDE
             for size, function in _WARNED.findall(said[0])}
    return code, found


def calls_of(text: str) -> dict[str, tuple[str, ...]]:
    """
    Return what each function of a module calls, but for intrinsic functions.

    An empty name stands for any of the addresses of the module.
    """
    found = {}
    for function in _FUNCTION.finditer(text):
        called = dict.fromkeys('' if sign == '%' else name
                               for sign, name in _CALLED.findall(function[0]))
        found[function[1]] = tuple(name for name in called if not name.startswith('llvm.'))
    return found


def deepest(root: str, sizes: Mapping[str, int], calls: Mapping[str, tuple[str, ...]]) -> int:
    """
    Return how many bytes of stack a function takes with all that it calls.

    Functions that are not among ``calls`` are the C library's and count nothing.

    Raises
    ------
    MachineError
        If a function calls itself, by way of others or not: then there is no bound.

    """
    known: dict[str, int] = {}

    def depth(name: str, above: tuple[str, ...]) -> int:
        if name in above:
            raise MachineError(f"exported function '{root}' calls itself: {' > '.join(above)}")
        if name not in known:
            known[name] = sizes.get(name, BESIDE) + max(
                (depth(one, (*above, name)) for one in calls[name] if one in calls), default=0)
        return known[name]
    return depth(root, ())


@contextlib.contextmanager
def _diverted() -> Iterator[list[bytes]]:
    """
    Divert the standard error stream of this process into a list, which is filled at the end.

    What others write meanwhile goes on to where it was to go.
    """
    said: list[bytes] = []
    if sys.stderr is not None:
        sys.stderr.flush()
    with tempfile.TemporaryFile() as file:
        kept = None
        with contextlib.suppress(OSError):   # there is none
            kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield said
        finally:
            if kept is None:
                os.close(2)
            else:
                os.dup2(kept, 2)
                os.close(kept)
            file.seek(0)
            said.append(file.read())
            rest = _WARNING.sub(b'', said[0])
            if rest and kept is not None:
                os.write(2, rest)
