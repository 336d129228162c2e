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
IR of the elimination in ``elimination.py``: loops over the axes and their paths to the ground.

The work array has a row for each entry of v: ``A..., 1`` side by side, padded to whole blocks, and
``M`` and the factors by which other rows are taken out of it, both padded likewise, and one
register more, lest all rows fall into the same set of the cache. A block of columns goes all the
way up and down before the next one, so that it stays in the cache; blocks of one row stay in
registers while others are subtracted, rows further from the ground on the way up and rows nearer
to it on the way down. Where several axes follow each other along a chain, those of all their rows
do, so that what is subtracted is loaded once for all of them.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mbd_ros.execution.ir.machine_code import vector_lanes
from mbd_ros.execution.ir.straight_line import Width

_LINE = 64  # bytes of a cache line: rows begin on one
REGISTERS = 4
"""Registers of a block of columns."""


def _rows_together() -> int:
    """Return how many rows are in registers at a time, of which AVX-512 has 32, others 16."""
    return 4 if vector_lanes() == 8 else 2


def work_size(nv: int, count: int, width: Width) -> int:
    """Return the number of values of the work array for a number of matrices."""
    if count == 0:
        return 0
    columns = _columns(width)
    return _LINE // 8 + nv * (sum(-(-size // columns) * columns for size in (count * nv, nv, nv))
                              + columns // REGISTERS)


def strides_ir(count: int, width: Width) -> list[str]:
    """Return the instructions that name the size of the sides and of a row, from ``%nv``."""
    columns, lines = _columns(width), [f'  %sides.n = mul i64 %nv, {count}']
    for name, size in (('sides', '%sides.n'), ('mass', '%nv')):
        lines += [f'  %{name}.up = add i64 {size}, {columns - 1}',
                  f'  %{name} = and i64 %{name}.up, {-columns}']
    return [*lines, '  %upper = add i64 %sides, %mass', '  %all = add i64 %upper, %mass',
            f'  %stride = add i64 %all, {columns // REGISTERS}']


def aligned_ir(name: str, pointer: str) -> list[str]:
    """Return the instructions that name the first place for rows at or after a pointer."""
    return [f'  {name}.i = ptrtoint ptr {pointer} to i64',
            f'  {name}.up = add i64 {name}.i, {_LINE - 1}',
            f'  {name}.at = and i64 {name}.up, {-_LINE}',
            f'  {name} = inttoptr i64 {name}.at to ptr']


def elimination_ir(count: int, width: Width) -> str:
    """
    Return the IR of ``void @eliminate(work, result, parents, ends, nv)``.

    Parameters
    ----------
    count : int
        Number of matrices A..., M.
    width : Width
        How many states a value holds.

    Returns
    -------
    str
        The function, with what it declares.

    """
    return _Writer(count, width).write()


def _columns(width: Width) -> int:
    """Return how many columns of a row make a block."""
    return REGISTERS * vector_lanes() // width.lanes


class _Writer:
    """Writes the function line by line; ``%{name}.x`` belongs to the loop of that name."""

    def __init__(self, count: int, width: Width) -> None:
        self._count = count
        self._one = width
        self._columns = _columns(width)
        self._block = Width(width.lanes * self._columns)
        self._lines: list[str] = []
        self._label = 'entry'

    def write(self) -> str:
        kind, lanes = self._block.type, self._block.lanes
        self._lines += [
            f'declare void @llvm.masked.store.v{lanes}f64.p0({kind}, ptr, i32, <{lanes} x i1>)',
            'define private void @eliminate(ptr noalias %work, ptr noalias %result, '
            'ptr noalias readonly %parents, ptr noalias readonly %ends, i64 %nv) nounwind {',
            'entry:', *strides_ir(self._count, self._one), '  %last = sub i64 %nv, 1',
            '  %square = mul i64 %nv, %nv']
        self._eliminate()
        self._solve()
        self._loop('d', '0', '%nv')
        self._row('d', '%d.c')
        for matrix in range(self._count):
            self._give_out(f'g{matrix}', matrix)
        self._end('d')
        return '\n'.join([*self._lines, '  ret void', '}'])

    def _eliminate(self) -> None:
        """Take the axes further out of each row of M, and invert what is left on the diagonal."""
        one = self._one
        self._from_tips('u')
        self._row('u', '%u.k')
        self._lines += ['  %u.used = add i64 %u.k, 1', '  %u.limit = add i64 %sides, %u.used']
        self._loop('b', '%sides', '%u.limit')
        self._take_out('p', '%u.k', ['u'], '%u.stop', '%b.c')
        self._end('b', self._columns)
        self._lines += [
            f'  %u.pivot = load {one.type}, ptr %u.diagonal, align 8',
            f'  %u.inverse = fdiv {one.type} {one.constant(1.0)}, %u.pivot',
            f'  store {one.type} %u.inverse, ptr %u.diagonal, align 8',
            '  %u.fp = getelementptr i64, ptr %parents, i64 %u.k',
            '  %u.first = load i64, ptr %u.fp']
        self._way('w', '%u.first')
        self._row('w', '%w.c')
        self._lines += [
            f'  %w.p = getelementptr {one.type}, ptr %u.mass, i64 %w.c',
            f'  %w.x = load {one.type}, ptr %w.p, align 8',
            f'  %w.f = fmul {one.type} %w.x, %u.inverse',
            f'  %w.to = getelementptr {one.type}, ptr %w.factors, i64 %u.k',
            f'  store {one.type} %w.f, ptr %w.to, align 8']
        self._end_way('w')
        self._end('u')

    def _solve(self) -> None:
        """Do the same to a block of all sides, then substitute from the ground to the tips."""
        together = _rows_together()
        self._loop('s', '0', '%sides')
        self._from_tips('v')
        self._lines.append(f'  %v.low = sub i64 %v.k, {together - 1}')
        self._either('v', '%v.low', ends_alike=True)
        for count in (together, 1):
            self._alternative('v', count)
            rows = [f'v{count}.{r}' for r in range(count)]
            for r, row in enumerate(rows):
                self._lines.append(f'  %{row}.k = sub i64 %v.k, {r}')
                self._row(row, f'%{row}.k')
            self._take_out(f'r{count}', '%v.k', rows, '%v.stop', '%s.c')
        self._end_either('v')
        self._loop('t', '0', '%nv')
        self._either('t', '%t.c')
        for count in (together, 1):
            self._alternative('t', count)
            rows = [f't{count}.{r}' for r in range(count)]
            for r, row in enumerate(rows):
                self._lines.append(f'  %{row}.k = add i64 %t.c, {r}')
                self._row(row, f'%{row}.k')
            self._substitute(f'q{count}', rows)
        self._end_either('t')
        self._end('s', self._columns)

    def _from_tips(self, name: str) -> None:
        """Open a loop with ``%{name}.k`` over the axes from the tips to the ground."""
        self._loop(name, '0', '%nv')
        self._lines += [f'  %{name}.k = sub i64 %last, %{name}.c',
                        f'  %{name}.sp = getelementptr i64, ptr %ends, i64 %{name}.k',
                        f'  %{name}.stop = load i64, ptr %{name}.sp']

    def _take_out(self, name: str, axis: str, rows: Sequence[str], stop: str, column: str) -> None:
        """
        Take what an axis carries out of a block of its own row and of those of the axes before it.

        ``rows`` begin with that of the axis; each is that of the parent of the one before it.
        """
        for row in rows:
            self._load(row, f'%{row}.row', column)
        self._lines.append(f'  %{name}.begin = add i64 {axis}, 1')
        self._loop(name, f'%{name}.begin', stop, carried=[f'%{row}.x' for row in rows])
        self._take_from_all(name, rows, 'factors', column)
        self._end(name)
        done: dict[str, str] = {}
        for row in rows:
            done[row] = self._without_each_other(name, done, row, 'factors')
            self._store(row, done[row])

    def _substitute(self, name: str, rows: Sequence[str]) -> None:
        """
        Take what is nearer to the ground out of a block of rows, and divide by their pivots.

        Each of ``rows`` is that of a child of the one before it.
        """
        one, kind = self._one.type, self._block.type
        for row in rows:
            self._load(row, f'%{row}.row', '%s.c')
        self._lines += [f'  %{name}.pp = getelementptr i64, ptr %parents, i64 %t.c',
                        f'  %{name}.first = load i64, ptr %{name}.pp']
        self._way(name, f'%{name}.first', [f'%{row}.x' for row in rows])
        self._take_from_all(name, rows, 'mass', '%s.c')
        self._end_way(name)
        done: dict[str, str] = {}
        for row in rows:
            total = self._without_each_other(name, done, row, 'mass')
            done[row] = f'%{row}.y'
            self._lines.append(f'  %{row}.inverse = load {one}, ptr %{row}.diagonal, align 8')
            self._spread(row, f'%{row}.inverse')
            self._lines.append(f'  %{row}.y = fmul {kind} {total}, %{row}.all')
            self._store(row, f'%{row}.y')

    def _take_from_all(self, name: str, rows: Sequence[str], part: str, column: str) -> None:
        """Subtract multiples of a block of the row of a loop from the sums of all rows."""
        self._row(name, f'%{name}.c')
        self._load(name, f'%{name}.row', column)
        for r, row in enumerate(rows):
            self._subtract(f'{name}.{r}', f'%{name}.sum{r}', row, part, f'%{name}.c', f'%{name}.x')

    def _without_each_other(self, name: str, done: Mapping[str, str], row: str, part: str) -> str:
        """Subtract rows that are done from the sum of the next one, and return its name."""
        total = f'%{name}.sum{len(done)}'
        for other, value in done.items():
            new = f'{row}.{other}'
            self._subtract(new, total, row, part, f'%{other}.k', value)
            total = f'%{new}.d'
        return total

    def _either(self, name: str, low: str, ends_alike: bool = False) -> None:
        """
        Branch on whether the axes from one on follow each other along a chain.

        On the way up they must carry the same as well.
        """
        together, lines = _rows_together(), self._lines
        lines += [f'  %{name}.above = icmp sge i64 {low}, 0',
                  f'  %{name}.after = add i64 {low}, {together}',
                  f'  %{name}.below = icmp sle i64 %{name}.after, %nv',
                  f'  %{name}.fit = and i1 %{name}.above, %{name}.below']
        chained = f'%{name}.fit'
        for k in range(together):
            new = f'%{name}.g{k}'
            lines += [f'  {new}.at = add i64 {low}, {k}',
                      f'  {new} = select i1 %{name}.fit, i64 {new}.at, i64 0']
            if k:
                lines += [f'  {new}.p = getelementptr i64, ptr %parents, i64 {new}',
                          f'  {new}.parent = load i64, ptr {new}.p',
                          f'  {new}.is = icmp eq i64 {new}.parent, %{name}.g{k - 1}.at',
                          f'  {new}.all = and i1 {chained}, {new}.is']
                chained = f'{new}.all'
        if ends_alike:
            for place, k in (('first', 0), ('final', together - 1)):
                lines += [f'  %{name}.{place}.p = getelementptr i64, ptr %ends, i64 %{name}.g{k}',
                          f'  %{name}.{place} = load i64, ptr %{name}.{place}.p']
            lines += [f'  %{name}.same = icmp eq i64 %{name}.first, %{name}.final',
                      f'  %{name}.both = and i1 {chained}, %{name}.same']
            chained = f'%{name}.both'
        lines.append(f'  br i1 {chained}, label %{name}.rows{together}, label %{name}.rows1')
        self._ways: list[str] = []

    def _alternative(self, name: str, count: int) -> None:
        """Begin the code for so many rows at a time."""
        if count == 1:
            self._ways.append(f'[{_rows_together()}, %{self._label}]')
            self._lines.append(f'  br label %{name}.end')
        self._label = f'{name}.rows{count}'
        self._lines.append(f'{self._label}:')

    def _end_either(self, name: str) -> None:
        """End the loop over axes, which goes on by as many as were done."""
        ways = ', '.join([*self._ways, f'[1, %{self._label}]'])
        self._lines += [f'  br label %{name}.end', f'{name}.end:',
                        f'  %{name}.step = phi i64 {ways}',
                        f'  %{name}.next = add i64 %{name}.c, %{name}.step',
                        f'  br label %{name}.loop', f'{name}.done:']
        self._label = f'{name}.done'

    def _give_out(self, g: str, matrix: int) -> None:
        """Store a matrix's part of a row."""
        kind, one = self._block.type, self._one.type
        sign = 'fneg' if matrix < self._count - 1 else 'freeze'
        self._lines += [
            f'  %{g}.m = mul i64 %square, {matrix}', f'  %{g}.l = mul i64 %d.c, %nv',
            f'  %{g}.o = add i64 %{g}.m, %{g}.l',
            f'  %{g}.to = getelementptr {one}, ptr %result, i64 %{g}.o',
            f'  %{g}.s = mul i64 %nv, {matrix}',
            f'  %{g}.from = getelementptr {one}, ptr %d.row, i64 %{g}.s']
        self._loop(g, '0', '%nv')
        self._load(g, f'%{g}.from', f'%{g}.c')
        self._lines += [
            f'  %{g}.y = {sign} {kind} %{g}.x',
            f'  %{g}.tp = getelementptr {one}, ptr %{g}.to, i64 %{g}.c']
        self._store_up_to(g, f'%{g}.y', f'%{g}.tp', '%nv')
        self._end(g, self._columns)

    def _loop(self, name: str, first: str, limit: str, carried: Sequence[str] = ()
              ) -> None:
        """Open a loop with ``%{name}.c`` from first to below a limit."""
        self._lines += [
            f'  br label %{name}.loop', f'{name}.loop:',
            f'  %{name}.c = phi i64 [{first}, %{self._label}], [%{name}.next, %{name}.end]']
        self._carry(name, carried)
        self._lines += [
            f'  %{name}.more = icmp slt i64 %{name}.c, {limit}',
            f'  br i1 %{name}.more, label %{name}.body, label %{name}.done', f'{name}.body:']
        self._label = f'{name}.body'

    def _end(self, name: str, step: int = 1) -> None:
        self._lines += [
            f'  br label %{name}.end', f'{name}.end:',
            f'  %{name}.next = add i64 %{name}.c, {step}',
            f'  br label %{name}.loop', f'{name}.done:']
        self._label = f'{name}.done'

    def _way(self, name: str, first: str, carried: Sequence[str] = ()) -> None:
        """Open a loop with ``%{name}.c`` over the axes on the path to the ground."""
        self._lines += [
            f'  br label %{name}.loop', f'{name}.loop:',
            f'  %{name}.c = phi i64 [{first}, %{self._label}], [%{name}.next, %{name}.end]']
        self._carry(name, carried)
        self._lines += [
            f'  %{name}.more = icmp sge i64 %{name}.c, 0',
            f'  br i1 %{name}.more, label %{name}.body, label %{name}.done', f'{name}.body:',
            f'  %{name}.np = getelementptr i64, ptr %parents, i64 %{name}.c',
            f'  %{name}.next = load i64, ptr %{name}.np']
        self._label = f'{name}.body'

    def _end_way(self, name: str) -> None:
        self._lines += [f'  br label %{name}.end', f'{name}.end:', f'  br label %{name}.loop',
                        f'{name}.done:']
        self._label = f'{name}.done'

    def _carry(self, name: str, carried: Sequence[str]) -> None:
        """Name the sums that go round a loop."""
        self._lines += [f'  %{name}.sum{r} = phi {self._block.type} [{value}, %{self._label}], '
                        f'[%{name}.{r}.d, %{name}.end]' for r, value in enumerate(carried)]

    def _row(self, name: str, axis: str) -> None:
        """Name the row of an axis, its parts and the entry on the diagonal of M."""
        kind = self._one.type
        self._lines += [
            f'  %{name}.ro = mul i64 {axis}, %stride',
            f'  %{name}.row = getelementptr {kind}, ptr %work, i64 %{name}.ro',
            f'  %{name}.mass = getelementptr {kind}, ptr %{name}.row, i64 %sides',
            f'  %{name}.factors = getelementptr {kind}, ptr %{name}.row, i64 %upper',
            f'  %{name}.diagonal = getelementptr {kind}, ptr %{name}.mass, i64 {axis}']

    def _load(self, name: str, row: str, column: str) -> None:
        """Load a block of a row."""
        self._lines += [
            f'  %{name}.xp = getelementptr {self._one.type}, ptr {row}, i64 {column}',
            f'  %{name}.x = load {self._block.type}, ptr %{name}.xp, align 8']

    def _store(self, name: str, value: str) -> None:
        """Store a block where it was loaded."""
        self._lines.append(f'  store {self._block.type} {value}, ptr %{name}.xp, align 8')

    def _store_up_to(self, name: str, value: str, place: str, limit: str) -> None:
        """Store the columns of a block, which begins at that of a loop, that are below a limit."""
        lanes = self._block.lanes
        places = ', '.join(f'i64 {lane // self._one.lanes}' for lane in range(lanes))
        self._lines += [
            f'  %{name}.left = sub i64 {limit}, %{name}.c',
            f'  %{name}.v = insertelement <{lanes} x i64> poison, i64 %{name}.left, i64 0',
            f'  %{name}.w = shufflevector <{lanes} x i64> %{name}.v, <{lanes} x i64> poison, '
            f'<{lanes} x i32> zeroinitializer',
            f'  %{name}.mask = icmp slt <{lanes} x i64> <{places}>, %{name}.w',
            f'  call void @llvm.masked.store.v{lanes}f64.p0({self._block.type} {value}, '
            f'ptr {place}, i32 8, <{lanes} x i1> %{name}.mask)']

    def _spread(self, name: str, value: str) -> None:
        """Repeat a value for all columns of a block."""
        one, lanes = self._one, self._block.lanes
        places = ', '.join(f'i32 {lane % one.lanes}' for lane in range(lanes))
        vector, kind = value, one.type
        if one.lanes == 1:
            vector, kind = f'%{name}.one', '<1 x double>'
            self._lines.append(
                f'  {vector} = insertelement {kind} poison, double {value}, i64 0')
        self._lines.append(f'  %{name}.all = shufflevector {kind} {vector}, {kind} poison, '
                           f'<{lanes} x i32> <{places}>')

    def _subtract(self, new: str, total: str, row: str, part: str, axis: str, values: str) -> None:
        """Subtract a block of the row of an axis, times a row's entry for it, from a sum."""
        one, kind = self._one.type, self._block.type
        self._lines += [f'  %{new}.fp = getelementptr {one}, ptr %{row}.{part}, i64 {axis}',
                        f'  %{new}.f = load {one}, ptr %{new}.fp, align 8']
        self._spread(new, f'%{new}.f')
        self._lines += [f'  %{new}.z = fmul contract {kind} {values}, %{new}.all',
                        f'  %{new}.d = fsub contract {kind} {total}, %{new}.z']
