"""Traces the steps with symbols and runs the trace as machine code."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
import functools
import math

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.interpreted import Interpreted
from mbd_ros.execution.kernel import Kernel
from mbd_ros.execution.machine_code import batch_loop, kernel_ir, MachineCode
from mbd_ros.execution.rolled import rolled_code, RolledCode
from mbd_ros.execution.sweeps import Program, run, World
from mbd_ros.execution.trace import Operand, Trace
from mbd_ros.execution.tree import joint_class, joints_of, rolled_tables, sizes, tree_of
from mbd_ros.model import Model
from mbd_ros.spatial import Joint, Vector3

LARGEST_UNROLLED = 40
"""Bodies up to which straight-line code is made: compile time and cache misses grow beyond."""


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
    A kernel of machine code.

    Parameters
    ----------
    program : Program
        What it runs.
    model : Model
        For which model.
    code : MachineCode
        With the functions ``kernel`` and ``batch``.
    alive : object
        What the code points to.

    """

    def __init__(self, program: Program, model: Model, code: MachineCode, alive: object = None
                 ) -> None:
        self.program = program
        self.model = model
        self.shape = program.shape(model.nb, model.nv)
        self._code = code
        self._alive = alive
        arguments = len(program.inputs)
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
    """
    The executor that runs machine code.

    Parameters
    ----------
    shape : str
        ``'unrolled'``: straight-line code for one model, its constants folded; the fastest for
        small robots, but the time to compile grows faster than the number of bodies.
        ``'rolled'``: loops over bodies; compiled once for all robots with the same joint types.
        ``'auto'``: unrolled up to ``LARGEST_UNROLLED`` bodies.

    """

    shape: str = 'auto'

    def __post_init__(self) -> None:
        """Check the shape."""
        if self.shape not in ('auto', 'rolled', 'unrolled'):
            raise InvalidValueError('shape', self.shape, "'auto', 'rolled' or 'unrolled'")

    @property
    def name(self) -> str:
        """Name that answers report."""
        return 'compiled' if self.shape == 'auto' else self.shape

    def kernel(self, program: Program, model: Model) -> Kernel:
        """
        Return the kernel of a program for a model, compiled now or earlier.

        Where the model's constants alone lead to a division by zero, the kernel is interpreted:
        its results are not finite, and the caller explains which joint is at fault.
        """
        rolled = self.shape == 'rolled' or (
            self.shape == 'auto' and model.nb > LARGEST_UNROLLED)
        return (rolled_kernel if rolled and model.nb else unrolled_kernel)(program, model)


@functools.lru_cache(maxsize=1024)
def unrolled_kernel(program: Program, model: Model) -> Kernel:
    """Return the kernel of straight-line code for a model."""
    try:
        trace, results = trace_program(program, model)
    except ZeroDivisionError:
        return Interpreted().kernel(program, model)
    ir = kernel_ir(trace, results, *_arguments(program, model))
    return CompiledKernel(program, model, MachineCode(ir))


@functools.lru_cache(maxsize=1024)
def rolled_kernel(program: Program, model: Model) -> Kernel:
    """Return the kernel of loops over the bodies of a model."""
    joints = tuple(sorted({joint_class(kind) for kind in model.joint_types},
                          key=lambda joint: joint.__name__))
    rolled, machine_code = _rolled_machine_code(program, joints)
    constants, topology = rolled_tables(model, joints)
    work = 8 * ((model.nb + 1) * rolled.row + rolled.scratch)
    names = [*(f'%a{k}' for k in range(len(program.inputs) + 1)), '%result']
    parameters = ', '.join(f'ptr {name}' for name in names)
    sizes_and_shared = _arguments(program, model)
    ir = '\n'.join([
        'declare ptr @malloc(i64)', 'declare void @free(ptr)',
        f'define void @kernel({parameters}) nounwind {{',
        f'  %work = call ptr @malloc(i64 {work})',
        f'  call void inttoptr (i64 {machine_code.address("rolled")} to ptr)({parameters}, '
        f'ptr inttoptr (i64 {constants.ctypes.data} to ptr), '
        f'ptr inttoptr (i64 {topology.ctypes.data} to ptr), i64 {model.nb}, i64 {model.nv}, '
        'ptr %work)',
        '  call void @free(ptr %work)', '  ret void', '}',
        *batch_loop(*sizes_and_shared, math.prod(program.shape(model.nb, model.nv)))])
    return CompiledKernel(program, model, MachineCode(ir), (machine_code, constants, topology))


@functools.lru_cache(maxsize=256)
def _rolled_machine_code(program: Program, joints: tuple[type[Joint], ...]
                         ) -> tuple[RolledCode, MachineCode]:
    rolled = rolled_code(program, joints)
    return rolled, MachineCode(rolled.ir, optimization=2)


def _arguments(program: Program, model: Model) -> tuple[list[int], list[bool]]:
    """Return sizes of the arguments of a kernel, and which are the same for a whole batch."""
    return [*sizes(model, program.inputs), 3], [*[False] * len(program.inputs), True]
