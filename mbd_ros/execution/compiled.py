"""Traces the steps with symbols and runs the trace as machine code."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
import functools

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.interpreted import Interpreted
from mbd_ros.execution.kernel import Kernel
from mbd_ros.execution.machine_code import kernel_ir, MachineCode
from mbd_ros.execution.sweeps import Program, run, World
from mbd_ros.execution.trace import Operand, Trace
from mbd_ros.execution.tree import joints_of, sizes, tree_of
from mbd_ros.model import Model
from mbd_ros.spatial import Vector3


def trace_program(program: Program, model: Model) -> tuple[Trace, list[Operand]]:
    """
    Run a program with symbols instead of floats.

    Parameters
    ----------
    program : Program
        The program.
    model : Model
        The model, whose constants are folded into the trace.

    Returns
    -------
    trace : Trace
        The operations.
    results : list of Operand
        The entries of the result: symbols and constants.

    """
    trace = Trace()
    coordinates = {
        name: [trace.input(argument, entry) for entry in range(size)]
        for argument, (name, size) in enumerate(
            zip(program.inputs, sizes(model, program.inputs)))}
    gravity = Vector3(*(trace.input(len(program.inputs), k) for k in range(3)))
    return trace, run(program, tree_of(model), joints_of(model, coordinates), World(gravity))


class CompiledKernel:
    """
    A kernel of unrolled machine code.

    Parameters
    ----------
    program : Program
        What it runs.
    model : Model
        For which model; its constants are part of the code.

    """

    def __init__(self, program: Program, model: Model) -> None:
        self.program = program
        self.model = model
        self.shape = program.shape(model.nb, model.nv)
        trace, results = trace_program(program, model)
        arguments = len(program.inputs)
        self._code = MachineCode(kernel_ir(
            trace, results, [*sizes(model, program.inputs), 3], [*[False] * arguments, True]))
        self.address: int | None = self._code.address('kernel')
        self._batch = ctypes.CFUNCTYPE(
            None, ctypes.c_int64, *[ctypes.c_void_p] * (arguments + 2))(
                self._code.address('batch'))

    def run(self, arguments: list[NDArray[np.float64]], gravity: NDArray[np.float64],
            out: NDArray[np.float64]) -> None:
        """Run on N states without the interpreter's lock; see ``Kernel``."""
        self._batch(out.shape[0], *(argument.ctypes.data for argument in arguments),
                    gravity.ctypes.data, out.ctypes.data)


@dataclass(frozen=True)
class Compiled:
    """The executor that traces a program and compiles it, once for each model."""

    name: str = 'compiled'

    def kernel(self, program: Program, model: Model) -> Kernel:
        """
        Return the kernel of a program for a model, compiled now or earlier.

        Where the model's constants alone lead to a division by zero, the kernel is interpreted:
        its results are not finite, and the caller explains which joint is at fault.
        """
        return _kernel(program, model)


@functools.lru_cache(maxsize=1024)
def _kernel(program: Program, model: Model) -> Kernel:
    try:
        return CompiledKernel(program, model)
    except ZeroDivisionError:
        return Interpreted().kernel(program, model)
