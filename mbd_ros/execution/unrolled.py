"""A program unrolled for one model: straight-line code with the model's constants folded."""

from __future__ import annotations

from mbd_ros.execution.machine_code import vector_lanes
from mbd_ros.execution.sincos import sincos_ir
from mbd_ros.execution.straight_line import StraightLine, Width
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

    Raises
    ------
    ZeroDivisionError
        If the model's constants alone lead to a division by zero.

    """
    trace = Trace()
    coordinates = {
        name: [trace.input(argument, entry) for entry in range(size)]
        for argument, (name, size) in enumerate(
            zip(program.inputs, sizes(model, program.inputs)))}
    gravity = Vector3(*(trace.input(len(program.inputs), k) for k in range(3)))
    return trace, run(program, tree_of(model), joints_of(model, coordinates), World(gravity))


def unrolled_ir(program: Program, model: Model, width: Width) -> str:
    """
    Return the IR of ``void kernel(argument..., gravity, result)``.

    Parameters
    ----------
    program : Program
        The program.
    model : Model
        The model.
    width : Width
        How many states the entries of arguments and result hold; gravity holds doubles.

    Returns
    -------
    str
        LLVM IR.

    """
    trace, results = trace_program(program, model)
    count, vector = len(program.inputs) + 1, Width(vector_lanes())
    arguments = ', '.join(f'ptr noalias readonly %a{k}' for k in range(count))
    block = StraightLine('s', {k: f'%a{k}' for k in range(count)}, width, common=(count - 1,))
    lines = [sincos_ir(width, vector),
             f'define void @kernel({arguments}, ptr noalias %result) nounwind '
             f'alignstack({8 * width.lanes}) {{',  # or vectors kept there straddle cache lines
             *block.compute(trace, results, vector)]
    for entry, result in enumerate(results):
        lines += block.store(result, '%result', entry)
    return '\n'.join([*lines, '  ret void', '}'])
