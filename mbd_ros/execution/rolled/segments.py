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
Long chains of trees and of loops, cut into segments that run in the lanes of a vector.

All segments have the same length and joints; they are swept by rolled code for this one robot
(``rolled/traces.py``), and what is between them by straight-line code of one function, which calls
the sweeps. What happens there a program
says by its ``segments``: an object with the four ``sweeps`` of a segment (two outward, inward,
outward) and a method for what is done after each but the second, which returns what the segments
are handed in the next, a record for each:

==========  ============================================================
after 0     ``outward(what each has handed on)`` -> for sweep 1
after 1     ``tie()`` -> for sweep 2
after 2     ``solve_between(handed on)`` -> for sweep 3, and results
after 3     ``rates(handed on)`` -> results
==========  ============================================================

"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
import itertools
from typing import Any, NamedTuple

import numpy as np

from mbd_ros.execution.ir.interleave import aligned, packed_ir, unpacked_ir
from mbd_ros.execution.ir.machine_code import address_ir, address_of, MachineCode, vector_lanes
from mbd_ros.execution.ir.sincos import sincos_ir
from mbd_ros.execution.ir.straight_line import declarations_ir, SCALAR, StraightLine, Width
from mbd_ros.execution.ir.trace import Operand, Symbol, Trace
from mbd_ros.execution.ir.workspace import DECLARATIONS, give_ir, take_ir
from mbd_ros.execution.program.records import filled, flatten, mapped, size_of
from mbd_ros.execution.program.sweeps import Inward, Outward, Program, World
from mbd_ros.execution.program.tree import joints_of, sizes, tree_of, world_of
from mbd_ros.execution.rolled.angles import angles_first
from mbd_ros.execution.rolled.body_classes import BodyClass, varying
from mbd_ros.execution.rolled.code import swept_code
from mbd_ros.execution.rolled.tables import kinds_between, rolled_tables
from mbd_ros.execution.rolled.traces import sweep_code, SweepCode, Traced, trimmed
from mbd_ros.model import Model

SHORTEST = 4
"""Bodies of a segment below which it is not worth the work at its ends."""
MOST_AROUND = 32
"""Bodies in no segment beyond which the code that runs them one by one grows too long."""
WORK = '%rows'


class Prices(NamedTuple):
    """
    What is beside the sweeps of segments, counted in their steps; measured on rings.

    Attributes
    ----------
    around : float
        A body in no segment.
    between : float
        One between two segments, whose rows are joined.
    wide : float
        A step of eight lanes, for one of four or two.

    """

    around: float
    between: float
    wide: float


IN_PLANE, IN_SPACE = Prices(1.0, 2.5, 1.5), Prices(2.0, 5.0, 1.65)


class Segments(NamedTuple):
    """Segments of ``length`` bodies, by their first bodies, in lanes."""

    firsts: tuple[int, ...]
    length: int
    width: int

    @property
    def lanes(self) -> tuple[int, ...]:
        """First body of each lane: those without a segment repeat the first."""
        return (*self.firsts, *self.firsts[:1] * (self.width - len(self.firsts)))

    def steps(self, model: Model) -> float:
        """Return about how many steps of four lanes it all takes."""
        around = model.nb - self.length * len(self.firsts)
        tips = {first + self.length - 1 for first in self.firsts}
        between = sum(parent in tips for parent in model.parents)
        prices = IN_PLANE if _in_plane(model) else IN_SPACE
        return (self.length * (prices.wide if self.width > 4 else 1.0)
                + prices.around * (around - between) + prices.between * between)


def segments_of(program: Program, model: Model, width: int) -> Segments | None:
    """
    Return the segments that take the fewest steps, in so many lanes at most; None without any.

    Couplings of joints act along the joints of their bodies, not between poses, and a body between
    segments must have mass in all directions: else nothing is cut.
    """
    if program.segments is None or any(loop.kind == 'mimic' for loop in model.loops) or (
            tree_of(model).ties and not program.ties):
        return None
    solid = [mass > 0.0 and bool(np.linalg.eigvalsh(inertia)[0] > 0.0)
             for mass, inertia in zip(model.masses, model.inertias)]
    runs = list(_runs(model))
    _, kinds = kinds_between(model, range(model.nb), folded=False)
    best: Segments | None = None
    for length in {(size + 1) // k - 1 - spare for _, size in runs for k in range(1, width + 1)
                   for spare in range(3)}:
        firsts = [first + size - k * (length + 1) + 1 + j * (length + 1)
                  for first, size in runs if length >= SHORTEST
                  for k in [(size + 1) // (length + 1)] for j in range(k)]
        if not 2 <= len(firsts) <= width or model.nb - len(firsts) * length > MOST_AROUND or len(
                {tuple(kinds[first:first + length]) for first in firsts}) > 1:
            continue
        lanes = 1 << (len(firsts) - 1).bit_length()
        tips = {first + length - 1 for first in firsts}
        if not all(solid[i] for i, parent in enumerate(model.parents) if parent in tips):
            continue
        one = Segments(tuple(firsts), length, lanes)
        if best is None or one.steps(model) < best.steps(model):
            best = one
    return best


def _in_plane(model: Model) -> bool:
    """Return whether all bodies move in one plane: half of the rows fold away."""
    return all(set(kind.pair.axes) <= {2, 3, 4} and (parent < 0 or rotation[2, 2] == 1.0)
               for kind, parent, rotation in zip(
                   model.joint_types, model.parents, model.rotations))


def _runs(model: Model) -> Iterator[tuple[int, int]]:
    """Yield first bodies and lengths of chains; ties are at their last bodies alone, if leaves."""
    tied = {body for tie in tree_of(model).ties for body in (tie.first, tie.second)}
    children = [0] * model.nb
    for parent in model.parents:
        if parent >= 0:
            children[parent] += 1
    inside = [children[i] == 0 or (children[i] == 1 and i not in tied) for i in range(model.nb)]
    first = 0
    while first < model.nb:
        end = first + 1
        while (inside[end - 1] and end < model.nb and inside[end]
               and model.parents[end] == end - 1):
            end += 1
        if inside[first]:
            yield first, end - first
        first = end


def segments_code(program: Program, model: Model, way: Segments) -> tuple[MachineCode, object]:
    """Return ``void kernel(argument..., world, result)`` for one state, and what it needs."""
    driver = _Driver(program, model, way)
    constants, topology = _tables(model, way)
    shared = driver.sweeps
    code = MachineCode(driver.ir(), addresses=[
        address_of(constants), address_of(topology),
        *(shared.address(f'sweep{k}') for k in range(4))])
    return code, (shared, constants, topology)


def _tables(model: Model, way: Segments) -> tuple[Any, Any]:
    """Return constants (length, size, lanes) and topology of the segments."""
    bodies = range(way.firsts[0], way.firsts[0] + way.length)
    kinds, classes = kinds_between(model, bodies, folded=False)
    every, _ = rolled_tables(model, [0] * model.nb, ())
    size = max(size_of(kind.body) for kind in kinds)
    constants = aligned((way.length, size, way.width))
    for lane, first in enumerate(way.lanes):
        constants[:, :, lane] = every.reshape(model.nb, -1)[first:first + way.length, :size]
    return constants, np.array([
        *range(-1, way.length - 1), *classes,
        *(offsets[i] - offsets[bodies[0]] for offsets in (model.q_offsets, model.v_offsets)
          for i in bodies)], dtype=np.int64)


class _Driver:
    """Traces the sweeps and what is between them, and writes the function that runs both."""

    def __init__(self, program: Program, model: Model, way: Segments) -> None:
        assert program.segments is not None
        self._inputs, self._model, self._way = program.inputs, model, way
        self._width, self._trace = Width(way.width), Trace()
        kinds, _ = kinds_between(model, [
            i for first in way.firsts for i in range(first, first + way.length)], folded=True)
        self._classes = [BodyClass(*kind) for kind in kinds]
        joints = joints_of(model, {
            name: [self._trace.input(k, entry) for entry in range(size)]
            for k, (name, size) in enumerate(zip(program.inputs, sizes(model, program.inputs)))})
        world = filled(world_of(model), partial(self._trace.input, len(program.inputs)))
        between = program.segments(tree_of(model).within(world), joints, world, way.firsts,
                                   way.length)
        self._program = Program(f'{program.name} of segments', program.inputs, between.sweeps)
        angles_first(self._program, self._classes, self._width)
        self._starts: list[list[list[Operand]]] = []
        self._results: dict[int, Operand] = {}
        codes = self._traced(between, world)
        found = trimmed(codes, self._reads)
        self._codes = [code for code in found if isinstance(code, SweepCode)]
        self._read = [sorted(self._reads(k, found[k + 1:])) for k in range(len(found))]
        self._rolled = swept_code(self._program, self._classes, self._codes, self._width)
        self.sweeps = MachineCode(self._rolled.ir, optimization=2)

    def _traced(self, between: Any, world: World) -> list[Traced]:
        """Trace the sweeps, each with what it is handed by what is between."""
        codes: list[Traced] = []
        first = between.sweeps[0].start(world)
        handed: list[Any] = [first] * len(self._way.firsts)
        for k, sweep in enumerate(between.sweeps):
            template = _in_common(handed, Trace())
            code = sweep_code(
                Inward(sweep.step, template) if isinstance(sweep, Inward) else
                Outward(sweep.step, lambda world, template=template: template),
                self._classes, self._program, None, folds=True)
            self._starts.append([varying(record, code.shape) for record in handed])
            codes.append(code)
            found = [self._found(k, code.shape, lane) for lane in range(len(handed))]
            if k == 0:
                handed = between.outward(found)
            elif k == 1:
                handed = between.tie()
            elif k == 2:
                handed, results = between.solve_between(found)
                self._results.update(results)
            else:
                self._late = between.rates(found)
        return codes

    def _found(self, k: int, shape: Any, lane: int) -> Any:
        """Return what sweep k has handed on in a lane."""
        slots = itertools.count(lane, self._width.lanes)
        return mapped(shape, lambda fixed: (
            self._trace.input(f'sweep{k}', next(slots)) if fixed is None else fixed))

    def _reads(self, k: int, later: Sequence[Traced]) -> set[int]:
        """Return which entries of what sweep k hands on are read."""
        needed = self._trace.needed(self._wanted(k + 1, later))
        return {symbol.second // self._width.lanes for symbol in needed
                if symbol.name == 'input' and symbol.first == f'sweep{k}'}

    def _wanted(self, k: int, codes: Sequence[Traced]) -> list[Operand]:
        """Return the results, and what the segments are handed from sweep k on."""
        wanted = [*self._results.values(), *self._late.values()]
        for code, lanes in zip(codes, self._starts[k:]):
            assert isinstance(code, SweepCode)
            wanted += [record[entry] for entry, _ in code.start for record in lanes]
        return wanted

    def ir(self) -> str:
        """Return the text."""
        names = [f'a{k}' for k in range(len(self._inputs))]
        lanes, place, rooms = self._width.lanes, 0, {}
        for name in (*names, 'result', 'rows'):
            rooms[name] = place
            size = (self._rolled.work_size(self._way.length, 0) if name == 'rows'
                    else self._span(name)[1])
            place += -(-lanes * size // 8) * 8
        parameters = ', '.join(f'ptr %{name}' for name in (*names, 'world', 'result'))
        lines = [DECLARATIONS, sincos_ir(SCALAR, Width(vector_lanes())), declarations_ir(SCALAR),
                 f'define void @kernel({parameters}) nounwind {{', 'entry:',
                 *take_ir('%work', 8 * place),
                 *(address_ir(name, k) for k, name in enumerate((
                     '%constants', '%topology', *(f'%sweep{k}' for k in range(4))))),
                 *(f'  %{"rows" if name == "rows" else name + ".lanes"} = getelementptr double, '
                   f'ptr %work, i64 {offset}' for name, offset in rooms.items())]
        label = 'taken'
        for name in names:
            offsets, count = self._span(name)
            lines += packed_ir(f'p.{name}', f'%{name}', f'%{name}.lanes', offsets, count, label)
            label = f'p.{name}.done'
        block = StraightLine('s', {
            **{k: f'%{name}' for k, name in enumerate(names)}, len(names): '%world',
            **{f'sweep{k}': WORK for k in range(4)}})
        lines += block.compute(self._trace, [symbol for symbol in self._trace.needed(
            self._wanted(0, self._codes)) if symbol.name in ('sin', 'cos')], Width(vector_lanes()))
        packed = ', '.join(f'ptr %{name}.lanes' for name in names)
        for k in range(4):
            lines += self._hand(block, k)
            lines.append(f'  call void %sweep{k}({packed}, ptr %world, ptr %constants, '
                         f'ptr %topology, ptr %result.lanes, i64 {self._way.length}, ptr {WORK})')
            lines += block.compute(self._trace, [
                self._trace.input(f'sweep{k}', entry * lanes + lane)
                for entry in self._read[k] for lane in range(len(self._way.firsts))])
        lines += self._give_out(block, self._late)
        offsets, count = self._span('result')
        lines += unpacked_ir('u', '%result', '%result.lanes', offsets, count, label)
        return '\n'.join([*lines, *give_ir(), '  ret void', '}'])

    def _hand(self, block: StraightLine, k: int) -> list[str]:
        """Return the code that puts what the segments are handed in sweep k into its lanes."""
        starts = {entry: [record[entry] for record in self._starts[k]]
                  for entry, _ in self._codes[k].start}
        results = list(self._results.values()) if k == 3 else []
        lines = block.compute(self._trace, [*itertools.chain(*starts.values()), *results])
        for entry, values in starts.items():
            for lane in range(self._width.lanes):
                lines += block.store(values[lane if lane < len(values) else 0], WORK,
                                     entry * self._width.lanes + lane)
        return lines + (self._give_out(block, self._results) if k == 3 else [])

    def _give_out(self, block: StraightLine, results: dict[int, Operand]) -> list[str]:
        lines = block.compute(self._trace, list(results.values()))
        for entry, value in results.items():
            lines += block.store(value, '%result', entry)
        return lines

    def _span(self, name: str) -> tuple[list[int], int]:
        """Return the first entry of each lane in an array, and how many there are."""
        of_q = name != 'result' and self._inputs[int(name[1:])] == 'q'
        model = self._model
        offsets = [*(model.q_offsets if of_q else model.v_offsets), model.nq if of_q else model.nv]
        return ([offsets[first] for first in self._way.lanes],
                offsets[self._way.firsts[0] + self._way.length] - offsets[self._way.firsts[0]])


def _in_common(records: Sequence[Any], trace: Trace) -> Any:
    """Return a record with the numbers that are the same in all, and symbols elsewhere."""
    leaves = iter(list(zip(*map(flatten, records))))

    def leaf(_: Operand) -> Operand:
        values = next(leaves)
        if any(isinstance(value, Symbol) or value != values[0] for value in values):
            return trace.input('start', 0)
        return values[0]

    return mapped(records[0], leaf)
