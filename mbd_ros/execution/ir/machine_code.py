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

"""From IR text to machine code in memory, by llvmlite, or from the cache on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
import contextlib
import ctypes
import functools
import mmap
import os
import threading
import time
from typing import Any, NamedTuple

import llvmlite
import llvmlite.binding as llvm
from numpy.typing import NDArray

from mbd_ros.errors import MachineError
from mbd_ros.execution.ir.object_cache import key_of, object_cache

_KNOW_SCHEDULING = range(14, 23)
"""Versions of LLVM that have the option ``--enable-misched``."""
_LOCK = threading.Lock()
_COUNTING = threading.Lock()
os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release,
                    after_in_child=_LOCK.release)  # no child is born amid a compilation


class Compiled(NamedTuple):
    """
    What this process has compiled so far, not found in the cache.

    Attributes
    ----------
    begun : int
        Modules that were begun.
    characters : int
        Length of the texts of those that are done.
    seconds : float
        Time that LLVM took for these [s]; on a busy machine with what it waited for.

    """

    begun: int = 0
    characters: int = 0
    seconds: float = 0.0

    def since(self, before: Compiled) -> Compiled:
        """Return what was compiled since."""
        return Compiled(self.begun - before.begun, self.characters - before.characters,
                        self.seconds - before.seconds)


_compiled_so_far = Compiled()


def compilations() -> Compiled:
    """Return what this process has compiled so far."""
    return _compiled_so_far


@functools.cache
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@functools.cache
def _cpu() -> tuple[str, str]:
    """Return name and features of the CPU this runs on."""
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def target_machine(optimization: int = 1) -> Any:
    """
    Return an LLVM target machine for the CPU this runs on.

    Parameters
    ----------
    optimization : int
        Level of code generation. Level 1 is within a few per cent of level 3 on straight-line
        code and compiles several times faster.

    Returns
    -------
    llvmlite.binding.TargetMachine
        The machine.

    """
    _initialize()
    target = llvm.Target.from_default_triple()
    name, features = _cpu()
    return target.create_target_machine(
        cpu=name, features=features, opt=optimization, jit=True, reloc='pic', codemodel='small')


@functools.cache
def check_executable_memory() -> None:
    """
    Check, once in a process, that memory which was written to can be made executable.

    LLVM does not report that it cannot; the first call of the code ends the process then.

    Raises
    ------
    MachineError
        If the system refuses.

    """
    if not hasattr(mmap, 'MAP_ANONYMOUS') or not hasattr(mmap, 'PROT_EXEC'):
        return   # no POSIX
    page = mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
                     mmap.PROT_READ | mmap.PROT_WRITE)
    page[0] = 0
    start = ctypes.c_char.from_buffer(page)
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    refused = protect(ctypes.c_void_p(ctypes.addressof(start)),
                      ctypes.c_size_t(mmap.PAGESIZE), mmap.PROT_READ | mmap.PROT_EXEC)
    reason = os.strerror(ctypes.get_errno())
    del start
    page.close()
    if refused:
        raise MachineError(
            f'machine code cannot run: the system refuses executable memory (mprotect: {reason}), '
            "as MemoryDenyWriteExecute of systemd and SELinux without 'execmem' do; allow it for "
            "this program, or use executor='interpreted' where an executor can be named: it is "
            'slower and needs none')


@functools.cache
def host() -> tuple[str, ...]:
    """Return what machine code depends on beside its text: the CPU and the compiler."""
    return (*_cpu(), llvm.get_default_triple(), llvmlite.__version__,
            str(llvm.llvm_version_info), 'small code, unscheduled')


@functools.cache
def vector_lanes() -> int:
    """Return how many doubles fit into a vector register of this CPU."""
    features = llvm.get_host_cpu_features()
    return 8 if features.get('avx512f') else 4 if features.get('avx') else 2


class Address(int):
    """
    An address that knows what is there, and keeps it.

    Attributes
    ----------
    of : MachineCode or array
        Whose address it is.
    name : str
        The function; empty for arrays.

    """

    of: MachineCode | NDArray[Any]
    name: str

    def __new__(cls, value: int, of: MachineCode | NDArray[Any], name: str = '') -> Address:
        """Make an address."""
        found = super().__new__(cls, value)
        found.of, found.name = of, name
        return found


def address_of(array: NDArray[Any]) -> Address:
    """Return the address of the first entry of an array that is C-contiguous."""
    return Address(array.ctypes.data, array)


class MachineCode:
    """
    Compiled functions; they stay valid as long as this object lives.

    The text must not hold addresses, which are others in the next process: it loads them by
    ``address_ir``. Instructions, constants and addresses of a module lie side by side in memory,
    so that instructions can read constants by short distances: ``use_lmm`` sees to that, and
    finds room for what it adds itself in the page of the addresses, which is why all modules have
    one.

    Parameters
    ----------
    ir : str or callable
        LLVM IR text of one module, or a function that writes it if it is needed.
    optimization : int
        Level of code generation. At level 2 instructions are put in order again when registers
        are given out.
    addresses : sequence of int
        Addresses that the code uses.
    origin : str, optional
        Names all that the text follows from, to find the code without writing it; see
        ``origin.py``.
    scheduled : bool, optional
        Whether they are put in another order before that, too; if left out, from level 2 on.

    Attributes
    ----------
    ir, optimization, scheduled
        As given, for those who compile it for another machine (``mbd_ros/export``).
    addresses : tuple of int
        Those given; what they are of can be told from each ``Address`` among them, and lives as
        long as this object.

    """

    def __init__(self, ir: str | Callable[[], str], optimization: int = 1,
                 addresses: Sequence[int] = (), origin: str | None = None,
                 scheduled: bool | None = None) -> None:
        check_executable_memory()
        scheduled = optimization > 1 if scheduled is None else scheduled
        self.ir, self.optimization, self.scheduled = ir, optimization, scheduled
        self.addresses = tuple(addresses)
        head = f'@addresses = global [{max(1, len(addresses))} x i64] zeroinitializer\n'
        code = _object_code(lambda: head + (ir if isinstance(ir, str) else ir()), optimization,
                            origin, scheduled)
        with _LOCK:
            self._engine = llvm.create_mcjit_compiler(
                llvm.parse_assembly(''), target_machine(optimization), use_lmm=True)
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            self._engine.finalize_object()
            if addresses:
                table = ctypes.c_uint64 * len(addresses)
                self._table = table.from_address(
                    self._engine.get_global_value_address('addresses'))
                self._table[:] = list(addresses)

    def replace(self, number: int, address: int) -> None:
        """Exchange one of the addresses; calls that have not begun use the new one."""
        self._table[number] = address

    def address(self, name: str) -> Address:
        """Return the address of a function."""
        return Address(self._engine.get_function_address(name), self, name)


def address_ir(name: str, number: int) -> str:
    """Return the IR that loads one of the addresses handed to ``MachineCode``."""
    return f'  {name} = load ptr, ptr getelementptr (ptr, ptr @addresses, i64 {number})'


@contextlib.contextmanager
def _unscheduled() -> Iterator[None]:
    """
    Leave instructions in the order of the text while code is generated.

    Traces are long and come in an order in which few values wait at a time. LLVM's scheduler of
    machine instructions starts more of them early, which it has to spill: without it code is up
    to a tenth faster and ready in three quarters of the time. The option is one for the process,
    so that it is set back at once; a version of LLVM that does not know it would end the process.
    """
    known = llvm.llvm_version_info[0] in _KNOW_SCHEDULING
    if known:
        llvm.set_option('mbd_ros', '--enable-misched=false')
    try:
        yield
    finally:
        if known:
            llvm.set_option('mbd_ros', '--enable-misched=true')  # as it is unless asked otherwise


def _object_code(ir: Callable[[], str], optimization: int, origin: str | None, scheduled: bool
                 ) -> bytes:
    """
    Return the object code of a module, from the cache or compiled now.

    Code is kept under its text, and under an origin the key of that text: an origin changes with
    every source file, a text seldom with it, and LLVM takes twice as long as writing the text.

    """
    settings, cache = (f'{optimization}, {scheduled}', *host()), object_cache()
    entry = key_of('key of the text', origin or '', *settings)
    name = None if cache is None or origin is None else cache.load(entry)
    code = None if cache is None or name is None else cache.load(name.decode())
    if code is None:
        text = ir()
        key = key_of(text, *settings)
        code = None if cache is None else cache.load(key)
        if code is None:
            code = _compiled(text, optimization, scheduled)
            if cache is not None:
                cache.store(key, code)
        if cache is not None and origin is not None:
            cache.store(entry, key.encode())
    return code


def _compiled(text: str, optimization: int, scheduled: bool) -> bytes:
    """Return the object code of a module, compiled now."""
    global _compiled_so_far
    with _COUNTING:
        so_far = _compiled_so_far
        _compiled_so_far = so_far._replace(begun=so_far.begun + 1)
    begin = time.perf_counter()
    code = emit(llvm.parse_assembly(text), target_machine(optimization), scheduled)
    with _COUNTING:
        so_far = _compiled_so_far
        _compiled_so_far = so_far._replace(
            characters=so_far.characters + len(text),
            seconds=so_far.seconds + time.perf_counter() - begin)
    return code


def emit(module: Any, machine: Any, scheduled: bool) -> bytes:
    """
    Return the object code of a module for any machine.

    Parameters
    ----------
    module : llvmlite.binding.ModuleRef
        The module; its triple and layout become those of the machine.
    machine : llvmlite.binding.TargetMachine
        The machine.
    scheduled : bool
        As for ``MachineCode``.

    """
    with _LOCK:
        module.verify()
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        with contextlib.nullcontext() if scheduled else _unscheduled():
            return bytes(machine.emit_object(module))
