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
IR of a program with loops over bodies: its size depends on the joint types, not on the robot.

The function is ``void rolled(argument..., world, result, constants, topology, n, nv, work)``.
``constants`` holds a row for each body; ``topology`` int64 arrays one after the other:
parents, classes, first entries in q and in v of the bodies, and the parents and ends of the
entries of v (``elimination.py``); both go on with the ties (``rolled/ties.py``). ``work`` holds a
row of ``hand`` and ``kept`` slots for the ground and for each body, then what walks carry, for up
to six axes, then the matrices to solve with.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mbd_ros.execution.ir import elimination_ir
from mbd_ros.execution.ir.sincos import sincos_ir
from mbd_ros.execution.ir.straight_line import declarations_ir, SCALAR, StraightLine, Width
from mbd_ros.execution.ir.trace import Operand
from mbd_ros.execution.program.records import flatten, size_of
from mbd_ros.execution.program.sweeps import (
    Inward, Layout, Outward, Program, Solve, Tie, Ties, Walk)
from mbd_ros.execution.rolled.angles import ANGLES, angles_first, angles_ir, LEAST, together
from mbd_ros.execution.rolled.body_classes import (
    BODY, BodyClass, Code, HANDED, KEPT, Kind, varying, WORLD)
from mbd_ros.execution.rolled.ties import TieWriter
from mbd_ros.execution.rolled.traces import SweepCode, TiesCode, traced, WalkCode
from mbd_ros.execution.rolled.walks import WalkWriter

MOST_CARRIED = 28
"""Values that a chain hands on in registers; more are handed on in memory."""
_DUMMY = 6
"""Values of scratch for what belongs to no row of a loop: as many as a joint has axes."""


@dataclass(frozen=True)
class RolledCode:
    """
    IR of a program, and the number of values of work space: for each row and on top.

    Where sweeps are functions, ``hands`` are the numbers of values that each of them hands on;
    ``shapes`` are those of the records, ``kept`` is how many values of a row are kept, and
    ``tied`` where in it a body of each class keeps what ties do to it.
    """

    ir: str
    row: int
    scratch: int
    matrices: int
    width: Width
    hands: tuple[int, ...] = ()
    kept: int = 0
    tied: tuple[tuple[int | None, ...], ...] = ()
    shapes: tuple[Any, ...] = ()

    def work_size(self, nb: int, nv: int) -> int:
        """Return the number of values of work space for nb bodies and nv velocities."""
        # (nb + 1) * row is enough for a chain too: one row to hand on, the rest to keep.
        return ((nb + 1) * self.row + self.scratch
                + elimination_ir.work_size(nv, self.matrices, self.width))


def rolled_code(program: Program, kinds: Sequence[Kind], width: Width,
                shapes: Sequence[Tie] = (), slots: int = 0) -> RolledCode:
    """
    Return the rolled IR of a program.

    Parameters
    ----------
    program : Program
        The sweeps.
    kinds : sequence of Kind
        The classes; the topology counts them.
    width : Width
        How many states a value holds.
    shapes : sequence of Tie
        The shapes of ties; the topology counts them.
    slots : int
        Number of rows of loops that are carried inwards at a time.

    Returns
    -------
    RolledCode
        IR with the function ``rolled``.

    """
    return _Writer(program, [BodyClass(*kind) for kind in kinds], width, shapes, slots).write()


def chain_code(program: Program, kinds: Sequence[Kind], width: Width,
               shapes: Sequence[Tie] = (), slots: int = 0) -> RolledCode:
    """
    Return the rolled IR of the sweeps of a program along chains, a function for each sweep.

    ``sweep0``, ``sweep1`` and so on have the arguments of ``rolled``, without the results of the
    sweeps before. Each body's parent is the one before it, so that what is handed on stays in
    one place, the first ``hand`` values of ``work``: there the caller puts what the first (the
    last) body is handed, and finds what the last (the first) one hands on.

    Parameters are those of ``rolled_code``, of outward and inward sweeps, and ties, which have no
    function; ``width`` is how many chains of equal shape run side by side, and each constant is
    one value of it.
    """
    return _Writer(program, [BodyClass(*kind) for kind in kinds], width, shapes,
                   slots, 'chain').write()


def subtree_code(program: Program, kinds: Sequence[Kind], width: Width = SCALAR,
                 shapes: Sequence[Tie] = (), slots: int = 0) -> RolledCode:
    """
    Return the rolled IR of the sweeps of a program on subtrees, a function for each sweep.

    ``begin0`` and ``sweep0`` and so on have the arguments of ``rolled``, without ``nv`` and with
    the world, constants and topology after the inputs. ``begin`` puts into work what a tree on the
    ground starts with; ``sweep`` runs over the bodies. Row 0 of ``work`` is the body on which the
    subtrees hang: its first values are handed outward, and are the sum of what was handed inward.
    Ties have no function: the caller puts what they do where ``RolledCode.tied`` says. In the
    layout ``MOTION`` the topology goes on with nv and the rows that the slots carry.

    Parameters are those of ``chain_code``.
    """
    return _Writer(program, [BodyClass(*kind) for kind in kinds], width, shapes,
                   slots, 'subtree').write()


def swept_code(program: Program, classes: Sequence[BodyClass], sweeps: Sequence[SweepCode],
               width: Width) -> RolledCode:
    """Return what ``chain_code`` does of sweeps that are traced already."""
    return _Writer(program, [*classes], width, form='chain').write([*sweeps])


class _Writer(TieWriter, WalkWriter):
    """Writes the functions line by line."""

    def __init__(self, program: Program, classes: list[BodyClass], width: Width,
                 shapes: Sequence[Tie] = (), slots: int = 0, form: str = 'whole') -> None:
        self._shapes = shapes
        self._slots = slots
        self._program = program
        self._classes = classes
        self._constants = max((size_of(one.body) for one in classes), default=0)
        self._width = width
        self._form = form
        self._chain = form == 'chain'
        self._kind = width.type
        self._stack = max(16, 8 * width.lanes)  # or vectors kept there straddle cache lines
        self._lines: list[str] = []
        self._hand = self._walk_hand = 0
        self._solves = any(isinstance(sweep, Solve) for sweep in program.sweeps)

    def write(self, found: list[Any] | None = None) -> RolledCode:
        program = self._program
        self._angles = angles_first(program, self._classes, self._width) if found is None else (
            ANGLES if self._classes[0].angles else 0)
        sweeps = traced(program, self._classes, self._shapes) if found is None else found
        for code in sweeps:
            if isinstance(code, SweepCode):
                self._hand = max(self._hand, len(varying(code.shape, code.shape)))
            elif isinstance(code, WalkCode):
                self._walk_hand = max(self._walk_hand, len(flatten(code.starts[0][0].handed)))
        kept = max(body_class.slots for body_class in self._classes)
        if self._form != 'whole':
            return self._write_sweeps(sweeps)
        row, scratch = self._hand + kept, max(6 * self._walk_hand, _DUMMY)
        arguments = ', '.join(f'ptr noalias readonly %{name}' for name in program.inputs)
        count = program.extent[0] if self._solves else 0
        self._lines = [
            *self._functions(), 'declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)',
            *([elimination_ir.elimination_ir(count, self._width)] if count else []),
            f'define void @rolled({arguments}, ptr noalias readonly %world, ptr noalias %result,'
            ' ptr noalias readonly %constants, ptr noalias readonly %topology, i64 %n, i64 %nv,'
            f' ptr noalias %work) nounwind alignstack({self._stack}) {{', 'entry:',
            '  %species.all = getelementptr i64, ptr %topology, i64 %n',
            '  %qfirst.all = getelementptr i64, ptr %species.all, i64 %n',
            '  %vfirst.all = getelementptr i64, ptr %qfirst.all, i64 %n',
            '  %rows = add i64 %n, 1', f'  %rowsize = mul i64 %rows, {row}',
            f'  %walked = getelementptr {self._kind}, ptr %work, i64 %rowsize',
            f'  %above = getelementptr {self._kind}, ptr %walked, i64 {scratch}',
            *elimination_ir.aligned_ir('%matrices', '%above'),
            '  %axisparents = getelementptr i64, ptr %vfirst.all, i64 %n',
            '  %axisends = getelementptr i64, ptr %axisparents, i64 %nv',
            f'  %dummy = getelementptr {self._kind}, ptr %walked, i64 0']
        if any(isinstance(sweep, Ties) for sweep in program.sweeps):
            self._name_ties(self._constants)
        self._clear_result()
        if program.body == -1:  # the ground has no joint to walk over
            ground = StraightLine('ground.', {}, self._width)
            for entry, value in enumerate(program.at_ground):
                self._lines += ground.store(value, '%result', entry)
            return RolledCode('\n'.join([*self._lines, '  ret void', '}']), row, scratch, count,
                              self._width)
        label = self._write_angles(row, 'entry')
        if program.layout is Layout.SQUARES:
            label = self._name_matrices(label)
        for k, (sweep, codes) in enumerate(zip(program.sweeps, sweeps)):
            if isinstance(sweep, Solve):
                self._lines.append('  call void @eliminate(ptr %matrices, ptr %result, '
                                   'ptr %axisparents, ptr %axisends, i64 %nv)')
            elif isinstance(sweep, Walk):
                label = self._walk(k, codes, row, label)
            elif isinstance(sweep, Ties):
                label = self._write_ties(k, codes.codes, codes.places, row, label)
            else:
                label = self._sweep(k, sweep, codes, row, label)
        self._lines += ['  ret void', '}']
        return RolledCode('\n'.join(self._lines), row, scratch, count, self._width)

    def _functions(self) -> list[str]:
        return [sincos_ir(self._width, together(self._width)), declarations_ir(self._width), LEAST]

    def _write_angles(self, row: int, label: str) -> str:
        """Write what computes all sines and cosines."""
        if not self._angles:
            return label
        place = (row - self._hand, 0, self._hand) if self._chain else (row, 1, self._hand)
        self._lines += angles_ir(self._width, place, label)
        return 'angles.done'

    def _write_sweeps(self, sweeps: list[Any]) -> RolledCode:
        """Write a function for each sweep."""
        row = self._hand + max(body_class.slots for body_class in self._classes)
        pointers = ', '.join(f'ptr noalias readonly %{name}' for name in (
            *self._program.inputs, 'world', 'constants', 'topology'))
        self._lines = self._functions()
        tied: list[tuple[int | None, ...]] = []
        for k, (sweep, code) in enumerate(zip(self._program.sweeps, sweeps)):
            if isinstance(sweep, Ties):
                tied = [tuple(None if slot is None else self._hand + slot for slot in slots)
                        for slots in code.places]
                continue
            assert isinstance(sweep, (Outward, Inward))
            arguments = (f'{pointers}, ptr noalias %result, i64 %n, ptr noalias %work) nounwind '
                         f'alignstack({self._stack}) {{')
            if self._form == 'subtree':
                self._lines += [f'define void @begin{k}({arguments}', 'entry:',
                                '  %rows = add i64 %n, 1', *self._name_slots(row)]
                self._begin(k, sweep, code, row, 'entry')
                self._lines += ['  ret void', '}']
            self._lines += [
                f'define void @sweep{k}({arguments}', 'entry:',
                '  %species.all = getelementptr i64, ptr %topology, i64 %n',
                '  %qfirst.all = getelementptr i64, ptr %species.all, i64 %n',
                '  %vfirst.all = getelementptr i64, ptr %qfirst.all, i64 %n',
                *self._name_slots(row)]
            self._loop(k, sweep, code.codes, row, self._write_angles(row, 'entry')
                       if k == 0 else 'entry')
            self._lines += ['  ret void', '}']
        shapes = tuple(None if isinstance(code, TiesCode) else code.shape for code in sweeps)
        hands = tuple(0 if shape is None else len(varying(shape, shape)) for shape in shapes)
        return RolledCode('\n'.join(self._lines), row, _DUMMY, 0, self._width, hands,
                          row - self._hand, tuple(tied), shapes)

    def _name_slots(self, row: int) -> list[str]:
        """Return what finds the rows of loops in a function of its own."""
        if self._program.layout is not Layout.MOTION:
            return []
        return ['  %slots.o = mul i64 %n, 4', '  %nv.p = getelementptr i64, ptr %topology, '
                'i64 %slots.o', '  %nv = load i64, ptr %nv.p',
                '  %slotrows.all = getelementptr i64, ptr %nv.p, i64 1',
                '  %dummy.n = add i64 %n, 1', f'  %dummy.o = mul i64 %dummy.n, {row}',
                f'  %dummy = getelementptr {self._kind}, ptr %work, i64 %dummy.o']

    def _clear_result(self) -> None:
        """Zero the result where not every entry is written."""
        layout, bytes_each = self._program.layout, 8 * self._width.lanes
        if layout in (Layout.JOINTS, Layout.BODIES, Layout.ONE_BODY, Layout.MOTION) or (
                self._solves):
            return
        if layout is Layout.ROWS:
            self._lines += [
                f'  %clear.width = add i64 %nv, {self._program.extent[0]}',
                '  %clear.each = mul i64 %clear.width, %rowcount',
                f'  %clear.size = mul i64 %clear.each, {bytes_each}',
                '  call void @llvm.memset.p0.i64(ptr %result, i8 0, i64 %clear.size, i1 false)']
            return
        count = bytes_each * (self._program.extent[0] if self._program.extent else 1)
        self._lines += [
            f'  %clear.each = mul i64 %nv, {count}',
            '  %clear.size = mul i64 %clear.each, '
            + ('1' if layout is Layout.COLUMNS else '%nv'),
            '  call void @llvm.memset.p0.i64(ptr %result, i8 0, i64 %clear.size, i1 false)']

    def _name_matrices(self, label: str) -> str:
        """Name where the matrices begin and the step from row to row; prepare for solving."""
        (count,) = self._program.extent
        if not self._solves:
            self._lines += ['  %stride = add i64 %nv, 0', '  %square = mul i64 %nv, %nv']
            for matrix in range(count):
                self._lines += [
                    f'  %matrix{matrix}.o = mul i64 %square, {matrix}',
                    f'  %matrix{matrix} = getelementptr {self._kind}, ptr %result, '
                    f'i64 %matrix{matrix}.o']
            return label
        self._lines += [
            *elimination_ir.strides_ir(count, self._width), '  %table = mul i64 %nv, %stride',
            f'  %table.size = mul i64 %table, {8 * self._width.lanes}',
            '  call void @llvm.memset.p0.i64(ptr %matrices, i8 0, i64 %table.size, i1 false)']
        for matrix in range(count):
            offset = '%sides' if matrix == count - 1 else f'%matrix{matrix}.o'
            self._lines += [
                f'  %matrix{matrix}.o = mul i64 %nv, {matrix}',
                f'  %matrix{matrix} = getelementptr {self._kind}, ptr %matrices, i64 {offset}']
        self._lines += [
            f'  %unit = getelementptr {self._kind}, ptr %matrices, i64 %matrix{count - 1}.o',
            '  %diagonal = add i64 %stride, 1']
        return self._fill('unit', '%unit', '%nv', '%diagonal', [(0, 1.0)], label)

    def _fill(self, name: str, array: str, count: str, stride: int | str,
              values: Sequence[tuple[int, Operand]], label: str) -> str:
        """Store values at the head of each of count rows of an array."""
        block = StraightLine(f'{name}.', {}, self._width)
        self._lines += [
            f'  br label %{name}.loop', f'{name}.loop:',
            f'  %{name}.i = phi i64 [0, %{label}], [%{name}.j, %{name}.body]',
            f'  %{name}.more = icmp slt i64 %{name}.i, {count}',
            f'  br i1 %{name}.more, label %{name}.body, label %{name}.done', f'{name}.body:',
            f'  %{name}.o = mul i64 %{name}.i, {stride}',
            f'  %{name}.p = getelementptr {self._kind}, ptr {array}, i64 %{name}.o']
        for entry, value in values:
            self._lines += block.store(value, f'%{name}.p', entry)
        self._lines += [f'  %{name}.j = add i64 %{name}.i, 1', f'  br label %{name}.loop',
                        f'{name}.done:']
        return f'{name}.done'

    def _sweep(self, k: int, sweep: Outward | Inward, code: SweepCode, row: int, label: str
               ) -> str:
        return self._loop(k, sweep, code.codes, row, self._begin(k, sweep, code, row, label))

    def _begin(self, k: int, sweep: Outward | Inward, code: SweepCode, row: int, label: str
               ) -> str:
        """Write what puts the values of the ground, or zeros to sum up, into place."""
        s = f's{k}'
        if isinstance(sweep, Inward):
            return self._fill(f'{s}z', '%work', '%rows', row, code.start, label)
        block = StraightLine(f'{s}g.', {WORLD: '%world', HANDED: '%work'}, self._width,
                             (WORLD,))
        self._lines += block.compute(code.trace, [*(value for _, value in code.start), *code.out])
        for entry, value in code.start:
            self._lines += block.store(value, '%work', entry)
        if code.out:
            self._give_out_slots(block, f'{s}g', '-1', 0, code.out, range(self._slots))
        return label

    def _loop(self, k: int, sweep: Outward | Inward, codes: list[Code], row: int, label: str
              ) -> str:
        """Write the loop over the bodies."""
        s, outward, lines = f's{k}', isinstance(sweep, Outward), self._lines
        carried = ({entry: f'%{s}.h{entry}' for entry, _ in codes[0].hand}
                   if self._chain and len(codes[0].hand) <= MOST_CARRIED else {})
        for entry in carried:
            self._move(f'{s}.h{entry}.first', entry)
        index = f'%{s}.i, 0' if outward else f'%{s}.last, %{s}.i'
        index = f'  %{s}.b = {"add" if outward else "sub"} i64 {index}'
        lines += [
            f'  %{s}.last = sub i64 %n, 1', f'  br label %{s}.loop', f'{s}.loop:',
            f'  %{s}.i = phi i64 [0, %{label}], [%{s}.j, %{s}.next]',
            *(f'  {name} = phi {self._kind} [{name}.first, %{label}], [{name}.next, %{s}.next]'
              for name in carried.values()),
            f'  %{s}.more = icmp slt i64 %{s}.i, %n',
            f'  br i1 %{s}.more, label %{s}.body, label %{s}.done', f'{s}.body:', index]
        ends: dict[int, list[str]] = {entry: [] for entry in carried}
        self._body_pointers(s, f'%{s}.b', row)
        self._switch(s)
        for number, code in enumerate(codes):
            lines.append(f'{s}.species{number}:')
            block = self._block(f'{s}t{number}.', s, carried or (
                f'%{s}.parentrow' if outward else f'%{s}.row'))
            results = [*(scalar for _, scalar in (*code.hand, *code.keep)), *code.out]
            lines += block.compute(code.trace, results)
            for entry, value in code.hand:
                if carried:
                    ends[entry].append(f'[{block.value(value)}, %{s}.species{number}]')
                    continue
                lines += (block.store(value, f'%{s}.row', entry) if outward or self._chain
                          else block.add(value, f'%{s}.parentrow', entry))
            for slot, value in code.keep:
                lines += block.store(value, f'%{s}.kept', slot)
            self._give_out(block, s, code, self._classes[number])
            lines.append(f'  br label %{s}.next')
        lines += [f'{s}.next:',
                  *(f'  {name}.next = phi {self._kind} {", ".join(ends[entry])}'
                    for entry, name in carried.items()),
                  f'  %{s}.j = add i64 %{s}.i, 1', f'  br label %{s}.loop', f'{s}.done:']
        for entry, name in carried.items():
            self._move(name[1:], entry, back=True)
        return f'{s}.done'

    def _move(self, name: str, entry: int, back: bool = False) -> None:
        """Load a value that is handed on from work, or store it back."""
        place = f'%{name}.{"b" if back else "a"}'
        self._lines += [
            f'  {place} = getelementptr {self._kind}, ptr %work, i64 {entry}',
            f'  store {self._kind} %{name}, ptr {place}, align 8' if back else
            f'  %{name} = load {self._kind}, ptr {place}, align 8']

    def _body_pointers(self, s: str, body: str, row: int) -> None:
        """Name the arrays of a body: its row, its parent's, its constants and coordinates."""
        lines = self._lines
        for name, table in (('parent', '%topology'), ('type', '%species.all'),
                            ('qfirst', '%qfirst.all'), ('vfirst', '%vfirst.all')):
            lines += [f'  %{s}.{name}.p = getelementptr i64, ptr {table}, i64 {body}',
                      f'  %{s}.{name} = load i64, ptr %{s}.{name}.p']
        for name, index in (('row', body), ('parentrow', f'%{s}.parent')):
            if self._chain:
                lines += [f'  %{s}.{name} = getelementptr {self._kind}, ptr %work, i64 0']
                continue
            lines += [f'  %{s}.{name}.1 = add i64 {index}, 1',
                      f'  %{s}.{name}.o = mul i64 %{s}.{name}.1, {row}',
                      f'  %{s}.{name} = getelementptr {self._kind}, ptr %work, i64 %{s}.{name}.o']
        kept = f'%{s}.row'
        if self._chain:
            kept = f'%{s}.kept.row'
            lines += [f'  %{s}.kept.o = mul i64 {body}, {row - self._hand}',
                      f'  {kept} = getelementptr {self._kind}, ptr %work, i64 %{s}.kept.o']
        constant = self._kind if self._form != 'whole' else 'double'
        lines += [f'  %{s}.kept = getelementptr {self._kind}, ptr {kept}, i64 {self._hand}',
                  f'  %{s}.c.o = mul i64 {body}, {self._constants}',
                  f'  %{s}.c = getelementptr {constant}, ptr %constants, i64 %{s}.c.o']
        for name in self._program.inputs:
            first = 'qfirst' if name == 'q' else 'vfirst'
            lines.append(f'  %{s}.{name} = getelementptr {self._kind}, ptr %{name}, '
                         f'i64 %{s}.{first}')
        if self._program.layout is Layout.ONE_BODY:
            lines += [f'  %{s}.wanted = icmp eq i64 {body}, {self._program.body}']

    def _switch(self, s: str) -> None:
        cases = ' '.join(f'i64 {number}, label %{s}.species{number}'
                         for number in range(len(self._classes)))
        self._lines += [f'  switch i64 %{s}.type, label %{s}.never [{cases}]', f'{s}.never:',
                        '  unreachable']

    def _block(self, prefix: str, s: str, handed: str | Mapping[int, str]) -> StraightLine:
        pointers: dict[Any, str | Mapping[int, str]] = {
            BODY: f'%{s}.c', KEPT: f'%{s}.kept', HANDED: handed, WORLD: '%world'}
        pointers.update({name: f'%{s}.{name}' for name in self._program.inputs})
        common = (BODY, WORLD) if self._form == 'whole' else (WORLD,)
        return StraightLine(prefix, pointers, self._width, common)

    def _give_out(self, block: StraightLine, s: str, code: Code, body_class: BodyClass) -> None:
        """Store what a sweep's step gives out."""
        if not code.out:
            return
        place, layout = f'%{s}out{len(self._lines)}', self._program.layout
        out, axes = code.out, body_class.joint.nv
        if layout in (Layout.ROWS, Layout.MOTION):
            self._give_out_slots(block, s, f'%{s}.b', axes, out, body_class.body.closes)
            out = out[:axes]
        if layout in (Layout.JOINTS, Layout.MOTION):
            self._lines.append(
                f'  {place} = getelementptr {self._kind}, ptr %result, i64 %{s}.vfirst')
        elif layout is Layout.BODIES:
            self._lines += [f'  {place}o = mul i64 %{s}.b, {len(code.out)}',
                            f'  {place} = getelementptr {self._kind}, ptr %result, i64 {place}o']
        elif layout is Layout.ONE_BODY:
            for entry, value in enumerate(code.out):
                there = f'{place}.{entry}'
                self._lines += [
                    f'  {there} = getelementptr {self._kind}, ptr %result, i64 {entry}',
                    f'  {there}b = load {self._kind}, ptr {there}, align 8',
                    f'  {there}n = select i1 %{s}.wanted, {self._kind} {block.value(value)}, '
                    f'{self._kind} {there}b',
                    f'  store {self._kind} {there}n, ptr {there}, align 8']
            return
        else:
            return
        for entry, value in enumerate(out):
            self._lines += block.store(value, place, entry)
