"""From IR text to machine code in memory, by llvmlite."""

from __future__ import annotations

import functools
import threading
from typing import Any

import llvmlite.binding as llvm

_LOCK = threading.Lock()


@functools.cache
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


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
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(),
        opt=optimization, jit=True)


@functools.cache
def vector_lanes() -> int:
    """Return how many doubles fit into a vector register of this CPU."""
    features = llvm.get_host_cpu_features()
    return 8 if features.get('avx512f') else 4 if features.get('avx') else 2


class MachineCode:
    """
    Compiled functions; they stay valid as long as this object lives.

    Parameters
    ----------
    ir : str
        LLVM IR text of one module.
    optimization : int
        Level of code generation.

    """

    def __init__(self, ir: str, optimization: int = 1) -> None:
        with _LOCK:
            machine = target_machine(optimization)
            module = llvm.parse_assembly(ir)
            module.verify()
            module.triple = machine.triple
            module.data_layout = str(machine.target_data)
            self._engine = llvm.create_mcjit_compiler(module, machine)
            self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Return the address of a function."""
        return int(self._engine.get_function_address(name))
