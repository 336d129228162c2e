"""
From a trace to machine code: LLVM IR text, straight-line, compiled in memory by llvmlite.

A kernel has the C signature ``void kernel(const double *argument..., double *result)``. Beside it
stands ``void batch(int64 n, const double *argument..., double *result)``, which runs the kernel on
n rows of each argument; arguments that all rows share do not advance.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import functools
import struct
import threading
from typing import Any

import llvmlite.binding as llvm

from mbd_ros.execution.trace import Operand, Symbol, Trace

_LOCK = threading.Lock()
DECLARATIONS = ('declare double @llvm.sin.f64(double)', 'declare double @llvm.cos.f64(double)')
_ARITHMETIC = {'add': 'fadd contract', 'sub': 'fsub contract', 'mul': 'fmul contract'}


def kernel_ir(trace: Trace, results: Sequence[Operand], sizes: Sequence[int],
              shared: Sequence[bool]) -> str:
    """
    Return the IR of a kernel and its batch loop.

    Parameters
    ----------
    trace : Trace
        What was recorded.
    results : sequence of Operand
        Symbols and constants, in the order of the result's entries.
    sizes : sequence of int
        Number of entries of each argument.
    shared : sequence of bool
        Which arguments are the same for all rows of a batch.

    Returns
    -------
    str
        LLVM IR with the functions ``kernel`` and ``batch``.

    """
    arguments = ', '.join(f'ptr noalias readonly %a{k}' for k in range(len(sizes)))
    lines = [*DECLARATIONS,
             f'define void @kernel({arguments}, ptr noalias %result) nounwind {{']
    block = StraightLine('s', {k: f'%a{k}' for k in range(len(sizes))})
    lines += block.compute(trace, results)
    for entry, result in enumerate(results):
        lines += block.store(result, '%result', entry)
    lines += ['  ret void', '}', *batch_loop(sizes, shared, len(results))]
    return '\n'.join(lines)


class StraightLine:
    """
    The IR of a trace, as part of a function.

    Parameters
    ----------
    prefix : str
        Makes the names of values unique within the function.
    pointers : mapping
        Where to read the inputs of each argument from: names of pointers.

    """

    def __init__(self, prefix: str, pointers: Mapping[Any, str]) -> None:
        self._prefix = prefix
        self._pointers = pointers
        self._stores = 0

    def compute(self, trace: Trace, results: Sequence[Operand]) -> list[str]:
        """Return the instructions that compute results."""
        return [self._instruction(symbol) for symbol in trace.needed(list(results))]

    def store(self, operand: Operand, pointer: str, entry: int | str) -> list[str]:
        """Return the instructions that store a value at an entry of an array."""
        self._stores += 1
        place = f'%{self._prefix}w{self._stores}'
        return [f'  {place} = getelementptr double, ptr {pointer}, i64 {entry}',
                f'  store double {self.value(operand)}, ptr {place}']

    def add(self, operand: Operand, pointer: str, entry: int) -> list[str]:
        """Return the instructions that add a value to an entry of an array."""
        self._stores += 1
        place = f'%{self._prefix}w{self._stores}'
        return [f'  {place} = getelementptr double, ptr {pointer}, i64 {entry}',
                f'  {place}b = load double, ptr {place}',
                f'  {place}s = fadd double {place}b, {self.value(operand)}',
                f'  store double {place}s, ptr {place}']

    def value(self, operand: Operand) -> str:
        """Return the name of a symbol's value, or a constant as text."""
        if isinstance(operand, Symbol):
            return f'%{self._prefix}{operand.number}'
        return f'0x{struct.unpack("<Q", struct.pack("<d", operand))[0]:016X}'

    def _instruction(self, symbol: Symbol) -> str:
        target, name = self.value(symbol), symbol.name
        if name == 'input':
            return (f'  {target}p = getelementptr double, ptr {self._pointers[symbol.first]}, '
                    f'i64 {symbol.second}\n  {target} = load double, ptr {target}p')
        first = self.value(symbol.first)
        if name == 'neg':
            return f'  {target} = fneg double {first}'
        if name == 'inv':
            return f'  {target} = fdiv double {self.value(1.0)}, {first}'
        if name in ('sin', 'cos'):
            return f'  {target} = call double @llvm.{name}.f64(double {first})'
        return f'  {target} = {_ARITHMETIC[name]} double {first}, {self.value(symbol.second)}'


def batch_loop(sizes: Sequence[int], shared: Sequence[bool], result_size: int) -> list[str]:
    """Return the IR of the loop over the rows of a batch."""
    strides = [*(0 if same else size for size, same in zip(sizes, shared)), result_size]
    names = [*(f'a{k}' for k in range(len(sizes))), 'result']
    parameters = ', '.join(f'ptr %{name}' for name in names)
    lines = [f'define void @batch(i64 %n, {parameters}) nounwind {{', 'entry:', '  br label %test',
             'test:', '  %i = phi i64 [0, %entry], [%next, %row]',
             '  %more = icmp slt i64 %i, %n', '  br i1 %more, label %row, label %done', 'row:']
    for name, stride in zip(names, strides):
        lines.append(f'  %{name}o = mul i64 %i, {stride}')
        lines.append(f'  %{name}r = getelementptr double, ptr %{name}, i64 %{name}o')
    lines.append(f'  call void @kernel({", ".join(f"ptr %{name}r" for name in names)})')
    lines += ['  %next = add i64 %i, 1', '  br label %test', 'done:', '  ret void', '}']
    return lines


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
