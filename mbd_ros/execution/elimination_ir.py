"""
IR of the elimination in ``elimination.py``, with loops over the axes and their ways to the ground.

The work array has a row for each entry of v: ``A..., 1`` side by side, padded to whole vectors,
and ``M``, padded likewise. The columns of a row are worked on several at a time; where a value
already holds several states, one at a time.

"""

from __future__ import annotations

from mbd_ros.execution.machine_code import vector_lanes
from mbd_ros.execution.straight_line import Width


def columns_together(width: Width) -> int:
    """Return how many columns of a row make a vector."""
    return vector_lanes() if width.lanes == 1 else 1


def work_size(nv: int, count: int, width: Width) -> int:
    """Return the number of values of the work array for a number of matrices."""
    return nv * sum(-(-size // columns_together(width)) * columns_together(width)
                    for size in (count * nv, nv))


def strides_ir(count: int, width: Width) -> list[str]:
    """Return the instructions that name the size of the sides and of a row, from ``%nv``."""
    return [f'  %sides.n = mul i64 %nv, {count}', *_padded('sides', '%sides.n', width),
            *_padded('mass', '%nv', width), '  %stride = add i64 %sides, %mass']


def elimination_ir(count: int, width: Width) -> str:
    """
    Return the IR of ``void @eliminate(work, result, parents, nv)``.

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


def _padded(name: str, size: str, width: Width) -> list[str]:
    together = columns_together(width)
    return [f'  %{name}.up = add i64 {size}, {together - 1}',
            f'  %{name} = and i64 %{name}.up, {-together}']


class _Writer:
    """Writes the function line by line; ``%{name}.x`` belongs to the loop of that name."""

    def __init__(self, count: int, width: Width) -> None:
        self._count = count
        self._one = width
        self._together = columns_together(width)
        self._many = Width(width.lanes * self._together)
        self._lines: list[str] = []
        self._label = 'entry'
        self._steps: dict[str, int] = {}

    def write(self) -> str:
        kind, lines = self._many.type, self._lines
        suffix = f'v{self._many.lanes}f64.p0'
        if self._together > 1:
            lines.append(f'declare void @llvm.masked.store.{suffix}({kind}, ptr, i32, '
                         f'<{self._together} x i1>)')
        lines += ['define private void @eliminate(ptr noalias %work, ptr noalias %result, '
                  'ptr noalias readonly %parents, i64 %nv) nounwind {', 'entry:',
                  *strides_ir(self._count, self._one), '  %last = sub i64 %nv, 1',
                  '  %square = mul i64 %nv, %nv']
        self._upwards()
        self._downwards()
        return '\n'.join([*lines, '  ret void', '}'])

    def _upwards(self) -> None:
        """From the tips to the ground: take each axis out of those on its way."""
        self._loop('u', '%nv', 1)
        self._lines.append('  %u.k = sub i64 %last, %u.c')
        self._row('u', '%u.k')
        one = self._one
        self._lines += [
            f'  %u.pivot = load {one.type}, ptr %u.diagonal, align 8',
            f'  %u.inverse = fdiv {one.type} {one.constant(1.0)}, %u.pivot',
            f'  store {one.type} %u.inverse, ptr %u.diagonal, align 8']
        self._way('p', '%u.k')
        self._factor('p', '%u.mass', '%p.i', '%u.inverse')
        self._row('p', '%p.i')
        self._lines += ['  %p.used = add i64 %p.i, 1', '  %p.limit = add i64 %sides, %p.used']
        self._subtract('a', 'p', '%p.row', '%u.row', '%p.limit')
        self._end_way('p')
        self._end('u')

    def _downwards(self) -> None:
        """From the ground to the tips: solve, and give out."""
        self._loop('d', '%nv', 1)
        self._row('d', '%d.c')
        self._way('q', '%d.c')
        self._factor('q', '%d.mass', '%q.i', None)
        self._row('q', '%q.i')
        self._subtract('b', 'q', '%d.row', '%q.row', '%sides')
        self._end_way('q')
        self._lines.append(f'  %d.inverse = load {self._one.type}, ptr %d.diagonal, align 8')
        self._spread('d', '%d.inverse')
        self._loop('s', '%sides', self._together)
        kind = self._many.type
        self._lines += [
            f'  %s.p = getelementptr {self._one.type}, ptr %d.row, i64 %s.c',
            f'  %s.x = load {kind}, ptr %s.p, align 8',
            f'  %s.y = fmul {kind} %s.x, %d.factor', f'  store {kind} %s.y, ptr %s.p, align 8']
        self._end('s')
        for matrix in range(self._count):
            self._give_out(f'g{matrix}', matrix)
        self._end('d')

    def _give_out(self, g: str, matrix: int) -> None:
        kind, one = self._many.type, self._one.type
        sign = 'fneg' if matrix < self._count - 1 else 'freeze'
        self._lines += [
            f'  %{g}.m = mul i64 %square, {matrix}', f'  %{g}.l = mul i64 %d.c, %nv',
            f'  %{g}.o = add i64 %{g}.m, %{g}.l',
            f'  %{g}.to = getelementptr {one}, ptr %result, i64 %{g}.o',
            f'  %{g}.s = mul i64 %nv, {matrix}',
            f'  %{g}.from = getelementptr {one}, ptr %d.row, i64 %{g}.s']
        self._loop(g, '%nv', self._together)
        self._lines += [
            f'  %{g}.fp = getelementptr {one}, ptr %{g}.from, i64 %{g}.c',
            f'  %{g}.x = load {kind}, ptr %{g}.fp, align 8', f'  %{g}.y = {sign} {kind} %{g}.x',
            f'  %{g}.tp = getelementptr {one}, ptr %{g}.to, i64 %{g}.c']
        if self._together == 1:
            self._lines.append(f'  store {kind} %{g}.y, ptr %{g}.tp, align 8')
        else:
            lanes = self._together
            places = ', '.join(f'i64 {lane}' for lane in range(lanes))
            self._lines += [
                f'  %{g}.left = sub i64 %nv, %{g}.c',
                f'  %{g}.v = insertelement <{lanes} x i64> poison, i64 %{g}.left, i64 0',
                f'  %{g}.w = shufflevector <{lanes} x i64> %{g}.v, <{lanes} x i64> poison, '
                f'<{lanes} x i32> zeroinitializer',
                f'  %{g}.mask = icmp slt <{lanes} x i64> <{places}>, %{g}.w',
                f'  call void @llvm.masked.store.v{lanes}f64.p0({kind} %{g}.y, ptr %{g}.tp, i32 8,'
                f' <{lanes} x i1> %{g}.mask)']
        self._end(g)

    def _loop(self, name: str, limit: str, step: int) -> None:
        """Open a loop with ``%{name}.c`` from 0 to below a limit."""
        self._lines += [
            f'  br label %{name}.loop', f'{name}.loop:',
            f'  %{name}.c = phi i64 [0, %{self._label}], [%{name}.next, %{name}.end]',
            f'  %{name}.more = icmp slt i64 %{name}.c, {limit}',
            f'  br i1 %{name}.more, label %{name}.body, label %{name}.done', f'{name}.body:']
        self._steps[name] = step
        self._label = f'{name}.body'

    def _end(self, name: str) -> None:
        self._lines += [
            f'  br label %{name}.end', f'{name}.end:',
            f'  %{name}.next = add i64 %{name}.c, {self._steps[name]}',
            f'  br label %{name}.loop', f'{name}.done:']
        self._label = f'{name}.done'

    def _way(self, name: str, axis: str) -> None:
        """Open a loop with ``%{name}.i`` over the axes on the way from an axis to the ground."""
        self._lines += [
            f'  %{name}.fp = getelementptr i64, ptr %parents, i64 {axis}',
            f'  %{name}.first = load i64, ptr %{name}.fp', f'  br label %{name}.loop',
            f'{name}.loop:',
            f'  %{name}.i = phi i64 [%{name}.first, %{self._label}], [%{name}.next, %{name}.end]',
            f'  %{name}.more = icmp sge i64 %{name}.i, 0',
            f'  br i1 %{name}.more, label %{name}.body, label %{name}.done', f'{name}.body:']
        self._label = f'{name}.body'

    def _end_way(self, name: str) -> None:
        self._lines += [
            f'  br label %{name}.end', f'{name}.end:',
            f'  %{name}.np = getelementptr i64, ptr %parents, i64 %{name}.i',
            f'  %{name}.next = load i64, ptr %{name}.np', f'  br label %{name}.loop',
            f'{name}.done:']
        self._label = f'{name}.done'

    def _row(self, name: str, axis: str) -> None:
        """Name the row of an axis, its part of M and the entry on the diagonal."""
        kind = self._one.type
        self._lines += [
            f'  %{name}.ro = mul i64 {axis}, %stride',
            f'  %{name}.row = getelementptr {kind}, ptr %work, i64 %{name}.ro',
            f'  %{name}.mass = getelementptr {kind}, ptr %{name}.row, i64 %sides',
            f'  %{name}.diagonal = getelementptr {kind}, ptr %{name}.mass, i64 {axis}']

    def _factor(self, name: str, row: str, entry: str, times: str | None) -> None:
        """Name the factor ``row[entry] * times`` of a row, in all columns."""
        kind = self._one.type
        self._lines += [f'  %{name}.ep = getelementptr {kind}, ptr {row}, i64 {entry}',
                        f'  %{name}.e = load {kind}, ptr %{name}.ep, align 8']
        if times is None:
            self._spread(name, f'%{name}.e')
            return
        self._lines.append(f'  %{name}.f = fmul {kind} %{name}.e, {times}')
        self._spread(name, f'%{name}.f')

    def _spread(self, name: str, value: str) -> None:
        kind = self._many.type
        if self._together == 1:
            self._lines.append(f'  %{name}.factor = freeze {kind} {value}')
            return
        self._lines += [
            f'  %{name}.f0 = insertelement {kind} poison, double {value}, i64 0',
            f'  %{name}.factor = shufflevector {kind} %{name}.f0, {kind} poison, '
            f'<{self._together} x i32> zeroinitializer']

    def _subtract(self, name: str, factor: str, own: str, other: str, limit: str) -> None:
        """Subtract a multiple of a row from another, up to a column."""
        kind, one = self._many.type, self._one.type
        self._loop(name, limit, self._together)
        self._lines += [
            f'  %{name}.op = getelementptr {one}, ptr {own}, i64 %{name}.c',
            f'  %{name}.o = load {kind}, ptr %{name}.op, align 8',
            f'  %{name}.tp = getelementptr {one}, ptr {other}, i64 %{name}.c',
            f'  %{name}.t = load {kind}, ptr %{name}.tp, align 8',
            f'  %{name}.x = fmul contract {kind} %{name}.t, %{factor}.factor',
            f'  %{name}.y = fsub contract {kind} %{name}.o, %{name}.x',
            f'  store {kind} %{name}.y, ptr %{name}.op, align 8']
        self._end(name)
