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

"""For which processors objects are written."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
import functools
from typing import Any

import llvmlite.binding as llvm

from mbd_ros.errors import InvalidValueError, UnsupportedError
from mbd_ros.execution.ir.machine_code import emit
from mbd_ros.export.real import Real
from mbd_ros.export.wasm import bitcode
from mbd_ros.export.x86_levels import LEVELS


@dataclass(frozen=True)
class Target:
    """
    A kind of processor, as LLVM names it.

    Attributes
    ----------
    name : str
        What users call it.
    triple, cpu, features, abi : str
        LLVM's names; empty features and ABI are those of the CPU.
    bits : int
        Of a pointer.
    levels : tuple of str
        Targets that one library holds together, the lowest one first.
    relocation : str
        How code finds data: ``'pic'``, or ``'static'``.
    single_cpu : str
        The lesser CPU that code in single precision is for, if there is one.

    """

    name: str
    triple: str
    cpu: str
    features: str = ''
    abi: str = ''
    bits: int = 64
    levels: tuple[str, ...] = ()
    relocation: str = 'pic'
    single_cpu: str = ''

    @property
    def elf(self) -> bool:
        """Whether objects are ELF files."""
        return not self.triple.startswith('wasm')

    def code(self, module: Any, optimization: int, scheduled: bool) -> bytes:
        """
        Return object code of a module; for WebAssembly, bitcode that ``wasm.linked`` takes.

        Parameters
        ----------
        module : llvmlite.binding.ModuleRef
            The module; its triple and layout become those of this processor.
        optimization, scheduled
            As of ``MachineCode``.

        """
        machine = self.machine(optimization)
        if self.elf:
            return emit(module, machine, scheduled)
        return bitcode(module, machine)

    def machine(self, optimization: int) -> Any:
        """
        Return LLVM's machine at a level of code generation.

        Raises
        ------
        UnsupportedError
            If this build of LLVM does not know the processor.

        """
        _initialize()
        try:
            target = llvm.Target.from_triple(self.triple)
        except RuntimeError as error:
            raise UnsupportedError(f"target '{self.name}'", str(error)) from None
        return target.create_target_machine(
            cpu=self.cpu, features=self.features, opt=optimization, reloc=self.relocation,
            codemodel='default', abiname=self.abi)


NATIVE, WEB = 'native', 'wasm32'
_LINUX = 'unknown-linux-gnu'
_KNOWN = {one.name: one for one in (
    *(Target(f'x86-64{level}', f'x86_64-{_LINUX}', f'x86-64{level}')
      for level in ('', '-v2', '-v3', '-v4')),
    Target('x86-64-all', f'x86_64-{_LINUX}', 'x86-64', levels=LEVELS),
    Target('aarch64', f'aarch64-{_LINUX}', 'generic', '+neon'),
    Target('armv7', 'armv7-unknown-linux-gnueabihf', 'cortex-a7', bits=32),
    Target('riscv64', f'riscv64-{_LINUX}', 'generic-rv64', '+m,+a,+f,+d,+c', 'lp64d'),
    Target(WEB, 'wasm32-unknown-unknown', 'generic', bits=32, relocation='static'),
    Target('thumbv7em', 'thumbv7em-unknown-none-eabihf', 'cortex-m7', bits=32,
           single_cpu='cortex-m4'))}
TARGETS = (NATIVE, *_KNOWN)


def target_named(name: str, real: Real) -> Target:
    """
    Return a kind of processor.

    Parameters
    ----------
    name : str
        One of ``TARGETS``; ``'native'``: the processor that this runs on, with all that it can.
    real : Real
        The numbers that it computes with.

    Raises
    ------
    InvalidValueError
        If there is none of that name.
    UnsupportedError
        If it can be written on another kind of processor alone.

    """
    if name == NATIVE:
        return Target(NATIVE, llvm.get_default_triple(), llvm.get_host_cpu_name(),
                      llvm.get_host_cpu_features().flatten())
    if name not in _KNOWN:
        raise InvalidValueError('target', name, ', '.join(TARGETS))
    if _KNOWN[name].levels and not llvm.get_default_triple().startswith('x86_64'):
        raise UnsupportedError(f"target '{name}'", 'this build of LLVM assembles for its own kind '
                               'of processor alone; x86-64 can be written here')
    known = _KNOWN[name]
    return dataclasses.replace(known, cpu=known.single_cpu) if (
        known.single_cpu and real.bytes == 4) else known


@functools.cache
def _initialize() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()   # for the assembly of levels.py
