"""
IR of a program with loops over bodies: its size depends on the joint types, not on the robot.

The function is ``void rolled(argument..., gravity, result, constants, topology, n, nv, work)``.
``constants`` holds ``BODY_SIZE`` doubles a body; ``topology`` int64 arrays one after the other:
parents, species, first entries in q and in v of the bodies, and the parents and ends of the
entries of v (``elimination.py``); both go on with the ties (``rolled_ties.py``). ``work`` holds a
row of ``hand`` and ``kept`` slots for the ground and for each body, then what walks carry, for up
to six axes, then the matrices to solve with.

"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mbd_ros.execution import elimination_ir
from mbd_ros.execution.rolled_entries import EntryWriter
from mbd_ros.execution.rolled_ties import reserve, Shape, TieWriter, trace_tie
from mbd_ros.execution.sincos import sincos_ir
from mbd_ros.execution.species import (
    BODY, BODY_SIZE, Code, flatten, HANDED, KEPT, Kind, Species, start_of, trace_sweep,
    trace_walk_start, trace_walk_step, WORLD)
from mbd_ros.execution.straight_line import declarations_ir, SCALAR, StraightLine, Width
from mbd_ros.execution.sweeps import Inward, Layout, Outward, Program, Solve, Ties, Walk
from mbd_ros.execution.trace import Trace

_DUMMY = 6
"""Values of scratch for what belongs to no row of a loop: as many as a joint has axes."""


@dataclass(frozen=True)
class RolledCode:
    """
    IR of a program, and the number of values of work space: for each row and on top.

    Where sweeps are functions, ``hands`` are the numbers of values that each of them hands on;
    ``kept`` is how many of a row are kept, and ``tied`` where in it a body of each species keeps
    what ties do to it.
    """

    ir: str
    row: int
    scratch: int
    matrices: int
    width: Width
    hands: tuple[int, ...] = ()
    kept: int = 0
    tied: tuple[int, ...] = ()

    def work_size(self, nb: int, nv: int) -> int:
        """Return the number of values of work space for nb bodies and nv velocities."""
        # (nb + 1) * row is enough for a chain too: one row to hand on, the rest to keep.
        return ((nb + 1) * self.row + self.scratch
                + elimination_ir.work_size(nv, self.matrices, self.width))


def rolled_code(program: Program, kinds: Sequence[Kind], width: Width,
                shapes: Sequence[Shape] = (), slots: int = 0) -> RolledCode:
    """
    Return the rolled IR of a program.

    Parameters
    ----------
    program : Program
        The sweeps.
    kinds : sequence of Kind
        The joint types; ``species`` in the topology counts them.
    width : Width
        How many states a value holds.
    shapes : sequence of Shape
        The shapes of ties; the topology counts them.
    slots : int
        Number of rows of loops that are carried inwards at a time.

    Returns
    -------
    RolledCode
        IR with the function ``rolled``.

    """
    return _Writer(program, [Species(*kind) for kind in kinds], width, shapes, slots).write()


def chain_code(program: Program, kinds: Sequence[Kind], width: Width) -> RolledCode:
    """
    Return the rolled IR of the sweeps of a program along chains, a function for each sweep.

    ``sweep0``, ``sweep1`` and so on have the arguments of ``rolled``, without the results of the
    sweeps before. Each body's parent is the one before it, so that what is handed on stays in
    one place, the first ``hand`` values of ``work``: there the caller puts what the first (the
    last) body is handed, and finds what the last (the first) one hands on.

    Parameters
    ----------
    program : Program
        Outward and inward sweeps, and ties: those have no function.
    kinds : sequence of Kind
        The joint types; ``species`` in the topology counts them.
    width : Width
        How many chains of equal shape run side by side; each constant is one value of it.

    Returns
    -------
    RolledCode
        IR with the functions.

    """
    return _Writer(program, [Species(*kind) for kind in kinds], width, form='chain').write()


def subtree_code(program: Program, kinds: Sequence[Kind], width: Width = SCALAR) -> RolledCode:
    """
    Return the rolled IR of the sweeps of a program on subtrees, a function for each sweep.

    ``begin0`` and ``sweep0`` and so on have the arguments of ``rolled``, without ``nv`` and with
    gravity, constants and topology after the inputs. ``begin`` puts into work what a tree on the
    ground starts with; ``sweep`` runs over the bodies. Row 0 of ``work`` is the body on which the
    subtrees hang: its first values are handed outward, and are the sum of what was handed inward.
    Ties have no function: the caller puts what they do where ``RolledCode.tied`` says.

    Parameters
    ----------
    program : Program
        Outward and inward sweeps, and ties.
    kinds : sequence of Kind
        The joint types; ``species`` in the topology counts them.
    width : Width
        How many subtrees of equal shape run side by side; each constant is one value of it.

    Returns
    -------
    RolledCode
        IR with the functions.

    """
    return _Writer(program, [Species(*kind) for kind in kinds], width, form='subtree').write()


class _Writer(TieWriter, EntryWriter):
    """Writes the functions line by line."""

    def __init__(self, program: Program, species: list[Species], width: Width,
                 shapes: Sequence[Shape] = (), slots: int = 0, form: str = 'whole') -> None:
        self._shapes = shapes
        self._slots = slots
        self._template: Any = None
        self._program = program
        self._species = species
        self._width = width
        self._form = form
        self._chain = form == 'chain'
        self._kind = width.type
        self._stack = max(16, 8 * width.lanes)  # or vectors kept there straddle cache lines
        self._lines: list[str] = []
        self._hand = 0
        self._walk_hand = 0
        self._solves = any(isinstance(sweep, Solve) for sweep in program.sweeps)

    def write(self) -> RolledCode:
        program = self._program
        sweeps: list[Any] = [None if isinstance(sweep, Solve) else self._traced(sweep)
                             for sweep in program.sweeps]
        kept = max(species.slots for species in self._species)
        row = self._hand + kept
        if self._form != 'whole':
            return self._write_sweeps(sweeps)
        scratch = max(6 * self._walk_hand, _DUMMY)
        arguments = ', '.join(f'ptr noalias readonly %{name}' for name in program.inputs)
        count = program.extent[0] if self._solves else 0
        self._lines = [
            sincos_ir(self._width), declarations_ir(self._width),
            'declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)',
            *([elimination_ir.elimination_ir(count, self._width)] if count else []),
            f'define void @rolled({arguments}, ptr noalias readonly %gravity, ptr noalias %result,'
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
            self._name_ties(BODY_SIZE)
        self._clear_result()
        label = 'entry'
        if program.layout is Layout.SQUARES:
            label = self._name_matrices(label)
        for k, (sweep, codes) in enumerate(zip(program.sweeps, sweeps)):
            if isinstance(sweep, Solve):
                self._lines.append('  call void @eliminate(ptr %matrices, ptr %result, '
                                   'ptr %axisparents, ptr %axisends, i64 %nv)')
            elif isinstance(sweep, Walk):
                label = self._walk(k, sweep, codes, row, label)
            elif isinstance(sweep, Ties):
                label = self._write_ties(k, codes[0], codes[1], row, label)
            else:
                label = self._sweep(k, sweep, codes, row, label)
        self._lines += ['  ret void', '}']
        return RolledCode('\n'.join(self._lines), row, scratch, count, self._width)

    def _write_sweeps(self, sweeps: list[Any]) -> RolledCode:
        """Write a function for each sweep."""
        row = self._hand + max(species.slots for species in self._species)
        pointers = ', '.join(f'ptr noalias readonly %{name}' for name in (
            *self._program.inputs, 'gravity', 'constants', 'topology'))
        self._lines = [sincos_ir(self._width), declarations_ir(self._width)]
        tied: list[int] = []
        for k, (sweep, traced) in enumerate(zip(self._program.sweeps, sweeps)):
            if isinstance(sweep, Ties):
                tied = [self._hand + base for base in traced[1]]
                continue
            assert isinstance(sweep, (Outward, Inward))
            arguments = (f'{pointers}, ptr noalias %result, i64 %n, ptr noalias %work) nounwind '
                         f'alignstack({self._stack}) {{')
            if self._form == 'subtree':
                self._lines += [f'define void @begin{k}({arguments}', 'entry:',
                                '  %rows = add i64 %n, 1']
                self._begin(k, sweep, traced[1], row, 'entry')
                self._lines += ['  ret void', '}']
            self._lines += [
                f'define void @sweep{k}({arguments}', 'entry:',
                '  %species.all = getelementptr i64, ptr %topology, i64 %n',
                '  %qfirst.all = getelementptr i64, ptr %species.all, i64 %n',
                '  %vfirst.all = getelementptr i64, ptr %qfirst.all, i64 %n']
            self._loop(k, sweep, traced[0], row, 'entry')
            self._lines += ['  ret void', '}']
        hands = tuple(0 if isinstance(sweep, Ties) else len(codes[0].hand)
                      for sweep, (codes, _) in zip(self._program.sweeps, sweeps))
        return RolledCode('\n'.join(self._lines), row, 0, 0, self._width, hands,
                          row - self._hand, tuple(tied))

    def _traced(self, sweep: Outward | Inward | Walk | Ties) -> Any:
        program = self._program
        if isinstance(sweep, Ties):
            tied = [trace_tie(sweep, shape, self._template) for shape in self._shapes]
            return tied, [reserve(species, sweep.zero) for species in self._species]
        if isinstance(sweep, Walk):
            starts = [trace_walk_start(sweep, species, program) for species in self._species]
            template = starts[0][0].handed
            self._walk_hand = max(self._walk_hand, len(flatten(template)))
            return starts, [trace_walk_step(sweep, species, program, template)
                            for species in self._species]
        ground = (sweep.zero if isinstance(sweep, Inward)
                  else start_of(Trace(), sweep, self._template).hand)
        before, self._template = self._template, ground
        self._hand = max(self._hand, len(flatten(ground)))
        codes = [trace_sweep(sweep, species, program, ground) for species in self._species]
        return codes, before

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
        return self._fill('unit', '%unit', '%nv', '%diagonal', [1.0], label)

    def _fill(self, name: str, array: str, count: str, stride: int | str,
              values: Sequence[Any], label: str) -> str:
        """Store values at the head of each of count rows of an array."""
        block = StraightLine(f'{name}.', {}, self._width)
        self._lines += [
            f'  br label %{name}.loop', f'{name}.loop:',
            f'  %{name}.i = phi i64 [0, %{label}], [%{name}.j, %{name}.body]',
            f'  %{name}.more = icmp slt i64 %{name}.i, {count}',
            f'  br i1 %{name}.more, label %{name}.body, label %{name}.done', f'{name}.body:',
            f'  %{name}.o = mul i64 %{name}.i, {stride}',
            f'  %{name}.p = getelementptr {self._kind}, ptr {array}, i64 %{name}.o']
        for entry, value in enumerate(values):
            self._lines += block.store(value, f'%{name}.p', entry)
        self._lines += [f'  %{name}.j = add i64 %{name}.i, 1', f'  br label %{name}.loop',
                        f'{name}.done:']
        return f'{name}.done'

    def _sweep(self, k: int, sweep: Outward | Inward, traced: tuple[list[Code], Any], row: int,
               label: str) -> str:
        label = self._begin(k, sweep, traced[1], row, label)
        return self._loop(k, sweep, traced[0], row, label)

    def _begin(self, k: int, sweep: Outward | Inward, landed: Any, row: int, label: str) -> str:
        """Write what puts the values of the ground, or zeros to sum up, into place."""
        s = f's{k}'
        if isinstance(sweep, Outward):
            trace = Trace()
            step = start_of(trace, sweep, landed)
            start = flatten(step.hand)
            block = StraightLine(f'{s}g.', {WORLD: '%gravity', HANDED: '%work'}, self._width,
                                 (WORLD,))
            self._lines += block.compute(trace, [*start, *step.out])
            for entry, value in enumerate(start):
                self._lines += block.store(value, '%work', entry)
            if step.out:
                self._give_out_slots(block, f'{s}g', '-1', 0, step.out, range(self._slots))
        else:
            label = self._fill(f'{s}z', '%work', '%rows', row, flatten(sweep.zero), label)
        return label

    def _loop(self, k: int, sweep: Outward | Inward, codes: list[Code], row: int, label: str
              ) -> str:
        """Write the loop over the bodies."""
        s = f's{k}'
        outward = isinstance(sweep, Outward)
        index = f'%{s}.i, 0' if outward else f'%{s}.last, %{s}.i'
        index = f'  %{s}.b = {"add" if outward else "sub"} i64 {index}'
        self._lines += [
            f'  %{s}.last = sub i64 %n, 1', f'  br label %{s}.loop', f'{s}.loop:',
            f'  %{s}.i = phi i64 [0, %{label}], [%{s}.j, %{s}.next]',
            f'  %{s}.more = icmp slt i64 %{s}.i, %n',
            f'  br i1 %{s}.more, label %{s}.body, label %{s}.done', f'{s}.body:', index]
        self._body_pointers(s, f'%{s}.b', row)
        self._switch(s)
        for number, code in enumerate(codes):
            self._lines.append(f'{s}.species{number}:')
            block = self._block(f'{s}t{number}.', s,
                                f'%{s}.parentrow' if outward else f'%{s}.row')
            results = [*code.hand, *(scalar for _, scalar in code.keep), *code.out]
            self._lines += block.compute(code.trace, results)
            for entry, value in enumerate(code.hand):
                self._lines += (block.store(value, f'%{s}.row', entry) if outward or self._chain
                                else block.add(value, f'%{s}.parentrow', entry))
            for slot, value in code.keep:
                self._lines += block.store(value, f'%{s}.kept', slot)
            self._give_out(block, s, code, self._species[number])
            self._lines.append(f'  br label %{s}.next')
        self._lines += [f'{s}.next:', f'  %{s}.j = add i64 %{s}.i, 1', f'  br label %{s}.loop',
                        f'{s}.done:']
        return f'{s}.done'

    def _walk(self, k: int, walk: Walk, codes: tuple[list[list[Code]], list[Code]], row: int,
              label: str) -> str:
        starts, steps = codes
        s, w, size = f's{k}', f'w{k}', max(1, self._walk_hand)
        first, last = ('0', '%n') if walk.only is None else (str(walk.only), str(walk.only + 1))
        self._lines += [
            f'  br label %{s}.loop', f'{s}.loop:',
            f'  %{s}.i = phi i64 [{first}, %{label}], [%{s}.j, %{s}.next]',
            f'  %{s}.more = icmp slt i64 %{s}.i, {last}',
            f'  br i1 %{s}.more, label %{s}.body, label %{s}.done', f'{s}.body:']
        self._body_pointers(s, f'%{s}.i', row)
        self._switch(s)
        for number, begun in enumerate(starts):
            self._lines.append(f'{s}.species{number}:')
            for axis, code in enumerate(begun):
                block = self._block(f'{s}t{number}a{axis}.', s, '%walked')
                self._lines += block.compute(code.trace, [*code.hand, *code.out])
                for entry, value in enumerate(code.hand):
                    self._lines += block.store(value, '%walked', axis * size + entry)
                self._lines.append(f'  %{s}t{number}a{axis}.line = add i64 %{s}.vfirst, {axis}')
                self._enter(block, f'{s}t{number}a{axis}.line', s, code,
                            self._species[number].joint.nv)
            self._lines.append(f'  br label %{s}.begun')
        counts = ', '.join(f'[{len(begun)}, %{s}.species{number}]'
                           for number, begun in enumerate(starts))
        self._lines += [
            f'{s}.begun:', f'  %{s}.count = phi i64 {counts}',
            f'  br label %{s}.axis', f'{s}.axis:',
            f'  %{s}.a = phi i64 [0, %{s}.begun], [%{s}.a1, %{w}.done]',
            f'  %{s}.amore = icmp slt i64 %{s}.a, %{s}.count',
            f'  br i1 %{s}.amore, label %{w}.start, label %{s}.next', f'{w}.start:',
            f'  %{w}.line = add i64 %{s}.vfirst, %{s}.a', f'  %{w}.o = mul i64 %{s}.a, {size}',
            f'  %{w}.carried = getelementptr {self._kind}, ptr %walked, i64 %{w}.o',
            f'  br label %{w}.loop', f'{w}.loop:',
            f'  %{w}.b = phi i64 [%{s}.parent, %{w}.start], [%{w}.parent, %{w}.next]',
            f'  %{w}.more = icmp sge i64 %{w}.b, 0',
            f'  br i1 %{w}.more, label %{w}.body, label %{w}.done', f'{w}.body:']
        self._body_pointers(w, f'%{w}.b', row)
        self._switch(w)
        for number, code in enumerate(steps):
            self._lines.append(f'{w}.species{number}:')
            block = self._block(f'{w}t{number}.', w, f'%{w}.carried')
            self._lines += block.compute(code.trace, [*code.hand, *code.out])
            for entry, value in enumerate(code.hand):
                self._lines += block.store(value, f'%{w}.carried', entry)
            self._enter(block, f'{w}.line', w, code, self._species[number].joint.nv)
            self._lines.append(f'  br label %{w}.next')
        self._lines += [
            f'{w}.next:', f'  br label %{w}.loop', f'{w}.done:',
            f'  %{s}.a1 = add i64 %{s}.a, 1', f'  br label %{s}.axis', f'{s}.next:',
            f'  %{s}.j = add i64 %{s}.i, 1', f'  br label %{s}.loop', f'{s}.done:']
        return f'{s}.done'

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
                  f'  %{s}.c.o = mul i64 {body}, {BODY_SIZE}',
                  f'  %{s}.c = getelementptr {constant}, ptr %constants, i64 %{s}.c.o']
        for name in self._program.inputs:
            first = 'qfirst' if name == 'q' else 'vfirst'
            lines.append(f'  %{s}.{name} = getelementptr {self._kind}, ptr %{name}, '
                         f'i64 %{s}.{first}')
        if self._program.layout is Layout.ONE_BODY:
            lines += [f'  %{s}.wanted = icmp eq i64 {body}, {self._program.body}']

    def _switch(self, s: str) -> None:
        cases = ' '.join(f'i64 {number}, label %{s}.species{number}'
                         for number in range(len(self._species)))
        self._lines += [f'  switch i64 %{s}.type, label %{s}.never [{cases}]', f'{s}.never:',
                        '  unreachable']

    def _block(self, prefix: str, s: str, handed: str) -> StraightLine:
        pointers = {BODY: f'%{s}.c', KEPT: f'%{s}.kept', HANDED: handed, WORLD: '%gravity'}
        pointers.update({name: f'%{s}.{name}' for name in self._program.inputs})
        common = (BODY, WORLD) if self._form == 'whole' else (WORLD,)
        return StraightLine(prefix, pointers, self._width, common)

    def _give_out(self, block: StraightLine, s: str, code: Code, species: Species) -> None:
        """Store what a sweep's step gives out."""
        if not code.out:
            return
        place, layout = f'%{s}out{len(self._lines)}', self._program.layout
        out, axes = code.out, species.joint.nv
        if layout in (Layout.ROWS, Layout.MOTION):
            self._give_out_slots(block, s, f'%{s}.b', axes, out, species.closes)
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
