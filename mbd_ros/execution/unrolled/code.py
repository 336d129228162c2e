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

"""A program unrolled for one model: straight-line code with the model's constants folded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mbd_ros.execution.ir.machine_code import vector_lanes
from mbd_ros.execution.ir.origin import kept, origin_of
from mbd_ros.execution.ir.sincos import sincos_ir
from mbd_ros.execution.ir.straight_line import declarations_ir, StraightLine, Width
from mbd_ros.execution.ir.trace import Operand, Trace
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.driver import run
from mbd_ros.execution.program.records import filled, flatten, structure_of
from mbd_ros.execution.program.sweeps import Inward, Layout, Outward, Program, Ties
from mbd_ros.execution.program.tree import joints_of, sizes, tree_of, world_of
from mbd_ros.execution.unrolled.bundles import folded, Node
from mbd_ros.execution.unrolled.equivalent import equivalent
from mbd_ros.execution.unrolled.parts import ASIDE, IN_PARTS, LONGEST, parted
from mbd_ros.execution.unrolled.side_by_side import ParallelPlan
from mbd_ros.model import Model
from mbd_ros.model.caches import owned

PAYS = 0.9
"""Share of the operations of scalar code below which lanes are used unasked."""
LONGEST_IN_LANES = 20000
"""Operations up to which they are, for code in lanes is one function: compiled in 3 s."""


def trace_program(program: Program, model: Model, nodes: Sequence[Node] = ()
                  ) -> tuple[Trace, list[Operand]]:
    """
    Run a program with symbols instead of floats.

    Parameters
    ----------
    program : Program
        The program.
    model : Model
        The model, whose constants are folded into the trace.
    nodes : sequence of Node, optional
        Bodies to run side by side in lanes; see ``bundles.folded``.

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
    world = filled(world_of(model), partial(trace.input, len(program.inputs)))
    if isinstance(program, ArrayProgram):
        return trace, program.trace(model, coordinates, flatten(world))
    joints = joints_of(model, coordinates)
    tree = equivalent(program, tree_of(model), joints).within(world)
    if nodes:
        return trace, ParallelPlan(program, tree, nodes, joints, trace).run(world)
    return trace, run(program, tree, joints, world)


def unrolled_ir(program: Program, model: Model, width: Width, nodes: Sequence[Node] = ()) -> str:
    """
    Return the IR of ``void kernel(argument..., world, result)``.

    Parameters
    ----------
    program : Program
        The program.
    model : Model
        The model.
    width : Width
        How many states the entries of arguments and result hold; the world holds doubles.
    nodes : sequence of Node, optional
        Bodies to run side by side in lanes, for one state.

    Returns
    -------
    str
        LLVM IR.

    """
    trace, results = trace_program(program, model, nodes)
    if not nodes and len(trace.needed(results)) > IN_PARTS:
        return _parts_ir(trace, results, len(program.inputs) + 1, width)
    count, vector = len(program.inputs) + 1, _together(trace)
    arguments = ', '.join(f'ptr noalias readonly %a{k}' for k in range(count))
    block = StraightLine('s', {k: f'%a{k}' for k in range(count)}, width, common=(count - 1,))
    widths = {width, *(Width(node.lanes) for node in nodes)}
    widest = max(one.lanes for one in widths)
    lines = [sincos_ir(vector, *widths), declarations_ir(*widths),
             f'define void @kernel({arguments}, ptr noalias %result) nounwind '
             f'alignstack({8 * widest}) {{',  # or vectors kept there straddle cache lines
             *block.compute(trace, results, vector)]
    for entry, result in enumerate(results):
        lines += block.store(result, '%result', entry)
    return '\n'.join([*lines, '  ret void', '}'])


def _together(trace: Trace) -> Width:
    """Return how many angles to compute at a time: two registers of them overlap in time."""
    angles = {symbol.first.number: symbol.first for symbol in trace.operations
              if symbol.name == 'sin'}
    count = sum(len(angle.first) if angle.name == 'pack' else 1 for angle in angles.values())
    return Width(vector_lanes() if count <= vector_lanes() else 2 * vector_lanes())


def _parts_ir(trace: Trace, results: Sequence[Operand], count: int, width: Width) -> str:
    """Return the IR of a long kernel: a function for each part, and one that calls them."""
    parts, aside = parted(trace, results, LONGEST)
    vector = Width(vector_lanes())
    lines = [sincos_ir(vector, width), declarations_ir(width)]
    names = [f'%a{k}' for k in range(count)]
    arguments = ', '.join([*(f'ptr noalias readonly {name}' for name in names),
                           'ptr noalias %result'])
    for number, part in enumerate(parts):
        block = StraightLine('s', {**dict(enumerate(names)), ASIDE: '%aside'}, width,
                             common=(count - 1,))
        lines += [
            f'define private void @part{number}({arguments}, ptr noalias %aside) noinline '
            f'nounwind alignstack({8 * width.lanes}) {{',
            *block.compute(part.trace, [value for _, value in (*part.aside, *part.results)],
                           vector)]
        for entry, value in part.aside:
            lines += block.store(value, '%aside', entry)
        for entry, value in part.results:
            lines += block.store(value, '%result', entry)
        lines += ['  ret void', '}']
    handed = ', '.join(f'ptr {name}' for name in (*names, '%result', '%aside'))
    return '\n'.join([
        *lines, f'define void @kernel({arguments}) nounwind {{',
        f'  %aside = alloca {width.type}, i64 {max(1, aside)}, align 64',
        *(f'  call void @part{number}({handed})' for number in range(len(parts))),
        '  ret void', '}'])


@owned(1)
def folded_operations(program: Program, model: Model) -> int:
    """Return the number of operations that are left when a model's constants are folded."""
    def count() -> bytes:
        trace, results = trace_program(program, model)
        return str(len(trace.needed(results))).encode()

    return int(kept(origin_of(program, model, 'folded operations'), count))


def bundles_of(program: Program, model: Model, widest: int) -> tuple[Node, ...]:
    """Return the bodies as nodes of subtrees side by side; empty where there are none."""
    if not all(isinstance(sweep, (Outward, Inward, Ties)) for sweep in program.sweeps) or (
            program.layout is Layout.ROWS) or program.body == -1:
        return ()
    kinds = zip(model.joint_types, map(structure_of, tree_of(model).bodies))
    nodes = folded(model.parents, list(kinds), widest)
    return tuple(nodes) if len(nodes) < model.nb else ()


@owned(1)
def bundles_that_pay(program: Program, model: Model) -> tuple[Node, ...]:
    """Return those nodes if they spare one state a good part of its operations."""
    nodes = bundles_of(program, model, vector_lanes())
    if not nodes:
        return ()

    def compare() -> bytes:
        alone, together = (_operations(*trace_program(program, model, way))
                           for way in ((), nodes))
        pay = together < min(PAYS * alone, LONGEST_IN_LANES)
        return b'pay' if pay else b'do not pay'

    origin = origin_of(program, model, 'bundles', PAYS, LONGEST_IN_LANES, nodes)
    return nodes if kept(origin, compare) == b'pay' else ()


def _operations(trace: Trace, results: list[Operand]) -> int:
    """Return the number of operations; moving a scalar into or out of a lane counts as one."""
    return sum(len(symbol.first) if symbol.name == 'pack' else 1
               for symbol in trace.needed(results))
