"""
IR of the elimination in ``elimination.py``, with loops over the axes and their ways to the ground.

The work array has a row for each entry of v: ``A..., 1`` side by side, padded to whole blocks, and
``M`` and the factors by which other rows are taken out of it, both padded likewise, and one
register more, lest all rows fall into the same set of the cache. A block of columns, eight
registers wide, goes all the way up and down before the next one, so that it stays near; a block of
a row stays in registers while others are subtracted: rows further from the ground on the way up,
rows nearer to it on the way down.

"""

from __future__ import annotations

from mbd_ros.execution.machine_code import vector_lanes
from mbd_ros.execution.straight_line import Width

_LINE = 64  # bytes of a cache line: rows begin on one
REGISTERS = 8  # sums in flight: a fused multiply-add takes four cycles, two start every cycle


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
        self._lines += ['  %u.used = add i64 %u.k, 1', '  %u.limit = add i64 %sides, %u.used']
        self._loop('b', '%sides', '%u.limit')
        self._take_out('p', 'u', '%b.c')
        self._store('u', '%p.sum')
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
        one, kind = self._one.type, self._block.type
        self._loop('s', '0', '%sides')
        self._from_tips('v')
        self._take_out('r', 'v', '%s.c')
        self._store('v', '%r.sum')
        self._end('v')
        self._loop('t', '0', '%nv')
        self._row('t', '%t.c')
        self._lines += [f'  %t.inverse = load {one}, ptr %t.diagonal, align 8',
                        '  %t.fp = getelementptr i64, ptr %parents, i64 %t.c',
                        '  %t.first = load i64, ptr %t.fp']
        self._spread('t', '%t.inverse')
        self._load('t', '%t.row', '%s.c')
        self._way('q', '%t.first', '%t.x')
        self._row('q', '%q.c')
        self._lines += [f'  %q.fp = getelementptr {one}, ptr %t.mass, i64 %q.c',
                        f'  %q.f = load {one}, ptr %q.fp, align 8']
        self._subtract('q', '%q.f', '%s.c')
        self._end_way('q')
        self._lines.append(f'  %t.y = fmul {kind} %q.sum, %t.all')
        self._store('t', '%t.y')
        self._end('t')
        self._end('s', self._columns)

    def _from_tips(self, name: str) -> None:
        """Open a loop with ``%{name}.k`` over the axes from the tips to the ground."""
        self._loop(name, '0', '%nv')
        self._lines += [f'  %{name}.k = sub i64 %last, %{name}.c',
                        f'  %{name}.sp = getelementptr i64, ptr %ends, i64 %{name}.k',
                        f'  %{name}.stop = load i64, ptr %{name}.sp']
        self._row(name, f'%{name}.k')

    def _take_out(self, name: str, axis: str, column: str) -> None:
        """Take the rows that the axis of a loop carries out of a block of its own row."""
        one = self._one.type
        self._load(axis, f'%{axis}.row', column)
        self._lines.append(f'  %{name}.begin = add i64 %{axis}.k, 1')
        self._loop(name, f'%{name}.begin', f'%{axis}.stop', carried=f'%{axis}.x')
        self._row(name, f'%{name}.c')
        self._lines += [
            f'  %{name}.fp = getelementptr {one}, ptr %{axis}.factors, i64 %{name}.c',
            f'  %{name}.f = load {one}, ptr %{name}.fp, align 8']
        self._subtract(name, f'%{name}.f', column)
        self._end(name)

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

    def _loop(self, name: str, first: str, limit: str, carried: str = '') -> None:
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

    def _way(self, name: str, first: str, carried: str = '') -> None:
        """Open a loop with ``%{name}.c`` over the axes on the way to the ground."""
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

    def _carry(self, name: str, carried: str) -> None:
        """Name the sum that goes round a loop."""
        if carried:
            self._lines.append(f'  %{name}.sum = phi {self._block.type} [{carried}, '
                               f'%{self._label}], [%{name}.sum1, %{name}.end]')

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

    def _subtract(self, name: str, factor: str, column: str) -> None:
        """Subtract a multiple of a block of the row of a loop from the sum."""
        kind = self._block.type
        self._spread(name, factor)
        self._load(name, f'%{name}.row', column)
        self._lines += [f'  %{name}.z = fmul contract {kind} %{name}.x, %{name}.all',
                        f'  %{name}.sum1 = fsub contract {kind} %{name}.sum, %{name}.z']
